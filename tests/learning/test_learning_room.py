"""The face of the learning room: its names come when they are asked for, and bring nothing heavy before."""

from __future__ import annotations

import json

import pytest

import eightfold.learning


def test_importing_the_room_brings_neither_pytorch_nor_lmdb(run_python):
    code = (
        "import json, sys\n"
        "import eightfold.learning\n"
        "from eightfold.learning import Batch, DataBuffer, PlayedGame, Sample\n"
        "DataBuffer(None).close()\n"
        "print(json.dumps([name for name in ('torch', 'lmdb') if name in sys.modules]))\n"
        "from eightfold.learning import Trainer\n"
        "print(Trainer.train_epoch.__name__)\n"
    )
    heavy, trainer = run_python(code).splitlines()
    assert json.loads(heavy) == []
    assert trainer == "train_epoch"


def test_every_name_is_there_and_no_other():
    for name in eightfold.learning.__all__:
        assert getattr(eightfold.learning, name).__name__ == name
        assert name in dir(eightfold.learning)
    with pytest.raises(AttributeError, match="no attribute 'Buffer'"):
        eightfold.learning.Buffer  # noqa: B018
