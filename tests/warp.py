"""A warp of 32 lanes without a GPU: kernels as plain Python, each lane a thread, one of them running at a time.

Where lanes do something together (`eightfold.core.lanes`), each stops until all have come to the same line. A lane that
ends or comes to another line, which would hang a GPU, is an error here that names the lines. Between two such places
the lanes run in an order that is drawn anew each time, so what is read before it is written does not stay unnoticed.

`imitate_warp` must come before anything of `eightfold.games` is imported, in a process with `NUMBA_DISABLE_JIT=1`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from eightfold.core import lanes as one_lane
from eightfold.core.jit import numba_config
from eightfold.core.lanes import WARP

LONGEST = 60.0  # seconds that a lane may take from one meeting to the next


class Diverged(Exception):
    """The lanes are not all at the same place."""


class Warp:
    """The lanes, of which one runs while the others wait."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._go = [threading.Semaphore(0) for _ in range(WARP)]
        self._back = threading.Semaphore(0)
        self._order: list[int] = []
        self._said: list[Any] = [None] * WARP  # by lane: where it stopped, and with which value; None at the end
        self._heard: list[Any] = []
        self._trouble: BaseException | None = None
        self.lane = 0  # the one that runs

    def run(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Call a function in all lanes; what each of them returns."""
        results: list[Any] = [None] * WARP

        def live(lane: int) -> None:
            self._go[lane].acquire()
            self.lane = lane
            try:
                if self._trouble is None:
                    results[lane] = function(*arguments)
            except BaseException as trouble:
                self._trouble = self._trouble or trouble
            self._said[lane] = None
            self._pass_on()

        self._said, self._trouble = ["the start"] * WARP, None
        for lane in range(WARP):
            threading.Thread(target=live, args=(lane,), daemon=True).start()
        while any(self._said):
            self._go_round()
            places = {said and said[0] for said in self._said}
            if len(places) > 1 and self._trouble is None:
                self._trouble = Diverged(f"lanes are at different places: {sorted(map(str, places))}")
            self._heard = [said and said[1] for said in self._said]
        if self._trouble is not None:
            raise self._trouble
        return results

    def _go_round(self) -> None:
        """Let every lane go on to where it stops; those that hear of trouble end."""
        self._order = [lane for lane in self._random.permutation(WARP).tolist() if self._said[lane]]
        self._go[self._order[-1]].release()
        if not self._back.acquire(timeout=LONGEST):
            raise Diverged(f"lane {self.lane} does not come back")

    def _pass_on(self) -> None:
        self._order.pop()
        (self._go[self._order[-1]] if self._order else self._back).release()

    def meet(self, value: Any) -> list[Any]:
        """Stop here until all lanes have come; the values of all."""
        lane, frame = self.lane, sys._getframe(2)
        self._said[lane] = (f"{frame.f_code.co_filename}:{frame.f_lineno}", value)
        self._pass_on()
        self._go[lane].acquire()
        if self._trouble is not None:
            raise Diverged
        self.lane = lane
        return self._heard


def imitate_warp(seed: int) -> Warp:
    """Let the functions of `eightfold.core.lanes` work for a warp of this process."""
    assert numba_config.DISABLE_JIT
    assert "eightfold.games" not in sys.modules
    warp = Warp(seed)

    def sum_pairwise(values: list[Any]) -> Any:
        while len(values) > 1:
            half = len(values) // 2
            values = [values[k] + values[k + half] for k in range(half)]
        return values[0]

    def wait_for_lanes(lanes: int) -> None:
        if lanes != 1:
            warp.meet(None)

    forms: dict[str, Callable[[list[Any]], Any]] = {
        "from_first_lane": lambda all_: all_[0],
        "lanes_where": lambda all_: sum(1 << lane for lane in range(WARP) if all_[lane]),
        "how_many": lambda all_: sum(map(bool, all_)),
        "how_many_before": lambda all_: sum(map(bool, all_[: warp.lane])),
        "added_up": sum_pairwise,
        "sum_before": lambda all_: sum(all_[: warp.lane]),
        "largest_of": max,
    }

    def form_of(name: str) -> Callable[[Any, int], Any]:
        alone, together = getattr(one_lane, name), forms[name]
        return lambda value, lanes: alone(value, lanes) if lanes == 1 else together(warp.meet(value))

    def from_lane(value: Any, index: int, lanes: int) -> Any:
        return value if lanes == 1 else warp.meet(value)[index % WARP]

    def index_of_largest(value: float, index: int, lanes: int) -> int:
        if lanes == 1:
            return index
        return max(warp.meet((value, index)), key=lambda both: (both[0], -both[1]))[1]

    made = {name: form_of(name) for name in forms}
    made |= {"lane_of": lambda lanes: 0 if lanes == 1 else warp.lane, "wait_for_lanes": wait_for_lanes}
    made |= {"from_lane": from_lane, "index_of_largest": index_of_largest}
    for name, form in made.items():
        setattr(one_lane, name, form)
    return warp
