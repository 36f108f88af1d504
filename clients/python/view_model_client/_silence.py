"""A server from which nothing comes, while an answer is waited for."""

from __future__ import annotations

import asyncio
import math
from typing import Callable, Optional, Protocol

from ._errors import ConnectionLost


class Clock(Protocol):
    """An event loop, as far as it tells the time."""

    def time(self) -> float: ...

    def call_later(self, delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle: ...


class Watch:
    """Notices a server that stands still, and a connection that has lost its other end without being closed.

    While a request waits, the server is asked by a ping every `delay` seconds, whatever else comes, since what that says
    of its store must be known. Where nothing at all comes for twice as long, that is told; and, once, when something comes
    after all.
    """

    def __init__(
        self,
        delay: float,
        clock: Clock,
        is_waiting: Callable[[], bool],
        ping: Callable[[], None],
        tell: Callable[[Optional[ConnectionLost]], None],
    ) -> None:
        self._delay, self._clock, self._is_waiting, self._ping, self._tell = delay, clock, is_waiting, ping, tell
        # When something came, or a request went out where none waited.
        self._since = 0.0
        # When it was asked last, or that began; and when it was first since something came.
        self._asked = 0.0
        self._pinged: Optional[float] = None
        self._is_silent = False
        self._timer: Optional[asyncio.TimerHandle] = None

    def asked(self) -> None:
        """A request waits where none did."""
        if self._pinged is None and not self._is_silent:
            self._since = self._asked = self._clock.time()
            self._wait()

    def heard(self) -> None:
        self._since, self._pinged = self._clock.time(), None
        if self._is_silent:
            self._is_silent = False
            self._asked = self._since
            self._tell(None)
            self._wait()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    @property
    def _silent_at(self) -> float:
        if self._pinged is None:
            return math.inf
        return max(self._since + 2 * self._delay, self._pinged + self._delay)

    def _wait(self) -> None:
        self.stop()
        end = min(self._asked + self._delay, self._silent_at)
        self._timer = self._clock.call_later(max(0, end - self._clock.time()), self._look)

    def _look(self) -> None:
        now = self._clock.time()
        if not self._is_waiting():
            return
        if now >= self._silent_at:
            self._is_silent = True
            return self._tell(ConnectionLost._silent(now - self._since))
        if now >= self._asked + self._delay:
            self._asked = now
            self._pinged = now if self._pinged is None else self._pinged
            self._ping()
        self._wait()
