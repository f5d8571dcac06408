"""A network as an ONNX graph: one input, `planes`, and two outputs, `logits` and `value`; batch norms are folded.

PyTorch's older exporter is used, the one by tracing: it needs the package `onnx` and nothing else, which the newer
one does not. Weights keep their names, so they can be replaced in a graph that is there.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from eightfold import __version__
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.inference.runtimes import INPUT, OUTPUTS, make_session
from eightfold.nets.networks import folded, network_text
from eightfold.nets.shape import Shape
from eightfold.nets.store.description import Description
from eightfold.nets.store.network import PRODUCER
from eightfold.nets.store.onnx_metadata import ANY_SIZE

OPSET = 17  # of 2022; runtimes read all that are older than they are
CHECKED_BATCHES = (1, 7)


def export_graph(network: nn.Module, shape: Shape, *, any_size: bool) -> Any:
    """The folded network as an `onnx.ModelProto`, its weights yet to be put in.

    Any batch size is accepted, and with `any_size` any board size. Random numbers take the place of the weights
    meanwhile, because the exporter makes one of tensors that happen to be equal, such as biases that are all zero.
    """
    copy = folded(network).cpu()
    numbers = torch.Generator().manual_seed(0)
    for tensor in copy.state_dict().values():
        if tensor.is_floating_point():
            tensor.copy_(torch.rand(tensor.shape, generator=numbers) + 0.5)
    sizes = {2: "size", 3: "size"} if any_size else {}
    model = trace(
        copy,
        torch.zeros(2, shape.planes, shape.size, shape.size),
        inputs=[INPUT],
        outputs=list(OUTPUTS),
        axes={
            INPUT: {0: "batch", **sizes},
            "logits": {0: "batch", **({1: "actions"} if any_size else {})},
            "value": {0: "batch"},
        },
        fold=False,  # it would change weights behind their names
    )
    known = {tensor.name for tensor in model.graph.initializer}
    missing = [name for name, _ in copy.named_parameters() if name not in known]
    if missing:
        raise RuntimeError(f"the exported graph has no weights of the names {missing}")
    return model


def trace(
    network: nn.Module,
    example: Tensor,
    *,
    inputs: list[str],
    outputs: list[str],
    axes: Mapping[str, Mapping[int, str]],
    fold: bool,
) -> Any:
    """What a module computes as an `onnx.ModelProto`; `axes` are those of any length, `fold` computes constants."""
    import onnx

    data: Any = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is a newer exporter
        torch.onnx.export(
            network,
            (example,),
            data,
            input_names=inputs,
            output_names=outputs,
            dynamic_axes={name: dict(each) for name, each in axes.items()},
            opset_version=OPSET,
            do_constant_folding=fold,
            dynamo=False,
        )
    return onnx.load_model_from_string(data.getvalue())


def put_weights(model: Any, network: nn.Module) -> None:
    """Replace the weights in an exported graph by those of a network of the same make."""
    state = folded(network).state_dict()
    for tensor in model.graph.initializer:
        if tensor.name in state:
            # ONNX keeps numbers with the least byte first, whatever the machine.
            values = state[tensor.name].cpu().numpy()
            tensor.raw_data = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()


def finished_model(model: Any, about: Mapping[str, str]) -> bytes:
    """A graph as the content of a file that says who made it and what it is."""
    import onnx

    model.producer_name, model.producer_version = PRODUCER, __version__
    onnx.helper.set_model_props(model, {**about, "eightfold_version": __version__})
    onnx.checker.check_model(model)
    return model.SerializeToString()


def onnx_bytes(network: nn.Module, description: Description, *, any_size: bool, facts: Mapping[str, str]) -> bytes:
    """The content of an exported file; `facts` are put into its metadata beside the description."""
    model = export_graph(network, description.shape(), any_size=any_size)
    put_weights(model, network)
    about = {**asdict(description), "network": network_text(description.network)}
    return finished_model(model, {**about, ANY_SIZE: "yes" if any_size else "no", **facts})


def largest_difference(data: bytes, network: nn.Module, shape: Shape, *, any_size: bool) -> float:
    """Between the answers of ONNX Runtime and of torch, for random planes of zeros and ones."""
    session, reference = make_session(data), TorchBackend(network, shape)
    random, largest = np.random.default_rng(0), 0.0
    for size in (shape.size, shape.size + 3) if any_size else (shape.size,):
        for batch in CHECKED_BATCHES:
            planes = random.integers(0, 2, (batch, shape.planes, size, size)).astype(np.float32)
            for ours, theirs in zip(session.run(OUTPUTS, {INPUT: planes}), reference.run(planes), strict=True):
                scale = max(1.0, float(np.abs(theirs).max()))
                largest = float(np.maximum(largest, np.abs(ours - theirs).max() / scale))
    return largest
