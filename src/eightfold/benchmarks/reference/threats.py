"""Wins by threes and fours in plain Python: stones counted window by window, every legal reply tried.

What `games/gomoku/threats.py` is compared with. It shares nothing with it: no bits, no zones, no proof numbers. It
searches depth first, deeper step by step, and a position that it calls won is won: after every threat it plays every
empty point for the defender. A reply loses if the chain of fours that was threatened still works when it is played
out again, or if the attacker wins in another way. For freestyle and standard.
"""

from __future__ import annotations

from eightfold.benchmarks.reference.gomoku import winning_lines

Chain = list[tuple[int, int]]  # fours and the replies to them; the last four has no parry, so its reply means nothing


class NodesUsedUp(Exception):
    pass


class PlainThreats:
    """A board, and whether a colour that is to move wins on it. Points are row * size + column."""

    def __init__(self, size: int, win: int, exactly: bool, *, every_move: bool = False) -> None:
        """`every_move`: any move that threatens is tried, not only those with two stones beside them in a window."""
        self.size, self.win, self.exactly, self.every_move = size, win, exactly, every_move
        self.windows = [[row * size + column for row, column in line] for line in winning_lines(size, win)]
        self.windows_of: list[list[int]] = [[] for _ in range(size * size)]
        for number, window in enumerate(self.windows):
            for point in window:
                self.windows_of[point].append(number)
        self.beyond = [self._points_beyond(window) for window in self.windows]
        self.stones = [0] * (size * size)
        self.counts = [[0] * len(self.windows) for _ in range(3)]  # by colour and window
        self.nodes = self.most = 0

    def _points_beyond(self, window: list[int]) -> list[int]:
        """The points before and after a window, as far as they are on the board."""
        (row, column), (next_row, next_column) = divmod(window[0], self.size), divmod(window[1], self.size)
        down, right = next_row - row, next_column - column
        ends = [(row - down, column - right), (row + self.win * down, column + self.win * right)]
        return [a * self.size + b for a, b in ends if 0 <= a < self.size and 0 <= b < self.size]

    def put(self, point: int, colour: int) -> None:
        self.stones[point] = colour
        for window in self.windows_of[point]:
            self.counts[colour][window] += 1

    def take(self, point: int) -> None:
        colour, self.stones[point] = self.stones[point], 0
        for window in self.windows_of[point]:
            self.counts[colour][window] -= 1

    def lacking(self, colour: int, missing: int) -> list[list[int]]:
        """What windows lack that lack so many stones and hold none of the other colour."""
        own, other, wanted = self.counts[colour], self.counts[3 - colour], self.win - missing
        found = [k for k, count in enumerate(own) if count == wanted and other[k] == 0]
        if self.exactly:
            found = [k for k in found if all(self.stones[point] != colour for point in self.beyond[k])]
        return [[point for point in self.windows[k] if self.stones[point] == 0] for k in found]

    def completions(self, colour: int) -> set[int]:
        return {window[0] for window in self.lacking(colour, 1)}

    # ---- by fours -------------------------------------------------------------------------------------

    def chain(self, attacker: int) -> Chain | None:
        """A chain of fours that wins for the attacker, who is to move; None if there is none."""
        self._count()
        if winning := self.completions(attacker):
            return [(min(winning), -1)]
        threats = self.completions(3 - attacker)
        if len(threats) > 1:
            return None
        pairs = {pair for one, two in self.lacking(attacker, 2) for pair in ((one, two), (two, one))}
        for move, _ in sorted(pairs):
            if threats and move not in threats:
                continue
            self.put(move, attacker)
            parries = self.completions(attacker)
            found: Chain | None = None
            if len(parries) > 1:
                found = [(move, -1)]
            elif parries:
                (reply,) = parries
                self.put(reply, 3 - attacker)
                rest = self.chain(attacker)
                self.take(reply)
                found = None if rest is None else [(move, reply), *rest]
            self.take(move)
            if found:
                return found
        return None

    def still_works(self, chain: Chain, attacker: int) -> bool:
        """Whether a chain wins on the board as it is now: it is played out."""
        played: list[int] = []
        works = False
        for move, reply in chain:
            threats = self.completions(3 - attacker)
            if self.stones[move] or (threats - {move} and move not in self.completions(attacker)):
                break
            works = move in self.completions(attacker)
            self.put(move, attacker)
            played.append(move)
            parries = self.completions(attacker)
            works = works or len(parries) > 1
            if works or parries != {reply}:
                break
            self.put(reply, 3 - attacker)
            played.append(reply)
        for point in reversed(played):
            self.take(point)
        return works

    # ---- by threes and fours --------------------------------------------------------------------------

    def solve(self, stones: dict[int, int], attacker: int, *, most_threats: int, nodes: int) -> int | None:
        """How many threats the attacker needs before a chain of fours, 0 or more; None if so many do not do."""
        for point, colour in stones.items():
            self.put(point, colour)
        self.nodes, self.most = 0, nodes
        try:
            for depth in range(most_threats + 1):
                if self.wins(attacker, depth):
                    return depth
        except NodesUsedUp:
            pass
        finally:
            for point in range(self.size**2):
                if self.stones[point]:
                    self.take(point)
        return None

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > self.most:
            # The board is cleared by who asked.
            raise NodesUsedUp

    def wins(self, attacker: int, threats_left: int) -> bool:
        if self.chain(attacker):
            return True
        against = self.completions(3 - attacker)
        if threats_left == 0 or len(against) > 1:
            return False
        return any(self.threat_wins(move, attacker, threats_left) for move in against or self._moves(attacker))

    def _moves(self, attacker: int) -> list[int]:
        empty = [point for point, stone in enumerate(self.stones) if stone == 0]
        if self.every_move:
            return empty
        near = {point for missing in (2, 3) for window in self.lacking(attacker, missing) for point in window}
        return [point for point in empty if point in near]

    def threat_wins(self, move: int, attacker: int, threats_left: int) -> bool:
        self.put(move, attacker)
        chain = self.chain(attacker)  # if the defender passed
        won = chain is not None
        if chain is not None:
            touched = [point for pair in chain for point in pair if point >= 0]
            empty = [point for point, stone in enumerate(self.stones) if stone == 0]
            for reply in sorted(empty, key=lambda point: point not in touched):  # where it most likely fails first
                self.put(reply, 3 - attacker)
                won = self.still_works(chain, attacker) or self.wins(attacker, threats_left - 1)
                self.take(reply)
                if not won:
                    break
        self.take(move)
        return won
