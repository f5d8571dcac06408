"""Searching with an evaluator: a forest of games, or one game with several leaves at a time.

`ForestSearch` owns the arrays of `eightfold.search.kernels.forest` and runs the search loop: descend in
every tree, ask the evaluator once for all leaves, absorb its answers. It knows no PyTorch: an evaluator is
anything that turns planes into logits and values.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.specialise import specialise
from eightfold.core.threads import run_parts
from eightfold.games.game import Game
from eightfold.games.state import BLACK, NO_MOVE, WHITE
from eightfold.search.forest_arrays import constants_of, make_forest, make_leaves, make_roots, nodes_needed
from eightfold.search.kernels import forced, gumbel
from eightfold.search.kernels import roots as root_kernels
from eightfold.search.kernels.tree import DRAWN, FORCED, GUMBEL, NONE, PUCT, ROOT, UNKNOWN, WON
from eightfold.search.leaves import Rollouts, check_leaves
from eightfold.search.pace import Standing
from eightfold.search.result import LONGEST_VARIATION
from eightfold.search.settings import PlaySettings, SearchSettings
from eightfold.search.threat_proofs import ThreatProofs


class Evaluator(Protocol):
    """Planes [B, C, N, N] in; logits [B, A] over all actions and values for the side to move out.

    Values are [B], or [B, 2] with the chance of a draw beside them.
    """

    encoder: str

    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...


GAMES_A_THREAD = 32  # for fewer a thread is not worth waking


class ForestSearch:
    """Trees for `games` games of one kind, searched together, on up to `threads` threads beside the network."""

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        *,
        games: int = 1,
        playouts: int = 400,
        leaves_a_game: int = 1,
        settings: PlaySettings = SearchSettings(),  # noqa: B008 - frozen
        random: np.random.Generator | None = None,
        threads: int = 1,
    ) -> None:
        """`leaves_a_game`: how many leaves of one game go into a batch, kept apart by a virtual loss."""
        if not isinstance(settings, SearchSettings):
            settings = SearchSettings(**asdict(settings))
        self.game, self.evaluator, self.settings = game, evaluator, settings
        self._leaves_a_game = leaves_a_game
        self.kernels: Any = specialise("eightfold.search.kernels.forest", game.rules)
        self.random = random or np.random.default_rng(0)
        self._encoder, planes = game.encoder(evaluator.encoder)
        nodes, batch = nodes_needed(game, playouts, leaves_a_game), games * leaves_a_game
        self.forest, self._spare = make_forest(game, games, nodes), make_forest(game, 1, nodes)
        self.roots, self._leaves = make_roots(game, settings, games), make_leaves(game, batch, nodes)
        self._planes = np.zeros((batch, planes, game.size, game.size), np.float32)
        self._parts = max(1, min(threads, games // GAMES_A_THREAD))
        self._bounds = [games * part // self._parts for part in range(self._parts + 1)]  # each thread's games
        self._scratch = np.zeros((self._parts, game.scratch), np.int64)
        self._constants = constants_of(settings)
        check_leaves(settings, game)
        self.rollouts: Rollouts | None = None  # where leaves are not valued by the network alone
        self.theta = settings.weight_of_rollouts  # may change while games go on; at 0 none are played
        if settings.rollouts_wanted:
            seed = int(self.random.integers(2**63))
            self.rollouts = Rollouts(game, settings, games=games, batch=batch, seed=seed, threads=threads)
        self._threats: ThreatProofs | None = None
        if settings.threat_nodes or settings.leaf_threat_nodes:
            self._threats = ThreatProofs(game, settings, batch=batch, parts=max(1, min(threads, batch)))
        self.simulations = 0  # that called the network
        self._noise_due: set[int] = set()  # games whose root has no priors yet to mix noise into
        self._threats_due: set[int] = set()  # those whose root is to be looked at for threats as soon as it has edges
        self._threats_done: dict[int, int] = {}  # with how many nodes that was done: what was proven stays in the tree
        self._start = game.start().state
        for number in range(games):
            self.set_root(number, self._start)

    def set_root(self, number: int, state: NDArray[np.int64], contempt_side: int = 0) -> None:
        """Forget a game's tree and start from `state`; the colour `contempt_side`, if any, values a draw less."""
        self.forest.states[number] = state
        self.forest.draw[number] = self.settings.contempt * ((contempt_side == WHITE) - (contempt_side == BLACK))
        self.kernels.plant(self.forest, number)
        self.forest.left[number] = 0
        self._noise_due.discard(number)
        self._threats_due.discard(number)
        self._threats_done.pop(number, None)

    def advance(self, number: int, move: int) -> None:
        """Play a move in a game; the tree below it is kept."""
        self._noise_due.discard(number)
        self._threats_due.discard(number)
        self._threats_done.pop(number, None)
        self.kernels.advance(self.forest, number, move, self._spare)

    def step(self) -> int:
        """One batch: descend, evaluate, absorb. The number of leaves evaluated; 0 when there is nothing left."""
        settings = self.settings

        def descend(part: int) -> int:
            return self.kernels.descend(
                self.forest,
                self.roots,
                self._leaves,
                self._bounds[part],
                self._bounds[part + 1],
                self._leaves_a_game,
                self._constants,
                self._encoder,
                self._planes,
                self._scratch[part],
            )

        counts = run_parts(descend, self._parts)
        starts = [0, *np.cumsum(counts).tolist()]  # where each thread's leaves are once they have moved together
        filled = starts[-1]
        for part in range(1, self._parts):
            written = self._bounds[part] * self._leaves_a_game
            if written != starts[part]:
                self.kernels.move_leaves(self._leaves, self._planes, written, starts[part], counts[part])
        if filled:
            if self.rollouts is not None and self.theta > 0:
                states, numbers = self._leaves.states[:filled], self._leaves.game[:filled]
                logits, values = self.rollouts.beside(lambda: self._ask(filled), states, numbers, self.theta)
            else:
                logits, values = self._ask(filled)
            if self._threats is not None and settings.leaf_threat_nodes:
                values = self._threats.settle_leaves(self.forest, self._leaves, values)

            def absorb(part: int) -> None:
                self.kernels.absorb(
                    self.forest,
                    self._leaves,
                    starts[part],
                    starts[part + 1],
                    self._leaves_a_game,
                    settings.proof_nodes,
                    logits,
                    values,
                    self._scratch[part],
                )

            run_parts(absorb, self._parts)
            self.simulations += filled
            for number in [number for number in self._noise_due if self.forest.first[number, 0] >= 0]:
                self._add_noise(number)
            self._prove_roots([number for number in self._threats_due if self.forest.first[number, 0] >= 0])
        return int(filled)

    def suit_threats(self, seconds: float | None) -> None:
        """Let wins by threats at a root take a small part of the time for its move; None: all that settings allow."""
        if self._threats is not None:
            self._threats.suit(seconds)

    def _prove_roots(self, numbers: list[int]) -> None:
        """Look for wins by threats at the roots of some games, once a search."""
        if self._threats is not None and numbers:
            self._threats.settle_roots(self.forest, numbers)
            self._threats_done.update(dict.fromkeys(numbers, self._threats.root_nodes))
        self._threats_due.difference_update(numbers)

    def _ask(self, filled: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the network says of a batch of leaves: logits [B, A]; values and chances of a draw [B, 2]."""
        logits, values = self.evaluator.evaluate(self._planes[:filled])
        if not (np.isfinite(logits.max()) and np.isfinite(values).all()):
            raise EightfoldError("the network answers with something that is not a number: its weights are no good")
        if values.ndim == 1:  # a network that does not tell draws: what it leaves open may be one
            values = np.stack([values, 1 - np.abs(values)], axis=1)
        return logits, values

    def prepare_root(self, number: int, playouts: int, noisy: bool = True) -> None:
        """Give a game simulations to do; noise is mixed into the priors of its root, as soon as it has any.

        With `root="gumbel"` the noise is Gumbel's, and without noise the moves are chosen as if it were 0.
        """
        settings, roots = self.settings, self.roots
        kept = int(self.forest.visits[number, 0]) if settings.count_reused_visits else 0
        self.forest.left[number] = max(playouts - kept, 1)
        self.forest.drawn[number] = 0
        if settings.root == "gumbel":
            roots.rule[number], roots.begun[number], roots.before[number] = GUMBEL, 0, 0
            roots.noise[number] = self.random.gumbel(size=self.game.actions) if noisy else 0
        else:
            roots.rule[number] = FORCED if noisy and settings.forced_playouts > 0 else PUCT
        if noisy and settings.noise > 0 and settings.root == "puct":
            self._noise_due.add(number)
        if self._threats is not None and self._threats.root_nodes > self._threats_done.get(number, 0):
            self._threats_due.add(number)
        if self.forest.first[number, 0] < 0:
            return
        self.kernels.prove_around_root(self.forest, number, settings.proof_nodes, self._scratch[0])
        if number in self._noise_due:
            self._add_noise(number)
        if number in self._threats_due:
            self._prove_roots([number])

    def _add_noise(self, number: int) -> None:
        gammas = self.random.standard_gamma(self.settings.noise_alpha, self.game.actions)
        root_kernels.add_noise(self.forest, number, gammas, self.settings.noise)
        self._noise_due.remove(number)

    def root_visits(self, number: int) -> NDArray[np.float32]:
        """[A]: what the search found, as weights."""
        visits = np.empty(self.game.actions, np.float32)
        root_kernels.root_visits(self.forest, number, visits)
        return visits

    def root_policy(self, number: int) -> NDArray[np.float32]:
        """[A]: what a network is to learn from the search, adding up to 1."""
        forest, rule = self.forest, self.roots.rule[number]
        policy = np.empty(self.game.actions, np.float32)
        if rule == GUMBEL and forest.proof[number, 0] != WON:
            gumbel.improved_policy(forest, self.roots, number, policy)
            return policy
        root_kernels.root_visits(forest, number, policy)
        if rule == FORCED:
            forced.prune_target(forest, self.roots, number, self.settings.exploration, policy)
        return policy / policy.sum()

    def root_move(self, number: int) -> int:
        """The move to play: where halving ended, with any of the wins if there are some; else one of `best_moves`."""
        if self.roots.rule[number] != GUMBEL:
            return int(self.random.choice(self.best_moves(number)))
        if self.forest.proof[number, 0] != WON:
            return int(gumbel.halving_move(self.forest, self.roots, number))
        return int(self.random.choice(np.flatnonzero(self.root_visits(number))))

    def best_moves(self, number: int) -> NDArray[np.int64]:
        """The moves to choose from for points: wins, else the most visited; of those the likeliest by the network.

        With no visits below the root that is the network's policy, less what is proven to lose. If all moves are, the
        opponent may still not see how: then those that hold out longer.
        """
        forest, edges = self.forest, self._edges(number, ROOT)
        move, child, prior = (part[number, edges] for part in (forest.move, forest.child, forest.prior))
        visits = self.root_visits(number)[move]
        lost = (child != NONE) & (forest.proof[number, child] == WON)
        best = visits == visits.max(initial=0) if not lost.all() else self._hold_out(number, move)
        best &= ~lost | lost[best].all()
        best &= prior == prior[best].max(initial=0)
        return np.sort(move[best]).astype(np.int64)

    def _hold_out(self, number: int, moves: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of some moves leave the other side no win that the rules find quickly, or else none on the spot."""
        states = np.repeat(self.forest.states[number][None], len(moves), axis=0)
        for state, move in zip(states, moves, strict=True):
            self.kernels.play(state, int(move))
        for nodes in (self.settings.proof_nodes, 0):
            found = [self.kernels.find_win(state, nodes, self._scratch[0]) for state in states]
            if NO_MOVE in found:
                return np.array(found) == NO_MOVE
        return np.ones(len(moves), np.bool_)

    def root_priors(self, number: int) -> NDArray[np.float32]:
        """[A]: what the network alone says of the root."""
        edges = self._edges(number, ROOT)
        priors = np.zeros(self.game.actions, np.float32)
        priors[self.forest.move[number, edges]] = self.forest.prior[number, edges]
        return priors

    def is_unvisited(self, number: int) -> bool:
        """Whether nothing below the root was looked at and no win is known: the priors are all that there is."""
        forest = self.forest
        looked_at = forest.edge_visits[number, self._edges(number, ROOT)].any()
        return bool(forest.proof[number, 0] != WON and not looked_at)

    def root_value(self, number: int) -> float:
        """The mean value of the root for its side to move, exact where it is proven; a draw counts as 0."""
        policy = np.empty(self.game.actions, np.float32)
        return float(root_kernels.root_value(self.forest, self.roots, number, policy))

    def root_values(self, number: int) -> NDArray[np.float32]:
        """[A]: the mean value of every move for the side to move, exact where it is proven; nan where nobody looked."""
        forest, edges = self.forest, self._edges(number, ROOT)
        move, child, visits = (part[number, edges] for part in (forest.move, forest.child, forest.edge_visits))
        proof = np.where(child != NONE, forest.proof[number, child], UNKNOWN)
        exact = np.where(proof == DRAWN, 0, -forest.value[number, child])
        mean = np.where(visits > 0, forest.edge_value[number, edges] / np.maximum(visits, 1), np.nan)
        mean = np.clip(mean - root_kernels.worth_of_draws(forest, number), -1, 1)
        values = np.full(self.game.actions, np.nan, np.float32)
        values[move] = np.where(proof != UNKNOWN, exact, mean)
        return values

    def standing(self, number: int) -> Standing:
        """What is known of a root while it is searched, for whoever decides how long it deserves."""
        forest, edges = self.forest, self._edges(number, ROOT)
        child = forest.child[number, edges]
        lost = (child != NONE) & (forest.proof[number, child] == WON)
        return Standing(
            visits=self.root_visits(number),
            values=self.root_values(number),
            total=int(forest.visits[number, ROOT]),
            choices=int(lost.size - lost.sum()),
        )

    def variation(self, number: int, action: int) -> tuple[int, ...]:
        """A move at the root, and what is most visited after it, as far as the tree goes."""
        forest, moves, node = self.forest, [action], ROOT
        while len(moves) < LONGEST_VARIATION:
            edges = self._edges(number, node)
            taken = np.flatnonzero(forest.move[number, edges] == moves[-1])
            node = int(forest.child[number, edges][taken[0]]) if taken.size else NONE
            if node == NONE:
                return tuple(moves)
            below = self._edges(number, node)
            visits = forest.edge_visits[number, below]
            if visits.size == 0 or visits.max() == 0:
                return tuple(moves)
            moves.append(int(forest.move[number, below][visits.argmax()]))
        return tuple(moves)

    def _edges(self, number: int, node: int) -> slice:
        first = int(self.forest.first[number, node])
        return slice(first, first + int(self.forest.degree[number, node])) if first != NONE else slice(0, 0)
