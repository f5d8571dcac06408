"""Internal Symmetry Networks of Blair at 19x19: the network alone, with its inputs, and candidate moves.

Positions are of random stones, of every density. The floor is what the same additions and multiplications would take
at the speed at which torch multiplies matrices here, or what the bytes take to be copied, whichever is longer.
`--device cuda` measures the network on a GPU instead.
"""

from __future__ import annotations

import functools
import sys
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from eightfold.benchmarks.reference.isn import plain_classes, plain_outputs, plain_play
from eightfold.benchmarks.report import Benchmark, Figure, interleaved
from eightfold.isn.classes import BLACK, WHITE, liberty_classes
from eightfold.isn.device import DeviceISN
from eightfold.isn.fused import FusedEvaluator
from eightfold.isn.incremental import CandidateEvaluator
from eightfold.isn.network import ISN, one_hot
from eightfold.nets.inference.backends import has_openvino

BATCH, SIZE, SMALL = 512, 19, 9
CUDA_BATCH = 16384
REPEATS = 9
PAPER = 7000  # positions a second on the paper's GPU
TITLE = "Internal Symmetry Network, 14 inputs, 12 hidden units, 7 outputs"


def run(device: str = "cpu") -> Benchmark:
    figures = _on_device(device) if device != "cpu" else _on_cpu()
    return Benchmark(name="isn", title=TITLE, figures=tuple(figures))


