"""A Ray cluster of real processes on this machine, for tests."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def local_cluster(cpus: int = 1) -> Iterator[Any]:
    """One node; `add_node` adds others, `remove_node` kills one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, about Python and its future
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": cpus, "include_dashboard": False})
        try:
            yield cluster
        finally:
            cluster.shutdown()
