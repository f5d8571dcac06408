"""Many small networks trained as one batch of models, each form of it beside a plain loop over PyTorch's modules.

Nine networks `a1` (three modes times three values of L2 of Suen & Alonso's experiment 1), batches of 512, a step of the
optimiser each; the forms take turns. On a CPU three models are enough to see it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from eightfold.benchmarks.reference.one_by_one import OneByOne
from eightfold.benchmarks.report import Benchmark, Figure, interleaved
from eightfold.learning.model_batch import FORMS, ModelBatch, fresh_network
from eightfold.learning.trainer import use_bf16
from eightfold.nets.inference.device import check_device
from eightfold.nets.shape import Shape
from eightfold.studies.slap_synthetic.states import PLANES, SIZE, make_set

NETWORK, BATCH, RATE, L2 = "a1", 512, 1e-3, 1e-4
MODELS, MODELS_ON_CPU, REPEATS, REPEATS_ON_CPU = 9, 3, 30, 3


def run(device: str = "cpu", *, batch: int = BATCH) -> Benchmark:
    check_device(device)
    on_cpu = device == "cpu"
    count, repeats = (MODELS_ON_CPU, REPEATS_ON_CPU) if on_cpu else (MODELS, REPEATS)
    positions = make_set(np.random.default_rng(1), 1000)
    rows = np.random.default_rng(2).integers(0, len(positions), (count, batch))
    arrays = (positions.states[rows], positions.policies[rows], positions.values[rows])
    given = tuple(torch.from_numpy(each).to(device) for each in arrays)
    shape, rates, decays = Shape(planes=PLANES, size=SIZE), [RATE] * count, [L2] * count

    def waited(step: Callable[..., object]) -> Callable[[], None]:
        def job() -> None:
            step(*given)
            if not on_cpu:
                torch.cuda.synchronize(device)

        return job

    networks = [fresh_network(NETWORK, shape, seed).to(device) for seed in range(count)]
    jobs = {"plain": waited(OneByOne(networks, rates, decays).step)}
    precisions = ["fp32"] + ["bf16"] * use_bf16("auto", torch.device(device))
    for precision in precisions:
        for form in FORMS[1:]:
            many = ModelBatch(
                NETWORK, shape, range(count), rates=rates, l2=decays, device=device, precision=precision, form=form
            )
            jobs[f"{form}_{precision}"] = waited(many.step)
    seconds = interleaved(jobs, repeats)
    plain = seconds["plain"]
    figures = [
        Figure(key=f"{name}_models_per_s", value=count / taken, unit="/s", note="steps of one model, in one second")
        for name, taken in seconds.items()
    ]
    figures += [
        Figure(key=f"{name}_times_plain", value=plain / taken, unit="x")
        for name, taken in seconds.items()
        if name != "plain"
    ]
    return Benchmark(name="models", title=f"{count} x {NETWORK} trained, batches of {batch}", figures=tuple(figures))
