"""DeepMind's mctx at the work of `eightfold bench selfplay`: `a1` on 8x8 Gomoku, 400 simulations, cache off.

mctx searches a model that it is given as JAX functions; here these are the rules of Gomoku and the very network that
ours searches with, its weights brought over from PyTorch. XLA compiles everything into one program.

In the peer's favour: it computes the network in whichever of four ways is fastest and searches whichever number of
games at once suits it best (on a CPU few: its trees are copied as a whole in every step); compiling is not
timed; the best of its searches counts, where ours give a median; and all of its simulations count, where of ours
only those do that called the network.

Shapes: B batch, N board size, A actions.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import nn

SIZE, WIN = 8, 5
ACTIONS = SIZE * SIZE
BATCHES = (4, 16, 32, 128)
TRIAL = 24  # simulations of a search that only compares batch sizes, in trees of the full size
WAYS = (("convolution", "float32"), ("convolution", "bfloat16"), ("product", "float32"), ("product", "bfloat16"))


class Speed(NamedTuple):
    simulations_per_s: float
    how: str  # the batch, and how the network is computed


def available() -> bool:
    return all(importlib.util.find_spec(module) is not None for module in ("jax", "mctx"))


def fastest(network: nn.Module, boards: NDArray[np.int8], *, simulations: int, searches: int = 3) -> Speed | None:
    """mctx's rate with `a1`, from given boards [B, N, N] (1 for black, 2 for white, black began); None without it."""
    if not available():
        return None
    import jax

    jax.config.update("jax_platforms", "cpu")  # as ours
    weights = _weights(network)
    way = min(WAYS, key=lambda way: _network_seconds(weights, boards, *way))
    apply = _network(*way)
    trials = {
        batch: _search_rate(apply, weights, np.resize(boards, (batch, SIZE, SIZE)), simulations, TRIAL, 2)
        for batch in BATCHES
    }
    best = max(trials, key=trials.__getitem__)
    chosen = np.resize(boards, (best, SIZE, SIZE))
    rate = _search_rate(apply, weights, chosen, simulations, simulations, searches)
    return Speed(rate, f"its best: {best} games at once, {way[0]}s in {way[1]}")


# ---- the network --------------------------------------------------------------------------------------


def _weights(network: nn.Module) -> dict[str, Any]:
    """The weights of `a1` for JAX: kernels as [height, width, in, out], the heads' inputs in the order of NHWC."""
    import jax.numpy as jnp

    made = {}
    for name, tensor in network.state_dict().items():
        array = tensor.detach().cpu().numpy()
        if array.ndim == 4:
            array = array.transpose(2, 3, 1, 0)
        elif array.ndim == 2:
            if array.shape[1] % ACTIONS == 0 and name in ("policy.4.weight", "value.3.weight"):
                array = array.reshape(len(array), -1, ACTIONS).transpose(0, 2, 1).reshape(len(array), -1)
            array = array.T
        made[name] = jnp.asarray(array)
    return made


