"""An Internal Symmetry Network as one ONNX file: two plain convolutions, any batch and any board size.

Input `classes` [batch, 14, rows, columns], one of the first thirteen set on every point (see
`eightfold.isn.classes`); output `outputs` [batch, 7, rows, columns], in the order of `OUTPUT_NAMES`.
"""

from __future__ import annotations

import importlib.util
import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from eightfold import __version__
from eightfold.core.errors import EightfoldError
from eightfold.isn.classes import OUTPUT_NAMES
from eightfold.isn.network import ISN
from eightfold.nets.store.checkpoint import replace_file
from eightfold.nets.store.export import PRODUCER, TOLERANCE, check_output
from eightfold.nets.store.exported import make_session
from eightfold.nets.store.onnx_graph import OPSET

INPUT, OUTPUT = "classes", "outputs"
CHECKED_SIZES = ((1, 9, 9), (3, 13, 13), (2, 19, 19), (1, 5, 7))


def export_isn(network: ISN, path: Path) -> float | None:
    """Write the file; how far ONNX Runtime's answers are from torch's (None: it is not installed)."""
    if importlib.util.find_spec("onnx") is None:
        raise EightfoldError("the export needs the package onnx: pip install 'eightfold[onnx]'")
    check_output(path)
    data = isn_onnx_bytes(network)
    difference = None
    if importlib.util.find_spec("onnxruntime") is not None:
        difference = largest_difference(data, network)
        if not difference <= TOLERANCE:  # this way round a difference that is no number counts as well
            raise EightfoldError(
                f"ONNX Runtime's answers differ from torch's by {difference:.1e}, more than {TOLERANCE:g};"
                f" {path} was not written"
            )
    replace_file(path, data)
    return difference


def isn_onnx_bytes(network: ISN) -> bytes:
    """The file's content."""
    import onnx

    data: Any = io.BytesIO()
    axes = {0: "batch", 2: "rows", 3: "columns"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is a newer exporter
        torch.onnx.export(
            network.fused().float().cpu().eval(),
            (torch.zeros(2, network.config["inputs"], 9, 9),),
            data,
            input_names=[INPUT],
            output_names=[OUTPUT],
            dynamic_axes={INPUT: axes, OUTPUT: axes},
            opset_version=OPSET,
            dynamo=False,
        )
    model = onnx.load_model_from_string(data.getvalue())
    model.producer_name, model.producer_version = PRODUCER, __version__
    about = {"network": f"isn {json.dumps(network.config)}", "eightfold_version": __version__}
    if network.config["outputs"] == len(OUTPUT_NAMES):
        about["outputs"] = " ".join(OUTPUT_NAMES)
    onnx.helper.set_model_props(model, about)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def largest_difference(data: bytes, network: ISN) -> float:
    """Between the answers of ONNX Runtime and of torch, for random classes on boards of several sizes."""
    session, random, largest = make_session(data), np.random.default_rng(0), 0.0
    inputs = network.config["inputs"]
    for batch, rows, columns in CHECKED_SIZES:
        classes = random.integers(0, inputs - 1, (batch, rows, columns))
        planes = np.moveaxis(np.eye(inputs, dtype=np.float32)[classes], -1, 1).copy()
        with torch.inference_mode():
            expected = network(torch.from_numpy(planes)).numpy()
        [answer] = session.run([OUTPUT], {INPUT: planes})
        largest = float(np.maximum(largest, np.abs(answer - expected).max()))
    return largest
