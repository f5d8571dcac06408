"""Workers on a cluster: actors, each of which does one job after another, and is replaced when it dies.

A job is a call of a generator method of the actor: what the method yields travels at once and is handed to the job's
`on_item`, so that whatever a worker finished is not lost with it. `on_end` hears that a job is over, `on_death` that
its worker died first. A worker may have jobs waiting, which keeps it busy while somebody thinks about the next one.

    workers = Workers(cluster, Actor, arguments)      # Actor(*arguments(place))
    workers.ask(workers.ready[0], Job("method", args, on_item=...))
    workers.step(1.0)                                 # hand out what has come, replace who has died, see who has joined

An actor's class has a method `is_ready` that yields once; a worker gets jobs when it has started, for a process takes
seconds, and one whose processor is used by somebody else has to wait. A node offers a place for each of its processors,
or for each of its GPUs if it has any; `most` limits all places together, `spare` leaves processors of this machine to
this process. Read before: `cluster.py`.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eightfold.core.cluster import Cluster, Node, last_line
from eightfold.core.errors import EightfoldError

LOOK_SECONDS = 2.0  # between two looks at which nodes there are
ALONE_SECONDS = 60.0  # without any worker until somebody is told
START_SECONDS = 60.0  # that all workers may take to start, before those that have started begin
MOST_FAILURES = 5  # of one place, without anything to show for them

log = logging.getLogger("eightfold")


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a worker may be."""

    number: int  # counts all places of a cluster that there ever were
    node: Node
    threads: int
    gpus: int


@dataclass(kw_only=True)
class Job:
    method: str
    arguments: tuple[Any, ...] = ()
    on_item: Callable[[Worker, Any], None] = lambda worker, item: None
    on_end: Callable[[Worker], None] = lambda worker: None
    on_death: Callable[[Worker], None] = lambda worker: None


@dataclass(kw_only=True, eq=False)
class Worker:
    place: Place
    life: int  # how many workers this place had before
    actor: Any
    ready: bool = False  # whether it has started
    jobs: deque[tuple[Job, Any]] = field(default_factory=deque)  # and the stream of each


