"""A network as an ONNX graph: one input, `planes`, and two outputs, `logits` and `value`.

PyTorch's older exporter is used, the one by tracing: it needs the package `onnx` and nothing else, which the newer
one does not. Weights keep their names, so they can be replaced in a graph that is there.
"""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import torch
from torch import nn

from eightfold.nets.networks import Shape, folded
from eightfold.nets.store.exported import INPUT, OUTPUTS

OPSET = 17  # of 2022; runtimes read all that are older than they are


def export_graph(network: nn.Module, shape: Shape, *, any_size: bool) -> Any:
    """The folded network as an `onnx.ModelProto`, its weights yet to be put in.

    Any batch size is accepted, and with `any_size` any board size. Random numbers take the place of the weights
    meanwhile, because the exporter makes one of tensors that happen to be equal, such as biases that are all zero.
    """
    import onnx

    copy = folded(network).cpu()
    numbers = torch.Generator().manual_seed(0)
    for tensor in copy.state_dict().values():
        if tensor.is_floating_point():
            tensor.copy_(torch.rand(tensor.shape, generator=numbers) + 0.5)
    sizes = {2: "size", 3: "size"} if any_size else {}
    data: Any = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is a newer exporter
        torch.onnx.export(
            copy,
            (torch.zeros(2, shape.planes, shape.size, shape.size),),
            data,
            input_names=[INPUT],
            output_names=list(OUTPUTS),
            dynamic_axes={
                INPUT: {0: "batch", **sizes},
                "logits": {0: "batch", **({1: "actions"} if any_size else {})},
                "value": {0: "batch"},
            },
            opset_version=OPSET,
            do_constant_folding=False,  # it would change weights behind their names
            dynamo=False,
        )
    model = onnx.load_model_from_string(data.getvalue())
    known = {tensor.name for tensor in model.graph.initializer}
    missing = [name for name, _ in copy.named_parameters() if name not in known]
    if missing:
        raise RuntimeError(f"the exported graph has no weights of the names {missing}")
    return model


def put_weights(model: Any, network: nn.Module) -> None:
    """Replace the weights in an exported graph by those of a network of the same make."""
    state = folded(network).state_dict()
    for tensor in model.graph.initializer:
        if tensor.name in state:
            # ONNX keeps numbers with the least byte first, whatever the machine.
            values = state[tensor.name].cpu().numpy()
            tensor.raw_data = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
