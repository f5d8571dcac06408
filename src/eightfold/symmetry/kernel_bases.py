"""The convolution kernels that commute with the eight symmetries, found by averaging over the group.

A kernel K gives every neighbour ν of a cell a matrix K(ν) from the units of one field to those of another. It is
equivariant, that is, it makes no difference whether a board is turned before or after the convolution, if

    K(gν) = ρ_out(g) K(ν) ρ_in(g)⁻¹        for all eight g.

These kernels form a vector space, and averaging ρ_out(g) K(g⁻¹ν) ρ_in(g)⁻¹ over the group (the Reynolds operator)
projects any kernel onto it. Every symmetry permutes the single connections up to sign, so the average of a single
connection is an orbit of connections that share a weight, each with its sign, or it is zero. That is the weight
sharing of Blair's appendix; nothing here is copied from there.

Read next: `eightfold.nets.equivariant`, layers with such kernels.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, unknown
from eightfold.symmetry.group import COUNT, destinations
from eightfold.symmetry.representations import Field, Representation, channels

NEIGHBOURS = 9  # of the 3x3 neighbourhood, the centre among them, row by row
NEIGHBOURHOODS = {
    "square": tuple(range(NEIGHBOURS)),  # N of Blair
    "cross": (1, 3, 4, 5, 7),  # M: the centre and its four neighbours along the lines
}


def project(kernels: NDArray[np.float64], outputs: NDArray[np.int64], inputs: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean over the group of kernels [..., O, I, 9], for actions [8, O, O] and [8, I, I]."""
    total = np.zeros_like(kernels)
    for g in range(COUNT):
        moved = np.empty_like(kernels)
        moved[..., destinations(3)[g]] = kernels  # at gν lies what was at ν
        # The matrices are orthogonal: the transpose is the inverse.
        total += np.einsum("ab,...bcn,dc->...adn", outputs[g], moved, inputs[g])
    return total / COUNT


@functools.lru_cache(maxsize=256)
def kernel_basis(output: Representation, input: Representation, neighbourhood: str = "square") -> NDArray[np.int64]:
    """[K, O, I, 3, 3]: a basis of the equivariant kernels from one type to another; entries are -1, 0 and 1.

    >>> from eightfold.symmetry.representations import DIAGONAL, TRIVIAL
    >>> kernel_basis(DIAGONAL, TRIVIAL)[0, 0, 0].tolist()
    [[1, 0, -1], [0, 0, 0], [-1, 0, 1]]
    """
    if neighbourhood not in NEIGHBOURHOODS:
        raise unknown("neighbourhood", neighbourhood, NEIGHBOURHOODS)
    shape = (output.dimension, input.dimension, NEIGHBOURS)
    found: list[NDArray[np.int64]] = []
    for where in np.ndindex(*shape):
        if where[2] not in NEIGHBOURHOODS[neighbourhood] or any(kernel[where] for kernel in found):
            continue  # outside, or in an orbit that is there already
        single = np.zeros(shape)
        single[where] = 1
        orbit = project(single, output.matrices, input.matrices)
        if orbit[where] > 0:  # else a symmetry that keeps the connection in its place changes its sign
            found.append(np.rint(orbit / orbit[where]).astype(np.int64))
    basis = np.array(found, np.int64).reshape(len(found), output.dimension, input.dimension, 3, 3)
    basis.flags.writeable = False
    return basis


@dataclass(frozen=True, kw_only=True)
class SharedKernel:
    """Which connections of a convolution share a weight: weight[o, i, y, x] = sign * parameter[index]."""

    index: NDArray[np.int64]  # [O, I, 3, 3]; 0 where the sign is 0
    sign: NDArray[np.int64]  # [O, I, 3, 3]; 0: no connection
    parameters: int
    connections: int  # as Blair counts them: a unit and a neighbour once, also if the unit is an arrow

    def expand(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The whole kernel [O, I, 3, 3] for the free parameters [P]."""
        if parameters.shape != (self.parameters,):
            raise EightfoldError(f"{parameters.shape} parameters for a kernel that has [{self.parameters}]")
        return self.sign * parameters[self.index] if self.parameters else self.sign.astype(np.float64)


def share(output: Field, input: Field, neighbourhood: str = "square") -> SharedKernel:
    """The weight sharing of a convolution from one field to another."""
    shape = (channels(output), channels(input), 3, 3)
    index, sign = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    parameters = connections = row = 0
    for out_kind in output:
        column = 0
        for in_kind in input:
            basis = kernel_basis(out_kind, in_kind, neighbourhood)
            block = np.s_[row : row + out_kind.dimension, column : column + in_kind.dimension]
            index[block] = np.einsum("k,koiyx->oiyx", np.arange(parameters, parameters + len(basis)), abs(basis))
            sign[block] = basis.sum(axis=0)  # the orbits of a basis do not overlap
            connections += int(np.count_nonzero(sign[block].any(axis=(0, 1))))
            parameters += len(basis)
            column += in_kind.dimension
        row += out_kind.dimension
    return SharedKernel(index=index, sign=sign, parameters=parameters, connections=connections)
