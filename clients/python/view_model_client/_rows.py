"""The rows of a list, as far as they are known, and what an edit does to them. Values: nothing here waits or asks."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple


@dataclass(frozen=True)
class ListEdit:
    """At this index so many rows went, and so many came; an update is one of each."""

    at: int
    removed: int
    inserted: int

    def _moved(self, index: int) -> Optional[int]:
        """Where a row stands after the edit; None where it went."""
        if index < self.at:
            return index
        return None if index < self.at + self.removed else index + self.inserted - self.removed

    def _place(self, place: int) -> int:
        """Where somebody goes on who has come to this place.

        Of rows on both sides of it, those that came count as the ones that went, as far as there are any.
        """
        if place <= self.at:
            return place
        if place >= self.at + self.removed:
            return place + self.inserted - self.removed
        return min(place, self.at + self.inserted)


class Rows:
    """A list as far as it is known: how many rows it has, and some of them, in spans without gaps.

    A value, so that any thread may read it: each change makes another one.
    """

    # Spans are joined up to this length, so that no change copies more rows.
    SPAN = 1000

    def __init__(self, count: int = 0, spans: Sequence[Tuple[int, Tuple[Any, ...]]] = ()) -> None:
        """`spans`: the index of the first row of each, rising, and its rows; none is empty."""
        self.count = count
        self._spans = spans

    def row(self, index: int) -> Any:
        """None where it isn't there."""
        # A shorter tuple comes first, so that rows are never compared.
        place = bisect.bisect_left(self._spans, (index + 1,)) - 1
        if place < 0:
            return None
        first, rows = self._spans[place]
        return rows[index - first] if index - first < len(rows) else None

    def between(self, first: int, end: int) -> List[Any]:
        """Those that are there."""
        found: List[Any] = []
        for start, rows in self._spans:
            found += rows[max(0, first - start) : max(0, end - start)]
        return found

    def find(self, is_wanted: Callable[[Any], bool]) -> Optional[int]:
        """The index of the first such row that is there."""
        for first, rows in self._spans:
            for place, row in enumerate(rows):
                if is_wanted(row):
                    return first + place
        return None

    def gap(self, first: int, end: int) -> Optional[Tuple[int, int]]:
        """From the first row of the range that isn't there to behind the last such one; None where all are there."""
        place, end = max(0, first), min(end, self.count)
        missing: List[int] = []
        for start, rows in self._spans:
            if start > place and place < end:
                missing += (place, min(start, end))
            place = max(place, start + len(rows))
        if place < end:
            missing += (place, end)
        return (missing[0], missing[-1]) if missing else None

    def edited(self, edits: Optional[Iterable[ListEdit]], count: int) -> Rows:
        """As edits have left it, which fit; without them no row is known any more."""
        if edits is None:
            return Rows(count)
        spans = self._spans
        for edit in edits:
            spans = self._cut(spans, edit.at, edit.at + edit.removed, edit.inserted - edit.removed)
        return Rows(count, self._joined(spans))

    def filled(self, first: int, rows: Sequence[Any]) -> Rows:
        """With rows from `first` on; those beyond the end are left out."""
        more = tuple(rows[: max(0, self.count - first)])
        if not more:
            return self
        spans = [*self._cut(self._spans, first, first + len(more)), (first, more)]
        return Rows(self.count, self._joined(sorted(spans, key=lambda span: span[0])))

    def near(self, first: int, end: int, bound: int) -> Rows:
        """Without those that are far from a range, where there are more than `bound`; those in it all stay."""
        if sum(len(rows) for _, rows in self._spans) <= max(bound, end - first):
            return self
        spare = max(0, bound - (end - first)) // 2
        low, high = first - spare, end + spare
        spans = [
            (max(start, low), rows[max(0, low - start) : high - start])
            for start, rows in self._spans
            if start < high and start + len(rows) > low
        ]
        return Rows(self.count, spans)

    @staticmethod
    def _cut(
        spans: Sequence[Tuple[int, Tuple[Any, ...]]], first: int, end: int, shift: int = 0
    ) -> List[Tuple[int, Tuple[Any, ...]]]:
        """Without the rows of a range, and with those behind it elsewhere."""
        left: List[Tuple[int, Tuple[Any, ...]]] = []
        for start, rows in spans:
            if start < first:
                left.append((start, rows[: first - start]))
            if start + len(rows) > end:
                skipped = max(0, end - start)
                left.append((start + skipped + shift, rows[skipped:]))
        return left

    @classmethod
    def _joined(cls, spans: Iterable[Tuple[int, Tuple[Any, ...]]]) -> List[Tuple[int, Tuple[Any, ...]]]:
        joined: List[Tuple[int, Tuple[Any, ...]]] = []
        for first, rows in spans:
            if joined:
                start, before = joined[-1]
                if start + len(before) == first and len(before) + len(rows) <= cls.SPAN:
                    joined[-1] = (start, before + rows)
                    continue
            joined.append((first, rows))
        return joined