def _network(convolution: str, precision: str) -> Callable[[Any, Any], tuple[Any, Any]]:
    """`a1` as a function of weights and planes [B, N, N, 4]; logits [B, A] and values [B]."""
    import jax
    import jax.numpy as jnp

    kind = jnp.dtype(precision)

    def convolved(planes: Any, kernel: Any) -> Any:
        if convolution == "convolution":
            return jax.lax.conv_general_dilated(
                planes, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
        # Nine shifted copies side by side, and one product of matrices.
        reach = kernel.shape[0] // 2
        padded = jnp.pad(planes, ((0, 0), (reach, reach), (reach, reach), (0, 0)))
        shifts = [padded[:, r : r + SIZE, c : c + SIZE] for r in range(kernel.shape[0]) for c in range(kernel.shape[1])]
        return jnp.concatenate(shifts, axis=3) @ kernel.reshape(-1, kernel.shape[3])

    def apply(weights: Any, planes: Any) -> tuple[Any, Any]:
        weights = {name: weight.astype(kind) for name, weight in weights.items()}

        def layer(inputs: Any, name: str) -> Any:
            weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
            return (convolved(inputs, weight) if weight.ndim == 4 else inputs @ weight) + bias

        features = planes.astype(kind)
        for name in ("body.0", "body.2", "body.4"):
            features = jax.nn.relu(layer(features, name))
        policy = jax.nn.relu(layer(features, "policy.0")).reshape(len(planes), -1)
        value = jax.nn.relu(layer(features, "value.0")).reshape(len(planes), -1)
        value = jnp.tanh(layer(jax.nn.relu(layer(value, "value.3")), "value.6"))
        return layer(policy, "policy.4").astype(jnp.float32), value[:, 0].astype(jnp.float32)

    return apply


def _network_seconds(weights: dict[str, Any], boards: NDArray[np.int8], convolution: str, precision: str) -> float:
    import jax

    apply = jax.jit(_network(convolution, precision))
    planes = jax.jit(_planes)(_state(boards))
    return _best_seconds(lambda: jax.block_until_ready(apply(weights, planes)), 10)


# ---- the rules ----------------------------------------------------------------------------------------


class State(NamedTuple):
    """Positions, B at once."""

    own: Any  # [B, N, N] stones of the side to move
    other: Any  # [B, N, N]
    last: Any  # [B, N, N] the last move
    black: Any  # [B] whether black is to move
    over: Any  # [B]


def _state(boards: NDArray[np.int8]) -> State:
    import jax.numpy as jnp

    black = (boards != 0).sum(axis=(1, 2)) % 2 == 0
    own = boards == np.where(black, 1, 2)[:, None, None]
    nothing = np.zeros_like(own)
    state = State(own, (boards != 0) & ~own, nothing, black, np.zeros(len(boards), bool))
    return State(*(jnp.asarray(part) for part in state))


def _planes(state: State) -> Any:
    """[B, N, N, 4], as the encoder `last-move` has them."""
    import jax.numpy as jnp

    side = jnp.broadcast_to(state.black[:, None, None], state.own.shape)
    return jnp.stack([state.own, state.other, state.last, side], axis=3).astype(jnp.float32)


def _play(state: State, action: Any) -> tuple[State, Any]:
    """The positions after moves [B], and which of them were won by that."""
    import jax

    move = jax.nn.one_hot(action, ACTIONS, dtype=bool).reshape(-1, SIZE, SIZE)
    moved = state.own | move
    won = _has_row(moved) & ~state.over
    full = (moved | state.other).all(axis=(1, 2))
    return State(state.other, moved, move, ~state.black, state.over | won | full), won


def _has_row(stones: Any) -> Any:
    """[B]: whether five stones stand in a row."""
    import jax.numpy as jnp

    found = jnp.zeros(len(stones), bool)
    span = SIZE - WIN + 1
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        rows, columns = (span if down else SIZE), (span if right else SIZE)
        start = WIN - 1 if right < 0 else 0
        row = jnp.ones((len(stones), rows, columns), bool)
        for k in range(WIN):
            row &= stones[:, k * down : k * down + rows, start + k * right : start + k * right + columns]
        found |= row.any(axis=(1, 2))
    return found


# ---- the search ---------------------------------------------------------------------------------------


def _searcher(
    apply: Callable[[Any, Any], tuple[Any, Any]], room: int, simulations: int
) -> Callable[[Any, Any, State], Any]:
    """A function of weights, a random key and positions that searches them all, in trees with room for so many."""
    import jax
    import jax.numpy as jnp
    import mctx

    def evaluated(weights: Any, state: State) -> tuple[Any, Any]:
        logits, values = apply(weights, _planes(state))
        taken = (state.own | state.other).reshape(-1, ACTIONS)
        return jnp.where(taken, jnp.finfo(jnp.float32).min, logits), values

    def step(weights: Any, key: Any, action: Any, state: State) -> tuple[Any, State]:
        after, won = _play(state, action)
        logits, values = evaluated(weights, after)
        return mctx.RecurrentFnOutput(
            reward=won.astype(jnp.float32),
            discount=jnp.where(after.over, 0.0, -1.0),
            prior_logits=logits,
            value=jnp.where(after.over, 0.0, values),
        ), after

    def search(weights: Any, key: Any, state: State) -> Any:
        logits, values = evaluated(weights, state)
        return mctx.muzero_policy(
            weights,
            key,
            mctx.RootFnOutput(prior_logits=logits, value=values, embedding=state),
            step,
            room,
            invalid_actions=(state.own | state.other).reshape(-1, ACTIONS),
            loop_fn=lambda first, stop, body, start: jax.lax.fori_loop(first, simulations, body, start),
        )

    return search


def _search_rate(
    apply: Callable[[Any, Any], tuple[Any, Any]],
    weights: dict[str, Any],
    boards: NDArray[np.int8],
    room: int,
    simulations: int,
    searches: int,
) -> float:
    import jax

    state, key = _state(boards), jax.random.PRNGKey(1)
    search = jax.jit(_searcher(apply, room, simulations)).lower(weights, key, state).compile()
    seconds = _best_seconds(lambda: jax.block_until_ready(search(weights, key, state).action), searches)
    return len(boards) * simulations / seconds


def _best_seconds(job: Callable[[], object], repeats: int) -> float:
    """The shortest of so many runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)
