"""A Ray cluster of real processes on this machine, and an actor that keeps its own list of games, for tests."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eightfold.learning.actors.remote import SelfPlayActor
from eightfold.learning.data.record import PlayedGame

WITNESS = "EIGHTFOLD_TEST_WITNESS"  # the folder of these lists


@contextlib.contextmanager
def local_cluster(cpus: int = 1, **variables: str) -> Iterator[Any]:
    """One node; `add_node` adds others, `remove_node` kills one. `variables` of the environment are for all of them."""
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, about Python and its future
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": cpus, "include_dashboard": False})
        try:
            yield cluster
        finally:
            cluster.shutdown()
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


class WitnessedActor(SelfPlayActor):
    """Writes down when each game ended, before it is sent."""

    def play(self, seconds: float) -> Iterator[Any]:
        path = Path(os.environ[WITNESS]) / f"{os.getpid()}"
        for item in super().play(seconds):
            if isinstance(item, list):
                with open(path, "a") as file:
                    file.writelines(f"{time.time()} {digest(data)}\n" for data in item)
            yield item


def digest(data: bytes) -> str:
    """Of a game as it is sent."""
    return hashlib.blake2b(PlayedGame.from_bytes(data).to_bytes(), digest_size=16).hexdigest()
