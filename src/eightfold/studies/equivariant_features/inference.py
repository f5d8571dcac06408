"""What folded networks cost when they answer, on every backend that is installed, beside `resnet` of that width."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from eightfold.learning.runs.torch_globals import seeded, with_half_of_the_cores
from eightfold.nets.inference.backends import has_onnxruntime, has_openvino, make_backend
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.studies.equivariant_features.settings import arms_of, shape_of
from eightfold.studies.frame import Part, Work

BACKENDS = {"torch": "torch", "onnxruntime": "onnxruntime", "openvino": "openvino:precision=fp32"}


@with_half_of_the_cores()
def time_networks(
    part: Part, *, backend: str, networks: list[str], shape: dict[str, Any], batch: int, rounds: int
) -> list[float]:
    """A part: processor milliseconds of each network for a batch on one thread, in fp32; they take turns."""
    made = Shape(**{**shape, "symmetries": tuple(shape["symmetries"])})
    planes = np.random.default_rng(0).integers(0, 2, (batch, made.planes, made.size, made.size)).astype(np.float32)
    runners = []
    for text in networks:
        with seeded(0):
            network = make_network(text, made).eval()
        runners.append(make_backend(BACKENDS[backend], network, made, threads=1))
        runners[-1].run(planes)
    taken: list[list[float]] = [[] for _ in runners]
    for done in range(rounds):
        for runner, own in zip(runners, taken, strict=True):
            begun = time.process_time()
            runner.run(planes)
            own.append(1000 * (time.process_time() - begun))
        part.progress((done + 1) / rounds)
    return [statistics.median(own) for own in taken]


def inference(work: Work) -> dict[str, Any]:
    settings = work.settings
    shape = shape_of(settings.game, settings.player)
    networks = list(dict.fromkeys(arm.network for arm in arms_of(settings)))  # resnet is the first
    installed = {"torch": True, "onnxruntime": has_onnxruntime(), "openvino": has_openvino()}
    cases = [
        {
            "backend": backend,
            "networks": networks,
            "shape": {
                "planes": shape.planes,
                "size": shape.size,
                "passes": shape.passes,
                "symmetries": shape.symmetries,
            },
            "batch": settings.inference_batch,
            "rounds": settings.inference_rounds,
        }
        for backend, is_there in installed.items()
        if is_there
    ]
    found = work.parts(time_networks, cases, [case["backend"] for case in cases])
    milliseconds = {case["backend"]: times for case, times in zip(cases, found, strict=True)}
    return {"batch": settings.inference_batch, "networks": networks, "milliseconds": milliseconds}
