"""The backends side by side: positions a second, the time to take new weights, and how far they are from torch.

For each network and batch size the backends take turns, so that a busy moment hits all of them. The answers are
compared with torch's in fp32, for random weights and planes; a trained network's may differ by more.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from eightfold.benchmarks.report import Benchmark, Figure, interleaved
from eightfold.nets.inference.backends import Answer, Backend, has_onnxruntime, has_openvino, make_backend
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape

BATCHES = (1, 64, 512)
NETWORKS = {
    "a1": ("a1", Shape(planes=4, size=8)),
    "resnet": ("resnet:blocks=6,filters=64", Shape(planes=4, size=15)),
}
REFERENCE = "torch_fp32"
SECONDS = 3.0  # for each network and batch size, all backends together; more if two rounds take longer
SLICE = 0.05  # seconds that one backend runs at least before it is the next one's turn
LOADS = 3


@dataclass(frozen=True, kw_only=True)
class Contender:
    name: str
    text: str
    device: str = "cpu"
    absent: str = ""  # why it cannot be measured here


def contenders() -> list[Contender]:
    """The backends of a CPU, whether they are here or not; those of a GPU where there is one."""
    no_openvino = "" if has_openvino() else "openvino is not installed"
    no_onnxruntime = "" if has_onnxruntime() else "not installed: pip install 'eightfold[onnx]'"
    listed = [
        Contender(name=REFERENCE, text="torch:precision=fp32"),
        Contender(name="torch_bf16", text="torch:precision=bf16"),
        Contender(name="onnxruntime_fp32", text="onnxruntime", absent=no_onnxruntime),
        Contender(name="openvino_fp32", text="openvino:precision=fp32", absent=no_openvino),
        Contender(name="openvino_bf16", text="openvino:precision=bf16", absent=no_openvino),
    ]
    if torch.cuda.is_available():
        listed += [
            Contender(name="cuda_bf16", text="torch:graphs=off", device="cuda"),
            Contender(name="cuda_graphs_bf16", text="torch", device="cuda"),
        ]
    return listed


def run() -> Benchmark:
    listed = contenders()
    figures: list[Figure] = []
    for title, (text, shape) in NETWORKS.items():
        figures += _measure(title, text, shape, listed)
    names = " and ".join(f"{text} on {shape.size}x{shape.size}" for text, shape in NETWORKS.values())
    return Benchmark(name="backends", title=names, figures=tuple(figures))


def _measure(title: str, text: str, shape: Shape, listed: list[Contender]) -> Iterator[Figure]:
    """All figures of one network."""
    torch.manual_seed(1)
    network = _decided(make_network(text, shape), shape)
    present = {
        each.name: make_backend(each.text, network, shape, device=each.device) for each in listed if not each.absent
    }
    loads = interleaved({name: functools.partial(each.load, network) for name, each in present.items()}, LOADS)
    random = np.random.default_rng(1)
    rates: dict[int, Mapping[str, float]] = {}
    policies: dict[str, float] = dict.fromkeys(present, 0.0)
    values: dict[str, float] = dict.fromkeys(present, 0.0)
    for batch in BATCHES:
        planes = random.integers(0, 2, (batch, shape.planes, shape.size, shape.size)).astype(np.float32)
        expected = _log_policy(present[REFERENCE].run(planes))
        for name, backend in present.items():
            answer = _log_policy(backend.run(planes))
            policies[name] = max(policies[name], float(np.abs(answer[0] - expected[0]).max()))
            values[name] = max(values[name], float(np.abs(answer[1] - expected[1]).max()))
        rates[batch] = _rates(present, planes)
    for each in listed:
        key, note = f"{title}_{each.name}", each.absent
        for batch in BATCHES:
            yield Figure(key=f"{key}_batch_{batch}", value=rates[batch].get(each.name), unit="/s", note=note)
            note = ""  # once is enough
        yield Figure(key=f"{key}_load_s", value=loads.get(each.name), unit="s")
        if each.name != REFERENCE:
            yield Figure(key=f"{key}_log_policy_difference", value=policies.get(each.name))
            yield Figure(key=f"{key}_value_difference", value=values.get(each.name))


def _rates(backends: Mapping[str, Backend], planes: NDArray[np.float32]) -> dict[str, float]:
    """Positions a second, the median over as many rounds as there is time for. All have run these planes before."""
    calls = dict.fromkeys(backends, 1)
    taken: dict[str, list[float]] = {name: [] for name in backends}
    start = time.perf_counter()
    while len(taken[REFERENCE]) < 2 or time.perf_counter() - start < SECONDS:
        for name, backend in backends.items():
            began = time.perf_counter()
            for _ in range(calls[name]):
                backend.run(planes)
            seconds = (time.perf_counter() - began) / calls[name]
            calls[name] = max(1, round(SLICE / seconds))
            taken[name].append(seconds)
    # The first round was a single call, to find out how many make a slice.
    return {name: len(planes) / statistics.median(each[1:]) for name, each in taken.items()}


def _decided(network: nn.Module, shape: Shape) -> nn.Module:
    """As after a little training: heads that say more than a fresh network's, and norms that know their inputs."""
    for head in ("policy", "value"):
        layers = [m for m in network.get_submodule(head).modules() if isinstance(m, nn.Linear | nn.Conv2d)]
        layers[-1].weight.data.mul_(3)
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = 1.0  # the next batch's statistics become its own
    with torch.no_grad():
        network.train()(torch.randint(0, 2, (64, shape.planes, shape.size, shape.size)).float())
    return network.eval()


def _log_policy(answer: Answer) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Log-policies [B, A] and values [B], copied: a backend may use the memory again."""
    logits, values = (part.astype(np.float64) for part in answer)
    logits -= logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), values
