"""Greedy scores, minimax and alpha-beta in plain Python (Zhao & Zhang, sections 3.1 and 3.2)."""

from __future__ import annotations

from eightfold.benchmarks.reference.gomoku import DRAW, PlainGomoku

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
INFINITY = 10**30


def greedy_score(game: PlainGomoku, move: int, colour: int) -> int:
    """10^length for the run that a stone would make, in each of the four directions."""
    row, column = divmod(move, game.size)
    total = 0
    for down, right in DIRECTIONS:
        length = 1
        for way in (1, -1):
            distance = way
            while game.stones.get((row + distance * down, column + distance * right)) == colour:
                length += 1
                distance += way
        if length > game.win:
            length = 0 if game.exactly else game.win
        total += 10**length
    return total


def candidates(game: PlainGomoku, radius: int) -> list[int]:
    """Empty points near stones; on an empty board, the middle."""
    near = [
        move
        for move in game.legal()
        if any(
            (move // game.size + down, move % game.size + right) in game.stones
            for down in range(-radius, radius + 1)
            for right in range(-radius, radius + 1)
        )
    ]
    low, high = (game.size - 1) // 2, game.size // 2
    middle = sorted({row * game.size + column for row in (low, high) for column in (low, high)})
    return near or [move for move in middle if move in game.legal()]


def judge(game: PlainGomoku) -> int:
    """The best greedy score of the side to move minus the opponent's best."""
    own = max(greedy_score(game, move, game.side) for move in game.legal())
    other = max(greedy_score(game, move, 3 - game.side) for move in game.legal())
    return own - other


def win_value(game: PlainGomoku) -> int:
    return 2 * 4 * 10**game.win + 2000


def after(game: PlainGomoku, move: int) -> PlainGomoku:
    child = game.copy()
    child.play(move)
    return child


def minmax(game: PlainGomoku, depth: int, radius: int, ply: int = 0) -> int:
    """The value for the side to move, without pruning."""
    if game.result:
        return 0 if game.result == DRAW else ply - win_value(game)
    if depth == 0:
        return judge(game)
    return max(-minmax(after(game, move), depth - 1, radius, ply + 1) for move in candidates(game, radius))


def root_scores(game: PlainGomoku, depth: int, radius: int) -> dict[int, int]:
    return {move: -minmax(after(game, move), depth - 1, radius, 1) for move in candidates(game, radius)}


def alphabeta(
    game: PlainGomoku, depth: int, radius: int, alpha: int = -INFINITY, beta: int = INFINITY, ply: int = 0
) -> int:
    """The same value with pruning, the moves in the order of their greedy scores."""
    if game.result:
        return 0 if game.result == DRAW else ply - win_value(game)
    if depth == 0:
        return judge(game)
    side = game.side
    moves = candidates(game, radius)
    moves.sort(key=lambda move: -(2 * greedy_score(game, move, side) + greedy_score(game, move, 3 - side)))
    best = -INFINITY
    for move in moves:
        best = max(best, -alphabeta(after(game, move), depth - 1, radius, -beta, -alpha, ply + 1))
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best
