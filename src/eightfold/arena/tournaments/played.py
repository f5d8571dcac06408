"""A game that a tournament has played, and the line of `games.jsonl` that tells of it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from eightfold.arena.results import GameResult
from eightfold.games.records.record import GameRecord

DIGITS = 6  # of seconds, after the point
WINNERS = {"B": 1.0, "D": 0.5, "W": 0.0}  # what black gets, by the first letter of a record's result


@dataclass(frozen=True, kw_only=True)
class TournamentGame:
    """A game that was played: the record, and which game of which pair it is."""

    pair: tuple[str, str]  # in the order of their names
    number: int  # of this pair's games, from 0
    opening_plies: int
    record: GameRecord

    @property
    def black_points(self) -> float:
        """1, 0.5 or 0."""
        return WINNERS[self.record.result[0]]

    @property
    def is_forfeit(self) -> bool:
        return self.record.result.endswith("F")

    def line(self) -> str:
        record = self.record
        seconds = [round(each, DIGITS) for each in record.seconds]
        told = {"pair": self.pair, "number": self.number, "black": record.black, "white": record.white}
        told |= {"result": record.result, "opening_plies": self.opening_plies, "moves": record.moves}
        return json.dumps({**told, "seconds": seconds, **({"comment": record.comment} if record.comment else {})})

    @classmethod
    def of_line(cls, line: bytes, game: str) -> TournamentGame:
        """What a line says; a ValueError, KeyError or TypeError if it cannot be one."""
        told = json.loads(line)
        moves, seconds = tuple(map(int, told["moves"])), tuple(map(float, told["seconds"]))
        pair, black, white = tuple(map(str, told["pair"])), str(told["black"]), str(told["white"])
        number, result = int(told["number"]), str(told["result"])
        if {black, white} != set(pair) or len(pair) != 2 or number < 0 or result[:1] not in WINNERS:
            raise ValueError
        comment = str(told.get("comment", ""))
        record = GameRecord(
            game=game, moves=moves, black=black, white=white, result=result, seconds=seconds, comment=comment
        )
        return cls(pair=(pair[0], pair[1]), number=number, opening_plies=int(told["opening_plies"]), record=record)

    @classmethod
    def of_result(cls, result: GameResult, pair: tuple[str, str], number: int) -> TournamentGame:
        return cls(pair=pair, number=number, opening_plies=result.opening_plies, record=result.record())
