"""The backends side by side: positions a second, the time to take new weights, and how far they are from torch.

For each network and batch size the backends take turns, so that a busy moment hits all of them. The answers are
compared with torch's in fp32, for random weights and planes; a trained network's may differ by more.

On CUDA the network is also measured by itself, plain and with fused convolutions: there a backend is busy with batches
that come from the host and go back. `--device cuda` measures that alone.
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

from eightfold.benchmarks.network_rate import network_rates
from eightfold.benchmarks.report import Benchmark, Figure, interleaved
from eightfold.nets.inference.backends import Answer, Backend, has_onnxruntime, has_openvino, make_backend
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape

BATCHES = (1, 64, 512)
NETWORKS = {
    "a1": ("a1", Shape(planes=4, size=8)),
    "resnet": ("resnet:blocks=6,filters=64", Shape(planes=4, size=15)),
}
DEVICE_NETWORKS = {**NETWORKS, "resnet_go": ("resnet:blocks=6,filters=96", Shape(planes=4, size=9, passes=1))}
REFERENCE, PLAIN, FUSED = "torch_fp32", "cuda_graphs_bf16", "cuda_graphs_fused_bf16"
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
            Contender(name="cuda_bf16", text="torch:graphs=off,fused=off", device="cuda"),
            Contender(name=PLAIN, text="torch:fused=off", device="cuda"),
            Contender(name=FUSED, text="torch:fused=on", device="cuda"),
        ]
    return listed


def run(device: str = "cpu") -> Benchmark:
    """On a CPU every backend that there is here; on a GPU, here or asked for, the network alone."""
    figures: list[Figure] = []
    gpu = device if device != "cpu" else "cuda" if torch.cuda.is_available() else ""
    networks = DEVICE_NETWORKS if gpu else NETWORKS
    if device == "cpu":
        listed = contenders()
        for title, (text, shape) in NETWORKS.items():
            figures += _measure(title, text, shape, listed)
    if gpu:
        for title, (text, shape) in DEVICE_NETWORKS.items():
            figures += _on_device(title, text, shape, gpu)
    names = ", ".join(f"{text} on {shape.size}x{shape.size}" for text, shape in networks.values())
    return Benchmark(name="backends", title=names, figures=tuple(figures))


def _on_device(title: str, text: str, shape: Shape, device: str) -> Iterator[Figure]:
    """A network by itself: positions a second in every form and batch size, what fusing gains, and the best of all."""
    torch.manual_seed(1)
    network = _decided(make_network(text, shape), shape)
    rates = network_rates(network, shape, device=device)
    for batch in dict.fromkeys(rate.batch for rate in rates):
        found = {rate.fused: rate.positions_per_s for rate in rates if rate.batch == batch}
        key = f"{title}_alone_on_{device}"
        yield Figure(key=f"{key}_plain_batch_{batch}", value=found[False], unit="/s")
        if True in found:
            yield Figure(key=f"{key}_fused_batch_{batch}", value=found[True], unit="/s")
            yield Figure(key=f"{key}_fused_times_plain_batch_{batch}", value=found[True] / found[False], unit="x")
    best = max(rates, key=lambda rate: rate.positions_per_s)
    yield Figure(key=f"{title}_alone_on_{device}_best", value=best.positions_per_s, unit="/s", note=best.how)


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
    if FUSED in present:
        for batch in BATCHES:
            gain = rates[batch][FUSED] / rates[batch][PLAIN]
            yield Figure(key=f"{title}_{FUSED}_times_plain_batch_{batch}", value=gain, unit="x")
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