class Workers:
    """As many workers as the nodes have room for."""

    def __init__(
        self,
        cluster: Cluster,
        actor: type,
        arguments: Callable[[Place, int], tuple[Any, ...]],  # of an actor, for its place and life
        *,
        most: int = 0,
        spare: int = 0,
        on_new: Callable[[Worker], None] = lambda worker: None,
    ) -> None:
        self._cluster, self._ray, self._most, self._spare = cluster, cluster.ray, most, spare
        self._actor, self._arguments, self._on_new = cluster.ray.remote(actor), arguments, on_new
        self._places: list[Place] = []
        self._lives: dict[int, int] = {}  # by place
        self._failures: dict[int, int] = {}  # workers of a place that died before they gave anything
        self._count = 0  # of places so far
        self._looked = self._alive = time.monotonic()
        self.workers: list[Worker] = []
        self.lost = 0  # workers that died
        self._take_nodes()
        self._fill()
        if not self._places:
            raise EightfoldError(
                f"the cluster at {cluster.address} has no processor to spare: there is room for no actor"
            )

    @property
    def ready(self) -> list[Worker]:
        """Those that have started."""
        return [worker for worker in self.workers if worker.ready]

    def start(self, *, stop: Callable[[], bool] = lambda: False) -> None:
        """Wait for the workers that there is room for now, or for one of them if it takes long."""
        begun, told = time.monotonic(), False
        while not stop() and not all(worker.ready for worker in self.workers):
            self.step(1.0)
            long = time.monotonic() - begun > START_SECONDS
            if long and self.ready:
                return
            if long and not told:
                log.warning("eightfold: note: waiting for a free processor of the cluster at %s", self._cluster.address)
                told = True

    def ask(self, worker: Worker, job: Job) -> None:
        """Let a worker do a job after those that it has."""
        call = getattr(worker.actor, job.method).options(num_returns="streaming")
        worker.jobs.append((job, call.remote(*job.arguments)))

    def step(self, seconds: float) -> bool:
        """Wait so long for something to come, and hand out all that has come; whether anything had."""
        if time.monotonic() - self._looked > LOOK_SECONDS:
            self._take_nodes()
            self._fill()
        streams = {worker.jobs[0][1]: worker for worker in self.workers if worker.jobs}
        if not streams:
            time.sleep(seconds)
            return False
        ready, _ = self._ray.wait(list(streams), num_returns=1, timeout=seconds)
        if ready and len(streams) > 1:  # all that is there
            ready, _ = self._ray.wait(list(streams), num_returns=len(streams), timeout=0)
        for stream in ready:
            self._take(streams[stream], stream)
        return bool(ready)

    def _take(self, worker: Worker, stream: Any) -> None:
        job = worker.jobs[0][0]
        try:
            item = self._ray.get(next(stream))
        except StopIteration:
            worker.jobs.popleft()
            job.on_end(worker)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, EightfoldError):
                raise EightfoldError(f"on node {worker.place.node.name}: {error.cause}") from None
            raise
        except self._ray.exceptions.RayError as error:
            self._bury(worker, error)
        else:
            if worker.ready:
                self._failures[worker.place.number] = 0
            job.on_item(worker, item)

    def _bury(self, worker: Worker, error: BaseException) -> None:
        place, node = worker.place.number, worker.place.node
        self._end(worker)
        self.workers.remove(worker)
        self.lost += 1
        self._failures[place] = self._failures.get(place, 0) + 1
        if self._failures[place] >= MOST_FAILURES and node.key in {each.key for each in self._cluster.nodes()}:
            raise EightfoldError(
                f"an actor on node {node.name} died {MOST_FAILURES} times before it gave anything: {last_line(error)}"
            )
        for job, _ in worker.jobs:
            job.on_death(worker)
        self._take_nodes()
        self._fill()

    # ---- places ---------------------------------------------------------------------------------------

    def _take_nodes(self) -> None:
        """Add the places of nodes that have joined, take away those of nodes that are gone."""
        self._looked = time.monotonic()
        there, known = self._cluster.nodes(), {place.node.key for place in self._places}
        for node in there:
            if node.key not in known:
                for threads, gpus in _room(node, self._spare):
                    self._places.append(Place(number=self._count, node=node, threads=threads, gpus=gpus))
                    self._count += 1
        alive = {node.key for node in there}
        self._places = [place for place in self._places if place.node.key in alive]

    def _fill(self) -> None:
        """A worker for every place that has none; the nodes take turns, where not all places are wanted."""
        taken = {worker.place.number for worker in self.workers}
        free = [place for place in _by_turns(self._places) if place.number not in taken]
        for place in free[: max(0, self._most - len(self.workers)) if self._most else None]:
            life = self._lives[place.number] = self._lives.get(place.number, -1) + 1
            options = {"num_cpus": place.threads, "num_gpus": place.gpus, "max_restarts": 0, "max_task_retries": 0}
            actor = self._actor.options(**options, scheduling_strategy=self._cluster.on(place.node))
            worker = Worker(place=place, life=life, actor=actor.remote(*self._arguments(place, life)))
            self.workers.append(worker)
            self.ask(worker, Job(method="is_ready", on_item=self._begin))
        if self.workers:
            self._alive = time.monotonic()
        elif time.monotonic() - self._alive > ALONE_SECONDS:
            raise EightfoldError(f"the cluster at {self._cluster.address} has had no node to work on for a minute")

    def _begin(self, worker: Worker, item: Any) -> None:
        worker.ready = True
        self._on_new(worker)

    def close(self) -> None:
        for worker in self.workers:
            self._end(worker)
        self.workers = []

    def _end(self, worker: Worker) -> None:
        self._ray.kill(worker.actor, no_restart=True)


def _room(node: Node, spare: int) -> list[tuple[int, int]]:
    """Threads and GPUs of the places that a node offers."""
    if node.gpus:
        return [(max(1, node.cpus // node.gpus), 1)] * node.gpus
    cpus = max(1, node.cpus - spare) if node.here and node.cpus else node.cpus
    return [(1, 0)] * cpus


def _by_turns(places: list[Place]) -> list[Place]:
    """The first place of every node, then the second of every node, and so on."""
    rank: dict[str, int] = {}
    ranked = []
    for place in places:
        rank[place.node.key] = rank.get(place.node.key, -1) + 1
        ranked.append((rank[place.node.key], place.number, place))
    return [place for _, _, place in sorted(ranked, key=lambda each: each[:2])]
