"""Wins by a chain of fours in plain Python, over dictionaries of stones: what `gomoku/forced_wins.py` must equal."""

from __future__ import annotations

from eightfold.benchmarks.reference.gomoku import winning_lines

Stones = dict[tuple[int, int], int]


def completes(stones: Stones, point: tuple[int, int], colour: int, win: int, exactly: bool) -> bool:
    """Whether a stone of the colour on an empty point makes a winning row: walk both ways in four directions."""
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for way in (1, -1):
            row, column = point[0] + way * down, point[1] + way * right
            while stones.get((row, column)) == colour:
                length += 1
                row, column = row + way * down, column + way * right
        if length == win or (length > win and not exactly):
            return True
    return False


class PlainFours:
    """By the definition: every move of the attacker wins or threatens to, and no reply whatever helps."""

    def __init__(self, size: int, win: int, exactly: bool) -> None:
        self.points = [(row, column) for row in range(size) for column in range(size)]
        self.win, self.exactly = win, exactly

    def winning_points(self, stones: Stones, colour: int) -> list[tuple[int, int]]:
        empty = [point for point in self.points if point not in stones]
        return [point for point in empty if completes(stones, point, colour, self.win, self.exactly)]

    def dead(self, stones: Stones) -> bool:
        """Whether every row of `win` points holds stones of both colours: nobody can win any more."""
        size = max(row for row, _ in self.points) + 1
        colours = [{stones.get(point) for point in line} for line in winning_lines(size, self.win)]
        return all({1, 2} <= seen for seen in colours)

    def may_play(self, stones: Stones, point: tuple[int, int], colour: int) -> bool:
        """Whether the rules allow a colour to play on an empty point."""
        return True

    def wins(self, stones: Stones, attacker: int) -> bool:
        if self.winning_points(stones, attacker):
            return True
        defender = 3 - attacker
        for move in self.points:
            if move in stones:
                continue
            threat = {**stones, move: attacker}
            ours = self.winning_points(threat, attacker)
            # A reply elsewhere than on `ours` loses at once, unless it wins.
            if (
                ours
                and not self.winning_points(threat, defender)
                and self.may_play(stones, move, attacker)
                and all(
                    self.wins({**threat, reply: defender}, attacker)
                    for reply in ours
                    if self.may_play(threat, reply, defender)
                )
            ):
                return True
        return False
