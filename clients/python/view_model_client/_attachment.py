"""How a view holds on to its session: by which name, and whether it is attached, waits to be, or has ended."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import Any, Dict, Iterator, Optional, Set, Tuple

from ._connection import Connection, stall_reason
from ._errors import ClientError, ConnectionLost, ServerError, ViewClosed, anew
from ._here import Viewer
from ._wire import Wire


class Names:
    """A client's name, by which a session knows whose events it has: one, since it keeps those of all who number them.

    It belongs to one view at a time: a second view of what may be the same session gets a number behind it.
    """

    def __init__(self, name: Optional[str]) -> None:
        self._name = name or secrets.token_urlsafe(12)
        # Those that have a name, asked for or there.
        self._named: Set[Attachment] = set()

    def take(self, attachment: Attachment) -> str:
        def may_be_same(one: str, other: str) -> bool:
            return not one or not other or one == other

        def shares(other: Attachment) -> bool:
            if attachment.key:
                return may_be_same(attachment.key, other.key)
            return may_be_same(attachment.view_model, other.view_model)

        taken = {other.name for other in self._named if shares(other)}
        name, number = self._name, 1
        while name in taken:
            number += 1
            name = f"{self._name}.{number}"
        self._named.add(attachment)
        return name

    def give_back(self, attachment: Attachment) -> None:
        self._named.discard(attachment)


class Attachment:
    """Of a view, over one connection after the other. Its view attaches and ends it."""

    def __init__(self, connection: Connection, names: Names, view_model: str, key: str, is_named: bool) -> None:
        self.connection = connection
        self._names = names
        self.view_model = view_model
        self.key = key
        # The number of the newest notification, and of which history it is.
        self.seq = 0
        self.epoch: Optional[str] = None
        # What the key allows; None where that is everything.
        self.access: Optional[str] = None
        # Who has a view of the session, as the server has said last.
        self.here: Tuple[Viewer, ...] = ()
        # Its number on this connection; 0 before it was ever attached.
        self.session = 0
        self.is_attached = asyncio.Event()
        # Why it has ended, and what is raised since.
        self.reason: Optional[str] = None
        self.ending: ClientError = ViewClosed("")
        # Why something is asked again, where that is the server's store.
        self.refusal: Optional[str] = None
        # How many refusals of a server whose store can't be reached say that it is too early to send again.
        self.rests = 0
        # How many requests are unanswered, events and attachments aside.
        self.asked = 0
        # Events are numbered only where they may have to be sent again: a server keeps the name of who numbers.
        self.name = names.take(self) if connection.reconnects and is_named else None

    @property
    def params_of_client(self) -> Dict[str, Any]:
        name = {} if self.name is None else {"client": self.name}
        return {**name, "views": True} if self.connection.asks_who_is_here else name

    def give_up_name(self) -> None:
        self._names.give_back(self)

    def check_open(self) -> None:
        if self.reason is not None:
            raise anew(self.ending)

    async def wire(self) -> Wire:
        await self.is_attached.wait()
        self.check_open()
        wire = self.connection.wire
        if wire is None:
            raise ConnectionLost("this client isn't connected")
        return wire

    async def call_again(self, method: str) -> None:
        """Calls once more where the connection was lost before the answer came."""
        wire = await self.wire()
        while True:
            try:
                with self.asking():
                    await wire.call(method, {"session": self.session})
                return
            except ConnectionLost:
                if not self.connection.reconnects:
                    raise
            try:
                wire = await self.wire()
            except ViewClosed:
                # The answer was lost, and what it was about has happened.
                return

    async def ask_again(self, method: str, params: Dict[str, Any]) -> Any:
        """Asks once more, where the connection was lost before the answer came, for as long as the view is there."""
        while True:
            wire = await self.wire()
            try:
                with self.asking():
                    return await wire.call(method, {"session": self.session, **params})
            except ConnectionLost:
                if not self.connection.reconnects:
                    raise

    # The server's store.

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        self.asked += 1
        try:
            yield
        finally:
            self.asked -= 1
            if self.connection.stall is not None or self.refusal is not None:
                self.connection.changed()

    def did_refuse(self, error: ServerError) -> None:
        """What it refuses is asked again."""
        if error.name == "StoreUnavailable" and self.refusal != stall_reason(error.message):
            self.refusal = stall_reason(error.message)
            self.connection.changed()

    def store_works(self) -> None:
        """What was refused waits for something else, unless it is to be asked again."""
        if self.refusal is not None and not self.rests:
            self.refusal = None
            self.connection.changed()
            if self.connection.wire is not None:
                self.connection.wire.check_stall()


def place_in_history(since: Optional[int], epoch: Optional[str]) -> Dict[str, Any]:
    """Where a view goes on: at a number of a history, which another one may have taken the place of."""
    if since is None:
        return {}
    return {"since": since} if epoch is None else {"since": since, "epoch": epoch}
