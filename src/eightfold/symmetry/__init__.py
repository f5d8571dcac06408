"""The symmetry room: the eight elements, transforms, canonical forms, orbits, and an audit of your own code."""

from eightfold.symmetry.audit import AuditReport, Finding, audit
from eightfold.symmetry.group import (
    COUNT,
    NAMES,
    compose,
    destinations,
    inverse,
    sources,
    subgroup_name,
    turn,
)
from eightfold.symmetry.orbit import orbit, orbit_key, stabiliser
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
    "COUNT",
    "NAMES",
    "AuditReport",
    "BoardSymmetry",
    "Finding",
    "SlapFrames",
    "TransformedBatch",
    "audit",
    "compose",
    "destinations",
    "frame_members",
    "into_frames",
    "inverse",
    "inverse_ids",
    "orbit",
    "orbit_key",
    "out_of_frames",
    "slap",
    "slap_batch",
    "slap_cc",
    "slap_frames",
    "sources",
    "stabiliser",
    "subgroup_name",
    "transform_batch",
    "transform_last_moves",
    "transform_policies",
    "transform_states",
    "turn",
    "unslap",
]
