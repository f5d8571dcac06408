"""The symmetry room: the eight elements, transforms, canonical forms, orbits, equivariant kernels, and an audit.

It knows no game, no search and no network. Start with `group.py`; docs/symmetry.md shows the rest.
"""

from eightfold.symmetry.audit import AuditReport, Finding, audit
from eightfold.symmetry.group import (
    ALL,
    COUNT,
    NAMES,
    compose,
    destinations,
    inverse,
    read_symmetries,
    sources,
    subgroup_name,
    symmetry_mask,
    turn,
)
from eightfold.symmetry.kernel_bases import NEIGHBOURHOODS, SharedKernel, kernel_basis, project, share
from eightfold.symmetry.orbit import orbit, orbit_key, stabiliser
from eightfold.symmetry.representations import TYPES, Field, Representation, make_field
from eightfold.symmetry.slap import (
    SlapFrames,
    frame_members,
    into_frames,
    out_of_frames,
    slap,
    slap_batch,
    slap_frames,
    unslap,
)
from eightfold.symmetry.slap_cc import slap_cc
from eightfold.symmetry.transform import (
    BoardSymmetry,
    TransformedBatch,
    inverse_ids,
    transform_batch,
    transform_last_moves,
    transform_policies,
    transform_states,
)

__all__ = [
    "ALL",
    "COUNT",
    "NAMES",
    "NEIGHBOURHOODS",
    "TYPES",
    "AuditReport",
    "BoardSymmetry",
    "Field",
    "Finding",
    "Representation",
    "SharedKernel",
    "SlapFrames",
    "TransformedBatch",
    "audit",
    "compose",
    "destinations",
    "frame_members",
    "into_frames",
    "inverse",
    "inverse_ids",
    "kernel_basis",
    "make_field",
    "orbit",
    "orbit_key",
    "out_of_frames",
    "project",
    "read_symmetries",
    "share",
    "slap",
    "slap_batch",
    "slap_cc",
    "slap_frames",
    "sources",
    "stabiliser",
    "subgroup_name",
    "symmetry_mask",
    "transform_batch",
    "transform_last_moves",
    "transform_policies",
    "transform_states",
    "turn",
    "unslap",
]
