"""The study `orbits`: distances against plain caches, keys against plain orbits, and a report that judges the claim."""

from __future__ import annotations

import json
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.games.game import make_game
from eightfold.nets.inference.cache import CachedEvaluator
from eightfold.studies import verdicts
from eightfold.studies.frame import Part, load_study, run_study
from eightfold.studies.orbits import analysis, summary
from eightfold.studies.orbits.settings import OrbitSettings, check, presets_of
from eightfold.studies.orbits.stack import stack_distances
from eightfold.studies.orbits.streams import EVALUATION, ORBIT, POSITION, TRANSPOSITION, Recorder, Stream, keyed
from eightfold.symmetry.orbit import orbit
from refusals import refusal

STUDY = load_study("orbits")
GAME = make_game("gomoku:size=5,win=4")


def plain_hits(keys: list[int], capacity: int) -> list[bool]:
    """Of a cache that forgets the least recently used, one request after another."""
    kept: OrderedDict[int, None] = OrderedDict()
    hits = []
    for key in keys:
        hits.append(key in kept)
        kept[key] = None
        kept.move_to_end(key)
        if len(kept) > capacity:
            kept.popitem(last=False)
    return hits


@given(st.lists(st.integers(-3, 12), min_size=1, max_size=60))
def test_distances_say_what_a_plain_cache_of_any_size_answers(keys):
    distances = stack_distances(np.array(keys))
    for capacity in range(1, 15):
        assert ((distances > 0) & (distances <= capacity)).tolist() == plain_hits(keys, capacity)


def test_distances_of_a_long_stream():
    random = np.random.default_rng(0)
    keys = (random.zipf(1.3, 20_000) % 3000).tolist()
    within = np.sort(stack_distances(np.array(keys)))
    within = within[within > 0]
    for capacity in (1, 7, 100, 1000, 5000):
        assert analysis.hits_with(within, capacity) == sum(plain_hits(keys, capacity))


# ---- keys ---------------------------------------------------------------------------------------------------


class Nobody:
    """An evaluator without a network that answers all variants alike."""

    encoder, symmetry, symmetries = "last-move", "slap", GAME.symmetries

    def evaluate(self, planes):
        return np.zeros((len(planes), GAME.actions), np.float32), np.zeros(len(planes), np.float32)


@pytest.fixture(scope="module")
def asked() -> list[np.ndarray]:
    """Batches of planes from random games, many of them variants of each other."""
    random = np.random.default_rng(2)
    batches = []
    for _ in range(150):
        position = GAME.start()
        for _ in range(int(random.integers(0, 4))):
            position = position.play(int(random.choice(position.legal_moves)))
        planes = position.encode("last-move")
        variants = orbit(planes)
        batches.append(np.stack([planes, variants[int(random.integers(len(variants)))]]))
    return batches


@pytest.fixture(scope="module")
def stream(asked) -> Stream:
    recorder = Recorder(Nobody())
    for number, planes in enumerate(asked):
        recorder.games = number // 50
        recorder.evaluate(planes)
    assert recorder.requests == 300
    return keyed(GAME, recorder.shown, recorder.ended)


def same(one: list[object], numbers: np.ndarray) -> bool:
    """Whether the two name things in the same way."""
    pairs = set(zip(one, numbers.tolist(), strict=True))
    return len(pairs) == len(set(one)) == len(set(numbers.tolist()))


def test_keys_are_equal_where_positions_and_orbits_are(asked, stream):
    planes = np.concatenate(asked)
    assert same([each.tobytes() for each in planes], stream.keys[EVALUATION, POSITION])
    smallest = [min(variant.tobytes() for variant in orbit(each)) for each in planes]
    assert same(smallest, stream.keys[EVALUATION, ORBIT])
    without = planes[:, [0, 1, 3]]
    assert same([each.tobytes() for each in without], stream.keys[TRANSPOSITION, POSITION])
    assert same([min(v.tobytes() for v in orbit(each)) for each in without], stream.keys[TRANSPOSITION, ORBIT])
    assert stream.plies.tolist() == planes[:, :2].sum(axis=(1, 2, 3)).tolist()
    assert stream.rounds.tolist() == [0] * 100 + [1] * 100 + [2] * 100


@pytest.mark.parametrize("key", [POSITION, ORBIT])
def test_hits_are_those_of_the_cache_that_training_uses(asked, stream, key):
    cache = CachedEvaluator(Nobody(), capacity=10_000, key=key)
    hits = []
    for number, planes in enumerate(asked):
        if number % 50 == 0:
            cache.clear()
        before = cache.hits
        cache.evaluate(planes)
        hits.append(cache.hits - before)
    found = analysis.answers(stream, EVALUATION, analysis.ROUND)
    assert found["hits"][key] == sum(hits) / 300
    assert found["entries"][key] == 300 - sum(hits)
    assert analysis.answers(stream, EVALUATION, analysis.STREAM)["hits"][key] > found["hits"][key]


