"""A client of view model servers: a library for asyncio, the same with blocking calls, and a command for shell scripts.

    async with connect(tcp="127.0.0.1:7351") as client:
        counter = await client.open("counter", {"start": 40})
        await counter.send({"kind": "increment", "by": 2})
        async for event in counter:
            print(event)

It needs Python 3.9 or newer and no other package. The command: `python3 -m view_model_client --help`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._client import Client, connect
from ._errors import ClientError, ConnectionLost, Dropped, ListChanged, ServerError, TimedOut, ViewClosed
from ._here import Viewer
from ._inbox import Event, Notification, Snapshot
from ._kept import KeptSession
from ._lists import ListChange, RowList
from ._navigation import Navigation, Screen, Shown
from ._rows import ListEdit
from ._view import View

if TYPE_CHECKING:
    from ._blocking import BlockingClient, BlockingRowList, BlockingView, connect_blocking

__all__ = [
    "BlockingClient",
    "BlockingRowList",
    "BlockingView",
    "Client",
    "ClientError",
    "ConnectionLost",
    "Dropped",
    "Event",
    "KeptSession",
    "ListChange",
    "ListChanged",
    "ListEdit",
    "Navigation",
    "Notification",
    "RowList",
    "Screen",
    "ServerError",
    "Shown",
    "Snapshot",
    "TimedOut",
    "View",
    "ViewClosed",
    "Viewer",
    "connect",
    "connect_blocking",
]

# A traceback names what users import.
for _error in (ClientError, ConnectionLost, ListChanged, ServerError, TimedOut, ViewClosed):
    _error.__module__ = __name__

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Blocking calls are imported by who uses them."""
        if name in __all__:
            from . import _blocking

            return getattr(_blocking, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
