"""The full style of the player `mcts`: UCT with RAVE, priors and playouts that know the game (Gelly & Silver 2011).

Leaves are taken in batches; the playouts of a batch are shared by threads, everything that touches the tree is not. So
a seed and a number of playouts give the same visits on any number of threads. The tree and one playout's way through it
are in `eightfold.search.kernels.rave`.

Passing (where the game has it): a pass that would end the game as lost is not played while there is another sensible
move; one that ends it as won is played at once; and when all is decided, and the board as it stands is won, it passes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eightfold.core.jit import Ints
from eightfold.core.rng import Random, make_random
from eightfold.core.specialise import specialise
from eightfold.core.threads import run_parts, usable_cores
from eightfold.games.game import Game, Position
from eightfold.patterns.templates import small_neighbourhoods
from eightfold.search.mcts_options import MctsOptions
from eightfold.search.pattern_weights import read_weights
from eightfold.search.tree_player import TreePlayer

LARGEST_TREE = 5_000_000  # places; memory is taken only as the tree grows into them
PLACE = 80  # bytes of a place: in the tree, in the other one that a part of it is copied to, and while copying
LARGEST_BATCH = 32  # leaves
BATCHES = 64  # of a move with few playouts, at least
WORTH_A_THREAD = 2000  # playouts of a move
VIRTUAL_LOSS = 1.0
EXPAND_AT = 4  # visits
DECIDED = 0.95  # a mean result, 1: always won
AS_GOOD = 0.02  # a difference of mean results that does not matter


class Rave(TreePlayer):
    """Plays games with knowledge from promising positions and takes the most visited move."""

    def __init__(self, game: Game, options: MctsOptions = MctsOptions(), *, seed: int = 0) -> None:  # noqa: B008
        super().__init__(game, options, seed)
        playouts, memory = options.playouts, options.memory
        self._kernels = specialise("eightfold.search.kernels.rave", game.rules)
        priors = options.full("priors")
        self._weights = self._kernels.Weights(
            equivalence=float(options.full("rave")),
            exploration=float(options.full("exploration")),
            prior_games=float(priors == "visits"),
            informed=priors != "off",
            virtual_loss=VIRTUAL_LOSS,
            expand_at=EXPAND_AT,
        )
        kinds, points = small_neighbourhoods(game.size)
        self._knowledge = game.rules.know(
            game.size,
            captures=options.full("captures"),
            self_atari=options.full("self_atari"),
            mercy=float(options.full("mercy")),
            nakade=options.full("nakade"),
            kinds=kinds,
            points=points,
            weights=read_weights(options.full("patterns")),
        )
        self._threads = options.full("threads") or (
            usable_cores() if options.seconds or playouts >= WORTH_A_THREAD else 1
        )
        self._slots = LARGEST_BATCH if options.seconds else max(1, min(LARGEST_BATCH, playouts // BATCHES))
        self._batch = self._make_batch(seed)
        self._moves = np.zeros(game.actions, np.int64)
        self._games, self._results = np.zeros(game.actions, np.float32), np.zeros(game.actions, np.float32)
        self._largest = min(LARGEST_TREE, memory * 1_000_000 // PLACE) if memory else LARGEST_TREE
        needed = self._largest if options.seconds else min(playouts * game.actions + 1, self._largest)
        self._tree, self._spare = self._make_tree(needed), self._make_tree(needed)
        self.bytes_a_game = needed * PLACE

    def _make_batch(self, seed: int) -> Any:
        game, length = self._game, self._game.spec.state_length(self._game.size)
        return self._kernels.Batch(
            states=np.zeros((LARGEST_BATCH, length), np.int64),
            paths=np.zeros((LARGEST_BATCH, 4 * game.actions), np.int64),
            depths=np.zeros(LARGEST_BATCH, np.int64),
            randoms=np.concatenate([make_random(seed, slot) for slot in range(LARGEST_BATCH)]),
            firsts=np.zeros((LARGEST_BATCH, game.actions), np.int8),
            results=np.zeros(LARGEST_BATCH, np.int64),
            scratch=np.zeros((LARGEST_BATCH, length), np.int64),
        )

    def _make_tree(self, places: int) -> Any:
        floats = [np.zeros(places, np.float32) for _ in range(6)]
        return self._kernels.Tree(
            move=np.zeros(places, np.int16),
            visits=np.zeros(places, np.int32),
            value=floats[0],
            prior_visits=floats[1],
            prior_value=floats[2],
            chance=floats[3],
            amaf_visits=floats[4],
            amaf_value=floats[5],
            first=np.zeros(places, np.int32),
            children=np.zeros(places, np.int16),
            used=np.zeros(1, np.int32),
        )

    def _run(self, position: Position, playouts: int) -> None:
        kernels, tree, batch = self._kernels, self._tree, self._batch
        try_pass = self._passing_wins(position)
        for done in range(0, playouts, self._slots):
            count = min(self._slots, playouts - done)
            decided = -float(tree.value[0]) > DECIDED * int(tree.visits[0])
            kernels.select_leaves(
                tree,
                position.state,
                count,
                self._weights,
                self._knowledge,
                batch,
                self._moves,
                self._games,
                self._results,
                int(try_pass and decided),
            )
            parts = min(self._threads, count)
            if parts == 1:
                kernels.play_out(batch, self._knowledge, 0, count)
            else:
                run_parts(
                    lambda part: kernels.play_out(
                        batch, self._knowledge, count * part // parts, count * (part + 1) // parts
                    ),
                    parts,
                )
            kernels.back_up(tree, position.to_move, count, self._weights, batch)

    def _visited(self, node: int) -> slice:
        first = int(self._tree.first[node])
        return slice(first, first + int(self._tree.children[node])) if first >= 0 else slice(0, 0)

    # ---- passing ----

    def _passing_wins(self, position: Position) -> bool:
        """Whether the side to move has won if it passes and the opponent does, too."""
        if not self._game.spec.has_pass:
            return False
        after = position.play(self._game.points)
        if not after.is_over:
            after = after.play(self._game.points)
        return after.is_over and after.winner == position.to_move

    def _choose(self, position: Position, visits: Ints, ties: Random | None) -> int:
        if not self._game.spec.has_pass:
            return super()._choose(position, visits, ties)
        passing = self._game.points
        values = self._root_values(self._game.actions)
        others = visits.copy()
        others[passing] = 0
        if others.max() == 0:
            return passing
        best = super()._choose(position, others, ties)
        if self._passing_wins(position):
            if position.last_move == passing:
                return passing
            settled = values[passing] > DECIDED and values[passing] >= values[best] - AS_GOOD
            return passing if settled or visits[passing] > visits[best] else best
        lost = position.last_move == passing and not values[best] > -DECIDED
        return passing if lost else best