def test_what_is_said_of_a_stream_adds_up(stream):
    for kind in (EVALUATION, TRANSPOSITION):
        found = analysis.answers(stream, kind, analysis.STREAM)
        for key in (POSITION, ORBIT):
            assert sum(row[f"{key}_entries"] for row in found["plies"]) == found["entries"][key]
            assert found["curve"][-1][key] == found["hits"][key]
        assert sum(row["requests"] for row in found["plies"]) == 300
        for row in found["memory"]:
            assert row["factor"] == row[POSITION] / row[ORBIT] >= 1
            distances = {key: stack_distances(stream.keys[kind, key]) for key in (POSITION, ORBIT)}
            hits = {key: int(((each > 0) & (each <= row[key])).sum()) for key, each in distances.items()}
            wanted = round(row["share"] * found["hits"][POSITION] * 300)
            assert min(hits.values()) >= wanted
            assert int(((distances[ORBIT] > 0) & (distances[ORBIT] < row[ORBIT])).sum()) < wanted, "not one entry less"


# ---- the claim ----------------------------------------------------------------------------------------------


def case(factors: list[float], entries: float = 1.0) -> dict:
    seeds = [
        {
            "seed": seed,
            "entries": {POSITION: entries * 1000, ORBIT: 1000},
            "hits": {POSITION: 0.1, ORBIT: 0.2},
            "memory": [{"share": summary.USUAL, "factor": factor}],
        }
        for seed, factor in enumerate(factors)
    ]
    return {"preset": "quick", "network": "any", "kind": EVALUATION, "life": analysis.ROUND, "seeds": seeds}


@pytest.mark.parametrize(
    ("factors", "verdict"),
    [
        ([9.5, 10.0, 10.5], verdicts.HOLDS),
        ([2.0, 2.1, 2.2], verdicts.FAILS),
        ([2.0, 9.0, 30.0], verdicts.OPEN),
        ([20.0, 21.0], verdicts.OPEN),
    ],
)
def test_a_claim_holds_where_the_whole_interval_does(factors, verdict):
    entries, memory = summary.claims([case(factors)])
    assert memory["verdict"] == verdict
    assert entries["verdict"] == (verdicts.FAILS if len(factors) > 2 else verdicts.OPEN)
    words = {verdicts.HOLDS: "holds for", verdicts.FAILS: "does not for", verdicts.OPEN: "cannot be told for"}[verdict]
    assert f"{words} 1" in memory["number"]


def test_one_cache_that_falls_short_is_enough_against_a_claim_of_all():
    told = summary.claims([case([9.5, 10.0, 10.5], entries=9), case([2.0, 2.1, 2.2], entries=9)])
    assert [each["verdict"] for each in told] == [verdicts.HOLDS, verdicts.FAILS]
    assert "it holds for 1, does not for 1 and" in told[1]["number"]


# ---- all of it ----------------------------------------------------------------------------------------------


def test_the_study_in_small_goes_on_and_says_what_holds(tmp_path):
    report = run_study(STUDY, tmp_path, small=True).read_text(encoding="utf-8")
    assert "holds eight times the positions in the same memory: **cannot be told**" in report
    for name in ("evaluation-round", "evaluation-all", "transposition-all", "memory", "plies", "entries"):
        assert f"({name}.svg)" in report
    stages = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["stages"]
    assert [row["requests"] for row in stages["streams"]["result"]] == [1500] * 4
    assert stages["alphabeta"]["result"] is None
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()}
    run_study(STUDY, tmp_path, small=True)
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()}, "measured again"


def test_presets_have_short_names_where_these_tell_them_apart():
    assert presets_of(OrbitSettings(presets="quick@games=1;seed=2 suen-alonso", changes="minutes=1")) == {
        "quick": ("quick", ["games=1", "seed=2", "minutes=1"]),
        "suen-alonso": ("suen-alonso", ["minutes=1"]),
    }
    assert list(presets_of(OrbitSettings(presets="quick quick@games=1"))) == ["quick", "quick@games=1"]


def test_settings_that_record_nothing_are_refused():
    assert "presets names none" in refusal(lambda: check(OrbitSettings(presets=" ")))
    assert "more than its stones" in refusal(lambda: check(OrbitSettings(game="go:size=9")))
    assert "names something twice" in refusal(lambda: run_study(STUDY, Path(), changes=["seeds=[0, 0]"]))
    assert "sees the planes of 'rules'" in refusal(lambda: check(OrbitSettings(networks="gomoku-8 go-9")))
    assert "playoutz" in refusal(lambda: check(OrbitSettings(changes="selfplay.playoutz=3")))


@pytest.mark.slow  # the compiler takes its time for another set of rules
def test_alpha_beta_finds_the_same_with_either_table_and_looks_at_fewer_positions_with_orbits():
    from eightfold.studies.orbits.alphabeta import both_games, search_game

    turned, plain = both_games("gomoku:size=8")
    assert plain.symmetries == (0,)
    assert plain.scores_moves
    assert {name for name in vars(turned.rules) if not name.startswith("__")} <= set(vars(plain.rules))
    part = Part(output=Path(), place="", progress=lambda share: None)
    rows = search_game(part, game="gomoku:size=8", depth=4, opening=0, seed=0)
    assert rows[0][POSITION] > 1.5 * rows[0][ORBIT], "an empty board has eight variants of every move"
    assert "alpha-beta is compared on Gomoku alone" in refusal(lambda: both_games("go:size=5"))
