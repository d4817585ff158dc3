"""What a solver does in a solve: how long it takes, and how it calls its callbacks."""
from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator


class _Here(threading.local):
    """What runs in a thread."""
    solve: Effort | None = None  # solvers call callbacks in threads of their own, too, which are in no solve


_here = _Here()


class Effort:
    """Counts what a solver does with its callbacks in a solve."""

    def __init__(self, outer: Callable[[int], int]):
        self.outer = outer
        self.count: int | None = None  # the callback asks to stop from this call on; 0: never
        self.length: int | None = None  # of learned clauses
        self.begin()

    def begin(self) -> None:
        self.polls = self.polls_after = self.learned = self.too_long = 0
        self.others_polls = self.others_learned = 0
        self.clauses: list[int] = []
        self.begun = time.monotonic_ns()

    @contextlib.contextmanager
    def solving(self) -> Iterator[None]:
        """Counts from here on, and for the other solvers whose callbacks this thread calls."""
        self.begin()
        _here.solve = self
        try:
            yield
        finally:
            _here.solve = None

    def poll(self) -> bool:
        if _here.solve is not None and _here.solve is not self:
            _here.solve.others_polls += 1
        count = self.count or 0  # a solver may call a callback that was taken away
        self.polls_after += 0 < count <= self.polls
        self.polls += 1
        return 0 < count <= self.polls

    def learn(self, clause: Iterable[int]) -> None:
        literals = list(clause)
        if _here.solve is not None and _here.solve is not self:
            _here.solve.others_learned += 1
        self.learned += 1
        if self.length is not None and len(literals) > self.length:
            self.too_long += 1
        else:
            self.clauses += [*map(self.outer, literals), 0]

    def __str__(self) -> str:
        words = [f"nanos={time.monotonic_ns() - self.begun}"]
        counts = {"polls": self.polls, "polls-after-stop": self.polls_after, "learned": self.learned,
                  "too-long": self.too_long, "others-polls": self.others_polls,
                  "others-learned": self.others_learned}
        words += [f"{name}={n}" for name, n in counts.items() if n]
        if self.clauses:
            words += ["clauses", *map(str, self.clauses)]
        return " ".join(words)
