"""Archives: many traces in one file."""
from __future__ import annotations

import operator
import os
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, overload

from . import border
from .errors import UsageError
from .traces import Trace

EXTENSION = ".traces.zst"


class Archive(Sequence[Trace]):
    """The traces of an archive (docs/archive.md), or of all archives of a directory, by
    number from 0. A trace is read when it is accessed.

    >>> with Archive("out/archive") as archive:
    ...     print(len(archive), archive[-1])
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = os.fspath(path)
        paths = [self.path]
        if os.path.isdir(self.path):
            paths = sorted(os.path.join(self.path, name) for name in os.listdir(self.path) if name.endswith(EXTENSION))
            if not paths:
                raise UsageError(f"{self.path} is a directory without archives: no file in it is called *{EXTENSION}")
        self._parts: list[tuple[int, int]] = []  # thing, count
        self._ends: list[weakref.finalize[..., Archive]] = []
        try:
            for one in paths:
                value = border.call("archive.open", path=one)
                self._ends.append(weakref.finalize(self, border.close, value["thing"]))
                self._parts.append((value["thing"], value["count"]))
                if value.get("torn"):
                    border.warn(value["torn"])
        except BaseException:
            self.close()
            raise

    def _opened(self) -> list[tuple[int, int]]:
        if not all(end.alive for end in self._ends):
            raise ValueError("the archive is closed")
        return self._parts

    def __len__(self) -> int:
        return sum(count for _, count in self._opened())

    @overload
    def __getitem__(self, index: int) -> Trace: ...
    @overload
    def __getitem__(self, index: slice) -> list[Trace]: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        index = operator.index(index)
        at = index if index >= 0 else index + len(self)
        if at >= 0:
            for thing, count in self._opened():
                if at < count:
                    return Trace._of(border.call("archive.read", thing=thing, index=at))
                at -= count
        raise IndexError(f"{self.path} has {len(self)} traces, there is no number {index}")

    def __iter__(self) -> Iterator[Trace]:
        for thing, count in list(self._opened()):
            for i in range(count):
                self._opened()
                yield Trace._of(border.call("archive.read", thing=thing, index=i))

    def __reduce__(self) -> tuple[Any, ...]:
        self._opened()
        return type(self), (self.path,)  # a copy opens the files again

    def close(self) -> None:
        """Closes the files."""
        for end in self._ends:
            end()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ipafuzz.Archive {self.path}{'' if all(end.alive for end in self._ends) else ', closed'}>"
