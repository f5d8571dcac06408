"""Teams of candidates from the definitions: positions one by one, dictionaries of names, no kernels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from eightfold.games.effects import ATARI, CAPTURE, EXTENSION, RESCUE, SELF_ATARI
from eightfold.games.game import Game, Position
from eightfold.games.points import connected, neighbours
from eightfold.patterns.codes import encode_digits, orbit
from eightfold.patterns.library import Library, Table
from eightfold.patterns.templates import TEMPLATES, placements

Name = tuple[str, int]  # a table and a code, or a feature and a level
Team = list[Name]


def random_games(game: Game, count: int, *, seed: int, most: int = 1000) -> list[list[int]]:
    """Games of the package's random moves, passes only at the end."""
    random, games = np.random.default_rng(seed), []
    for _ in range(count):
        position = game.start()
        while not position.is_over and position.ply < most:
            points = position.legal_moves[position.legal_moves < game.points]
            position = position.play(int(random.choice(points)) if len(points) else game.points)
        games.append(list(position.moves))
    return games


def pattern_names(position: Position, point: int, sides: Sequence[int], combined: bool) -> Team:
    found = []
    for template in TEMPLATES.values():
        place = placements(template, position.game.size)[point]
        if template.side in sides and place[0] >= 0:
            stones = position.stones.ravel()[place]
            code = encode_digits(0 if s == 0 else 1 if s == position.to_move else 2 for s in stones)
            name = template.pattern_class if combined else template.name
            found.append((name, min(orbit(template.name, code)) if combined else code))
    return found


def feature_names(position: Position, point: int, features: Sequence[str]) -> Team:
    size, moves = position.game.size, position.moves
    effects = plain_effects(position, point) if position.game.takes_stones else 0

    def distance(back: int) -> int:
        if len(moves) < back or moves[-back] >= size * size:
            return 0
        dx, dy = (abs(a - b) for a, b in zip(divmod(point, size), divmod(moves[-back], size), strict=True))
        return min(17, max(1, dx + dy + max(dx, dy)))

    row, column = divmod(point, size)
    levels = {
        "distance": distance(1),
        "distance-before": distance(2),
        "edge": min(10, 1 + min(row, column, size - 1 - row, size - 1 - column)),
        "capture": 2 if effects & RESCUE else int(effects & CAPTURE != 0),
        "atari": int(effects & ATARI != 0),
        "extension": int(effects & EXTENSION != 0),
        "self-atari": int(effects & SELF_ATARI != 0),
    }
    return [(name, levels[name]) for name in features if levels[name]]


def liberties(position: Position, point: int) -> set[int]:
    size, stones = position.game.size, position.stones.ravel()
    return {near for stone in connected(position, point) for near in neighbours(stone, size) if not stones[near]}


def plain_effects(position: Position, point: int) -> int:
    """What a move does to groups, by playing it; eyes are not looked at."""
    size, own = position.game.size, position.to_move
    before, after = position.stones.ravel(), position.play(point)
    beside = [near for near in neighbours(point, size) if before[near]]
    taken = [near for near in beside if before[near] != own and not after.stones.flat[near]]
    around = {near for stone in taken for part in connected(position, stone) for near in neighbours(part, size)}
    rescued = [near for near in around if before[near] == own and len(liberties(position, near)) == 1]
    threatened = [
        near
        for near in beside
        if before[near] != own
        and near not in taken
        and len(liberties(position, near)) > 1 == len(liberties(after, near))
    ]
    room = len(liberties(after, point)) if after.stones.flat[point] else 0
    saved = [near for near in beside if before[near] == own and len(liberties(position, near)) == 1]
    effects = CAPTURE * bool(taken) + RESCUE * bool(rescued) + ATARI * bool(threatened)
    return effects + SELF_ATARI * (room <= 1) + EXTENSION * (room > 1 and bool(saved))


def competitions(
    game: Game, games: Sequence[Sequence[int]], *, sides: Sequence[int], combined: bool, features: Sequence[str] = ()
) -> Iterator[tuple[list[Team], int]]:
    """The teams of every position in which a point was played, and which of them won."""
    for moves in games:
        position = game.start()
        for move in moves:
            if move < game.points:
                points = [int(p) for p in position.legal_moves if p < game.points]
                teams = [
                    pattern_names(position, p, sides, combined) + feature_names(position, p, features) for p in points
                ]
                yield teams, points.index(move)
            position = position.play(move)


def plain_library(game: Game, games: Sequence[Sequence[int]], *, sides: Sequence[int], combined: bool) -> Library:
    matches: Counter[Name] = Counter()
    plays: Counter[Name] = Counter()
    for teams, winner in competitions(game, games, sides=sides, combined=combined):
        matches.update(name for team in teams for name in team)
        plays.update(teams[winner])
    tables = {}
    for table in dict.fromkeys(t.pattern_class if combined else t.name for t in TEMPLATES.values() if t.side in sides):
        codes = sorted(code for name, code in matches if name == table)
        tables[table] = Table(
            codes=np.array(codes, np.uint32),
            matches=np.array([matches[table, code] for code in codes], np.int64),
            plays=np.array([plays[table, code] for code in codes], np.int64),
        )
    return Library(game=game.name, combined=combined, tables=tables, about={"games": len(games)})


def strength(team: Team, gammas: Mapping[Name, float]) -> float:
    return math.prod(gammas.get(name, 1.0) for name in team)


def expected_wins(
    found: Sequence[tuple[list[Team], int]], gammas: Mapping[Name, float]
) -> tuple[Counter[Name], Counter[Name], float]:
    """Wins, the wins that strengths promise, and the log-likelihood."""
    wins: Counter[Name] = Counter()
    expected: Counter[Name] = Counter()
    likelihood = 0.0
    for teams, winner in found:
        strengths = [strength(team, gammas) for team in teams]
        total = sum(strengths)
        likelihood += math.log(strengths[winner] / total)
        wins.update(teams[winner])
        for team, each in zip(teams, strengths, strict=True):
            for name in team:
                expected[name] += each / total  # type: ignore[assignment]
    return wins, expected, likelihood
