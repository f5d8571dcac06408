"""What a network answers in a second on a device by itself: the rate that a search on that device is measured against.

The planes are on the device, in the type and order in which the network reads them, and the answers stay there. On
CUDA the network runs as a CUDA graph. It is measured plain and fused, in batches of several sizes; the forms take
turns, so that a busy moment or a warm GPU hits both.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from eightfold.nets.inference.device import check_device
from eightfold.nets.inference.device_network import DeviceNetwork
from eightfold.nets.shape import Shape

BATCHES = (256, 1024, 4096, 16_384)
ROUNDS = 5
SLICE = 0.1  # seconds that one form runs at least before it is the other's turn
WARM_UPS = 3  # runs before the recording of a graph


@dataclass(frozen=True, kw_only=True)
class Rate:
    positions_per_s: float
    batch: int
    fused: bool

    @property
    def how(self) -> str:
        return f"{'fused' if self.fused else 'plain'}, batches of {self.batch:,}"


def best_rate(network: nn.Module, shape: Shape, *, device: str, batches: Sequence[int] = BATCHES) -> Rate:
    """The fastest form of a network at its best batch size."""
    return max(network_rates(network, shape, device=device, batches=batches), key=lambda rate: rate.positions_per_s)


def network_rates(network: nn.Module, shape: Shape, *, device: str, batches: Sequence[int] = BATCHES) -> list[Rate]:
    """Every batch size plain, and fused where the network can be fused on the device."""
    check_device(device)
    forms = [DeviceNetwork(network, shape, device=device, fused=fused) for fused in ("off", "auto")]
    forms = forms if forms[1].is_fused else forms[:1]
    return [rate for batch in batches for rate in _rates(forms, shape, batch)]


def _rates(forms: list[DeviceNetwork], shape: Shape, batch: int) -> list[Rate]:
    jobs = [_job(form, shape, batch) for form in forms]
    calls = [1] * len(jobs)
    taken: list[list[float]] = [[] for _ in jobs]
    for number in range(ROUNDS + 1):
        for place, (form, job) in enumerate(zip(forms, jobs, strict=True)):
            seconds = _seconds(job, calls[place], form.device)
            if number:  # the first round was a single call, to find out how many make a slice
                taken[place].append(seconds)
            else:
                calls[place] = max(1, round(SLICE / seconds))
    return [
        Rate(positions_per_s=batch / statistics.median(each), batch=batch, fused=form.is_fused)
        for form, each in zip(forms, taken, strict=True)
    ]


def _seconds(job: Callable[[], object], calls: int, device: torch.device) -> float:
    """Of one call."""
    _wait(device)
    start = time.perf_counter()
    for _ in range(calls):
        job()
    _wait(device)
    return (time.perf_counter() - start) / calls


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _job(network: DeviceNetwork, shape: Shape, batch: int) -> Callable[[], object]:
    """One run of the network over a batch of random planes; on CUDA a recorded one."""
    seen = network.room(batch, shape.size)
    numbers = torch.Generator().manual_seed(1)
    planes = torch.randint(0, 2, (batch, shape.planes, shape.size, shape.size), generator=numbers)
    seen[:, : shape.planes] = planes.to(network.device)

    @torch.inference_mode()
    def run() -> object:
        return network(seen)

    if network.device.type != "cuda":
        return run
    stream = torch.cuda.Stream(network.device)  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream(network.device))
    with torch.cuda.stream(stream):
        for _ in range(WARM_UPS):
            run()
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        answer = run()

    def replay() -> object:
        graph.replay()
        return seen, answer  # kept for as long as the graph, which reads the one and writes to the other

    return replay
