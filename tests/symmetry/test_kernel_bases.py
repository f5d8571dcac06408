"""Representations and equivariant kernels: group laws, the table of dimensions, and controls that must fail."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.symmetry.group import COMPOSE, COUNT, turn
from eightfold.symmetry.kernel_bases import NEIGHBOURHOODS, kernel_basis, project, share
from eightfold.symmetry.representations import FAITHFUL, TRIVIAL, TYPES, action, channels, from_generators, make_field
from eightfold.symmetry.transform import BoardSymmetry
from refusals import refusal

# Dimensions of the equivariant kernels (Blair, checked there by characters and by a null space):
# from the row's type to the column's, T S D C F, on the square and, second table, on the cross.
SQUARE = [[3, 1, 1, 0, 2], [1, 3, 0, 1, 2], [1, 0, 3, 1, 2], [0, 1, 1, 3, 2], [2, 2, 2, 2, 5]]
CROSS = [[2, 1, 0, 0, 1], [1, 2, 0, 0, 1], [0, 0, 2, 1, 1], [0, 0, 1, 2, 1], [1, 1, 1, 1, 3]]
FIVE = [TYPES[name] for name in ("trivial", "symmetrical", "diagonal", "chiral", "faithful")]
PAIRS = [(output, input) for output in TYPES.values() for input in TYPES.values()]


def turned(planes, g, matrices):
    """A field [C, N, N] after symmetry g: (g·H)(λ) = ρ(g) H(g⁻¹λ)."""
    return np.einsum("ab,bij->aij", matrices[g], BoardSymmetry.transform_board_tensor(planes, g))


def convolved(kernel, planes):
    """The definition: out(λ) = Σ_ν K(ν) in(λ + ν), zeros outside the board."""
    size = planes.shape[-1]
    wide = np.pad(planes, ((0, 0), (1, 1), (1, 1)))
    return sum(
        np.einsum("oi,ixy->oxy", kernel[:, :, row, column], wide[:, row : row + size, column : column + size])
        for row in range(3)
        for column in range(3)
    )


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
def test_every_type_is_a_representation(kind):
    for then in range(COUNT):
        for first in range(COUNT):
            product = kind.matrices[then] @ kind.matrices[first]
            np.testing.assert_array_equal(kind.matrices[COMPOSE[then, first]], product)
        np.testing.assert_array_equal(np.abs(kind.matrices[then]).sum(axis=0), 1)
        np.testing.assert_array_equal(np.abs(kind.matrices[then]).sum(axis=1), 1)


def test_the_five_types_are_irreducible_and_different():
    characters = np.array([[np.trace(kind.matrices[g]) for g in range(COUNT)] for kind in FIVE])
    np.testing.assert_array_equal(characters @ characters.T, 8 * np.eye(5))
    regular = np.array([np.trace(TYPES["regular"].matrices[g]) for g in range(COUNT)])
    np.testing.assert_array_equal(characters @ regular // 8, [1, 1, 1, 1, 2])  # each as often as its dimension


@pytest.mark.parametrize(
    ("name", "keeps", "parts"),
    [("straight_quotient", (0, 1), [1, 1, 0, 0, 1]), ("diagonal_quotient", (1, 1), [1, 0, 1, 0, 1])],
)
def test_quotients_are_directions(name, keeps, parts):
    """The first member is a step (rows, columns) that the mirror keeps; members go where symmetries take steps."""
    kind = TYPES[name]
    centre = np.array(turn(2, 2, 5, 0))
    steps = []  # of each member
    for member in range(4):
        g = next(g for g in range(COUNT) if kind.matrices[g, member, 0])
        steps.append(tuple(np.array(turn(2 + keeps[0], 2 + keeps[1], 5, g)) - centre))
    assert len(set(steps)) == 4
    for g in range(COUNT):
        for member, (row, column) in enumerate(steps):
            after = tuple(np.array(turn(2 + row, 2 + column, 5, g)) - centre)
            assert kind.matrices[g, steps.index(after), member] == 1
    characters = np.array([[np.trace(each.matrices[g]) for g in range(COUNT)] for each in (*FIVE, kind)])
    np.testing.assert_array_equal(characters[:5] @ characters[5] // 8, parts)
    assert kind.permutes
    assert not TYPES["faithful"].permutes


@pytest.mark.parametrize(("neighbourhood", "table"), [("square", SQUARE), ("cross", CROSS)])
def test_the_table_of_dimensions(neighbourhood, table):
    found = [[len(kernel_basis(output, input, neighbourhood)) for output in FIVE] for input in FIVE]
    assert found == table


@pytest.mark.parametrize("neighbourhood", NEIGHBOURHOODS)
@pytest.mark.parametrize(("output", "input"), PAIRS, ids=lambda kind: kind.name)
def test_the_basis_spans_all_that_is_equivariant(output, input, neighbourhood):
    """Against the constraint itself: a null space, computed without the projector."""
    inside = NEIGHBOURHOODS[neighbourhood]
    size = output.dimension * input.dimension * 9
    unit = np.eye(size).reshape(size, output.dimension, input.dimension, 3, 3)
    constraints = [unit.reshape(size, -1, 9)[:, :, [n for n in range(9) if n not in inside]].reshape(size, -1)]
    for g in (1, 4):  # generators are enough
        moved = np.stack([BoardSymmetry.transform_board_tensor(each.reshape(-1, 3, 3), g) for each in unit])
        acted = np.einsum("ab,kbcyx,dc->kadyx", output.matrices[g], moved.reshape(unit.shape), input.matrices[g])
        constraints.append((acted - unit).reshape(size, -1))
    rank = np.linalg.matrix_rank(np.concatenate(constraints, axis=1))
    basis = kernel_basis(output, input, neighbourhood).reshape(-1, size)
    assert len(basis) == size - rank
    assert np.linalg.matrix_rank(basis) == len(basis) if len(basis) else True
    np.testing.assert_array_equal(basis @ np.concatenate(constraints, axis=1), 0)
    assert set(np.unique(basis)) <= {-1, 0, 1}


def test_the_kernels_the_paper_draws():
    """From a trivial input, north up."""
    kernels = {name: kernel_basis(TYPES[name], TRIVIAL)[:, :, 0] for name in TYPES}
    as_sets = {frozenset(map(int, np.flatnonzero(kernel))) for kernel in kernels["trivial"][:, 0]}
    assert as_sets == {frozenset({4}), frozenset({1, 3, 5, 7}), frozenset({0, 2, 6, 8})}
    east_minus_north = np.array([[0, -1, 0], [1, 0, 1], [0, -1, 0]])
    [symmetrical] = kernels["symmetrical"][:, 0]
    assert any(np.array_equal(symmetrical, sign * east_minus_north) for sign in (1, -1))
    north_east = np.array([[-1, 0, 1], [0, 0, 0], [1, 0, -1]])
    [diagonal] = kernels["diagonal"][:, 0]
    assert any(np.array_equal(diagonal, sign * north_east) for sign in (1, -1))
    assert len(kernels["chiral"]) == 0
    arrows = [
        np.array([[[0, 0, 0], [-1, 0, 1], [0, 0, 0]], [[0, 1, 0], [0, 0, 0], [0, -1, 0]]]),  # (E-W, N-S)
        np.array([[[-1, 0, 1], [0, 0, 0], [-1, 0, 1]], [[1, 0, 1], [0, 0, 0], [-1, 0, -1]]]),
    ]
    for arrow in arrows:
        assert any(np.array_equal(kernel, sign * arrow) for kernel in kernels["faithful"] for sign in (1, -1))


@pytest.mark.parametrize("neighbourhood", NEIGHBOURHOODS)
@pytest.mark.parametrize(("output", "input"), PAIRS, ids=lambda kind: kind.name)
def test_convolving_and_turning_commute(output, input, neighbourhood):
    random = np.random.default_rng(1)
    planes = random.normal(size=(input.dimension, 5, 5))
    for kernel in kernel_basis(output, input, neighbourhood):
        straight = convolved(kernel, planes)
        for g in range(COUNT):
            other = convolved(kernel, turned(planes, g, input.matrices))
            np.testing.assert_allclose(other, turned(straight, g, output.matrices), atol=1e-12)


def test_projecting_is_a_projection_onto_what_it_should_be():
    random = np.random.default_rng(2)
    output, input = make_field(trivial=1, chiral=2, faithful=2), make_field(diagonal=2, faithful=1, regular=1)
    kernel = random.normal(size=(channels(output), channels(input), 9))
    once = project(kernel, action(output), action(input))
    np.testing.assert_allclose(project(once, action(output), action(input)), once, atol=1e-12)
    shared = share(output, input)
    expanded = shared.expand(random.normal(size=shared.parameters)).reshape(kernel.shape)
    np.testing.assert_allclose(project(expanded, action(output), action(input)), expanded, atol=1e-12)


def test_controls_break_what_they_should():
    """A projector with a wrong action, a permuted weight and a weight let loose are not equivariant."""
    random = np.random.default_rng(3)
    output, input = make_field(trivial=1, faithful=1), make_field(trivial=2, faithful=1)
    planes = random.normal(size=(channels(input), 5, 5))
    shared = share(output, input)
    kernel = shared.expand(random.normal(size=shared.parameters))

    def fault(kernel):
        straight = convolved(kernel, planes)
        return max(
            np.abs(convolved(kernel, turned(planes, g, action(input))) - turned(straight, g, action(output))).max()
            for g in range(COUNT)
        )

    assert fault(kernel) < 1e-12
    permuted = kernel.copy()
    permuted[0, 0, 0, 1], permuted[0, 0, 1, 1] = kernel[0, 0, 1, 1], kernel[0, 0, 0, 1]
    assert fault(permuted) > 1e-2
    loose = kernel.copy()
    loose[0, 0, 0, 0] += 0.1
    assert fault(loose) > 1e-2
    mirrored = kernel.copy()
    mirrored[1] = kernel[2]  # the arrow's components are not interchangeable
    assert fault(mirrored) > 1e-2
    # An arrow that the mirror leaves alone is no representation; the projector made with it does not help.
    wrong = from_generators("wrong", [[0, -1], [1, 0]], [[1, 0], [0, 1]])
    square = wrong.matrices[COMPOSE[4, 3]] @ wrong.matrices[COMPOSE[4, 3]]
    assert not np.array_equal(square, wrong.matrices[0]), "a mirror is its own inverse"
    anything = random.normal(size=(3, 4, 9))
    assert fault(project(anything, action(output), action(input)).reshape(kernel.shape)) < 1e-12
    averaged = project(anything, action((TRIVIAL, wrong)), action((TRIVIAL, TRIVIAL, wrong)))
    assert fault(averaged.reshape(kernel.shape)) > 1e-2
    inverse = project(anything, action(output), action(input)[[0, 3, 2, 1, 4, 5, 6, 7]])  # turned the other way
    assert fault(inverse.reshape(kernel.shape)) > 1e-2


def test_sharing_counts_what_document_003_counts():
    inputs, hidden, outputs = make_field(trivial=14), make_field(trivial=4, symmetrical=2, diagonal=2, faithful=2), 7
    parts = [share(hidden, inputs), share(make_field(trivial=outputs), hidden)]
    parts.append(share(make_field(trivial=outputs), inputs))
    assert [part.parameters for part in parts] == [280, 140, 294]
    assert sum(part.connections for part in parts) == 2310
    assert sum(int(np.count_nonzero(part.sign)) for part in parts) == 2478
    assert share(hidden, hidden, "cross").parameters == 108
    for part in parts:  # every parameter is used, and nothing else
        assert set(part.index[part.sign != 0].tolist()) == set(range(part.parameters))


def test_an_empty_pair_has_an_empty_kernel():
    shared = share((TYPES["chiral"],), (TRIVIAL,))
    assert (shared.parameters, shared.connections) == (0, 0)
    np.testing.assert_array_equal(shared.expand(np.zeros(0)), np.zeros((1, 1, 3, 3)))
    assert FAITHFUL.dimension == 2


def test_bad_input_is_named():
    assert "unknown type of unit 'faithfull' (did you mean 'faithful'?)" in refusal(lambda: make_field(faithfull=1))
    assert "trivial=-1" in refusal(lambda: make_field(trivial=-1))
    assert "unknown neighbourhood 'hex'" in refusal(lambda: kernel_basis(TRIVIAL, TRIVIAL, "hex"))
    assert "parameters" in refusal(lambda: share((TRIVIAL,), (TRIVIAL,)).expand(np.zeros(2)))