def _on_cpu() -> Iterator[Figure]:
    torch.manual_seed(1)
    network = ISN().eval()
    stones = random_stones(BATCH, SIZE)
    evaluator = FusedEvaluator(network)
    outputs = evaluator.run(liberty_classes(stones, np.full((BATCH, 7, SIZE, SIZE), 0.5, np.float32)))
    classes = liberty_classes(stones, outputs)
    into, planes = np.empty_like(outputs), one_hot(torch.from_numpy(classes))

    def with_classes() -> None:
        evaluator.run(liberty_classes(stones, outputs, out=classes), into)

    jobs: dict[str, Callable[[], object]] = {
        "alone": lambda: evaluator.run(classes, into),
        "with_classes": with_classes,
        "torch": _torch(network, planes.contiguous(memory_format=torch.channels_last)),
        "copy": functools.partial(np.copyto, into, outputs),
    }
    if has_openvino():
        jobs["openvino"] = _openvino(network, planes)
    seconds = interleaved(jobs, REPEATS)
    rate = {name: BATCH / taken for name, taken in seconds.items()}
    start = time.perf_counter()
    plain_outputs(network, plain_classes(stones[BATCH // 2], outputs[BATCH // 2]))
    plain = 1 / (time.perf_counter() - start)
    flops, peak = operations(SIZE), _matrix_flops()
    floor = min(peak / flops, rate["copy"])
    yield Figure(key="network_alone_per_s", value=rate["alone"], unit="/s", least=25_000)
    yield Figure(key="with_input_classes_per_s", value=rate["with_classes"], unit="/s", least=PAPER)
    yield Figure(key="torch_fp32_per_s", value=rate["torch"], unit="/s", note="plain convolutions, planes given")
    yield Figure(key="openvino_bf16_per_s", value=rate.get("openvino"), unit="/s", note="the same")
    yield Figure(key="plain_with_classes_per_s", value=plain, unit="/s")
    yield Figure(key="times_plain", value=rate["with_classes"] / plain, unit="x")
    yield Figure(key="operations_a_position", value=float(flops), note="additions and multiplications, counted")
    yield Figure(key="matrix_gflops", value=peak / 1e9, note="torch's product of large matrices, here")
    yield Figure(key="bytes_floor_per_s", value=rate["copy"], unit="/s", note="outputs copied once")
    yield Figure(key="floor_per_s", value=floor, unit="/s")
    yield Figure(key="times_floor", value=floor / rate["alone"], unit="x", note="how far off the network alone is")
    yield from _candidates(network)


def _candidates(network: ISN) -> Iterator[Figure]:
    """Moves of games of random moves on 9x9, evaluated by what they change and board by board."""
    boards = 128
    stones = played_boards(boards, SMALL)
    evaluator, fused = CandidateEvaluator(network), FusedEvaluator(network)
    previous = fused.run(liberty_classes(stones, np.full((boards, 7, SMALL, SMALL), 0.5, np.float32)))
    colours, asked = np.arange(boards) % 2 + 1, np.ones((boards, SMALL * SMALL), np.uint8)
    count = int(np.isfinite(evaluator.values(stones, previous, colours, asked)[:, :-1]).sum())
    whole_stones = np.repeat(stones, -(-count // boards), axis=0)[:count]
    whole_previous = np.repeat(previous, -(-count // boards), axis=0)[:count]
    seconds = interleaved(
        {
            "changes": lambda: evaluator.values(stones, previous, colours, asked),
            "whole": lambda: fused.run(liberty_classes(whole_stones, whole_previous)),
        },
        REPEATS,
    )
    yield Figure(key="candidates_9x9_per_s", value=count / seconds["changes"], unit="/s", least=110_000)
    yield Figure(
        key="whole_boards_9x9_per_s", value=count / seconds["whole"], unit="/s", note="as many, computed whole"
    )
    yield Figure(key="times_whole", value=seconds["whole"] / seconds["changes"], unit="x")


def _on_device(device: str) -> Iterator[Figure]:
    torch.manual_seed(1)
    network = ISN().eval()
    batch = CUDA_BATCH if device.startswith("cuda") else BATCH
    stones = np.resize(random_stones(BATCH, SIZE), (batch, SIZE, SIZE))
    previous = np.full((batch, 7, SIZE, SIZE), 0.5, np.float32)
    classes = liberty_classes(stones, previous)
    expected = FusedEvaluator(network).run(classes)
    for precision in ("fp16", "bf16", "fp32"):
        runner = DeviceISN(network, batch=batch, size=SIZE, device=device, precision=precision)
        difference = float(np.abs(runner.run(classes).float().cpu().numpy() - expected).max())

        def finished(job: Callable[[], object]) -> None:
            job()
            if device.startswith("cuda"):
                torch.cuda.synchronize()

        seconds = interleaved(
            {
                "alone": functools.partial(finished, functools.partial(runner.replay, alone=True)),
                "whole": functools.partial(finished, runner.replay),
                "host": functools.partial(finished, functools.partial(runner.run, classes)),
            },
            REPEATS,
        )
        bar = 1_000_000 if precision == "fp16" and device.startswith("cuda") else None
        key = f"{precision}_network"
        yield Figure(key=f"{key}_alone_per_s", value=batch / seconds["alone"], unit="/s", least=bar)
        yield Figure(key=f"{key}_from_classes_per_s", value=batch / seconds["whole"], unit="/s")
        yield Figure(
            key=f"{key}_from_host_per_s", value=batch / seconds["host"], unit="/s", note="classes copied there"
        )
        yield Figure(key=f"{key}_difference", value=difference, note="from the CPU's answers in fp32")


def operations(size: int) -> int:
    """Additions and multiplications for a position of the paper's network with shared weights.

    Nine table rows of 19; sums over neighbours: 6 for a trivial unit, 3 for a symmetrical or diagonal one, 10 for an
    arrow; 20 products for each of 7 outputs; 19 for each tanh, of which a sigmoid is one with 3 more.
    """
    first = 8 * 19
    sums = 4 * 6 + 2 * 3 + 2 * 3 + 2 * 10
    second = 2 * 20 * 7
    return size * size * (first + sums + second + 12 * 19 + 7 * 22)


def random_stones(count: int, size: int) -> NDArray[np.int8]:
    """Boards from empty to nearly full."""
    random = np.random.default_rng(1)
    share = np.linspace(0, 0.9, count)[:, None, None]
    shape = (count, size, size)
    return np.where(random.random(shape) < share, random.integers(BLACK, WHITE + 1, shape), 0).astype(np.int8)


def played_boards(count: int, size: int) -> NDArray[np.int8]:
    """Boards as games of random moves have them: stones without a liberty are taken off."""
    random, boards = np.random.default_rng(2), np.zeros((count, size, size), np.int8)
    for board in range(count):
        for move in range(board % (size * size)):
            row, column = random.integers(0, size, 2)
            if boards[board, row, column] == 0:
                boards[board], _ = plain_play(boards[board], (int(row), int(column)), move % 2 + 1)
    return boards


def _torch(network: ISN, planes: torch.Tensor) -> Callable[[], object]:
    """Plain convolutions, one for each layer."""
    fused = network.fused().eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def job() -> None:
        with torch.inference_mode():
            fused(planes)

    return job


def _matrix_flops() -> float:
    """Floating-point operations a second of a large product of matrices."""
    a, b = torch.rand(1024, 1024), torch.rand(1024, 1024)
    seconds = interleaved({"product": lambda: torch.mm(a, b)}, REPEATS)["product"]
    return 2 * 1024**3 / seconds


def _openvino(network: ISN, planes: torch.Tensor) -> Callable[[], object]:
    """The same convolutions by OpenVINO, in bf16 where the processor has it."""
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    import openvino

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = openvino.convert_model(network.fused().eval(), example_input=planes, input=[list(planes.shape)])
    settings = {"INFERENCE_PRECISION_HINT": "bf16", "PERFORMANCE_HINT": "LATENCY"}
    request = openvino.Core().compile_model(model, "CPU", settings).create_infer_request()
    given = planes.contiguous().numpy()
    return lambda: request.infer({0: given}, share_inputs=True)
