"""A cluster of machines, by Ray: how to join it, which nodes it has, and whether all of them run the same Eightfold.

    with connect("auto") as cluster:           # the cluster that this machine is a node of; or HOST:PORT
        cluster.nodes()                        # all that are alive, each with the very same sources

Ray is an extra (`eightfold[cluster]`) and is imported when somebody asks for a cluster, never before. What cannot work
is one line: no Ray, an address where nobody answers, a node with other sources. Read next: `workers.py`.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import platform
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eightfold import __version__
from eightfold.core.errors import EightfoldError, shown
from eightfold.core.extras import need

AUTO = "auto"
CONNECT_SECONDS = 5.0  # until an address counts as unreachable
ANSWER_SECONDS = 120.0  # a node may take for its first answer: it starts a process, and reads Python's files cold
PACKAGE = Path(__file__).parents[1]
log = logging.getLogger("eightfold")


@dataclass(frozen=True, kw_only=True)
class Versions:
    """What has to be the same on all nodes: what one of them sends, another one reads."""

    eightfold: str
    python: str
    sources: str  # a digest of the package's files

    def difference(self, other: Versions) -> str:
        """What differs, for people; empty if nothing does."""
        names = {"eightfold": "Eightfold", "python": "Python", "sources": "the sources of Eightfold"}
        for name, called in names.items():
            here, there = getattr(self, name), getattr(other, name)
            if here != there:
                return f"{called} {there} there, {here} here"
        return ""


def _versions() -> Versions:
    """Of this process."""
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return Versions(eightfold=__version__, python=platform.python_version(), sources=digest.hexdigest())


versions = functools.cache(_versions)  # a node is asked by the plain function


@dataclass(frozen=True, kw_only=True)
class Node:
    """A machine of the cluster, or a part of one."""

    key: str  # Ray's name for it
    name: str  # for people
    cpus: int
    gpus: int
    here: bool  # whether this process runs on it


class Cluster:
    """A cluster that this process is connected to, and those of its nodes that run the same Eightfold."""

    def __init__(self, ray: Any, address: str) -> None:
        self.ray, self.address = ray, address
        self._here = ray.get_runtime_context().get_node_id()
        self._answers: dict[str, Any] = {}  # of nodes that were asked for their versions
        self._fits: dict[str, bool] = {self._here: True}  # of those that have answered

    def nodes(self) -> list[Node]:
        """All that are alive and have said that they fit, this one first. One that joins is asked, and comes later."""
        alive = self._alive()
        for node in alive:
            if node.key not in self._fits and (problem := self._problem(node, seconds=0)):
                log.warning("eightfold: note: node %s is not used: %s", node.name, problem)
        return [node for node in alive if self._fits.get(node.key)]

    def check(self) -> None:
        """An error in one line if a node does not fit."""
        alive = [node for node in self._alive() if node.key not in self._fits]
        for node in alive:
            self._ask(node)
        for node in alive:
            if problem := self._problem(node, seconds=ANSWER_SECONDS):
                raise EightfoldError(f"node {node.name} of the cluster {problem}")

    def on(self, node: Node) -> Any:
        """The strategy that puts something on this node and nowhere else."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        return NodeAffinitySchedulingStrategy(node_id=node.key, soft=False)

    def _alive(self) -> list[Node]:
        alive = [entry for entry in self.ray.nodes() if entry["Alive"]]
        addresses = [entry["NodeManagerAddress"] for entry in alive]
        found = []
        for entry, address in zip(alive, addresses, strict=True):
            key, resources = entry["NodeID"], entry["Resources"]
            name = address if addresses.count(address) == 1 else f"{address}/{key[:6]}"  # several on one machine
            cpus, gpus = int(resources.get("CPU", 0)), int(resources.get("GPU", 0))
            found.append(Node(key=key, name=name, cpus=cpus, gpus=gpus, here=key == self._here))
        return sorted(found, key=lambda node: (not node.here, node.name))

    def _ask(self, node: Node) -> None:
        task = self.ray.remote(_versions).options(num_cpus=0, scheduling_strategy=self.on(node), max_retries=0)
        self._answers.setdefault(node.key, task.remote())

    def _problem(self, node: Node, *, seconds: float) -> str:
        """Why a node cannot be used, if it is known by then; it fits if there is none."""
        self._ask(node)
        errors, problem = self.ray.exceptions, ""
        try:
            difference = versions().difference(self.ray.get(self._answers[node.key], timeout=seconds))
            problem = f"has another version: {difference}; install the same on all nodes" if difference else ""
        except errors.GetTimeoutError:
            return "does not answer" if seconds else ""
        except errors.RayTaskError as error:
            problem = f"cannot run Eightfold {__version__}: {last_line(error)}"
        except errors.RayError:
            return ""  # it has just died
        self._fits[node.key] = not problem
        return problem


@contextlib.contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """A cluster by its address, until the end of the block; an error in one line if it cannot be joined."""
    need("ray", purpose="a cluster")
    _check_address(address)
    import ray

    if ray.is_initialized():
        raise EightfoldError("this process is connected to a cluster already")
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise _refused(address, error) from None
    _be_quiet()
    try:
        cluster = Cluster(ray, address)
        cluster.check()
        yield cluster
    finally:
        ray.shutdown()


def last_line(error: BaseException) -> str:
    """Of an error that came from another process with all of its traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return shown(lines[-1]).strip("'\"") if lines else type(error).__name__


def _check_address(address: str) -> None:
    """An error for an address that cannot be one, or where nobody answers: Ray itself would try for minutes."""
    if address == AUTO:
        return
    host, _, port = address.rpartition(":")
    if "://" in address or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise EightfoldError(f"--cluster {shown(address)} is no address; give auto, or HOST:PORT of the head node")
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise EightfoldError(
            f"no cluster answers at {address} ({reason}); `ray start --head` on the head node prints its address"
        ) from None


def _refused(address: str, error: Exception) -> EightfoldError:
    text = " ".join(str(error).split())
    if address == AUTO and isinstance(error, ConnectionError):
        return EightfoldError(
            "this machine is no node of a running cluster: `ray start --head` begins one here, and"
            " `ray start --address=HOST:PORT` joins one"
        )
    if "ersion" in text and "mismatch" in text.lower():
        return EightfoldError(f"the cluster at {address} has other versions: {text}")
    return EightfoldError(f"cannot join the cluster at {address}: {text[:200]}")


def _be_quiet() -> None:
    """Keep Ray from printing pages of a lost node's log to stdout: whoever used the node tells of it in a line."""
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):  # a function of Ray's own, which has no option for this
        worker.print_to_stdstream = lambda *arguments, **options: None
