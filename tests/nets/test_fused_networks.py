"""Fused networks: the plain ones' answers, on a CPU to the last digits and on CUDA to the bounds of bf16."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.core import notes
from eightfold.nets.convolutions import RectifiedConvolution
from eightfold.nets.inference.backends import make_backend
from eightfold.nets.inference.backends.cuda_graphs import CudaGraphBackend
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.inference.device_network import BOUNDS, DeviceNetwork
from eightfold.nets.networks import can_fuse, folded, fused, make_network, planes_read
from eightfold.nets.shape import Shape
from eightfold.parts import NETWORKS
from refusals import refusal

# How many of a network's convolutions are followed by a ReLU and by nothing else.
FUSED = {
    "a1": 3 + 2,
    "a1:blocks=2,filters=12": 1 + 2 * 2 + 2,
    "resnet:blocks=2,filters=16": 1 + 2 * 2 + 1,
    "densenet:layers=2,growth=4": 1 + 2 * (2 * 2 + 1) + 1,
    "equivariant:blocks=2,width=16": 1 + 2 * 2 + 1,
    "equivariant:blocks=2,width=32,features=mixed": 1 + 2 * 2 + 1,
    "equivariant:blocks=2,width=16,features=steerable": 1,
    "isn:layers=2,trivial=6,heads=8": 0,
    "slap-net:inner=[resnet:blocks=1,filters=8]": 1 + 2 + 1,
}
# The first turns its planes before a convolution reads them, the other has gates behind its first convolution.
NO_MORE_PLANES = ("slap-net:inner=[resnet:blocks=1,filters=8]", "equivariant:blocks=2,width=16,features=steerable")


def made(text, shape, seed=1):
    """A network whose norms and biases are not those of a fresh one."""
    torch.manual_seed(seed)
    network = make_network(text, shape)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.02 * torch.randn_like(parameter))
        network.train()(boards(64, shape, seed))
    return network.eval()


def boards(batch, shape, seed=0):
    numbers = torch.Generator().manual_seed(seed)
    return torch.randint(0, 2, (batch, shape.planes, shape.size, shape.size), generator=numbers).float()


def apart(answer, expected):
    """The largest difference, as a part of the largest number where that is more than one."""
    return max(
        float((torch.as_tensor(ours) - torch.as_tensor(theirs)).abs().max() / max(1, float(abs(theirs).max())))
        for ours, theirs in zip(answer, expected, strict=True)
    )


def test_every_network_is_asked():
    assert {text.split(":")[0] for text in FUSED} == set(NETWORKS)


@pytest.mark.parametrize(("planes", "size"), [(4, 5), (8, 6), (11, 9)])
@pytest.mark.parametrize("text", FUSED)
@torch.no_grad()
def test_a_fused_network_answers_as_the_folded_one(text, planes, size):
    shape = Shape(planes=planes, size=size, passes=1)
    network = made(text, shape)
    plain, one = folded(network), fused(network)
    layers = [module for module in one.modules() if isinstance(module, RectifiedConvolution)]
    assert len(layers) == FUSED[text]
    assert can_fuse(plain) == bool(layers)
    assert all(layer.fused and layer.in_channels % 8 == 0 for layer in layers)
    assert [name for name, _ in one.named_parameters()] == [name for name, _ in plain.named_parameters()]
    given = boards(7, shape)
    assert apart(one(given), plain(given)) < 1e-5
    assert apart(plain(given), network(given)) < 1e-4, "the batch norms are folded as ever"
    read = planes_read(one, planes)
    assert read == (-(-planes // 8) * 8 if layers and text not in NO_MORE_PLANES else planes)
    wide = torch.nn.functional.pad(given, (0, 0, 0, 0, 0, read - planes))
    assert apart(one(wide), plain(given)) < 1e-5
    assert planes_read(plain, planes) == planes


@pytest.mark.parametrize("text", [text for text, layers in FUSED.items() if layers])
@torch.no_grad()
def test_new_weights_take_the_place_of_the_old(text):
    shape = Shape(planes=5, size=6)
    network = DeviceNetwork(made(text, shape), shape)
    network._fuse(made(text, shape), 1e-5, wanted=False)  # as on CUDA, in the form for a CPU
    assert network.is_fused
    places = [parameter.data_ptr() for parameter in network._module.parameters()]
    other = made(text, shape, seed=2)
    given, room = boards(3, shape), network.room(3, shape.size)
    room[:, : shape.planes] = given
    assert room.shape[1] == network.planes == (shape.planes if text in NO_MORE_PLANES else 8)
    assert apart(network(given), other(given)) > 1e-2
    network.load(other)
    for planes in (given, room):
        assert apart(network(planes), other(given)) < 1e-4
    assert [parameter.data_ptr() for parameter in network._module.parameters()] == places


def test_what_does_not_agree_or_does_not_work_stays_plain_and_is_told_once(monkeypatch, caplog):
    monkeypatch.setattr(notes, "_told", set())
    shape = Shape(planes=4, size=5)
    module = make_network("a1", shape)
    network = DeviceNetwork(module, shape)
    for _ in range(2):
        network._fuse(module, -1.0, wanted=False)
    assert not network.is_fused
    assert len(caplog.messages) == 1
    assert "not fused on cpu: the answers would be" in caplog.messages[0]
    bad = make_network("a1", shape)
    bad.stem.weight.data.fill_(float("nan"))
    network._fuse(bad, BOUNDS["bf16"], wanted=False)
    assert not network.is_fused
    network._fuse(module, 1e-5, wanted=False)
    assert network.is_fused

    def no_kernel(self, features, other=None):
        raise RuntimeError("there is no engine\nand much more")

    monkeypatch.setattr(RectifiedConvolution, "forward", no_kernel)
    again = DeviceNetwork(module, shape)
    again._fuse(module, 1e-5, wanted=False)
    assert not again.is_fused
    assert caplog.messages[-1].endswith("not fused on cpu: there is no engine")
    assert refusal(lambda: again._fuse(module, 1e-5, wanted=True)).endswith("there is no engine")


@pytest.mark.gpu
@pytest.mark.parametrize(("planes", "size", "graphs"), [(4, 5, "on"), (8, 9, "on"), (17, 13, "on"), (4, 15, "off")])
@pytest.mark.parametrize("text", [*FUSED, "resnet:blocks=6,filters=64"])
def test_on_cuda_the_answers_keep_to_the_bound_before_and_after_new_weights(text, planes, size, graphs):
    shape = Shape(planes=planes, size=size, passes=1)
    network = made(text, shape)
    backend = make_backend(f"torch:fused=on,graphs={graphs}", network, shape, device="cuda")
    assert isinstance(backend, TorchBackend)
    assert isinstance(backend, CudaGraphBackend) == (graphs == "on")
    assert backend.is_fused == (FUSED.get(text) != 0)
    for seed in (1, 2):
        network = made(text, shape, seed)
        backend.load(network)
        reference = TorchBackend(network, shape)
        for batch in (1, 33):
            given = boards(batch, shape, seed).numpy()
            assert apart(backend.run(given), reference.run(given)) <= BOUNDS["bf16"]


@pytest.mark.gpu
@pytest.mark.parametrize("text", ["a1", "resnet:blocks=6,filters=64", "densenet"])
def test_on_cuda_auto_is_fused_and_no_further_from_fp32_than_plain(text):
    shape = Shape(planes=4, size=9)
    network = made(text, shape)
    backends = {
        name: make_backend(f"torch:fused={name}", network, shape, device="cuda") for name in ("auto", "on", "off")
    }
    assert {name: backend.is_fused for name, backend in backends.items()} == {"auto": True, "on": True, "off": False}
    given = boards(512, shape).numpy()
    expected = [part.copy() for part in TorchBackend(network, shape).run(given)]
    off = {}
    for name, backend in backends.items():
        answers = zip(backend.run(given), expected, strict=True)
        off[name] = np.array([np.sqrt(np.mean((ours - theirs) ** 2)) for ours, theirs in answers])
    assert (off["auto"] == off["on"]).all()
    assert (off["on"] <= 1.5 * off["off"] + 1e-4).all(), off
