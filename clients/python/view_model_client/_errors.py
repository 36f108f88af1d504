"""What is raised, and the view events that are given back by it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Optional, Tuple, TypeVar


def to_json(value: Any) -> Any:
    """As the json module takes it: events, and arguments, may be anything with a `to_json()`."""
    return value.to_json() if hasattr(value, "to_json") else value


@dataclass(frozen=True)
class Dropped:
    """A view event that the client gives back, since no answer to it will come. `str` of it says so in words.

    An event that wasn't sent can be sent to another session. One that `was_sent` may have been handled: its answer is
    lost, or the session ended before.
    """

    event: Any
    """As `View.send` was given it."""
    was_sent: bool

    def __str__(self) -> str:
        return f"{self.kind} {'may have been handled' if self.was_sent else 'was not sent'}"

    @property
    def kind(self) -> str:
        event = to_json(self.event)
        return str(event.get("kind", "an event")) if isinstance(event, dict) else "an event"


class ClientError(Exception):
    """Whatever this library raises of its own. `__cause__` is the error below it, where there is one."""

    dropped: Tuple[Dropped, ...] = ()
    """The view event that `send` gives back by raising this; empty where the server answered it."""

    def __str__(self) -> str:
        return "; ".join([self._words(), *map(str, self.dropped)])

    def _words(self) -> str:
        return super().__str__()


class ServerError(ClientError):
    """The server answered a request with an error. `str` of it is a sentence for the user."""

    NAMES = {
        -32700: "ParseError",
        -32600: "InvalidRequest",
        -32601: "MethodNotFound",
        -32602: "InvalidParams",
        -32603: "InternalError",
        -32002: "ServerNotInitialized",
        -32800: "RequestCancelled",
        -32010: "Unauthorized",
        -32011: "UnknownViewModel",
        -32012: "UnknownSession",
        -32013: "ReplayUnavailable",
        -32014: "ViewModelFailed",
        -32015: "LimitExceeded",
        -32016: "StoreUnavailable",
        -32017: "Forbidden",
    }

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    def _words(self) -> str:
        return self.message

    @property
    def name(self) -> str:
        """As the protocol calls it: `InvalidParams`."""
        return self.NAMES.get(self.code, f"error {self.code}")

    @property
    def refused(self) -> Optional[str]:
        """Why a view model refused to be left, where that is what happened."""
        reason: Optional[str] = self._detail("refused")
        return reason

    @property
    def is_superseded(self) -> bool:
        """A newer event of the same kind took the place of this one, which most programs pass over in silence."""
        return self._detail("superseded") is True

    @property
    def retry_after(self) -> Optional[float]:
        """Seconds after which the same may be tried again; None where that doesn't help."""
        milliseconds = self._detail("retryAfterMs")
        return milliseconds / 1000 if isinstance(milliseconds, (int, float)) else None

    def _detail(self, name: str) -> Any:
        return self.data.get(name) if isinstance(self.data, dict) else None


class ConnectionLost(ClientError):
    """The connection can't be made, or ended, and isn't made again."""

    is_silent = False
    """Whether that is since the server didn't answer; else the connection was refused or ended."""

    @classmethod
    def _silent(cls, seconds: float) -> ConnectionLost:
        error = cls(f"the server hasn't answered for {seconds:.0f} s")
        error.is_silent = True
        return error


class ViewClosed(ClientError):
    """The view has ended; `reason` says why, as in `View.reason`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def _words(self) -> str:
        gone = " (its session is gone)" if self.reason == "unknownSession" else ""
        return f"the view is closed: {self.reason}{gone}"


class ListChanged(ClientError):
    """A list whose rows were iterated over changed, and nothing says which rows stayed: begin again."""


class TimedOut(ClientError, TimeoutError):
    """A blocking call wasn't done within its `timeout`, and was given up."""


_E = TypeVar("_E", bound=ClientError)


def anew(error: _E, dropped: Tuple[Dropped, ...] = ()) -> _E:
    """For each that waits, since an exception's traceback holds who waited, and unittest ends what it finds there."""
    another = copy.copy(error)
    another.dropped = dropped
    if error.__cause__ is not None:
        another.__cause__ = error.__cause__
    return another
