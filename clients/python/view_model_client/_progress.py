"""How far the work of view events has come, for those who asked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional

Report = Callable[[Dict[str, Any]], None]


@dataclass(eq=False)
class _Work:
    report: Report
    has_begun: bool = False
    # Of which view, once the event is answered.
    goes_on_in: Optional[object] = None


class Progress:
    """Of all view events of a client whose end isn't reported yet, by tokens."""

    def __init__(self) -> None:
        self._works: Dict[int, _Work] = {}
        self._last_token = 0

    def begin(self, report: Report) -> int:
        self._last_token += 1
        self._works[self._last_token] = _Work(report)
        return self._last_token

    def take(self, token: int, value: Dict[str, Any]) -> None:
        """Reports an `end` where a `begin` was reported."""
        work = self._works.get(token)
        if work is None:
            return
        work.has_begun = work.has_begun or value.get("kind") == "begin"
        if value.get("kind") == "end":
            del self._works[token]
        if work.has_begun:
            # Not from here: what it raises is its own fault, and no reason to stop reading.
            asyncio.get_running_loop().call_soon(work.report, value)

    def end(self, token: int) -> None:
        self.take(token, {"kind": "end"})

    def go_on(self, token: int, view: object) -> bool:
        """Its event is answered, and the work goes on; False where its end was reported."""
        work = self._works.get(token)
        if work is not None:
            work.goes_on_in = view
        return work is not None

    def end_all(self, view: object) -> None:
        """The server says no more of work of this view whose event it has answered."""
        for token, work in list(self._works.items()):
            if work.goes_on_in is view:
                self.end(token)
