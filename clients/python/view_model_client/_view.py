"""A view of a session, as programs know it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, AsyncIterator, Callable, Dict, List, Optional, Tuple, TypeVar, Union, overload

from ._attachment import Attachment, Names, place_in_history
from ._connection import Connection
from ._errors import ClientError, ConnectionLost, Dropped, ServerError, ViewClosed
from ._here import Viewer, viewers
from ._inbox import Event, Inbox, Notification, Readers, Snapshot, Stream
from ._lists import Lists, RowList
from ._navigation import Children, Navigation, Screen, Shown
from ._outbox import Outbox
from ._transport import in_time

_Row = TypeVar("_Row")

# Seconds for which who leaves waits for answers.
_LEAVE_TIMEOUT = 1.0


async def until_answered(views: Callable[[], List[View]]) -> None:
    """Waits until all that these views were given to send is answered, or for as long as somebody waits who leaves."""
    # Tasks that have just been made to send come first.
    await asyncio.sleep(0)
    answers = [answer for view in views() for answer in view._outbox.answers()]
    if answers:
        await asyncio.wait(answers, timeout=_LEAVE_TIMEOUT)


class View:
    """A view of a session; made by `Client.open` and `Client.attach`.

    What comes is kept until it is read, once, through `async for event in view`, `navigation_events()`,
    `notifications()` or `received()`. `seq`, `stack` and `presented` are those of what has come. An event that goes is
    `pending`, then `sent`, and in the end answered or `dropped`.

    `async with view` leaves the session at its end; `end_session` ends it.
    """

    def __init__(
        self,
        connection: Connection,
        names: Names,
        readers: Readers,
        view_model: str,
        key: str = "",
        is_named: bool = True,
    ) -> None:
        self._connection = connection
        self._attachment = Attachment(connection, names, view_model, key, is_named)
        self._children = Children()
        self._inbox = Inbox(lambda: readers.get(self.view_model))
        self._outbox = Outbox(self._attachment)
        self._lists = Lists(self._attachment)
        self._newest_at_first = 0
        self._was_replaced = False  # on this connection

    async def __aenter__(self) -> View:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Waits for answers as `Client.close` does, and for no connection: where it is lost, the view is gone, too."""
        attachment = self._attachment
        try:
            if not any(error) and not self._connection.is_closed:
                await until_answered(lambda: [self])
            wire = self._connection.wire
            if self.reason is None and attachment.is_attached.is_set() and wire is not None:
                with contextlib.suppress(ClientError, asyncio.TimeoutError):
                    await in_time(wire.call("session/detach", {"session": attachment.session}), 5)
        finally:
            self._end("detached")

    def __repr__(self) -> str:
        counts = ((self.pending, "pending"), (self.sent, "sent"), (self.dropped, "dropped"))
        words = [f"number {self.seq}", *(f"{len(events)} {word}" for events, word in counts if events)]
        if self.reason is not None:
            words.append(f"ended: {self.reason}")
        # Not its key, which is as good as a password.
        return f"<{type(self).__name__} of {self.view_model}: {', '.join(words)}>"

    @property
    def view_model(self) -> str:
        return self._attachment.view_model

    @property
    def key(self) -> str:
        """By which any client may attach to the session."""
        return self._attachment.key

    @property
    def access(self) -> Optional[str]:
        """`read` where the key only lets one look: what is sent is refused (`Forbidden`). None where it allows all."""
        return self._attachment.access

    @property
    def here(self) -> Tuple[Viewer, ...]:
        """Who has a view of the session, this one among them; for a client that was connected with `here`.

        It is told soon after the view is attached, and the client's `on_change` is called when it changes. Of more than
        a hundred, a hundred are told.
        """
        return self._attachment.here

    @property
    def seq(self) -> int:
        """The number of the newest notification."""
        return self._attachment.seq

    @property
    def epoch(self) -> Optional[str]:
        """Which history the number is of: keep it with the number. None where the server doesn't say."""
        return self._attachment.epoch

    @property
    def stack(self) -> Tuple[Shown, ...]:
        """The pushed children of this session, the bottom first."""
        return self._children.stack

    @property
    def presented(self) -> Optional[Shown]:
        """The child that is presented over this session."""
        return self._children.presented

    @property
    def reason(self) -> Optional[str]:
        """Why the view ended.

        `closed`, `popped`, `dismissed`, `failed`, `serverShutdown` or `replaced` (a newer view has the client's name)
        from the server, `detached` by `detach()`, `connectionLost`, or, when the connection was made again,
        `unknownSession` for one that was gone and `replayUnavailable` for one that can't be followed any more.
        """
        return self._attachment.reason

    @property
    def stall(self) -> Optional[str]:
        """Why what this view waits for isn't done, in words, where the server can't store anything now."""
        if self.reason is not None:
            return None
        stall = self._attachment.refusal or self._connection.stall
        if stall is None or self._attachment.asked > 0 or not self._attachment.is_attached.is_set():
            return stall
        return stall if self._outbox.waits else None

    @property
    def pending(self) -> Tuple[Any, ...]:
        """The events that wait to be sent: for room on the way, or for the connection."""
        return self._outbox.waiting(was_sent=False)

    @property
    def sent(self) -> Tuple[Any, ...]:
        """The events that were sent and aren't answered. While the client is away, they may have been handled."""
        return self._outbox.waiting(was_sent=True)

    @property
    def dropped(self) -> Tuple[Dropped, ...]:
        """The events that are given back, in their order; `send` has raised each, too.

        They weren't answered before the view ended, or the server doesn't know any more whether it took them.
        """
        return self._outbox.dropped

    async def send(self, event: Any, progress: Optional[Callable[[Dict[str, Any]], None]] = None) -> None:
        """Returns when the view model has handled it, and all that it said meanwhile has come.

        `event` is an object with a `kind`, or anything with a `to_json()` that makes one. `progress` is called with the
        `begin`, `report` and `end` of its handler, and after this has returned with those of the work that the handler
        started and that goes on; an `end` follows each `begin`, at the latest when the view is closed or the connection
        is lost. Who cancels this asks the view model to stop. While a client that reconnects is away, events wait and
        are sent when it is back, each once. Events that are sent side by side go in the order of the calls, and at once:
        none waits for the answer to another one.
        Raises ServerError: `ViewModelFailed`, `InvalidParams`, `LimitExceeded`, `RequestCancelled`, which has
        `is_superseded` where a newer event of its kind took its place; ViewClosed and ConnectionLost, whose `dropped`
        has the event, and whether it was sent; TypeError and ValueError for what is no JSON.
        """
        await self._outbox.answer(self._outbox.post(event, progress))

    def __aiter__(self) -> AsyncIterator[Any]:
        """The view model's events, in order, until the view is closed; a snapshot as its single events.

        Raises ConnectionLost, at the end, where that is why it ended.
        """
        return Stream(self._inbox.next_event)

    def navigation_events(self) -> AsyncIterator[Union[Navigation, Screen]]:
        """Children that are pushed, presented and taken off again, until the view is closed."""
        return Stream(self._inbox.next_navigation)

    def notifications(self) -> AsyncIterator[Notification]:
        """All that comes, in its order, until the view is closed."""
        return Stream(self._inbox.next)

    def received(self) -> List[Any]:
        """The view model's events that have come and weren't read yet, without waiting."""
        return self._inbox.received()

    @overload
    def list(self, name: str, *, read: Callable[[Any], _Row], id: Optional[str] = None) -> RowList[_Row]: ...

    @overload
    def list(self, name: str, *, read: None = None, id: Optional[str] = None) -> RowList[Any]: ...

    def list(
        self, name: str, *, read: Optional[Callable[[Any], Any]] = None, id: Optional[str] = None
    ) -> RowList[Any]:
        """A list of the view model; the same object each time.

        `read` makes a row of its JSON, where it shall be something else. `id` is the member by which the contract says
        that rows are known, where that isn't called `id`.
        """
        return self._lists.used(name, read, id)

    async def read_key(self) -> str:
        """A key for others, with which they see the session and do nothing else. The same each time."""
        key: str = (await self._attachment.ask_again("session/key", {"access": "read"}))["key"]
        return key

    async def back(self) -> None:
        """Leaves this session, as with a back button, if its view model lets go.

        Raises ServerError, whose `refused` says in words why it doesn't.
        """
        await self._attachment.call_again("navigation/back")

    async def detach(self) -> None:
        """Ends this view; the session goes on, for others, or for whoever attaches before the server ends it."""
        await self._leave("session/detach", "detached")

    async def end_session(self) -> None:
        """Ends the session for everyone, and removes what is stored of it; nothing happens where it has ended.

        A session of the scope `everyone` stays for the others: of that this view alone ends.
        """
        await self._leave("session/close", "closed")

    async def _leave(self, method: str, reason: str) -> None:
        if self.reason is not None:
            return
        try:
            await self._attachment.call_again(method)
        except ServerError as error:
            if error.name != "UnknownSession":
                raise
        except ViewClosed:
            return
        self._end(reason)

    # Attaching.

    def _opened(self, result: Dict[str, Any]) -> None:
        attachment = self._attachment
        attachment.key = result["key"]
        if "seq" in result:
            return self._attached(result, None)
        attachment.epoch = result.get("epoch")
        if "handled" in result:
            # A session that was found, and has said nothing yet.
            self._outbox.attached(result["handled"])
        self._begin(result)

    def _attached(self, result: Dict[str, Any], since: Optional[int]) -> None:
        attachment = self._attachment
        attachment.view_model = result["viewModel"]
        attachment.epoch = result.get("epoch")
        attachment.access = result.get("access")
        is_first = not attachment.session
        if is_first:
            self._newest_at_first = result["seq"]
        self._outbox.attached(result.get("handled"))
        snapshot = result.get("snapshot")
        if snapshot is not None:
            attachment.seq = result["seq"]
            self._lists.begin_anew(attachment.seq, snapshot)
            self._inbox.put(Snapshot(attachment.seq, tuple(snapshot)))
        elif since is not None:
            if is_first:
                self._lists.are_known = since == 0
            attachment.seq = since
        screen = self._children.restore(attachment.seq, result.get("navigation"))
        if screen is not None:
            self._inbox.put(screen)
        self._begin(result)

    def _begin(self, result: Dict[str, Any]) -> None:
        attachment = self._attachment
        if attachment.reason is not None:
            return
        attachment.session = result["session"]
        attachment.store_works()
        self._connection.attached[attachment.session] = self
        if self not in self._connection.living:
            self._connection.living.append(self)
        attachment.is_attached.set()
        self._outbox.flush()

    async def _attach_again(self) -> None:
        """Goes on where it was, or with a snapshot, or ends where its session is gone.

        Raises ServerError where it may be tried again later.
        """
        attachment, wire = self._attachment, self._connection.wire
        params: Dict[str, Any] = {"key": attachment.key, **attachment.params_of_client}
        if wire is None or self.reason is not None:
            return
        for since in (attachment.seq, None):
            more = place_in_history(since, attachment.epoch)
            try:
                await wire.call("session/attach", {**params, **more}, lambda result: self._attached(result, since))
                return
            except ServerError as error:
                if error.retry_after is not None:
                    raise
                if error.name != "ReplayUnavailable" or since is None:
                    self._end(error.name[0].lower() + error.name[1:], cause=error)
                    return

    def _attach_soon(self) -> None:
        """On the connection that there is."""

        async def attach() -> None:
            # Where the connection is lost meanwhile, the view is attached again with all others.
            with contextlib.suppress(ConnectionLost):
                while True:
                    try:
                        return await self._attach_again()
                    except ServerError as error:
                        self._attachment.did_refuse(error)
                        await asyncio.sleep(error.retry_after or 0)

        self._attachment.is_attached.clear()
        self._connection.attached.pop(self._attachment.session, None)
        self._connection.run(attach())

    def _lose_connection(self) -> None:
        self._attachment.refusal = None
        self._connection.progress.end_all(self._attachment)
        self._was_replaced = False
        self._attachment.is_attached.clear()

    @property
    def _waits_for_store(self) -> bool:
        return self._attachment.refusal is not None

    def _store_works(self) -> None:
        self._attachment.store_works()

    def _end(
        self, reason: str, error: Optional[ClientError] = None, cause: Optional[ServerError] = None
    ) -> None:
        """`error` is raised at the end of the events; without it they just end."""
        attachment, connection = self._attachment, self._connection
        if attachment.reason is not None:
            return
        attachment.reason = reason
        attachment.ending = error or ViewClosed(reason)
        if cause is not None:
            attachment.ending.__cause__ = cause
        attachment.give_up_name()
        connection.progress.end_all(attachment)
        connection.attached.pop(attachment.session, None)
        if self in connection.living:
            connection.living.remove(self)
        attachment.is_attached.set()
        # Before anybody learns of the end.
        self._outbox.end(reason)
        self._inbox.end(error)

    # Incoming messages.

    def _take(self, method: str, params: Dict[str, Any]) -> None:
        if method == "session/closed":
            return self._closed(params.get("reason", "closed"))
        if method == "session/views":
            self._attachment.here = viewers(params)
            return self._connection.changed()
        if method != "viewModel/event" and method not in Children.KINDS:
            return
        seq = params["seq"]
        if seq <= self.seq:
            return
        if params.get("after", seq - 1) != self.seq:
            # Ends the connection: with `since` the next one brings what is missing.
            raise ValueError(f"number {seq} came after {self.seq}")
        self._attachment.seq = seq
        if method == "viewModel/event":
            event = params["event"]
            self._inbox.put(Event(seq, event, params.get("more", False)), self._lists.take(seq, event))
        else:
            self._inbox.put(self._children.navigate(method, params))

    def _closed(self, reason: str) -> None:
        # By what this client sent on a connection that it gave up, and came late. The second time it is another client.
        is_late = reason == "replaced" and not self._was_replaced
        self._was_replaced = self._was_replaced or is_late
        if reason != "overflow" and not is_late:
            return self._end(reason)
        self._connection.progress.end_all(self._attachment)
        self._attach_soon()
