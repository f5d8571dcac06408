"""An Internal Symmetry Network as one ONNX file, for programs that know nothing of Eightfold.

Two plain convolutions, any batch and any board size. Input `classes` [batch, 14, rows, columns], one of the first
thirteen set on every point (see `eightfold.isn.classes`); output `outputs` [batch, 7, rows, columns], in the order of
`OUTPUT_NAMES`. `eightfold export RUN --onnx` writes it: see `eightfold.nets.store.export`.
"""

from __future__ import annotations

import json

import numpy as np
import torch

from eightfold.core.extras import is_installed
from eightfold.isn.classes import OUTPUT_NAMES
from eightfold.isn.network import ISN
from eightfold.nets.inference.runtimes import make_session
from eightfold.nets.store.network import OnnxFile
from eightfold.nets.store.onnx_graph import finished_model, trace
from eightfold.nets.store.onnx_metadata import KIND

INPUT, OUTPUT = "classes", "outputs"
CHECKED_SIZES = ((1, 9, 9), (3, 13, 13), (2, 19, 19), (1, 5, 7))


def export_isn(network: ISN) -> OnnxFile:
    """The file, and how far ONNX Runtime's answers are from torch's."""
    data = isn_onnx_bytes(network)
    notes = (
        "an Internal Symmetry Network for Go",
        f"input {INPUT} as in docs/isn.md, output {OUTPUT}, any batch size, any board size",
    )
    difference = largest_difference(data, network) if is_installed("onnxruntime") else None
    return OnnxFile(data=data, notes=notes, difference=difference)


def isn_onnx_bytes(network: ISN) -> bytes:
    """The file's content."""
    axes = {0: "batch", 2: "rows", 3: "columns"}
    model = trace(
        network.fused().float().cpu().eval(),
        torch.zeros(2, network.config.inputs, 9, 9),
        inputs=[INPUT],
        outputs=[OUTPUT],
        axes={INPUT: axes, OUTPUT: axes},
        fold=True,
    )
    about = {KIND: "an Internal Symmetry Network", "config": json.dumps(network.config.as_dict())}
    if network.config.outputs == len(OUTPUT_NAMES):
        about["outputs"] = " ".join(OUTPUT_NAMES)
    return finished_model(model, about)


def largest_difference(data: bytes, network: ISN) -> float:
    """Between the answers of ONNX Runtime and of torch, for random classes on boards of several sizes."""
    session, random, largest = make_session(data), np.random.default_rng(0), 0.0
    inputs = network.config.inputs
    for batch, rows, columns in CHECKED_SIZES:
        classes = random.integers(0, inputs - 1, (batch, rows, columns))
        planes = np.moveaxis(np.eye(inputs, dtype=np.float32)[classes], -1, 1).copy()
        with torch.inference_mode():
            expected = network(torch.from_numpy(planes)).numpy()
        [answer] = session.run([OUTPUT], {INPUT: planes})
        largest = float(np.maximum(largest, np.abs(answer - expected).max()))
    return largest
