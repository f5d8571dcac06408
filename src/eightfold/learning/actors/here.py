"""Who plays the games of a run on this machine: its GPU where the run has one and can use it, else its processor."""

from __future__ import annotations

from eightfold.core.errors import EightfoldError
from eightfold.core.notes import tell_once
from eightfold.learning.actors.local import LocalPlayers
from eightfold.learning.actors.players import Players, Wanted


def players_here(wanted: Wanted, *, threads: int = 0, seeds: tuple[int, ...] = (1,)) -> Players:
    """`GpuPlayers` for `device=cuda`, or `LocalPlayers` with a line that says why.

    `threads` 0: half of the cores. `seeds` tell apart those who play for the same run.
    """
    if not wanted.config.device.startswith("cuda"):
        return LocalPlayers(wanted, threads=threads, seeds=seeds)
    from eightfold.learning.actors.gpu import GpuPlayers, why_not

    reason = why_not(wanted.config)
    if not reason:
        try:
            players = GpuPlayers(wanted, seeds=seeds)
            if players.notice:
                tell_once(players.notice)
            return players
        except EightfoldError as trouble:
            reason = str(trouble)
    tell_once(f"games are played on the CPU, which asks the GPU for the network alone: {reason}")
    return LocalPlayers(wanted, threads=threads, seeds=seeds)
