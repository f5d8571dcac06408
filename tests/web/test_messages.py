"""Whatever comes in is a message or one clear line."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.core.errors import EightfoldError
from eightfold.patterns.files import save_library
from eightfold.patterns.library import Library, Table
from eightfold.web import messages
from eightfold.web.connection import Connection
from eightfold.web.lobby import Lobby
from eightfold.web.messages import read_message
from patience import finished
from refusals import refusal

TYPES = [
    "new", "resume", "play", "undo", "hint", "resign", "select", "remove", "seats", "analyse", "review", "eightfold",
    "mark_dead", "suggest_dead", "agree", "maps", "patterns", "load", "save", "ping",
]  # fmt: skip
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
seats = st.fixed_dictionaries(
    {"player": st.sampled_from(["human", "random", "greedy", "x", ""]), "level": st.integers(-1, 2)}
)
likely = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES)},
    optional={
        "game": st.sampled_from(["gomoku:size=4,win=3", "gomoku:size=3", "chess", "python:os", "gomoku:size=1e9"]),
        "black": seats,
        "white": seats,
        "by": seats,
        "moves": st.lists(st.integers(-1, 20), max_size=6),
        "playing": st.booleans(),
        "action": st.integers(-2, 30),
        "node": st.integers(-1, 6),
        "on": st.booleans(),
        "network": st.none() | st.text(max_size=5),
        "sgf": st.sampled_from(["(;GM[4]SZ[5];B[cc](;W[dd])(;W[aa]))", "(;", "x"]) | st.text(max_size=40),
        "id": st.text(min_size=8, max_size=12),
        "library": st.sampled_from(["middle", "go", "../x", ""]),
        "measure": st.sampled_from(["3x3 posterior", "Elo", ""]),
        "point": st.none() | st.integers(-2, 30),
    },
)


@given(st.text(max_size=200) | values.map(json.dumps) | likely.map(json.dumps))
def test_anything_is_a_message_or_one_line(text):
    said = ""
    try:
        assert read_message(text).type in TYPES
    except EightfoldError as error:
        said = str(error)
    assert "\n" not in said
    assert len(said) < 300


@pytest.mark.parametrize("type", TYPES)
def test_every_type_has_a_schema_that_takes_nothing_unknown(type):
    assert "not a message" in refusal(lambda: read_message(json.dumps({"type": type, "strange": 1})))


def test_limits():
    assert "too long" in refusal(lambda: read_message(" " * (messages.LARGEST_MESSAGE + 1)))
    many = {"type": "new", "game": "gomoku", "black": {"player": "human"}, "white": {"player": "human"}}
    assert "new.moves" in refusal(lambda: read_message(json.dumps({**many, "moves": [0] * 2501})))

    def throw_bombs():
        for bomb in ("[" * 200_000, '{"a":' * 40_000, '{"type":"load","sgf":"' + "(" * 200_001 + '"}', "9" * 200_000):
            refusal(lambda bomb=bomb: read_message(bomb))

    finished(throw_bombs)


class Wire:
    """A WebSocket that was recorded: it receives what is given and keeps what is sent."""

    def __init__(self, texts):
        self.texts, self.sent = list(texts), []

    async def receive(self):
        await asyncio.sleep(0)
        if not self.texts:
            return {"type": "websocket.disconnect"}
        return {"type": "websocket.receive", "text": self.texts.pop(0)}

    async def send_text(self, text):
        self.sent.append(json.loads(text))

    async def close(self, code=1000):
        pass


@pytest.fixture(scope="module")
def lobby(tmp_path_factory):
    middle = tmp_path_factory.mktemp("patterns") / "middle.patterns"
    table = Table(codes=np.array([0, 7], np.uint32), matches=np.array([9, 4]), plays=np.array([1, 3]))
    save_library(Library(game="gomoku", combined=False, tables={"3x3-centre": table}), middle)
    lobby = Lobby(workers=1, pace=0, seed=0, patterns=[middle])
    yield lobby
    lobby.close()


@settings(max_examples=150)
@given(st.lists(likely, max_size=12))
def test_no_sequence_of_messages_breaks_a_connection(lobby, said):
    """Whatever is said in whatever order, every refusal is words for people and none is a failure of ours."""
    wire = Wire(map(json.dumps, said))
    asyncio.run(Connection(lobby, wire).serve())
    for answer in wire.sent:
        if answer["type"] == "error":
            assert "the server failed" not in answer["text"], (said, answer)
            assert "\n" not in answer["text"]
