"""The full style of the player `mcts`: UCT with RAVE, priors and playouts that know the game (Gelly & Silver 2011).

Leaves are taken in batches; the playouts of a batch are shared by threads, the tree is touched by one alone. So a
seed and a number of playouts give the same visits on any number of threads. The tree and one playout's way through
it are in `eightfold.search.kernels.rave`.

Passing (where the game has it): a pass that would end the game as lost is not played while there is another sensible
move, unless the opponent has passed and all is lost; one that ends it as won is played; and when all is decided, and
the board as it stands is won, it passes.
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

LARGEST_TREE = 4_700_000  # places; memory is taken only as the tree grows into them
PLACE = 84  # bytes of a place: in the tree, in the other one that a part of it is copied to, and while copying
LARGEST_BATCH = 32  # leaves
BATCHES = 64  # of a move with few playouts, at least
WORTH_A_THREAD = 2000  # playouts of a move
TREE_WORK = 0.25  # what the tree costs beside a playout
VIRTUAL_LOSS = 1.0
EXPAND_AT = 4  # visits
LIKELY, DECIDED = 0.8, 0.95  # mean results, 1: always won
PASSES = 8  # one playout in so many looks at a pass, if the game is likely won and over
DOUBT = 2  # lost games that a pass is taken to have had
AS_GOOD = 0.04  # a difference of mean results that does not matter


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
            weights=read_weights(options.patterns, game),
        )
        self._wanted_threads = int(options.full("threads"))
        self._batches = [self._make_batch(seed, number) for number in range(3)]  # coming, playing, played
        self._playing = self._played = 0  # slots in use of the last two
        self._moves = np.zeros(game.actions, np.int64)
        self._games, self._results = np.zeros(game.actions, np.float32), np.zeros(game.actions, np.float32)
        self._largest = min(LARGEST_TREE, memory * 1_000_000 // PLACE) if memory else LARGEST_TREE
        needed = self._largest if options.seconds else min(playouts * game.actions + 1, self._largest)
        self._tree, self._spare = self._make_tree(needed), self._make_tree(needed)
        self.bytes_a_game = needed * PLACE + sum(array.nbytes for batch in self._batches for array in batch)

    def _make_batch(self, seed: int, number: int) -> Any:
        game, length = self._game, self._game.spec.state_length(self._game.size)
        return self._kernels.Batch(
            states=np.zeros((LARGEST_BATCH, length), np.int64),
            paths=np.zeros((LARGEST_BATCH, 4 * game.actions), np.int64),
            depths=np.zeros(LARGEST_BATCH, np.int64),
            randoms=np.concatenate([make_random(seed, number, slot) for slot in range(LARGEST_BATCH)]),
            firsts=np.zeros((LARGEST_BATCH, game.actions), np.int8),
            results=np.zeros(LARGEST_BATCH, np.int64),
            scratch=np.zeros((LARGEST_BATCH, length), np.int64),
        )

    def _make_tree(self, places: int) -> Any:
        floats = [np.zeros(places, np.float32) for _ in range(5)]
        return self._kernels.Tree(
            move=np.zeros(places, np.int16),
            visits=np.zeros(places, np.int32),
            value=np.zeros(places, np.float64),  # float32 counts no further than 2^24
            prior_visits=floats[0],
            prior_value=floats[1],
            chance=floats[2],
            amaf_visits=floats[3],
            amaf_value=floats[4],
            first=np.zeros(places, np.int32),
            children=np.zeros(places, np.int16),
            used=np.zeros(1, np.int32),
        )

    def _begin(self, timed: bool) -> None:
        self._by_the_clock = timed
        many = timed or self._playouts >= WORTH_A_THREAD
        self._threads = self._wanted_threads or (usable_cores() if many else 1)

    def _run(self, position: Position, playouts: int) -> None:
        """Playouts in batches, the last of which stays under way, so that the next call goes on with it.

        While the playouts of one batch are played, the results of the one before are backed up and the leaves of the
        next are taken. That order is the same on any number of threads.
        """
        slots = self._batch_size()
        for done in range(0, playouts, slots):
            self._step(position, min(slots, playouts - done))

    def _batch_size(self) -> int:
        """Small for few playouts, because what is under way is not known yet; by the clock it grows with the tree.

        A power of two, of which CHUNK is a multiple: who watches must not change the batches.
        """
        playouts = int(self._tree.visits[0]) if self._by_the_clock else self._playouts
        return 1 << (max(1, min(LARGEST_BATCH, playouts // BATCHES)).bit_length() - 1)

    def _finish(self, position: Position) -> None:
        while self._playing or self._played:
            self._step(position, 0)

    def _step(self, position: Position, wanted: int) -> None:
        """Move every batch on by one stage; `wanted` leaves are taken for a new one."""
        kernels, side = self._kernels, position.to_move
        coming, playing, played = self._batches

        def work(part: int) -> None:
            if part == 0:
                if self._played:
                    kernels.back_up(self._tree, side, self._played, self._weights, played)
                if wanted:
                    self._select(position, wanted, coming)
            begin, end = self._share(part)
            if begin < end:
                kernels.play_out(playing, self._knowledge, begin, end)

        try:
            run_parts(work, self._parts())
        except BaseException:  # Ctrl-C, for one: nobody knows what is in the tree already
            self._playing = self._played = 0
            self.new_game()
            raise
        self._playing, self._played = wanted, self._playing
        self._batches = [played, coming, playing]

    def _parts(self) -> int:
        return max(1, min(self._threads, self._playing))

    def _share(self, part: int) -> tuple[int, int]:
        """The slots that a thread plays out; the first thread has the tree to look after, too."""
        parts, count = self._parts(), self._playing
        first = count if parts == 1 else max(0, round((count - TREE_WORK * count * (parts - 1)) / parts))
        rest = count - first
        if part == 0:
            return 0, first
        return first + rest * (part - 1) // (parts - 1), first + rest * part // (parts - 1)

    def _select(self, position: Position, count: int, batch: Any) -> None:
        tree = self._tree
        self._kernels.select_leaves(
            tree,
            position.state,
            count,
            self._weights,
            self._knowledge,
            batch,
            self._moves,
            self._games,
            self._results,
            int(self._should_try_pass(position)),
        )

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

    def _should_try_pass(self, position: Position) -> bool:
        """Whether a pass is to be looked at in any case: it may be the best, and priors speak against it."""
        tree, visits = self._tree, int(self._tree.visits[0])
        if tree.first[0] < 0 or visits < PASSES or -float(tree.value[0]) <= LIKELY * visits:
            return False
        passes = int(tree.visits[self._visited(0).stop - 1])
        return passes * PASSES < visits and self._passing_wins(position)

    def _is_settled(self, visits: int, value: float, best: float) -> bool:
        """Whether the game is won after a pass, which a few lucky playouts do not show."""
        surely = (visits * value - DOUBT) / (visits + DOUBT) if visits else -1.0
        return bool(value > DECIDED and surely > LIKELY and value >= best - AS_GOOD)

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
            better = visits[passing] > visits[best] and values[passing] > values[best]  # as in a seki
            settled = self._is_settled(visits[passing], values[passing], values[best])
            return passing if better or settled else best
        lost = position.last_move == passing and not values[best] > -DECIDED
        return passing if lost else best
