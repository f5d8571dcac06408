"""The audit must pass what is right, and name symmetry and square where something is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.core.errors import EightfoldError
from eightfold.symmetry import NAMES, BoardSymmetry, audit, inverse
from eightfold.symmetry.audit import AuditReport, Finding

SIZE = 4


def turn_state(planes: Any, g: int) -> Any:
    return BoardSymmetry.transform_board_tensor(planes, g)


def turn_policy(policy: Any, g: int) -> Any:
    return BoardSymmetry.transform_policy_flat(policy, SIZE, g)


def turn_move(move: Any, g: int) -> Any:
    return BoardSymmetry.transform_last_move(move, SIZE, g)


def by_rot90(board: Any, g: int) -> Any:
    """The other common numbering: quarter turns anticlockwise, then the same of the mirror image."""
    turned = np.rot90(board, g % 4, axes=(-2, -1))
    return np.flip(turned, -1) if g >= 4 else turned


def first(report: AuditReport, check: str) -> Finding:
    assert not report.ok
    return next(finding for finding in report.findings if finding.check == check)


def symmetries_of(report: AuditReport, check: str) -> list[Any]:
    return [finding.symmetry for finding in report.findings if finding.check == check]


# ---- what is right ----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("pass_move", [False, True])
def test_the_library_passes(size: int, pass_move: bool) -> None:
    report = audit(
        board_size=size,
        transform_state=turn_state,
        transform_policy=lambda p, g: BoardSymmetry.transform_policy_flat(p, size, g),
        transform_move=lambda m, g: BoardSymmetry.transform_last_move(m, size, g),
        pass_move=pass_move,
    )
    assert report.ok, str(report)
    assert (report.findings, report.notes, report.disagreement) == ((), (), None)
    assert len(report.checked) == 3
    assert str(report).startswith("Audit: all is well")
    report.raise_if_bad()


def test_policies_laid_out_as_boards_pass() -> None:
    report = audit(board_size=SIZE, transform_state=by_rot90, transform_policy=by_rot90)
    assert report.ok, str(report)
    assert any("[4, 4]" in line for line in report.checked)


def test_tensors_and_arrays_as_answers_pass() -> None:
    report = audit(
        board_size=SIZE,
        transform_state=lambda planes, g: turn_state(torch.from_numpy(planes), g),
        transform_policy=lambda policy, g: turn_policy(torch.from_numpy(policy).bfloat16(), g),
        transform_move=lambda move, g: tuple(torch.tensor(turn_move(move, g))),
    )
    assert report.ok, str(report)


def test_another_numbering_is_noted_and_no_fault() -> None:
    report = audit(board_size=SIZE, transform_state=by_rot90, transform_policy=by_rot90)
    assert report.ok
    assert "your symmetry 1 is Eightfold's 3 (rotate 270° clockwise)" in report.notes
    assert "your symmetry 1 is Eightfold's 3 (rotate 270° clockwise)" in str(report)


def test_ids_of_any_kind_are_taken() -> None:
    def turn(board: Any, name: str) -> Any:
        return turn_state(board, NAMES.index(name))

    report = audit(board_size=SIZE, transform_state=turn, transform_policy=turn, symmetries=NAMES)
    assert report.ok
    assert f"your symmetry {NAMES[7]} is Eightfold's 7 ({NAMES[7]})" in report.notes


def test_two_ids_that_do_the_same_are_noted() -> None:
    report = audit(board_size=SIZE, transform_state=lambda planes, g: turn_state(planes, g % 4))
    assert report.ok
    assert "your symmetries 1, 5 all do the same (rotate 90° clockwise)" in report.notes
    assert "your ids reach 4 of the eight symmetries" in report.notes


# ---- the classic bugs -------------------------------------------------------------------------------


def test_policy_turned_the_other_way_round() -> None:
    report = audit(
        board_size=SIZE, transform_state=turn_state, transform_policy=lambda p, g: turn_policy(p, inverse(g))
    )
    assert symmetries_of(report, "state and policy") == [1, 3]
    finding = first(report, "state and policy")
    assert finding.square == (0, 0)
    assert finding.message == (
        "symmetry 1: a stone on row 0, column 0 goes to row 0, column 3, but the policy entry of that square goes to"
        " row 3, column 0: the policy turns by 'rotate 270° clockwise', the inverse of what the state does"
    )
    assert finding.message in str(report)
    with pytest.raises(EightfoldError, match=r"state and policy: symmetry 1: a stone .* \(and 1 more\)$"):
        report.raise_if_bad()


def test_policy_not_turned() -> None:
    report = audit(board_size=SIZE, transform_state=turn_state, transform_policy=lambda p, g: p.copy())
    assert symmetries_of(report, "state and policy") == [1, 2, 3, 4, 5, 6, 7]
    assert first(report, "state and policy").message.endswith("the policy is not turned at all")
    # The main diagonal keeps the first square, so the first to differ is its neighbour.
    assert [f.square for f in report.findings] == [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 1), (0, 0)]


def test_last_move_not_turned() -> None:
    report = audit(
        board_size=SIZE, transform_state=turn_state, transform_policy=turn_policy, transform_move=lambda m, g: m
    )
    assert {finding.check for finding in report.findings} == {"state and move"}
    finding = first(report, "state and move")
    assert (finding.symmetry, finding.square) == (1, (0, 0))
    assert finding.message.endswith("a move on that square goes to row 0, column 0: the move is not turned at all")


def test_one_mirror_along_the_wrong_axis() -> None:
    report = audit(
        board_size=SIZE, transform_state=turn_state, transform_policy=lambda p, g: turn_policy(p, 5 if g == 4 else g)
    )
    assert [(f.symmetry, f.square) for f in report.findings] == [(4, (0, 0))]
    assert report.findings[0].message.endswith(
        "the policy turns by 'mirror top and bottom', while the state turns by 'mirror left and right'"
    )


def test_one_symmetry_alone_the_other_way_round() -> None:
    report = audit(
        board_size=SIZE, transform_state=turn_state, transform_policy=lambda p, g: turn_policy(p, 1 if g == 3 else g)
    )
    assert [f.symmetry for f in report.findings] == [3]
    assert report.findings[0].message.endswith("'rotate 90° clockwise', the inverse of what the state does")


def test_the_numbering_is_that_of_the_state() -> None:
    report = audit(board_size=SIZE, transform_state=by_rot90, transform_policy=turn_policy, transform_move=turn_move)
    assert "your symmetry 1 is Eightfold's 3 (rotate 270° clockwise)" in report.notes


def one_channel_forgotten(planes: Any, g: int) -> Any:
    turned = turn_state(planes, g).copy()
    turned[2] = planes[2]
    return turned


def test_one_channel_not_turned() -> None:
    report = audit(board_size=SIZE, transform_state=one_channel_forgotten, transform_policy=turn_policy)
    assert {finding.check for finding in report.findings} == {"transform_state"}  # the rest do go with the policy
    finding = first(report, "transform_state")
    assert (finding.symmetry, finding.square) == (1, (0, 0))
    assert "channel 2 does not go with the rest: it is not turned at all" in finding.message
    assert "row 0, column 0 stays and does not go to row 0, column 3" in finding.message


def test_of_two_channels_the_one_that_does_not_turn_is_named() -> None:
    def forgets_the_first(planes: Any, g: int) -> Any:
        return np.stack([planes[0], turn_state(planes[1], g)])

    finding = first(audit(board_size=SIZE, transform_state=forgets_the_first, channels=2), "transform_state")
    assert "channel 0 does not go with the rest: it is not turned at all" in finding.message


def test_most_channels_have_it() -> None:
    def turns_only_the_last(planes: Any, g: int) -> Any:
        return np.concatenate([planes[:3], turn_state(planes[3:], g)])

    finding = first(audit(board_size=SIZE, transform_state=turns_only_the_last), "transform_state")
    assert "channel 3 does not go with the rest: it turns by 'rotate 90° clockwise'" in finding.message


def test_channels_exchanged() -> None:
    report = audit(board_size=SIZE, transform_state=lambda s, g: turn_state(s[::-1], g))
    assert "channel 0 comes out as channel 3 was" in first(report, "transform_state").message


def column_major(policy: Any, g: int) -> Any:
    return turn_state(policy.reshape(SIZE, SIZE, order="F"), g).flatten(order="F")


def written_column_major(policy: Any, g: int) -> Any:
    return turn_state(policy.reshape(SIZE, SIZE), g).flatten(order="F")


def read_column_major(policy: Any, g: int) -> Any:
    return turn_state(policy.reshape(SIZE, SIZE, order="F"), g).flatten()


@pytest.mark.parametrize(
    ("function", "symmetry", "square", "cause"),
    [
        (column_major, 1, (0, 0), "the policy turns as if squares were counted column by column"),
        (written_column_major, 0, (0, 1), "the policy is read row by row but written back column by column"),
        (read_column_major, 0, (0, 1), "the policy is read column by column but written back row by row"),
    ],
)
def test_policy_flattened_column_by_column(function: Any, symmetry: int, square: tuple[int, int], cause: str) -> None:
    finding = first(audit(board_size=SIZE, transform_state=turn_state, transform_policy=function), "state and policy")
    assert (finding.symmetry, finding.square) == (symmetry, square)
    assert finding.message.endswith(cause)


def test_pass_moved() -> None:
    def rolls(policy: Any, g: int) -> Any:
        return policy if g == 0 else np.roll(turn_policy(policy, g), 1)

    report = audit(board_size=SIZE, transform_state=turn_state, transform_policy=rolls, pass_move=True)
    finding = first(report, "transform_policy")
    assert (finding.symmetry, finding.square) == (1, None)
    assert finding.message == "symmetry 1: the pass entry must stay in place, but it goes to row 0, column 0"


def test_array_changed_in_place() -> None:
    def in_place(planes: Any, g: int) -> Any:
        planes[:] = turn_state(planes, g)
        return planes

    finding = first(audit(board_size=SIZE, transform_state=in_place), "transform_state")
    assert (finding.symmetry, finding.square) == (1, (0, 0))
    assert "changes the array that it was given" in finding.message


def test_a_function_that_raises_is_a_finding() -> None:
    def raises(policy: Any, g: int) -> Any:
        if g == 6:
            raise KeyError("no such turn")
        return turn_policy(policy, g)

    report = audit(board_size=SIZE, transform_state=turn_state, transform_policy=raises)
    assert [(f.check, f.symmetry) for f in report.findings] == [("transform_policy", 6)]
    assert report.findings[0].message == "symmetry 6: it raises KeyError: 'no such turn'"


def test_a_move_that_raises_on_one_square_names_it() -> None:
    def raises(move: Any, g: int) -> Any:
        return {(2, 1): {}}.get(move, {g: turn_move(move, g)})[g]

    finding = first(audit(board_size=SIZE, transform_move=raises), "transform_move")
    assert (finding.symmetry, finding.square) == (0, (2, 1))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda s, g: s[:, :-1], "it gives back float32 [4, 3, 4], expected float32 [4, 4, 4]"),
        (lambda s, g: None, "it gives back None, which is not an array of numbers"),
        (lambda s, g: s.astype(int), "it gives back int64 [4, 4, 4], expected float32 [4, 4, 4]"),
        (lambda s, g: [[1, 2], [3]], "it gives back [[1, 2], [3]], which is not an array of numbers"),
        (lambda s, g: s * 0, "the mark on row 0, column 0 in channel 0 is lost"),
        (lambda s, g: s + s[:, ::-1], "the mark on row 0, column 0 in channel 0 becomes 2 marks"),
        (lambda s, g: s * 0.5, "the mark on row 0, column 0 in channel 0 changes from 1 to 0.5"),
    ],
)
def test_bad_answers(function: Any, words: str) -> None:
    finding = first(audit(board_size=SIZE, transform_state=function), "transform_state")
    assert finding == Finding("transform_state", 0, (0, 0), f"symmetry 0: {words}")


@pytest.mark.parametrize("answer", [None, (0, SIZE), (-1, 0), (0.5, 0), 3, (1, 2, 3), "ab"])
def test_bad_moves(answer: Any) -> None:
    finding = first(audit(board_size=SIZE, transform_move=lambda m, g: answer), "transform_move")
    assert (finding.symmetry, finding.square) == (0, (0, 0))
    assert "which is not a" in finding.message


def test_two_squares_that_go_to_one() -> None:
    report = audit(board_size=SIZE, transform_move=lambda m, g: (m[0], max(m[1], 1)), symmetries=[0])
    finding = first(report, "transform_move")
    assert finding.square == (0, 0)
    assert finding.message == "symmetry 0: row 0, column 0 and row 0, column 1 both go to row 0, column 1"


def test_a_map_that_is_no_symmetry() -> None:
    def shifts(planes: Any, g: int) -> Any:
        turned = turn_state(planes, g).copy()
        turned[:, 2] = np.roll(turned[:, 2], 1, axis=-1)
        return turned

    finding = first(audit(board_size=SIZE, transform_state=shifts), "transform_state")
    assert (finding.symmetry, finding.square) == (0, (2, 0))
    assert "none of the eight symmetries" in finding.message


@given(
    state_ids=st.lists(st.integers(0, 7), min_size=1, max_size=8),
    policy_ids=st.lists(st.integers(0, 7), min_size=8, max_size=8),
    same=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_two_families_pass_exactly_when_they_are_the_same(
    state_ids: list[int], policy_ids: list[int], same: bool
) -> None:
    policy_ids = state_ids if same else policy_ids[: len(state_ids)]
    report = audit(
        board_size=3,
        transform_state=lambda s, k: BoardSymmetry.transform_board_tensor(s, state_ids[k]),
        transform_policy=lambda p, k: BoardSymmetry.transform_policy_flat(p, 3, policy_ids[k]),
        symmetries=range(len(state_ids)),
        channels=1,
    )
    differ = [k for k, (a, b) in enumerate(zip(state_ids, policy_ids, strict=True)) if a != b]
    assert report.ok == (not differ)
    assert [finding.symmetry for finding in report.findings] == differ
    for finding in report.findings:
        assert finding.square is not None
        a, b = state_ids[finding.symmetry], policy_ids[finding.symmetry]
        squares = [(row, column) for row in range(3) for column in range(3)]
        moved = [BoardSymmetry.transform_coordinates(*square, 3, a) for square in squares]
        other = [BoardSymmetry.transform_coordinates(*square, 3, b) for square in squares]
        assert finding.square == next(s for s, x, y in zip(squares, moved, other, strict=True) if x != y)


# ---- encoding ---------------------------------------------------------------------------------------

Raw = tuple[tuple[tuple[int, int], ...], tuple[int, int]]  # the stones, and the last move
RAW_STATES: list[Raw] = [(((0, 1), (1, 1), (2, 3)), (0, 1)), (((3, 0), (3, 1), (0, 2)), (0, 2))]


def encode(raw: Raw) -> Any:
    stones, last = raw
    planes = np.zeros((2, SIZE, SIZE), np.float32)
    for stone in stones:
        planes[(0, *stone)] = 1
    planes[(1, *last)] = 1
    return planes


def turn_raw(raw: Raw, g: int) -> Raw:
    stones, last = raw
    return tuple(turn_move(stone, g) for stone in stones), turn_move(last, g)


@pytest.mark.parametrize("transform_state", [None, turn_state])
def test_a_right_encoding_passes(transform_state: Any) -> None:
    report = audit(
        board_size=SIZE,
        transform_state=transform_state,
        encode=encode,
        transform_raw=turn_raw,
        raw_states=RAW_STATES,
    )
    assert report.ok, str(report)
    assert report.notes == ()


def test_an_encoding_in_another_numbering_passes_by_itself_but_not_against_the_state() -> None:
    alone = audit(
        board_size=SIZE, encode=encode, transform_raw=lambda s, g: turn_raw(s, inverse(g)), raw_states=RAW_STATES
    )
    assert alone.ok
    assert "your symmetry 1 is Eightfold's 3 (rotate 270° clockwise)" in alone.notes
    report = audit(
        board_size=SIZE,
        transform_state=turn_state,
        encode=encode,
        transform_raw=lambda s, g: turn_raw(s, inverse(g)),
        raw_states=RAW_STATES,
    )
    assert symmetries_of(report, "encode") == [1, 3]


@pytest.mark.parametrize("transform_state", [None, turn_state])
def test_the_last_move_forgotten_in_the_raw_state(transform_state: Any) -> None:
    report = audit(
        board_size=SIZE,
        transform_state=transform_state,
        encode=encode,
        transform_raw=lambda raw, g: (turn_raw(raw, g)[0], raw[1]),
        raw_states=RAW_STATES,
    )
    finding = first(report, "encode")
    assert (finding.symmetry, finding.square) == (1, (0, 1))
    assert finding.message == (
        "symmetry 1: raw state 0 turned, then encoded, has 1 on row 0, column 1 of channel 1;"
        " encoded, then turned by 'rotate 90° clockwise', 0: channel 1 is not turned at all"
    )
    assert symmetries_of(report, "encode") == [1, 2, 3, 4, 5, 6, 7]


def test_raw_states_changed_in_place() -> None:
    def in_place(raw: Any, g: int) -> Any:
        raw[:] = turn_state(raw, g)
        return raw

    board = np.arange(SIZE * SIZE).reshape(SIZE, SIZE)
    report = audit(board_size=SIZE, encode=lambda raw: raw[None], transform_raw=in_place, raw_states=[board])
    assert "changes the state that it was given" in first(report, "encode").message


def test_an_encoding_of_the_wrong_shape_or_that_raises() -> None:
    report = audit(board_size=5, encode=encode, transform_raw=turn_raw, raw_states=RAW_STATES)
    assert "encode gives shape [2, 4, 4], expected [C, 5, 5]" in first(report, "encode").message
    report = audit(board_size=SIZE, encode=encode, transform_raw=turn_raw, raw_states=["nonsense"])
    assert "encode raises ValueError" in first(report, "encode").message


# ---- networks ---------------------------------------------------------------------------------------


class Convolutional(torch.nn.Module):
    """An ordinary network: nothing in it knows of symmetry."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.body = torch.nn.Sequential(
            torch.nn.Conv2d(4, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Dropout(0.5)
        )
        self.policy = torch.nn.Conv2d(8, 1, 1)
        self.value = torch.nn.Linear(8 * SIZE * SIZE, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.body(planes)
        return self.policy(features).flatten(1), torch.tanh(self.value(features.flatten(1)))


class Symmetrised(torch.nn.Module):
    """The mean over eight turns of another network's answers."""

    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        policies, values = [], []
        for k in range(8):
            turned = torch.rot90(planes.transpose(2, 3) if k >= 4 else planes, k % 4, (2, 3))
            policy, value = self.inner(turned)
            board = torch.rot90(policy.reshape(-1, SIZE, SIZE), -(k % 4), (1, 2))
            policies.append((board.transpose(1, 2) if k >= 4 else board).flatten(1))
            values.append(value)
        return torch.stack(policies).mean(0), torch.stack(values).mean(0)


def test_an_ordinary_network_fails() -> None:
    network = Convolutional().train()
    network.policy.eval()
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    report = audit(board_size=SIZE, network=network)
    assert symmetries_of(report, "network") == [1, 2, 3, 4, 5, 6, 7]
    finding = report.findings[0]
    assert finding.square is not None
    assert "after 'rotate 90° clockwise' the network answers differently: the policy by up to" in finding.message
    assert "the value by up to" in finding.message
    assert report.disagreement is not None
    assert report.disagreement > 1e-3
    # The network itself is left as it was: its modes, and what it counts while it trains.
    assert network.training
    assert network.body.training
    assert not network.policy.training
    assert all(torch.equal(tensor, before[name]) for name, tensor in network.state_dict().items())


def test_a_symmetrised_network_passes() -> None:
    report = audit(board_size=SIZE, network=Symmetrised(Convolutional()), transform_state=by_rot90)
    assert report.ok, str(report)
    assert report.disagreement is not None
    assert report.disagreement < 1e-6


def test_the_disagreement_is_the_mean_policy_difference_at_the_worst_symmetry() -> None:
    states = np.zeros((1, 1, 2, 2))
    states[0, 0, 0, 0] = 1
    always_left = np.array([[0.5, 0.0, 0.5, 0.0]])
    report = audit(board_size=2, network=lambda planes: always_left, states=states)
    assert report.disagreement == 0.5  # after a mirror left and right every entry is off by a half
    assert [f.symmetry for f in report.findings] == [1, 2, 3, 4, 6, 7]  # top and bottom may change places


def test_a_network_of_arrays_with_a_pass_and_forbidden_moves() -> None:
    def network(planes: Any) -> Any:
        stones = planes.sum(axis=1).reshape(len(planes), -1)
        scores = np.where(stones > 0, -np.inf, 1.0)
        planes[:] = 0  # its own copy, so nobody minds
        return np.concatenate([scores, stones.sum(axis=1, keepdims=True)], axis=1), stones.sum(axis=1)

    states = np.zeros((3, 2, SIZE, SIZE), np.float32)
    states[0, 0, 1, 2] = states[1, 1, 0, 3] = 1
    before = states.copy()
    report = audit(board_size=SIZE, network=network, pass_move=True, states=states)
    assert report.ok, str(report)
    assert np.array_equal(states, before)
    assert report.disagreement == 0
    assert "expected [4, 16] and [4]" in first(audit(board_size=SIZE, network=network), "network").message


@pytest.mark.parametrize("answer", [None, (), {"policy": 1}, "policy", np.ones(3), (np.ones((4, 16)), 0.5)])
def test_a_network_that_gives_something_else(answer: Any) -> None:
    report = audit(board_size=SIZE, network=lambda planes: answer)
    assert symmetries_of(report, "network") == list(range(8))
    assert report.disagreement is None


@pytest.mark.parametrize("wrap", [lambda p: p, lambda p: (p,), lambda p: [p, None], lambda p: p.reshape(-1, 4, 4)])
def test_a_network_without_values(wrap: Any) -> None:
    report = audit(board_size=SIZE, network=lambda planes: wrap(planes.sum(axis=1).reshape(-1, 16)))
    assert report.ok, str(report)


def test_only_the_value_differs() -> None:
    def network(planes: Any) -> Any:
        return np.ones((len(planes), SIZE * SIZE)), planes[:, 0, 0, 0] + 2 * planes[:, 1, 0, 0]

    finding = first(audit(board_size=SIZE, network=network), "network")
    assert finding.square is None
    assert "the policy by up to 0, the value by up to" in finding.message


def test_a_network_with_chance_in_it_and_one_that_is_not_a_number() -> None:
    generator = np.random.default_rng(0)
    report = audit(board_size=SIZE, network=lambda planes: generator.random((len(planes), SIZE * SIZE)))
    assert report.findings[0].symmetry == 0
    assert "the same position differently each time" in report.findings[0].message
    report = audit(board_size=SIZE, network=lambda planes: np.full((len(planes), SIZE * SIZE), np.nan))
    assert len(report.findings) == 8


def test_network_findings_carry_the_users_ids() -> None:
    report = audit(board_size=SIZE, transform_state=by_rot90, network=Convolutional(), symmetries=[1])
    assert [f.symmetry for f in report.findings] == [1]
    assert "after 'rotate 270° clockwise'" in report.findings[0].message
    report = audit(board_size=SIZE, network=Convolutional(), symmetries=["a quarter"])
    assert "not known which of the eight" in first(report, "network").message


def test_the_seed_makes_the_positions() -> None:
    network = Convolutional()
    one, same, other = (audit(board_size=SIZE, network=network, seed=seed).disagreement for seed in (1, 1, 2))
    assert one == same != other


# ---- arguments --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "nothing to audit: give transform_state, transform_policy, transform_move, network, or encode"),
        ({"encode": encode}, "encode, transform_raw and raw_states"),
        ({"encode": encode, "transform_raw": turn_raw, "raw_states": []}, "one or more"),
        ({"transform_move": turn_move, "symmetries": []}, "at least one channel and one symmetry"),
        ({"transform_move": turn_move, "board_size": 1}, "a board of size 2 or more"),
        ({"transform_state": turn_state, "channels": 0}, "at least one channel"),
        ({"network": Convolutional(), "states": np.zeros((1, 4, 3, 3))}, "states have shape"),
        ({"transform_move": turn_move, "board_size": "big"}, "board size 'big'"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(EightfoldError, match=words):
        audit(**{"board_size": SIZE, **arguments})
