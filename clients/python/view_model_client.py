"""A client of view model servers: a library for asyncio, the same with blocking calls, and a command for shell scripts.

    async with connect(tcp="127.0.0.1:7351") as client:
        counter = await client.open("counter", {"start": 40})
        await counter.send({"kind": "increment", "by": 2})
        async for event in counter:
            print(event)

It needs Python 3.9 or newer and no other package. The command: `python3 -m view_model_client --help`.
"""

from __future__ import annotations

import argparse
import asyncio
import bisect
import collections
import concurrent.futures
import contextlib
import copy
import functools
import heapq
import json
import logging
import math
import os
import re
import secrets
import shlex
import signal
import socket
import stat
import sys
import threading
import weakref
from dataclasses import dataclass
from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Deque,
    Dict,
    Generator,
    Generic,
    Iterable,
    Iterator,
    List,
    Mapping,
    NoReturn,
    Optional,
    Protocol,
    Sequence,
    Set,
    Tuple,
    TypeVar,
    Union,
    overload,
)

__all__ = [
    "BlockingClient",
    "BlockingRowList",
    "BlockingView",
    "Client",
    "ClientError",
    "ConnectionLost",
    "Dropped",
    "Event",
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
    "connect",
    "connect_blocking",
]

_T = TypeVar("_T")
_Row = TypeVar("_Row")

_log = logging.getLogger("view_model_client")


# Errors.


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
        event = _to_json(self.event)
        return str(event.get("kind", "an event")) if isinstance(event, dict) else "an event"


class ClientError(Exception):
    """Whatever this module raises of its own. `__cause__` is the error below it, where there is one."""

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


def _anew(error: _E, dropped: Tuple[Dropped, ...] = ()) -> _E:
    """For each that waits, since an exception's traceback holds who waited, and unittest ends what it finds there."""
    another = copy.copy(error)
    another.dropped = dropped
    if error.__cause__ is not None:
        another.__cause__ = error.__cause__
    return another


# Incoming messages.


@dataclass(frozen=True)
class Event:
    """An event of the view model. `more`: the next event belongs to it and follows at once, so paint after that one."""

    seq: int
    event: Any
    more: bool = False


@dataclass(frozen=True)
class Snapshot:
    """All that a View has to know at number `seq`: it replaces what came before."""

    seq: int
    events: Tuple[Any, ...]


@dataclass(frozen=True)
class Shown:
    """A session that a View shows for another one; `Client.attach` takes its key."""

    view_model: str
    key: str


@dataclass(frozen=True)
class Navigation:
    """A session comes on screen (`kind` is push or present) or is taken off (pop or dismiss)."""

    seq: int
    kind: str
    view_model: str
    key: str


@dataclass(frozen=True)
class Screen:
    """The children of this session at number `seq`, where they may differ from those known before."""

    seq: int
    stack: Tuple[Shown, ...]
    presented: Optional[Shown]


Notification = Union[Event, Snapshot, Navigation, Screen]

Readers = Mapping[str, Callable[[Any], Any]]


# The library.


def connect(
    *,
    command: Optional[Sequence[str]] = None,
    tcp: Optional[str] = None,
    unix: Optional[str] = None,
    token: Optional[str] = None,
    reconnect: bool = False,
    patience: float = 180,
    readers: Optional[Readers] = None,
    on_change: Optional[Callable[[], None]] = None,
    client_name: Optional[str] = None,
    answer_timeout: float = 5,
) -> _Connecting:
    """Connects to a server: `async with connect(…) as client`, or `client = await connect(…)`.

    One of `command` (starts the server and talks to its standard input and output), `tcp` ("127.0.0.1:7351") and `unix`
    (a socket's path) says where it is. With `reconnect` a lost connection is made again, for up to `patience` seconds,
    and its views go on: no event is lost, and none applied or seen twice. `readers` is the `VIEW_MODEL_EVENTS` of the
    `view_models.py` that the server's command `contract --python` writes: events then come as its types. `on_change`
    is called soon after `Client.is_connected` or `is_silent`, or the `pending`, `sent` or `dropped` of a view, has
    changed.

    Sessions know by `client_name` which events they have from a client that reconnects. It differs from that of every
    other client, and is random by default; give one that stays to what comes back as the same. It belongs to one view
    of a session at a time: a newer one ends the older, whose `reason` is then `replaced`. Further views of this client
    on one session have a number behind it.

    A server from which nothing comes for `answer_timeout` seconds while an answer is waited for is asked whether it is
    there, and has as long to say anything. Then the connection is made again, with `reconnect`, and without it
    `Client.is_silent` says so until something comes. 0 doesn't ask.

    Raises ConnectionLost where nobody answers, and ServerError (`Unauthorized`) for a wrong token.
    """
    if sum(place is not None for place in (command, tcp, unix)) != 1:
        raise ValueError("say where the server is with one of command, tcp and unix")
    if command is not None and reconnect:
        raise ValueError("a server that is started by its client takes its sessions with it: reconnect is for sockets")
    place = _Place(command, tcp, unix)
    return _Connecting(
        lambda: Client(place, token, reconnect, patience, readers or {}, on_change, client_name, answer_timeout)
    )


class _Connecting:
    def __init__(self, make: Callable[[], Client]) -> None:
        self._make = make
        self._client: Optional[Client] = None

    def __await__(self) -> Generator[Any, None, Client]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Client:
        # Not before: what it is made of belongs to the event loop that runs.
        self._client = self._make()
        return await self._client._start()

    async def __aexit__(self, *error: object) -> None:
        if self._client is not None:
            await self._client.__aexit__(*error)


class Client:
    """A connection to a server; made by `connect`. Its coroutines may run side by side."""

    def __init__(
        self,
        place: _Place,
        token: Optional[str],
        reconnect: bool,
        patience: float,
        readers: Readers,
        on_change: Optional[Callable[[], None]],
        client_name: Optional[str],
        answer_timeout: float,
    ) -> None:
        self.view_models: List[str] = []
        # The Swift types with their modules, by the names of all view models that the server told of. An older server
        # tells none.
        self.types: Dict[str, str] = {}
        """The names of the view models that `open` takes, and of those that only others show."""
        self.limits: Dict[str, int] = {}
        """The server's limits: `messageBytes`, `sessions`, `pendingEvents`, `replayEvents`."""
        self.keeps_durable = False
        """Whether the server has a store, in which sessions of durable view models stay when their client has left."""
        self._place = place
        self._token = token
        self._reconnects = reconnect
        self._patience = patience
        self._readers = readers
        self._on_change = on_change
        self._is_change_due = False
        self._name = client_name or secrets.token_urlsafe(12)
        # Those that have a name, asked for or there.
        self._named: Set[View] = set()
        self._answer_timeout = answer_timeout
        self._is_silent = False
        # Why the server's store can't be used, as it has said last.
        self._stall: Optional[str] = None
        self._wire: Optional[_Wire] = None
        self._is_connected = asyncio.Event()
        self._keeper: Optional[asyncio.Task[None]] = None
        self._others: List[asyncio.Task[None]] = []
        self._over: Optional[ClientError] = None
        self._is_closed = False
        # Those that go on over a lost connection, in the order of opening: what shows another one comes before it.
        self._living: List[View] = []
        self._views: Dict[int, View] = {}
        self._progress: Dict[int, _Progress] = {}
        self._last_token = 0

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *error: object) -> None:
        if any(error):
            await self._end("shutdown")
        else:
            await self.close()

    def __repr__(self) -> str:
        state = "connected" if self.is_connected else "away" if self._over is None else str(self._over)
        return f"<{type(self).__name__} of {self._place}: {state}; views: {len(self._living)}>"

    @property
    def is_connected(self) -> bool:
        """False while a lost connection is made again, and once it is over."""
        return self._over is None and self._is_connected.is_set()

    @property
    def is_silent(self) -> bool:
        """Whether the server doesn't answer: there is no connection, or it is of no use, and what is shown may be old."""
        return self._over is None and self._is_silent

    @property
    def stall(self) -> Optional[str]:
        """Why the server can't store anything now, in words, while something waits for that. It is done when it can."""
        if self._over is not None:
            return None
        return self._stall or next((view.stall for view in list(self._living) if view.stall is not None), None)

    @property
    def views(self) -> Tuple[View, ...]:
        """Those that haven't ended, in the order of opening."""
        return tuple(self._living)

    async def open(self, view_model: str, arguments: Any = None) -> View:
        """Opens a session with a view model of its own.

        `arguments` is what the json module takes, or anything with a `to_json()`. Where the client reconnects and the
        answer is lost, it is asked for again and gives the same session. (Servers of 1.0 that don't know of that open
        another one, and close the first after the resume window.)
        Raises ServerError: `UnknownViewModel`, or `InvalidParams` for arguments that don't fit; ConnectionLost.
        """
        view = View(self, view_model)
        params: Dict[str, Any] = {"viewModel": view_model, **view._name_of_client()}
        if arguments is not None:
            params["arguments"] = _to_json(arguments)
        if self._reconnects:
            params["once"] = secrets.token_urlsafe(24)
        try:
            await self._call_again("session/open", params, view._opened, "session/close")
        except BaseException:
            self._named.discard(view)
            raise
        return view

    async def attach(
        self, key: str, since: Optional[int] = None, *, epoch: Optional[str] = None, only_watch: bool = False
    ) -> View:
        """Adds a view to a session that runs: one that a view model shows, or another client's.

        Without `since` the view's first notification is a snapshot; with it the events after that number come, unless
        `epoch` (a view's, kept with its `seq`) names a history that the session no longer has. A view that will
        `only_watch` has no name there, and what it sends all the same is lost with a connection.
        Raises ServerError: `UnknownSession`, or `ReplayUnavailable` where neither can be had.
        """
        view = View(self, "", key, is_named=not only_watch)
        params = {"key": key, **view._name_of_client(), **_place_in_history(since, epoch)}
        try:
            await self._call_again(
                "session/attach", params, lambda result: view._attached(result, since), "session/detach"
            )
        except BaseException:
            self._named.discard(view)
            raise
        return view

    async def describe(self, name: str) -> Dict[str, Any]:
        """The JSON Schemas of a view model: `arguments`, `viewEvent` and `viewModelEvent`, with their `$defs`."""
        description: Dict[str, Any] = await self._call_again("viewModel/describe", {"viewModel": name})
        return description

    async def close(self) -> None:
        """Ends the connection, and with it the sessions that nobody can come back to.

        Those that another client watches stay, and so do those of durable view models where the server has a store.
        It waits a second at most for the answers to events, as the end of `with` does where nothing is raised. The `send`
        of one that isn't answered by then raises ViewClosed, whose `dropped` has it.
        """
        await self._until_answered(lambda: self._living)
        await self._end("shutdown")

    async def leave(self) -> None:
        """Ends the connection. Its sessions stay, for clients that attach within the server's three minutes.

        It waits for answers as `close` does.
        """
        await self._until_answered(lambda: self._living)
        await self._end(None)

    async def _until_answered(self, views: Callable[[], Sequence[View]]) -> None:
        if self._is_closed:
            return
        # Tasks that have just been made to send come first.
        await asyncio.sleep(0)
        answers = [sending.answer for view in views() for sending in view._outgoing if not sending.answer.done()]
        if answers:
            await asyncio.wait(answers, timeout=_LEAVE_TIMEOUT)

    # Connecting.

    async def _start(self) -> Client:
        await self._dial()
        self._is_connected.set()
        self._keeper = asyncio.ensure_future(self._keep())
        return self

    async def _dial(self) -> _Wire:
        reader, writer, process = await self._place.dial()
        wire = _Wire(reader, writer, process, self._take, self._lost)
        params: Dict[str, Any] = {"protocolVersion": "1.2", "clientInfo": {"name": "view_model_client.py"}}
        if process is not None:
            params["processId"] = os.getpid()
        if self._token is not None:
            params["token"] = self._token
        try:
            result = await _in_time(wire.call("initialize", params), 10)
            hosted = result["capabilities"]["viewModels"]
            self.view_models = [view_model["name"] for view_model in hosted]
            named = [*hosted, *result["capabilities"].get("children", [])]
            self.types = {view_model["name"]: view_model["type"] for view_model in named if "type" in view_model}
            self.limits = result["limits"]
            self.keeps_durable = result["capabilities"].get("durable") is True
            wire.message_bytes = self.limits.get("messageBytes")
        except BaseException as error:
            await wire.close()
            if isinstance(error, asyncio.TimeoutError):
                raise ConnectionLost._silent(10) from error
            if isinstance(error, (KeyError, TypeError)):
                raise ConnectionLost("what answers there is no view model server") from error
            raise
        wire.watch(self._answer_timeout, self._heard_nothing, self._did_tell_stall, self._has_refusals)
        self._wire = wire
        return wire

    def _heard_nothing(self, wire: _Wire, error: Optional[ConnectionLost]) -> None:
        """A connection that can be made again is given up; another one is waited for, and None says that it is back."""
        if error is not None and self._reconnects:
            return wire.give_up(error)
        self._is_silent = error is not None
        self._changed()

    def _did_tell_stall(self, wire: _Wire, stall: Optional[str]) -> None:
        if wire is not self._wire:
            return
        if stall is None:
            for view in self._living:
                view._store_works()
        is_waiting = wire.is_waiting or self._has_refusals()
        self._set_stall(_stall_reason(stall) if stall is not None and is_waiting else None)

    def _has_refusals(self) -> bool:
        """Whether something waits to be asked again."""
        return any(view._refusal is not None for view in self._living)

    def _set_stall(self, stall: Optional[str]) -> None:
        if stall != self._stall:
            self._stall = stall
            self._changed()

    async def _keep(self) -> None:
        """Waits until the connection is lost, and makes it again where that is wanted."""
        error: ClientError = ConnectionLost("the connection was closed")
        try:
            # Asked for, since before Python 3.12 `asyncio.wait_for` may swallow a cancellation.
            while self._wire is not None and not self._is_closed:
                error = await self._wire.until_lost()
                if not self._reconnects:
                    break
                await self._come_back()
        except ClientError as refusal:
            error = refusal
        except Exception as fault:
            _log.exception("the client can't go on")
            error = ConnectionLost(f"the client can't go on: {fault!r}")
        finally:
            self._finish(error)

    async def _come_back(self) -> None:
        """Raises ConnectionLost at the end of its patience, and ServerError where the server refuses the client."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._patience
        pause = 0.05
        while True:
            try:
                await self._restore()
                self._is_connected.set()
                self._is_silent = False
                self._stall = None
                self._changed()
                return
            except (ConnectionLost, ServerError) as error:
                self._is_silent = isinstance(error, ConnectionLost) and error.is_silent
                is_stall = isinstance(error, ServerError) and error.name == "StoreUnavailable"
                self._set_stall(_stall_reason(str(error)) if is_stall else None)
                after = error.retry_after if isinstance(error, ServerError) else 0
                if self._is_closed or after is None:
                    raise
                pause = max(pause, after)
                if clock() + pause > deadline:
                    raise ConnectionLost(f"{error} (tried again for {self._patience:g} s)") from error
                _log.info("%s; trying again in %g s", error, pause)
                await asyncio.sleep(pause)
                pause = min(pause * 2, 5)

    async def _restore(self) -> None:
        """Connects and attaches all views. Raises ServerError where it is refused, and then there is no connection."""
        wire = await self._dial()
        try:
            for view in list(self._living):
                await self._attach_again(view)
        except ServerError:
            await wire.close()
            raise
        wire.check()

    def _lost(self, error: ConnectionLost) -> None:
        # Once it is over, nobody may wait for another connection.
        if self._over is None:
            self._is_connected.clear()
        self._is_silent = error.is_silent
        self._stall = None
        self._views = {}
        for view in list(self._living):
            view._refusal = None
            self._end_ongoing(view)
            view._was_replaced = False
            if self._reconnects:
                view._is_attached.clear()
            else:
                view._end("connectionLost", error)
        self._changed()

    def _finish(self, error: ClientError) -> None:
        self._over = self._over or error
        for view in list(self._living):
            view._end("connectionLost", error)
        self._is_connected.set()
        self._changed()

    async def _end(self, method: Optional[str]) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        was_over, self._over = self._over, self._over or ConnectionLost("this client is closed")
        for view in list(self._living):
            view._end("closed" if method else "detached")
        self._is_connected.set()
        self._changed()
        for task in (self._keeper, *self._others):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        if self._wire is not None:
            if was_over is None:
                await self._say_goodbye(self._wire, method)
            await self._wire.close()

    @staticmethod
    async def _say_goodbye(wire: _Wire, method: Optional[str]) -> None:
        with contextlib.suppress(ClientError, asyncio.TimeoutError):
            if method is not None:
                await _in_time(wire.call(method), 5)
            wire.notify("exit")

    def _changed(self) -> None:
        if self._on_change is not None and not self._is_change_due:
            self._is_change_due = True
            # Not from here: it may call what has just called this, and what it raises is its own fault.
            asyncio.get_running_loop().call_soon(self._report_change, self._on_change)

    def _report_change(self, on_change: Callable[[], None]) -> None:
        self._is_change_due = False
        on_change()

    def _take_name(self, view: View) -> str:
        """The client's name, since a session keeps those of all who have numbered events.

        It belongs to one view at a time: a second view of what may be the same session gets a number behind it.
        """

        def may_be_same(one: str, other: str) -> bool:
            return not one or not other or one == other

        def shares(other: View) -> bool:
            if view.key:
                return may_be_same(view.key, other.key)
            return may_be_same(view.view_model, other.view_model)

        taken = {other._client_name for other in self._named if shares(other)}
        name, number = self._name, 1
        while name in taken:
            number += 1
            name = f"{self._name}.{number}"
        self._named.add(view)
        return name

    async def _connected(self) -> _Wire:
        await self._is_connected.wait()
        if self._over or self._wire is None:
            raise _anew(self._over or ConnectionLost("this client isn't connected"))
        return self._wire

    async def _call_again(
        self,
        method: str,
        params: Dict[str, Any],
        answered: Optional[Callable[[Any], None]] = None,
        undo: Optional[str] = None,
    ) -> Any:
        """Repeats the call where the connection was lost before the answer: for methods that may be called twice.

        `undo` is as in `_Wire.call`.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._patience
        while True:
            wire = await self._connected()
            try:
                return await wire.call(method, params, answered, undo)
            except ConnectionLost:
                # Not for ever, since the call itself may be the end of the server.
                if not self._reconnects or clock() > deadline:
                    raise

    # Attaching.

    async def _attach_again(self, view: View) -> None:
        """Goes on where the view was, or with a snapshot, or ends it where its session is gone.

        Raises ServerError where it may be tried again later.
        """
        params: Dict[str, Any] = {"key": view.key, **view._name_of_client()}
        wire = self._wire
        if wire is None or view.reason is not None:
            return
        for since in (view.seq, None):
            more = _place_in_history(since, view.epoch)
            try:
                await wire.call("session/attach", {**params, **more}, lambda result: view._attached(result, since))
                return
            except ServerError as error:
                if error.retry_after is not None:
                    raise
                if error.name != "ReplayUnavailable" or since is None:
                    view._end(error.name[0].lower() + error.name[1:], cause=error)
                    return

    def _attach_soon(self, view: View) -> None:
        async def attach() -> None:
            # Where the connection is lost meanwhile, the view is attached again with all others.
            with contextlib.suppress(ConnectionLost):
                while True:
                    try:
                        return await self._attach_again(view)
                    except ServerError as error:
                        view._did_refuse(error)
                        await asyncio.sleep(error.retry_after or 0)

        self._others = [task for task in self._others if not task.done()]
        self._others.append(asyncio.ensure_future(attach()))

    # Notifications.

    def _take(self, method: str, params: Dict[str, Any]) -> None:
        if method == "window/logMessage":
            levels = {1: logging.ERROR, 2: logging.WARNING, 3: logging.INFO}
            _log.log(levels.get(params.get("type", 4), logging.DEBUG), "%s", params.get("message"))
        elif method == "$/progress":
            self._progressed(params.get("token", 0), params.get("value") or {})
        else:
            view = self._views.get(params.get("session", 0))
            if view is not None:
                view._take(method, params)

    def _progressed(self, token: int, value: Dict[str, Any]) -> None:
        """Reports an `end` where a `begin` was reported."""
        progress = self._progress.get(token)
        if progress is None:
            return
        progress.has_begun = progress.has_begun or value.get("kind") == "begin"
        if value.get("kind") == "end":
            del self._progress[token]
        if progress.has_begun:
            # Not from here: what it raises is its own fault, and no reason to stop reading.
            asyncio.get_running_loop().call_soon(progress.report, value)

    def _end_ongoing(self, view: View) -> None:
        """The server says no more of work whose event it has answered."""
        for token, progress in list(self._progress.items()):
            if progress.goes_on_in is view:
                self._progressed(token, {"kind": "end"})


class View:
    """A view of a session; made by `Client.open` and `Client.attach`.

    What comes is kept until it is read, once, through `async for event in view`, `navigation_events()`,
    `notifications()` or `received()`. `seq`, `stack` and `presented` are those of what has come. An event that goes is
    `pending`, then `sent`, and in the end answered or `dropped`.

    `async with view` leaves the session at its end; `end_session` ends it.
    """

    def __init__(self, client: Client, view_model: str, key: str = "", is_named: bool = True) -> None:
        self.view_model = view_model
        self.key = key
        """By which any client may attach to the session."""
        self.seq = 0
        """The number of the newest notification."""
        self.epoch: Optional[str] = None
        """Which history the number is of: keep it with the number. None where the server doesn't say."""
        self.stack: Tuple[Shown, ...] = ()
        """The pushed children of this session, the bottom first."""
        self.presented: Optional[Shown] = None
        """The child that is presented over this session."""
        self.reason: Optional[str] = None
        """Why the view ended: `closed`, `popped`, `dismissed`, `failed`, `serverShutdown` or `replaced` (a newer view has the
        client's name) from the server, `detached` by `detach()`, `connectionLost`, or, when the connection was made again, `unknownSession` for one that was gone
        and `replayUnavailable` for one that can't be followed any more."""
        self.dropped: Tuple[Dropped, ...] = ()
        """The events that are given back, in their order; `send` has raised each, too. They weren't answered before the
        view ended, or the server doesn't know any more whether it took them."""
        self._client = client
        self._session = 0
        self._newest_at_first = 0
        self._ending: ClientError = ViewClosed("")
        self._error: Optional[ClientError] = None
        self._is_attached = asyncio.Event()
        self._was_replaced = False  # on this connection
        self._inbox = _Inbox()
        # By their names: those that were asked for, and every kind of event that may be of a list.
        self._lists: Dict[str, RowList[Any]] = {}
        # False where a list may have rows of which nobody has told this view.
        self._knows_lists = True
        # Of a snapshot that is read event by event.
        self._unread: Deque[Any] = collections.deque()
        # All that `send` waits for, in its order.
        self._outgoing: List[_Sending] = []
        self._posted = 0
        # A heap of those that have to be sent, with their places in that order; some may have been given up.
        self._unsent: List[Tuple[int, _Sending]] = []
        # Those that wait for their answers, given up or not, in the order of sending, and how many may do so.
        self._in_flight: Dict[_Sending, None] = {}
        self._length_in_flight = 0
        # How many refusals of a server whose store can't be reached say that it is too early to send again.
        self._rests = 0
        # Why something is asked again, where that is the server's store.
        self._refusal: Optional[str] = None
        # How many requests are unanswered, events and attachments aside.
        self._asked = 0
        self._window = _MAXIMUM_IN_FLIGHT
        self._places_of_dropped: List[int] = []
        # Events are numbered only where they may have to be sent again: a server keeps the name of who numbers.
        self._client_name = client._take_name(self) if client._reconnects and is_named else None
        self._last_number = 0
        # The highest number that the server had taken when the view was attached.
        self._handled = 0

    async def __aenter__(self) -> View:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Waits for answers as `Client.close` does, and for no connection: where it is lost, the view is gone as well."""
        wire = None
        try:
            if not any(error):
                await self._client._until_answered(lambda: [self])
            wire = self._client._wire
            if self.reason is None and self._is_attached.is_set() and wire is not None:
                with contextlib.suppress(ClientError, asyncio.TimeoutError):
                    await _in_time(wire.call("session/detach", {"session": self._session}), 5)
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
    def stall(self) -> Optional[str]:
        """Why what this view waits for isn't done, in words, where the server can't store anything now."""
        if self.reason is not None:
            return None
        stall = self._refusal or self._client._stall
        if stall is None or self._asked > 0 or not self._is_attached.is_set():
            return stall
        # A copy, since another thread may be looking.
        return stall if any(not sending.answer.done() for sending in list(self._outgoing)) else None

    @property
    def pending(self) -> Tuple[Any, ...]:
        """The events that wait to be sent: for room on the way, or for the connection."""
        return self._waiting(was_sent=False)

    @property
    def sent(self) -> Tuple[Any, ...]:
        """The events that were sent and aren't answered. While the client is away, they may have been handled."""
        return self._waiting(was_sent=True)

    async def send(self, event: Any, progress: Optional[Callable[[Dict[str, Any]], None]] = None) -> None:
        """Returns when the view model has handled it, and all that it said meanwhile has come.

        `event` is an object with a `kind`, or anything with a `to_json()` that makes one. `progress` is called with the
        `begin`, `report` and `end` of its handler, and after this has returned with those of the work that the handler
        started and that goes on; an `end` follows each `begin`, at the latest when the view is closed or the connection
        is lost. Who cancels this asks the view model to stop. While a client that
        reconnects is away, events wait and are sent when it is back, each once. Events that are sent side by side go in
        the order of the calls, and at once: none waits for the answer to another one.
        Raises ServerError: `ViewModelFailed`, `InvalidParams`, `LimitExceeded`, `RequestCancelled`, which has
        `is_superseded` where a newer event of its kind took its place; ViewClosed and
        ConnectionLost, whose `dropped` has the event, and whether it was sent; TypeError and ValueError for what is no
        JSON.
        """
        await self._answer(self._post(event, progress))

    def __aiter__(self) -> AsyncIterator[Any]:
        """The view model's events, in order, until the view is closed; a snapshot as its single events.

        Raises ConnectionLost, at the end, where that is why it ended.
        """
        return _Stream(self._next_event)

    def navigation_events(self) -> AsyncIterator[Union[Navigation, Screen]]:
        """Children that are pushed, presented and taken off again, until the view is closed."""
        return _Stream(self._next_navigation)

    def notifications(self) -> AsyncIterator[Notification]:
        """All that comes, in its order, until the view is closed."""
        return _Stream(self._next)

    def received(self) -> List[Any]:
        """The view model's events that have come and weren't read yet, without waiting."""
        while True:
            item = self._inbox.take(navigation=False)
            if item is None:
                break
            self._unread.extend(self._events_in(self._read(item)))
        events = list(self._unread)
        self._unread.clear()
        return events

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
        rows = self._list_called(name)
        rows._is_used = True
        rows._read = read or rows._read
        rows._id = id or rows._id
        return rows

    async def back(self) -> None:
        """Leaves this session, as with a back button, if its view model lets go.

        Raises ServerError, whose `refused` says in words why it doesn't.
        """
        await self._call_again("navigation/back")

    async def detach(self) -> None:
        """Ends this view; the session goes on, for others, or for whoever attaches before the server ends it."""
        await self._leave("session/detach", "detached")

    async def end_session(self) -> None:
        """Ends the session for everyone, and removes what is stored of it; nothing happens where it has ended."""
        await self._leave("session/close", "closed")

    # Attaching.

    def _name_of_client(self) -> Dict[str, Any]:
        return {} if self._client_name is None else {"client": self._client_name}

    def _opened(self, result: Dict[str, Any]) -> None:
        self.key = result["key"]
        if "seq" not in result:
            self.epoch = result.get("epoch")
            return self._begin(result)
        # It was there before. Only the answer to an attachment says which numbers of events this name has used there.
        self._attached(result, None)
        if self._client_name is not None and "handled" not in result:
            self._is_attached.clear()
            self._client._views.pop(self._session, None)
            self._client._attach_soon(self)

    def _attached(self, result: Dict[str, Any], since: Optional[int]) -> None:
        self.view_model = result["viewModel"]
        self.epoch = result.get("epoch")
        if not self._session:
            self._newest_at_first = result["seq"]
        if self._client_name is not None:
            self._last_number = self._handled = result.get("handled", 0)
            if "handled" not in result:
                self._give_back_doubtful()
            self._renumber()
        snapshot = result.get("snapshot")
        if snapshot is not None:
            self.seq = result["seq"]
            self._show_lists(snapshot)
            self._inbox.put(Snapshot(self.seq, tuple(snapshot)))
        elif since is not None:
            if not self._session:
                self._knows_lists = since == 0
            self.seq = since
        shown = result.get("navigation") or {"stack": [], "presented": None}
        stack = tuple(_shown(child) for child in shown["stack"])
        presented = _shown(shown["presented"]) if shown["presented"] else None
        if (stack, presented) != (self.stack, self.presented):
            self.stack, self.presented = stack, presented
            self._inbox.put(Screen(self.seq, stack, presented))
        self._begin(result)

    def _give_back_doubtful(self) -> None:
        """The server doesn't know this client any more: what it may have taken isn't sent again."""
        for sending in list(self._outgoing):
            # Those that were refused have no number, and those on their way get their answers.
            if sending.number and sending.wire is None:
                self._drop(sending, ConnectionLost("the server doesn't know any more whether it took this event"))

    def _begin(self, result: Dict[str, Any]) -> None:
        if self.reason is not None:
            return
        self._session = result["session"]
        self._store_works()
        self._client._views[self._session] = self
        if self not in self._client._living:
            self._client._living.append(self)
        self._is_attached.set()
        self._flush()

    def _did_refuse(self, error: ServerError) -> None:
        """What it refuses is asked again."""
        if error.name == "StoreUnavailable" and self._refusal != _stall_reason(error.message):
            self._refusal = _stall_reason(error.message)
            self._client._changed()

    def _store_works(self) -> None:
        """What was refused waits for something else, unless it is to be asked again."""
        if self._refusal is not None and not self._rests:
            self._refusal = None
            self._client._changed()
            if self._client._wire is not None:
                self._client._wire.check_stall()

    @contextlib.contextmanager
    def _asking(self) -> Iterator[None]:
        self._asked += 1
        try:
            yield
        finally:
            self._asked -= 1
            if self._client._stall is not None or self._refusal is not None:
                self._client._changed()

    def _end(
        self, reason: str, error: Optional[ClientError] = None, cause: Optional[ServerError] = None
    ) -> None:
        """`error` is raised at the end of the events; without it they just end."""
        if self.reason is not None:
            return
        self.reason, self._error = reason, error
        self._ending = error or ViewClosed(reason)
        if cause is not None:
            self._ending.__cause__ = cause
        self._client._end_ongoing(self)
        self._client._views.pop(self._session, None)
        self._client._named.discard(self)
        if self in self._client._living:
            self._client._living.remove(self)
        self._is_attached.set()
        # Before anybody learns of the end. An event on its way is answered, or lost with its connection.
        for sending in self._outgoing:
            if not sending.is_on_its_way:
                self._drop(sending, self._ending)
        if self.dropped and reason not in ("closed", "detached"):
            few = "; ".join(map(str, self.dropped[:3])) + ("; …" if len(self.dropped) > 3 else "")
            _log.warning("the view of %s ended: %s; %d unanswered: %s", self.view_model, reason, len(self.dropped), few)
        self._unsent.clear()
        self._inbox.news.set()

    def _check_open(self) -> None:
        if self.reason is not None:
            raise _anew(self._ending)

    async def _wire(self) -> _Wire:
        await self._is_attached.wait()
        self._check_open()
        wire = self._client._wire
        if wire is None:
            raise ConnectionLost("this client isn't connected")
        return wire

    async def _call_again(self, method: str) -> None:
        """Calls once more where the connection was lost before the answer came."""
        wire = await self._wire()
        while True:
            try:
                with self._asking():
                    await wire.call(method, {"session": self._session})
                return
            except ConnectionLost:
                if not self._client._reconnects:
                    raise
            try:
                wire = await self._wire()
            except ViewClosed:
                # The answer was lost, and what it was about has happened.
                return

    async def _leave(self, method: str, reason: str) -> None:
        if self.reason is not None:
            return
        try:
            await self._call_again(method)
        except ServerError as error:
            if error.name != "UnknownSession":
                raise
        except ViewClosed:
            return
        self._end(reason)

    # Incoming messages.

    def _take(self, method: str, params: Dict[str, Any]) -> None:
        if method == "session/closed":
            reason = params.get("reason", "closed")
            # By what this client sent on a connection that it gave up, and came late. The second time it is another client.
            is_late = reason == "replaced" and not self._was_replaced
            self._was_replaced = self._was_replaced or is_late
            if reason != "overflow" and not is_late:
                return self._end(reason)
            self._client._end_ongoing(self)
            self._is_attached.clear()
            self._client._views.pop(self._session, None)
            return self._client._attach_soon(self)
        if method != "viewModel/event" and method not in _NAVIGATION:
            return
        seq = params["seq"]
        if seq <= self.seq:
            return
        if params.get("after", seq - 1) != self.seq:
            # Ends the connection: with `since` the next one brings what is missing.
            raise ValueError(f"number {seq} came after {self.seq}")
        self.seq = seq
        if method == "viewModel/event":
            rows = self._list_of(params["event"])
            if rows is not None:
                rows._take(seq, params["event"])
            key = rows.name if rows is not None and rows._is_used else None
            self._inbox.put(Event(seq, params["event"], params.get("more", False)), key)
        else:
            self._navigate(_NAVIGATION[method], seq, params)

    def _list_of(self, event: Any) -> Optional[RowList[Any]]:
        """The list whose event this is, or may be: which they are is known only once they are asked for."""
        kind = event.get("kind") if isinstance(event, dict) else None
        if not isinstance(kind, str) or not _is_index(event.get("count")):
            return None
        return self._list_called(kind)

    def _list_called(self, name: str) -> RowList[Any]:
        if name not in self._lists:
            self._lists[name] = RowList(self, name)
        return self._lists[name]

    def _show_lists(self, snapshot: Sequence[Any]) -> None:
        self._knows_lists = True
        told = {}
        for event in snapshot:
            rows = self._list_of(event)
            if rows is not None:
                told[rows.name] = event
        # A copy, since listeners may ask for another one.
        for name, rows in list(self._lists.items()):
            rows._begin_anew(self.seq, told.get(name, {"count": 0}))

    def _navigate(self, kind: str, seq: int, params: Dict[str, Any]) -> None:
        key = params["key"]
        child = Shown(params.get("viewModel", ""), key)
        if kind == "push":
            self.stack += (child,)
        elif kind == "present":
            self.presented = child
        elif kind == "pop":
            child = next((one for one in self.stack if one.key == key), child)
            self.stack = tuple(one for one in self.stack if one.key != key)
        elif self.presented is not None and self.presented.key == key:
            child, self.presented = self.presented, None
        self._inbox.put(Navigation(seq, kind, child.view_model, key))

    async def _next(self, events: bool = True, navigation: bool = True) -> Notification:
        while True:
            item = self._inbox.take(events, navigation)
            if item is not None:
                return self._read(item)
            if self.reason is None:
                await self._inbox.wait()
            elif self._error is not None:
                raise _anew(self._error)
            else:
                raise StopAsyncIteration

    async def _next_event(self) -> Any:
        while not self._unread:
            self._unread.extend(self._events_in(await self._next(navigation=False)))
        return self._unread.popleft()

    async def _next_navigation(self) -> Union[Navigation, Screen]:
        while True:
            item = await self._next(events=False)
            if isinstance(item, (Navigation, Screen)):
                return item

    @staticmethod
    def _events_in(item: Notification) -> Sequence[Any]:
        if isinstance(item, Snapshot):
            return item.events
        # A kind of event that the types don't know is passed over.
        return [item.event] if isinstance(item, Event) and item.event is not None else []

    def _read(self, item: Notification) -> Notification:
        """With events of the contract's types; None where they don't know it."""
        reader = self._client._readers.get(self.view_model)
        if reader is None:
            return item
        if isinstance(item, Event):
            return Event(item.seq, _read_event(reader, item.event), item.more)
        if isinstance(item, Snapshot):
            events = [_read_event(reader, event) for event in item.events]
            return Snapshot(item.seq, tuple(event for event in events if event is not None))
        return item

    # Outgoing messages.

    def _post(self, event: Any, progress: Optional[Callable[[Dict[str, Any]], None]] = None) -> _Sending:
        if self.reason is not None:
            raise _anew(self._ending, (Dropped(event, was_sent=False),))
        # A copy, since it may wait for long, and its object may be changed meanwhile.
        text = json.dumps(_to_json(event), allow_nan=False)
        sending = _Sending(event, json.loads(text), len(text), asyncio.get_running_loop().create_future())
        if progress is not None:
            self._client._last_token += 1
            sending.token = self._client._last_token
            self._client._progress[sending.token] = _Progress(progress)
        self._posted += 1
        sending.place = self._posted
        self._outgoing.append(sending)
        self._client._changed()
        self._put_back(sending)
        return sending

    async def _answer(self, sending: _Sending) -> None:
        try:
            await sending.answer
        except asyncio.CancelledError:
            sending.cancel()
            raise
        finally:
            self._outgoing.remove(sending)
            if sending.token is not None and not sending.progress_goes_on:
                self._client._progressed(sending.token, {"kind": "end"})
            self._client._changed()

    def _waiting(self, was_sent: bool) -> Tuple[Any, ...]:
        # A copy, since another thread may be looking.
        waiting = [sending for sending in list(self._outgoing) if not sending.answer.done()]
        return tuple(sending.event for sending in waiting if sending.was_sent == was_sent)

    def _drop(self, sending: _Sending, error: ClientError) -> None:
        """Gives the event back, in the error that its `send` raises and in `dropped`."""
        if not sending.answer.done():
            dropped = (Dropped(sending.event, sending.was_sent),)
            # Those on their way come later than those behind them.
            index = bisect.bisect(self._places_of_dropped, sending.place)
            self._places_of_dropped.insert(index, sending.place)
            self.dropped = self.dropped[:index] + dropped + self.dropped[index:]
            sending.fail(_anew(error, dropped))

    def _flush(self) -> None:
        """Sends what there is to send, in its order and as far as there is room on the way.

        It doesn't wait for the answers to the events before: the newest may have to take the place of an older one,
        or to be handled beside it.
        """
        wire = self._client._wire
        if wire is None or not self._is_attached.is_set() or self.reason is not None or self._rests:
            return
        while self._unsent and wire.takes_more and not self._waits_for_refusals():
            _, sending = self._unsent[0]
            if not sending.answer.done() and not self._has_room(sending):
                return
            heapq.heappop(self._unsent)
            if not sending.answer.done():
                self._transmit(sending, wire)

    def _waits_for_refusals(self) -> bool:
        """Some on their way have to be sent once more, before all others, and haven't come back yet."""
        if not self._in_flight:
            return False
        # Behind one that found no room, all are refused. The newest has the highest number.
        if next(reversed(self._in_flight)).number > self._last_number:
            return True
        # Of those that were sent to an older view, the refused ones have their answers by now.
        oldest = next(iter(self._in_flight))
        return oldest.session != self._session and any(map(_Sending.is_answered, self._in_flight))

    def _has_room(self, sending: _Sending) -> bool:
        # Fewer than a session takes, since other views may send as well.
        window = min(self._window, self._client.limits.get("pendingEvents", 2 * _MAXIMUM_IN_FLIGHT) // 2)
        is_small = self._length_in_flight + sending.length <= _MAXIMUM_LENGTH_IN_FLIGHT
        return not self._in_flight or (len(self._in_flight) < window and is_small)

    def _transmit(self, sending: _Sending, wire: _Wire) -> None:
        params: Dict[str, Any] = {"session": self._session, "event": sending.json}
        if sending.token is not None:
            params["workDoneToken"] = sending.token
        number = 0
        if self._client_name is not None:
            # One that the server has taken keeps its number. It isn't applied again, but answered when that is done.
            was_taken = 0 < sending.number <= self._handled
            number = params["number"] = sending.number if was_taken else self._last_number + 1
        try:
            sending.id, answer = wire.start("view/event", params)
        except (ServerError, ValueError) as error:
            # It is too long, or has text that can't be written as UTF-8.
            return sending.fail(error.with_traceback(None))
        sending.wire, sending.request = wire, answer
        sending.session, sending.number, sending.was_sent = self._session, number, True
        self._last_number = max(self._last_number, number)
        self._in_flight[sending] = None
        self._length_in_flight += sending.length
        self._client._changed()
        asyncio.ensure_future(self._follow(sending, wire, answer))

    async def _follow(self, sending: _Sending, wire: _Wire, answer: asyncio.Future[Any]) -> None:
        error: Optional[ClientError] = None
        try:
            result = await answer
            progress = self._client._progress.get(sending.token or 0)
            # Not where the connection or the view has ended since: that ends it, too.
            is_current = wire._ending is None and self.reason is None
            if progress is not None and is_current and result.get("progress"):
                sending.progress_goes_on = True
                progress.goes_on_in = self
        except ClientError as failure:
            error = failure.with_traceback(None)
        finally:
            sending.wire = None
            del self._in_flight[sending]
            self._length_in_flight -= sending.length
        if not isinstance(error, ServerError) or error.name != "StoreUnavailable":
            self._store_works()
        if error is None:
            self._window = min(self._window + 1, _MAXIMUM_IN_FLIGHT)
            sending.succeed()
        elif isinstance(error, ServerError):
            self._refused(sending, error)
        elif self._client_name is None:
            # Without a number it might be applied twice.
            self._drop(sending, error if self.reason is None else self._ending)
        else:
            self._put_back(sending)
        if self.reason is not None:
            self._drop(sending, self._ending)
        self._flush()

    def _refused(self, sending: _Sending, error: ServerError) -> None:
        number = sending.number
        if error.name == "UnknownSession":
            # It was sent to a view that had ended for reading too slowly, and is sent to the one that is attached next.
            if self.reason is None and (not self._is_attached.is_set() or sending.session != self._session):
                if self._is_attached.is_set():
                    self._renumber()
                if number > self._handled:
                    sending.forget_number()
                return self._put_back(sending)
            # It waited or ran when the session ended, which this view may be told next.
            closed = ViewClosed(self.reason or "closed")
            closed.__cause__ = error
            return self._drop(sending, closed)
        if error._detail("path") == "/number" and number > self._last_number:
            # One before it found no room.
            sending.forget_number()
            return self._put_back(sending)
        if error.name == "StoreUnavailable" and error.retry_after is not None:
            # Neither it nor one behind it was taken: they are sent again, in their order.
            if number > self._handled:
                self._last_number = min(self._last_number, max(0, number - 1))
                sending.forget_number()
            self._rests += 1
            self._did_refuse(error)
            asyncio.get_running_loop().call_later(error.retry_after, self._go_on)
            return self._put_back(sending)
        limit = error._detail("limit") if error.name == "LimitExceeded" else error.name
        if limit not in _WITHOUT_NUMBER:
            return sending.fail(error)
        if 0 < number <= self._handled:
            # It was taken before a cut, and has only to be asked after.
            delay = error.retry_after or 0.1
            asyncio.get_running_loop().call_later(delay, self._put_back, sending)
            return
        # Its number is still to be used.
        self._last_number = min(self._last_number, max(0, number - 1))
        sending.forget_number()
        before = sum(other.place < sending.place for other in self._in_flight)
        if number and before and limit in ("pendingEvents", "pendingBytes"):
            # There is room when one of those before it is done.
            self._window = before
            return self._put_back(sending)
        sending.fail(error)

    def _go_on(self) -> None:
        self._rests -= 1
        self._flush()

    def _put_back(self, sending: _Sending) -> None:
        if self.reason is None and not sending.answer.done():
            heapq.heappush(self._unsent, (sending.place, sending))
            self._flush()

    def _renumber(self) -> None:
        """Events that the server hasn't taken are as good as not sent, and get other numbers."""
        for sending in self._outgoing:
            if sending.wire is None and sending.number > self._handled:
                sending.forget_number()


# Of a view's events; other clients may have views of its session.
_MAXIMUM_IN_FLIGHT = 256
# By these limits and errors a server refuses an event before it takes its number: there is no room, or it can't be read.
_WITHOUT_NUMBER = ("pendingEvents", "pendingBytes", "addressBytes", "messageValues", "ParseError", "InvalidRequest")

# Seconds for which who leaves waits for answers.
_LEAVE_TIMEOUT = 1.0
_MAXIMUM_LENGTH_IN_FLIGHT = 1 << 20

_NAVIGATION = {f"navigation/{kind}": kind for kind in ("push", "present", "pop", "dismiss")}


async def _in_time(awaitable: Awaitable[_T], seconds: float) -> _T:
    """As `asyncio.wait_for`, which before Python 3.12 swallows a cancellation that comes in the moment of the end."""
    task = asyncio.ensure_future(awaitable)
    try:
        await asyncio.wait([task], timeout=seconds)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait([task])
        raise
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.wait([task])
    try:
        return task.result()
    except asyncio.CancelledError as error:
        raise asyncio.TimeoutError() from error


def _place_in_history(since: Optional[int], epoch: Optional[str]) -> Dict[str, Any]:
    """Where a view goes on: at a number of a history, which another one may have taken the place of."""
    if since is None:
        return {}
    return {"since": since} if epoch is None else {"since": since, "epoch": epoch}


def _shown(child: Mapping[str, str]) -> Shown:
    return Shown(child["viewModel"], child["key"])


def _to_json(value: Any) -> Any:
    return value.to_json() if hasattr(value, "to_json") else value


def _read_event(reader: Callable[[Any], Any], event: Any) -> Any:
    try:
        return reader(event)
    except ValueError as error:
        # The contract's own class, which this module can't import.
        if any(kind.__name__ == "UnknownCase" for kind in type(error).__mro__):
            return None
        raise


@dataclass(eq=False)
class _Progress:
    """Of a view event, until its end is reported."""

    report: Callable[[Dict[str, Any]], None]
    has_begun: bool = False
    # The view, once the event is answered.
    goes_on_in: Optional[View] = None


@dataclass(eq=False)
class _Sending:
    """A view event on its way."""

    event: Any
    json: Any
    length: int
    answer: asyncio.Future[None]
    token: Optional[int] = None
    # Under which it was sent, and may have been taken; 0 where it has none.
    number: int = 0
    was_sent: bool = False
    progress_goes_on: bool = False
    # Among all that was given to its view.
    place: int = 0
    # Of the request that waits for its answer.
    wire: Optional[_Wire] = None
    request: Optional[asyncio.Future[Any]] = None
    id: int = 0
    session: int = 0

    @property
    def is_on_its_way(self) -> bool:
        return self.wire is not None and self.wire.is_open

    def succeed(self) -> None:
        if not self.answer.done():
            self.answer.set_result(None)

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)

    def is_answered(self) -> bool:
        return self.request is not None and self.request.done()

    def forget_number(self) -> None:
        """The server hasn't taken it."""
        self.number, self.was_sent = 0, False

    def cancel(self) -> None:
        if self.wire is not None:
            self.wire.cancel(self.id)


class _Stream(AsyncIterator[_T]):
    """Goes on after a wait that was cancelled, as a generator doesn't."""

    def __init__(self, next: Callable[[], Awaitable[_T]]) -> None:
        self._next = next

    async def __anext__(self) -> _T:
        return await self._next()


class _Inbox:
    """Unread messages of a view. Events and navigation may be read separately, and so are kept separately."""

    def __init__(self) -> None:
        self.news = asyncio.Event()
        self._events: collections.OrderedDict[int, Notification] = collections.OrderedDict()
        self._navigation: collections.OrderedDict[int, Notification] = collections.OrderedDict()
        self._count = 0
        # Of the newest with each key.
        self._places: Dict[str, int] = {}

    def put(self, item: Notification, key: Optional[str] = None) -> None:
        """With a key it takes the place of the unread one with the same key, as a list's event may."""
        self._count += 1
        if key is not None and isinstance(item, Event):
            if self._events.pop(self._places.get(key, 0), None) is not None:
                # Those changes come after others that nobody will read.
                event = {name: value for name, value in item.event.items() if name != "changes"}
                item = Event(item.seq, event, item.more)
            self._places[key] = self._count
        lane = self._events if isinstance(item, (Event, Snapshot)) else self._navigation
        lane[self._count] = item
        self.news.set()

    def take(self, events: bool = True, navigation: bool = True) -> Optional[Notification]:
        """The first unread message of these kinds."""
        lanes = [lane for lane, wanted in ((self._events, events), (self._navigation, navigation)) if wanted and lane]
        return min(lanes, key=lambda lane: next(iter(lane))).popitem(last=False)[1] if lanes else None

    async def wait(self) -> None:
        """Until something came since the last look; it may be nothing that is asked for."""
        self.news.clear()
        await self.news.wait()


# Lists.


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


@dataclass(frozen=True)
class ListChange:
    """What has become of a list, for its listeners."""

    count: int
    """How many rows it has now."""
    edits: Optional[Tuple[ListEdit, ...]]
    """In order; each counts in the list as those before have left it. None where any row may be another, and empty
    where the list is as it was, and rows of it have come, or `RowList.error`."""


class RowList(Generic[_Row]):
    """A list of a view model, of any length; made by `View.list`.

    `count`, and the rows that are there, are those of what has come: never rows of one number under the count of
    another one. The list keeps those near what it was asked for last, a few thousand at most.

    `async for row in rows` gives all rows, and follows the list where that changes meanwhile: rows that go before their
    turn don't come, and those that are new come where they stand behind the row that came last. So each row that is
    there all the time comes once, as it is in its turn; only one that moves may come twice or not at all. Raises
    ListChanged where the list changes and nothing says which rows stayed.
    """

    def __init__(self, view: View, name: str) -> None:
        self.name = name
        self.error: Optional[ClientError] = None
        """Why the rows that `show` asked for don't come; it is tried again at the next change or `show`."""
        self._view = view
        self._is_used = False
        self._read: Callable[[Any], _Row] = _as_it_is
        self._id = "id"
        # Of the newest event or answer that is in it.
        self._seq = 0
        self._rows = _Rows()
        self._is_known = view._knows_lists
        self._readings: weakref.WeakSet[_Reading] = weakref.WeakSet()
        self._listeners: Tuple[Callable[[ListChange], None], ...] = ()
        # Both as (first, end).
        self._window: Optional[Tuple[int, int]] = None
        self._last_asked = (0, 0)
        self._fetching: Optional[asyncio.Task[None]] = None
        self._fetched = (0, 0)
        self._selected_index: Optional[int] = None
        self._selected_id: Any = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} of {self._view.view_model}: {self.count} rows>"

    @property
    def count(self) -> int:
        """How many rows the list has; 0 before anything was told of it."""
        return self._rows.count

    def __len__(self) -> int:
        return self.count

    def row(self, index: int) -> Optional[_Row]:
        """The row, or None while it isn't there."""
        row = self._rows.row(index)
        return None if row is None else self._read(row)

    async def rows(self, first: int, count: int) -> List[_Row]:
        """The rows from `first` on, so many of them or as many as there are; from the server where they aren't here.

        All are as the list is when this returns. Of many, some come after others, and where the list changes meanwhile
        and nothing says which rows stayed, all are asked for once more.
        Raises ServerError, `InvalidParams` where there is no such list, or `ViewModelFailed` for rows that are made on
        demand; ViewClosed and ConnectionLost.
        """
        if first < 0 or count <= 0:
            return []
        end, reading, was_asked = first + count, self._begin_reading(self._rows), False
        self._last_asked = (first, min(end, first + _MAXIMUM_ROWS))
        while True:
            gap = reading.rows.gap(first, end)
            if gap is None and (was_asked or end <= reading.rows.count):
                return [self._read(row) for row in reading.rows.between(first, end)]
            await self._ask(gap or (first, end), reading)
            was_asked = True

    def __aiter__(self) -> AsyncIterator[_Row]:
        return _Stream(_RowStream(self).next)

    def show(self, first: int, count: int) -> None:
        """Has these rows here from now on, a thousand at most, and as many before and behind them.

        It doesn't wait: what isn't here, or is here no longer when the list has changed, is asked for, and listeners
        are told when it has come.
        """
        first = max(0, first)
        self._window = (first, first + min(max(0, count), _MAXIMUM_ROWS // 4))
        self.error = None
        self._keep_bounded()
        start, end = self._fetched
        if self._fetching is not None and not (start < self._window[1] and end > first):
            # Nobody looks there any more.
            self._fetching.cancel()
            self._fetching = None
        self._look()

    def on_change(self, listener: Callable[[ListChange], None]) -> Callable[[], None]:
        """Calls `listener` once for each event of the list, when it is in it, and for each answer with rows.

        The list is meanwhile as that change has left it. Returns a function that ends it.
        """
        # Another object each time, since one function may listen twice.
        one = functools.partial(listener)
        self._listeners += (one,)

        def end() -> None:
            self._listeners = tuple(other for other in self._listeners if other is not one)

        return end

    # Selection.

    @property
    def selected_id(self) -> Any:
        """What the selected row is known by; None where no row is selected, or rows have no identity."""
        return self._selected_id

    @property
    def selected_index(self) -> Optional[int]:
        """Where the selected row stands; None where no row is, or it isn't among those that are known."""
        return self._selected_index

    def select(self, index: int) -> None:
        """Selects a row. It stays selected wherever it goes: if it goes and comes back, too, where it has an id."""
        self._selected_index, self._selected_id = index, None
        self._follow_selected(())

    def select_id(self, id: Any) -> None:
        """Selects the row that is known by this, wherever it is."""
        self._selected_index, self._selected_id = None, id
        self._follow_selected(())

    def deselect(self) -> None:
        self._selected_index = self._selected_id = None

    def _follow_selected(self, edits: Optional[Tuple[ListEdit, ...]]) -> None:
        index = self._selected_index
        for edit in edits or ():
            if index is None:
                break
            moved = edit._moved(index)
            if moved is None and self._selected_id is None and index < edit.at + edit.inserted:
                # An update, as far as anybody can know.
                moved = index
            index = moved
        if edits is None:
            index = None
        row = None if index is None else self._rows.row(index)
        if self._selected_id is None:
            self._selected_id = self._id_of(row)
        elif index is None or (row is not None and self._id_of(row) != self._selected_id):
            index = self._rows.find(lambda row: bool(self._id_of(row) == self._selected_id))
        self._selected_index = index

    def _id_of(self, row: Any) -> Any:
        return row.get(self._id) if isinstance(row, dict) else None

    # Incoming messages.

    def _take(self, seq: int, event: Dict[str, Any]) -> None:
        # An answer may have told it before.
        if seq > self._seq:
            self._change(seq, event, self._edits_in(event))

    def _begin_anew(self, seq: int, event: Dict[str, Any]) -> None:
        """There is a snapshot, with this event."""
        if self._is_known and self.count == event["count"] == 0:
            self._follow(seq, 0, ())
        else:
            self._change(seq, event, None)

    def _change(self, seq: int, event: Dict[str, Any], edits: Optional[Tuple[ListEdit, ...]]) -> None:
        self._follow(seq, event["count"], edits)
        first: Any = event.get("first")
        rows = event.get("rows")
        if _is_index(first) and isinstance(rows, list):
            self._fill(first, rows, self._readings)
        self._did_change(edits)

    def _edits_in(self, event: Dict[str, Any]) -> Optional[Tuple[ListEdit, ...]]:
        """None where there are none, or they don't make the event's count of what is known."""
        changes, count = event.get("changes"), self.count
        if not isinstance(changes, list):
            return None
        edits = []
        for change in changes:
            if not isinstance(change, dict):
                return None
            numbers: List[Any] = [change.get(name) for name in ("at", "removed", "inserted")]
            if not all(map(_is_index, numbers)):
                return None
            edit = ListEdit(*numbers)
            if edit.at + edit.removed > count:
                return None
            count += edit.inserted - edit.removed
            edits.append(edit)
        return tuple(edits) if count == event["count"] else None

    def _answered(self, answer: Dict[str, Any], reading: Optional[_Reading]) -> bool:
        """False where the answer is older than what is known."""
        seq, count, first, rows = (answer[name] for name in ("seq", "count", "first", "rows"))
        if not (_is_index(seq) and _is_index(count) and _is_index(first) and isinstance(rows, list)):
            raise ValueError(f"no rows of a list: {answer}"[:200])
        if seq < self._seq:
            return False
        # Of what happened before it was attached, a view may have been told nothing.
        is_new = not self._is_known or seq > self._view.seq or count != self.count
        edits = None if is_new else ()
        self._follow(seq, count, edits)
        self._fill(first, rows, [] if reading is None else [reading])
        if edits is None or rows:
            self._did_change(edits)
        return True

    def _follow(self, seq: int, count: int, edits: Optional[Tuple[ListEdit, ...]]) -> None:
        self._seq, self._is_known = seq, True
        self._rows = self._rows.edited(edits, count)
        for reading in self._readings:
            reading.follow(edits, count)

    def _fill(self, first: int, rows: List[Any], readings: Iterable[_Reading]) -> None:
        self._rows = self._rows.filled(first, rows)
        for reading in readings:
            reading.rows = reading.rows.filled(first, rows)

    def _did_change(self, edits: Optional[Tuple[ListEdit, ...]]) -> None:
        self._follow_selected(edits)
        self._keep_bounded()
        if edits is None or edits:
            self.error = None
        self._look()
        self._tell(edits)

    def _tell(self, edits: Optional[Tuple[ListEdit, ...]]) -> None:
        change = ListChange(self.count, edits)
        for listener in self._listeners:
            try:
                listener(change)
            except Exception as error:
                # Its own fault, and no reason to stop reading.
                context = {"message": f"a listener of the list {self.name} failed", "exception": error}
                asyncio.get_running_loop().call_exception_handler(context)

    def _keep_bounded(self) -> None:
        first, end = self._window or self._last_asked
        ahead = end - first if self._window else 0
        self._rows = self._rows.near(first - ahead, end + ahead, _MAXIMUM_ROWS)

    # Requests.

    def _begin_reading(self, rows: _Rows) -> _Reading:
        reading = _Reading(rows)
        self._readings.add(reading)
        return reading

    async def _ask(self, wanted: Tuple[int, int], reading: Optional[_Reading] = None) -> None:
        """Fills in some of the rows, the first at least; asks again where the connection is lost before the answer."""
        client, view, (first, end) = self._view._client, self._view, wanted
        clock = asyncio.get_running_loop().time
        deadline = clock() + client._patience
        is_right = has_none = False
        params = {"list": self.name, "first": first, "count": min(end - first, client.limits.get("rows", 1000))}

        def answered(answer: Dict[str, Any]) -> None:
            nonlocal is_right, has_none
            # As it was then: more may be known when this goes on.
            has_none = not answer["rows"] and first < answer["count"]
            # Not from a view that ended for reading too slowly.
            if view._is_attached.is_set() and view._session == session:
                is_right = self._answered(answer, reading)

        while not is_right:
            wire, session = await view._wire(), view._session
            try:
                with view._asking():
                    await wire.call("session/rows", {"session": session, **params}, answered)
            except ConnectionLost:
                # Not for ever, since the call itself may be the end of the server.
                if not client._reconnects or clock() > deadline:
                    raise
            except ServerError as error:
                if error.name != "UnknownSession":
                    raise
                if view.reason is not None or (view._is_attached.is_set() and view._session == session):
                    raise ViewClosed(view.reason or "closed") from error
        if has_none:
            raise ClientError(f"the server sends no row of {self.name} from {first} on; is that one too long?")

    def _look(self) -> None:
        """Asks for rows that are shown, or near, and aren't here."""
        if self._fetching is None and self._view.reason is None and self.error is None and self._missing() is not None:
            self._fetching = asyncio.ensure_future(self._fetch())

    def _missing(self) -> Optional[Tuple[int, int]]:
        if self._window is None or self._window[0] == self._window[1]:
            return None
        first, end = self._window
        ahead = end - first
        if not self._is_known:
            return first, end + ahead
        shown = self._rows.gap(first, end)
        if shown is not None:
            return self._rows.gap(shown[0], end + ahead)
        # Not for each row that is scrolled by.
        is_near = self._rows.gap(first - ahead // 2, end + ahead // 2) is not None
        if not is_near:
            return None
        return self._rows.gap(end, end + ahead) or self._rows.gap(first - ahead, first)

    async def _fetch(self) -> None:
        try:
            while True:
                missing = self._missing()
                if missing is None:
                    return
                self._fetched = missing
                try:
                    await self._ask(missing)
                except ServerError as error:
                    if error.retry_after is None:
                        raise
                    self._view._did_refuse(error)
                    with self._view._asking():
                        await asyncio.sleep(error.retry_after)
                else:
                    self._view._store_works()
        except ClientError as error:
            # Who waits for an answer or an event learns why a view ended.
            if self._view.reason is None:
                self.error = error.with_traceback(None)
                asyncio.get_running_loop().call_soon(self._tell, ())
        finally:
            if self._fetching is asyncio.current_task():
                self._fetching = None


_MAXIMUM_ROWS = 4000
_PAGE = 500


def _as_it_is(row: Any) -> Any:
    return row


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= sys.maxsize


@dataclass(eq=False)
class _Reading:
    """Rows that somebody gathers, and the place that it has come to, which the list's changes bring up to date."""

    rows: _Rows
    place: int = 0
    was_lost: bool = False

    def follow(self, edits: Optional[Tuple[ListEdit, ...]], count: int) -> None:
        self.rows = self.rows.edited(edits, count)
        self.was_lost = self.was_lost or edits is None
        for edit in edits or ():
            self.place = edit._place(self.place)


class _RowStream(Generic[_Row]):
    """All rows, by pages."""

    def __init__(self, rows: RowList[_Row]) -> None:
        self._list = rows
        self._reading = rows._begin_reading(_Rows())
        self._was_asked = False

    async def next(self) -> _Row:
        reading = self._reading
        while True:
            if reading.was_lost and reading.place:
                raise ListChanged(f"the list {self._list.name} changed, and nothing says which rows stayed")
            reading.was_lost = False
            row = reading.rows.row(reading.place)
            if row is not None or reading.rows.gap(reading.place, reading.place + 1) is None and self._was_asked:
                break
            # Those that have come aren't asked for again, and needn't be kept.
            reading.rows = _Rows(self._list.count)
            await self._list._ask((reading.place, reading.place + _PAGE), reading)
            self._was_asked = True
        if reading.place >= reading.rows.count:
            raise StopAsyncIteration
        reading.place += 1
        return self._list._read(row)


class _Rows:
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

    def edited(self, edits: Optional[Iterable[ListEdit]], count: int) -> _Rows:
        """As edits have left it, which fit; without them no row is known any more."""
        if edits is None:
            return _Rows(count)
        spans = self._spans
        for edit in edits:
            spans = self._cut(spans, edit.at, edit.at + edit.removed, edit.inserted - edit.removed)
        return _Rows(count, self._joined(spans))

    def filled(self, first: int, rows: Sequence[Any]) -> _Rows:
        """With rows from `first` on; those beyond the end are left out."""
        more = tuple(rows[: max(0, self.count - first)])
        if not more:
            return self
        spans = [*self._cut(self._spans, first, first + len(more)), (first, more)]
        return _Rows(self.count, self._joined(sorted(spans, key=lambda span: span[0])))

    def near(self, first: int, end: int, bound: int) -> _Rows:
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
        return _Rows(self.count, spans)

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


# The connection.


@dataclass(frozen=True)
class _Place:
    """Where a server is."""

    command: Optional[Sequence[str]] = None
    tcp: Optional[str] = None
    unix: Optional[str] = None

    # A message may be as long as a line gets; the server sets its own bounds.
    LINE_BYTES = 1 << 30

    def __str__(self) -> str:
        # A command's arguments may be secret.
        return self.command[0] if self.command else self.unix or self.tcp or ""

    async def dial(
        self,
    ) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter, Optional[asyncio.subprocess.Process]]:
        try:
            if self.command is not None:
                pipe = asyncio.subprocess.PIPE
                process = await asyncio.create_subprocess_exec(
                    *self.command, stdin=pipe, stdout=pipe, limit=self.LINE_BYTES
                )
                assert process.stdin is not None and process.stdout is not None
                return process.stdout, process.stdin, process
            if self.unix is not None:
                opening = asyncio.ensure_future(asyncio.open_unix_connection(self.unix, limit=self.LINE_BYTES))
            else:
                host, port = self.host_and_port(self.tcp or "")
                opening = asyncio.ensure_future(asyncio.open_connection(host, port, limit=self.LINE_BYTES))
            try:
                reader, writer = await _in_time(opening, 10)
            except asyncio.CancelledError:
                # Given up in the moment in which it was made.
                if not opening.cancelled() and opening.exception() is None:
                    opening.result()[1].close()
                raise
        except (OSError, asyncio.TimeoutError) as error:
            raise ConnectionLost(f"can't reach the server: {error or 'it does not answer'}") from error
        if self.tcp is not None:
            self.notice_silence(writer.get_extra_info("socket"))
        return reader, writer, None

    @staticmethod
    def host_and_port(text: str) -> Tuple[str, int]:
        """Of `127.0.0.1:7351`, `[::1]:7351` or `7351`."""
        host, _, port = text.rpartition(":")
        if not (port.isascii() and port.isdigit()):
            raise ValueError(f"no HOST:PORT: {text!r}")
        return host.strip("[]") or "127.0.0.1", int(port)

    @staticmethod
    def notice_silence(connection: socket.socket) -> None:
        """So that a network that is gone ends the connection within half a minute."""
        options = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 30_000}
        # One that the other side has ended already has no options any more: who reads from it learns that.
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for name, value in options.items():
                option = getattr(socket, name, None)
                if option is not None:
                    connection.setsockopt(socket.IPPROTO_TCP, option, value)


@dataclass(eq=False)
class _Call:
    """A request that waits for its answer."""

    answer: asyncio.Future[Any]
    answered: Optional[Callable[[Any], None]]
    undo: Optional[str]


class _Wire:
    """JSON-RPC over one connection, one message a line, until it ends."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        process: Optional[asyncio.subprocess.Process],
        take: Callable[[str, Dict[str, Any]], None],
        lost: Callable[[ConnectionLost], None],
    ) -> None:
        self.message_bytes: Optional[int] = None
        self._reader, self._writer, self._process = reader, writer, process
        self._take_notification, self._tell_lost = take, lost
        self._calls: Dict[int, _Call] = {}
        # The pings among them, for which nobody waits.
        self._pings: Set[int] = set()
        self._last_id = 0
        self._complaint = ""
        self._ending: Optional[ConnectionLost] = None
        self._watch: Optional[_Watch] = None
        self._tell_stall: Callable[[_Wire, Optional[str]], None] = lambda *_: None
        self._has_refusals: Callable[[], bool] = lambda: False
        self._is_stalled = False
        self._reading = asyncio.ensure_future(self._read())

    @property
    def is_open(self) -> bool:
        return self._ending is None

    @property
    def is_waiting(self) -> bool:
        """Whether a request is unanswered."""
        return len(self._calls) > len(self._pings)

    def watch(
        self,
        delay: float,
        tell: Callable[[_Wire, Optional[ConnectionLost]], None],
        tell_stall: Callable[[_Wire, Optional[str]], None],
        has_refusals: Callable[[], bool],
    ) -> None:
        """Has `tell` called where the server doesn't answer, as `_Watch` says, and `tell_stall` with its answers.

        `has_refusals` says whether something waits to be asked again.
        """
        self._tell_stall, self._has_refusals = tell_stall, has_refusals
        if delay > 0:

            def is_waiting() -> bool:
                return self.is_waiting or has_refusals()

            loop = asyncio.get_running_loop()
            self._watch = _Watch(delay, loop, is_waiting, self._ping, lambda error: tell(self, error))

    def _ping(self) -> None:
        def answered(result: Any) -> None:
            stall = result.get("storeUnavailable") if isinstance(result, dict) else None
            self._is_stalled = isinstance(stall, str)
            self._tell_stall(self, stall if isinstance(stall, str) else None)

        self._pings.add(self._last_id + 1)
        _, answer = self.start("ping", answered=answered)
        answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())

    def give_up(self, error: ConnectionLost) -> None:
        self._end(error)

    @property
    def takes_more(self) -> bool:
        """False from the moment that writing fails, soon after which it ends."""
        return self._ending is None and not self._writer.is_closing()

    async def call(
        self,
        method: str,
        params: Optional[Dict[str, Any]] = None,
        answered: Optional[Callable[[Any], None]] = None,
        undo: Optional[str] = None,
    ) -> Any:
        """`answered` is called before anything that came after the answer is looked at.

        `undo` is the method that closes or detaches a session whose answer comes after the caller has given up.
        """
        id, answer = self.start(method, params, answered, undo)
        try:
            return await answer
        except asyncio.CancelledError:
            self.cancel(id)
            raise

    def start(
        self,
        method: str,
        params: Optional[Dict[str, Any]] = None,
        answered: Optional[Callable[[Any], None]] = None,
        undo: Optional[str] = None,
    ) -> Tuple[int, asyncio.Future[Any]]:
        self.check()
        self._last_id += 1
        self._write({"id": self._last_id, "method": method, "params": params or {}})
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        was_waiting = self.is_waiting
        self._calls[self._last_id] = _Call(answer, answered, undo)
        id = self._last_id
        if self._watch is not None and self.is_waiting and not was_waiting and not self._has_refusals():
            self._watch.asked()
        return id, answer

    def cancel(self, id: int) -> None:
        if id in self._calls:
            self.notify("$/cancelRequest", {"id": id})

    def notify(self, method: str, params: Optional[Dict[str, Any]] = None) -> None:
        if self._ending is None:
            self._write({"method": method, "params": params or {}})

    def check(self) -> None:
        """Raises ConnectionLost once it has ended."""
        if self._ending is not None:
            raise _anew(self._ending)

    async def until_lost(self) -> ConnectionLost:
        await asyncio.wait([self._reading])
        return self._ending or ConnectionLost("the connection was closed")

    async def close(self) -> None:
        """Ends it, once what was written has gone."""
        try:
            self._writer.close()
            await _in_time(self._writer.wait_closed(), 5)
        except asyncio.TimeoutError:
            self._writer.transport.abort()
        except OSError:
            pass
        if self._process is not None:
            await self._end_process(self._process)
        self._reading.cancel()
        await asyncio.wait([self._reading])

    @staticmethod
    async def _end_process(process: asyncio.subprocess.Process) -> None:
        for stop in (process.terminate, process.kill):
            try:
                await _in_time(process.wait(), 5)
                return
            except asyncio.TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    stop()
        await process.wait()

    def _write(self, message: Dict[str, Any]) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        line = text.encode()
        if self.message_bytes is not None and len(line) > self.message_bytes:
            # The server's own error, which it would send before it closed the connection.
            reason = f"a message of {len(line)} bytes; the server takes {self.message_bytes} at most"
            raise ServerError(-32015, reason, {"limit": "messageBytes"})
        self._writer.write(line + b"\n")

    async def _read(self) -> None:
        reason = "the connection was closed"
        cause: Optional[Exception] = None
        try:
            while True:
                line = await self._reader.readline()
                if not line.endswith(b"\n"):
                    reason = "the server ended the connection"
                    return
                if self._watch is not None:
                    self._watch.heard()
                self._take(json.loads(line))
        except (OSError, ValueError) as error:
            reason, cause = f"the connection broke: {error}", error
        except (AttributeError, KeyError, TypeError) as error:
            reason, cause = f"the server sent what is no message of the protocol: {error!r}", error
        finally:
            ending = ConnectionLost(f"{reason}: {self._complaint}" if self._complaint else reason)
            ending.__cause__ = cause
            self._end(ending)

    def _take(self, message: Any) -> None:
        if not isinstance(message, dict):
            raise ValueError(f"the server sent what is no message: {message!r}"[:200])
        id, method = message.get("id"), message.get("method")
        if method is None:
            self._take_answer(id, message)
        elif "id" not in message:
            self._take_notification(method, message.get("params") or {})
        elif method == "ping":
            self._write({"id": id, "result": None})
        else:
            self._write({"id": id, "error": {"code": -32601, "message": f"this client has no method {method!r}"}})

    def _take_answer(self, id: Any, message: Dict[str, Any]) -> None:
        error = message.get("error")
        if id is None and error is not None:
            # About a message that the server couldn't read, and mostly its last words.
            self._complaint = error.get("message", "")
            _log.error("the server says: %s", self._complaint)
        call = self._calls.get(id)
        if call is not None and not call.answer.done():
            if error is not None:
                call.answer.set_exception(ServerError(error["code"], error["message"], error.get("data")))
            else:
                if call.answered is not None:
                    call.answered(message.get("result"))
                call.answer.set_result(message.get("result"))
        elif call is not None and call.undo is not None and error is None:
            _, answer = self.start(call.undo, {"session": message["result"]["session"]})
            answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())
        # Not before: where that failed, the call fails with the connection.
        self._calls.pop(id, None)
        self._pings.discard(id)
        self.check_stall()

    def check_stall(self) -> None:
        """Where nothing waits for the store any more, nobody asks for it either: it is over."""
        if self._is_stalled and not self.is_waiting and not self._has_refusals():
            self._is_stalled = False
            self._tell_stall(self, None)

    def _end(self, ending: ConnectionLost) -> None:
        if self._ending is not None:
            return
        self._ending = ending
        if self._watch is not None:
            self._watch.stop()
        if not self._writer.is_closing():
            self._writer.transport.abort()
        self._tell_lost(ending)
        calls, self._calls = self._calls, {}
        for call in calls.values():
            if not call.answer.done():
                call.answer.set_exception(_anew(ending))
                # Nobody may be left who waits for it.
                call.answer.exception()


class _Clock(Protocol):
    """An event loop, as far as it tells the time."""

    def time(self) -> float: ...

    def call_later(self, delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle: ...


class _Watch:
    """Notices a server that stands still, and a connection that has lost its other end without being closed.

    While a request waits, the server is asked by a ping every `delay` seconds, whatever else comes, since what that says
    of its store must be known. Where nothing at all comes for twice as long, that is told; and, once, when something comes
    after all.
    """

    def __init__(
        self,
        delay: float,
        clock: _Clock,
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


def _stall_reason(message: str) -> str:
    """Why the server can't store anything now, for a sentence that says the rest."""
    prefix = "the store can't be used: "
    return message[len(prefix) :] if message.startswith(prefix) else message


# The library with blocking calls.


def connect_blocking(
    *,
    command: Optional[Sequence[str]] = None,
    tcp: Optional[str] = None,
    unix: Optional[str] = None,
    token: Optional[str] = None,
    reconnect: bool = False,
    patience: float = 180,
    readers: Optional[Readers] = None,
    on_change: Optional[Callable[[], None]] = None,
    client_name: Optional[str] = None,
    answer_timeout: float = 5,
    timeout: Optional[float] = None,
) -> BlockingClient:
    """`with connect_blocking(tcp="127.0.0.1:7351") as client`: as `connect`, for programs without asyncio.

    The connection lives in a thread of its own, where `on_change` is called; calls may come from any other. Ctrl-C in
    a call cancels it. A call that isn't done within its `timeout`, in seconds, is given up, and raises TimedOut; calls
    without one have that of the client. Only `close`, `leave` and the end of a `with` have their own bounds, and
    iterators wait for as long as nothing comes.
    """
    connecting = connect(
        command=command,
        tcp=tcp,
        unix=unix,
        token=token,
        reconnect=reconnect,
        patience=patience,
        readers=readers,
        on_change=on_change,
        client_name=client_name,
        answer_timeout=answer_timeout,
    )
    return BlockingClient(connecting, timeout)


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self, timeout: Optional[float]) -> None:
        self._timeout = timeout
        self._is_stopped = False
        self._lock = threading.Lock()
        has_started = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(has_started)), name="view_model_client", daemon=True
        )
        self._thread.start()
        has_started.wait()

    async def _serve(self, has_started: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._is_over = asyncio.Event()
        has_started.set()
        await self._is_over.wait()

    def call(self, coroutine: Coroutine[Any, Any, _T], timeout: Optional[float] = None) -> _T:
        """As `run`; without a timeout it has the client's."""
        return self.run(coroutine, self._timeout if timeout is None else timeout)

    def run(self, coroutine: Coroutine[Any, Any, _T], timeout: Optional[float] = None) -> _T:
        # Under the lock, since a call that comes after the loop's end would wait for ever.
        with self._lock:
            if self._is_stopped or threading.current_thread() is self._thread:
                coroutine.close()
                self._check_thread()
                raise ConnectionLost("this client is closed")
            future = asyncio.run_coroutine_threadsafe(_within(timeout, coroutine), self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise ConnectionLost("this client is closed") from None
        except BaseException:
            future.cancel()
            raise

    def do(self, action: Callable[[], _T]) -> _T:
        """Does what takes no time in the loop's thread, or here where that has ended."""

        async def act() -> _T:
            return action()

        if threading.current_thread() is self._thread:
            return action()
        try:
            return self.run(act())
        except ConnectionLost:
            return action()

    def _check_thread(self) -> None:
        if threading.current_thread() is self._thread:
            raise RuntimeError("a blocking call in a callback would wait for itself: make it in another thread")

    def stop(self) -> None:
        self._check_thread()
        with self._lock:
            if self._is_stopped:
                return
            self._is_stopped = True
            self._loop.call_soon_threadsafe(self._is_over.set)
        self._thread.join()


async def _within(seconds: Optional[float], coroutine: Coroutine[Any, Any, _T]) -> _T:
    try:
        # An event loop takes no infinite time.
        return await asyncio.wait_for(coroutine, None if seconds == math.inf else seconds)
    except asyncio.TimeoutError as error:
        raise TimedOut(f"not done within {seconds:g} s") from error


class BlockingClient:
    """`Client` with blocking calls; made by `connect_blocking`, in whose `with` it is closed at the end."""

    def __init__(self, connecting: _Connecting, timeout: Optional[float]) -> None:
        async def start() -> Client:
            return await connecting

        self._loop = _Loop(timeout)
        try:
            self._client = self._loop.call(start())
        except BaseException:
            self._loop.stop()
            raise

    def __enter__(self) -> BlockingClient:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop(lambda: self._client.__aexit__(*error))

    def __repr__(self) -> str:
        return repr(self._client).replace("Client", "BlockingClient", 1)

    @property
    def view_models(self) -> List[str]:
        return self._client.view_models

    @property
    def types(self) -> Dict[str, str]:
        return self._client.types

    @property
    def limits(self) -> Dict[str, int]:
        return self._client.limits

    @property
    def is_connected(self) -> bool:
        return self._client.is_connected

    @property
    def is_silent(self) -> bool:
        return self._client.is_silent

    @property
    def stall(self) -> Optional[str]:
        return self._client.stall

    @property
    def keeps_durable(self) -> bool:
        return self._client.keeps_durable

    def open(self, view_model: str, arguments: Any = None, *, timeout: Optional[float] = None) -> BlockingView:
        return BlockingView(self._loop, self._loop.call(self._client.open(view_model, arguments), timeout))

    def attach(
        self,
        key: str,
        since: Optional[int] = None,
        *,
        epoch: Optional[str] = None,
        only_watch: bool = False,
        timeout: Optional[float] = None,
    ) -> BlockingView:
        view = self._loop.call(self._client.attach(key, since, epoch=epoch, only_watch=only_watch), timeout)
        return BlockingView(self._loop, view)

    def describe(self, name: str, *, timeout: Optional[float] = None) -> Dict[str, Any]:
        return self._loop.call(self._client.describe(name), timeout)

    def close(self) -> None:
        self._stop(self._client.close)

    def leave(self) -> None:
        self._stop(self._client.leave)

    def _stop(self, end: Callable[[], Coroutine[Any, Any, None]]) -> None:
        with contextlib.suppress(ConnectionLost):
            try:
                self._loop.run(end())
            finally:
                self._loop.stop()


class BlockingView:
    """`View` with blocking calls. Its properties may be read after the end, too."""

    def __init__(self, loop: _Loop, view: View) -> None:
        self._loop = loop
        self._view = view
        self._lists: Dict[str, BlockingRowList[Any]] = {}

    def __enter__(self) -> BlockingView:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(ConnectionLost):
            self._loop.run(self._view.__aexit__(*error))

    def __repr__(self) -> str:
        return repr(self._view).replace("View", "BlockingView", 1)

    @property
    def view_model(self) -> str:
        return self._view.view_model

    @property
    def key(self) -> str:
        return self._view.key

    @property
    def seq(self) -> int:
        return self._view.seq

    @property
    def epoch(self) -> Optional[str]:
        return self._view.epoch

    @property
    def stack(self) -> Tuple[Shown, ...]:
        return self._view.stack

    @property
    def presented(self) -> Optional[Shown]:
        return self._view.presented

    @property
    def reason(self) -> Optional[str]:
        return self._view.reason

    @property
    def stall(self) -> Optional[str]:
        return self._view.stall

    @property
    def pending(self) -> Tuple[Any, ...]:
        return self._view.pending

    @property
    def sent(self) -> Tuple[Any, ...]:
        return self._view.sent

    @property
    def dropped(self) -> Tuple[Dropped, ...]:
        return self._view.dropped

    def send(
        self,
        event: Any,
        progress: Optional[Callable[[Dict[str, Any]], None]] = None,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """As `View.send`; `progress` is called in the connection's thread.

        Raises TimedOut, whose `dropped` has the event: it isn't sent any more, or the view model was asked to stop.
        """
        posted: Optional[_Sending] = None

        async def send() -> None:
            nonlocal posted
            posted = self._view._post(event, progress)
            await self._view._answer(posted)

        try:
            self._loop.call(send(), timeout)
        except TimedOut as error:
            error.dropped = (Dropped(event, posted is not None and posted.was_sent),)
            raise

    def received(self) -> List[Any]:
        async def take() -> List[Any]:
            return self._view.received()

        try:
            return self._loop.run(take())
        except ConnectionLost:
            # The client is closed, and its thread is gone.
            return self._view.received()

    def __iter__(self) -> Iterator[Any]:
        return self.events()

    def events(self, *, timeout: Optional[float] = None) -> Iterator[Any]:
        """The view model's events, as the view itself iterates over them.

        Here and below `timeout` is for each of them; after TimedOut, the same iterator goes on.
        """
        return _BlockingStream(self._loop, self._view.__aiter__(), timeout)

    def navigation_events(self, *, timeout: Optional[float] = None) -> Iterator[Union[Navigation, Screen]]:
        return _BlockingStream(self._loop, self._view.navigation_events(), timeout)

    def notifications(self, *, timeout: Optional[float] = None) -> Iterator[Notification]:
        return _BlockingStream(self._loop, self._view.notifications(), timeout)

    @overload
    def list(self, name: str, *, read: Callable[[Any], _Row], id: Optional[str] = None) -> BlockingRowList[_Row]: ...

    @overload
    def list(self, name: str, *, read: None = None, id: Optional[str] = None) -> BlockingRowList[Any]: ...

    def list(
        self, name: str, *, read: Optional[Callable[[Any], Any]] = None, id: Optional[str] = None
    ) -> BlockingRowList[Any]:
        rows = self._loop.do(lambda: self._view.list(name, read=read, id=id))
        return self._lists.setdefault(name, BlockingRowList(self._loop, rows))

    def back(self, *, timeout: Optional[float] = None) -> None:
        self._loop.call(self._view.back(), timeout)

    def detach(self, *, timeout: Optional[float] = None) -> None:
        self._loop.call(self._view.detach(), timeout)

    def end_session(self, *, timeout: Optional[float] = None) -> None:
        self._loop.call(self._view.end_session(), timeout)


class BlockingRowList(Generic[_Row]):
    """`RowList` with blocking calls. Listeners are called in the connection's thread."""

    def __init__(self, loop: _Loop, rows: RowList[_Row]) -> None:
        self._loop = loop
        self._list = rows

    def __repr__(self) -> str:
        return repr(self._list).replace("RowList", "BlockingRowList", 1)

    @property
    def name(self) -> str:
        return self._list.name

    @property
    def error(self) -> Optional[ClientError]:
        return self._list.error

    @property
    def count(self) -> int:
        return self._list.count

    def __len__(self) -> int:
        return self.count

    def row(self, index: int) -> Optional[_Row]:
        return self._list.row(index)

    def rows(self, first: int, count: int, *, timeout: Optional[float] = None) -> List[_Row]:
        return self._loop.call(self._list.rows(first, count), timeout)

    def __iter__(self) -> Iterator[_Row]:
        return self.all()

    def all(self, *, timeout: Optional[float] = None) -> Iterator[_Row]:
        """All rows, as the list itself iterates over them. `timeout` is for each of them."""
        return _BlockingStream(self._loop, self._list.__aiter__(), timeout)

    def show(self, first: int, count: int) -> None:
        self._loop.do(lambda: self._list.show(first, count))

    def on_change(self, listener: Callable[[ListChange], None]) -> Callable[[], None]:
        end = self._loop.do(lambda: self._list.on_change(listener))
        return lambda: self._loop.do(end)

    @property
    def selected_id(self) -> Any:
        return self._list.selected_id

    @property
    def selected_index(self) -> Optional[int]:
        return self._list.selected_index

    def select(self, index: int) -> None:
        self._loop.do(lambda: self._list.select(index))

    def select_id(self, id: Any) -> None:
        self._loop.do(lambda: self._list.select_id(id))

    def deselect(self) -> None:
        self._loop.do(self._list.deselect)



class _BlockingStream(Iterator[_T]):
    """Goes on after a wait that was given up, as a generator doesn't."""

    def __init__(self, loop: _Loop, items: AsyncIterator[_T], timeout: Optional[float]) -> None:
        self._loop, self._items, self._timeout = loop, items, timeout

    def __next__(self) -> _T:
        async def take() -> _T:
            return await self._items.__anext__()

        try:
            return self._loop.run(take(), self._timeout)
        except StopAsyncIteration:
            raise StopIteration from None


# The command.

_HELP = """\
A client of view model servers, for shell scripts.

Standard output has nothing but JSON, one value a line (names for list, one value on many lines for describe): events
and rows as they are, {"key":…,"viewModel":…} for a session that was opened, and
{"navigation":"push","viewModel":…,"key":…} (or present, pop, dismiss, screen) for what is shown over it. Errors go to
standard error, in words.

View events that send took and the view model didn't answer come back as {"dropped":EVENT,"wasSent":BOOLEAN}: those that
weren't sent can be sent again, with send KEY -; one that was may have been handled.

Status: 0, or 1 when the server or the view model refused, 64 for wrong arguments, 66 for a token file that can't be
read, 69 when the server can't be reached or the connection is lost, 74 when standard output can't be written, 75 when
view events came back, whatever the reason, 77 for a wrong token. Ctrl-C and a reader that goes away end it as the
signals do, without a word, after what send - gives back.
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(os.EX_USAGE, f"view_model_client: {message}\n")


class _WrongArguments(Exception):
    """The command line makes no sense, in words."""


# The first character of a word that begins with a dash and is no option: no command line can hold it.
_NO_OPTION = "\0"


def _marked(word: str) -> str:
    """A key is base64url, and so one in 64 begins with a dash; no option is as long and without `=`."""
    return _NO_OPTION + word if re.fullmatch(r"-[\w-]{21,}", word, re.ASCII) else word


def _unmarked(word: str) -> str:
    return word.lstrip(_NO_OPTION)


def _parser() -> argparse.ArgumentParser:
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    place = common.add_mutually_exclusive_group()
    place.add_argument("--tcp", metavar="HOST:PORT", help="where the server listens (127.0.0.1:7351)")
    place.add_argument("--unix", metavar="PATH", help="the Unix socket on which it listens")
    place.add_argument("--command", metavar="COMMAND", help="starts a server: --command 'view-model-server --stdio'")
    common.add_argument(
        "--token-file", metavar="PATH", help="has the server's token; or the variable VIEW_MODEL_SERVER_TOKEN"
    )
    common.add_argument(
        "--patience",
        metavar="SECONDS",
        type=_seconds,
        help="how long open, watch, rows and send - try to make a lost connection again (180)",
    )
    shape = argparse.RawDescriptionHelpFormatter
    parser = _Parser(prog="view_model_client", description=_HELP, formatter_class=shape, parents=[common])
    commands = parser.add_subparsers(dest="subcommand", metavar="ACTION", required=True)

    def add(name: str, help: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help, description=help, parents=[common])

    add("list", "prints the names of the view models")
    add("describe", "prints what a view model takes and says, as JSON Schemas").add_argument("name", metavar="NAME")
    opening = add("open", "opens a session and prints its key and its events, until Ctrl-C leaves it")
    opening.add_argument("name", metavar="NAME")
    opening.add_argument("--arguments", metavar="JSON", type=_json_value, help="what the view model is opened with")
    opening.add_argument("--keep", action="store_true", help="prints the key, and leaves the session at once, to send and watch")
    sending = add("send", "sends an event, waits until it is handled, and prints what the view model said meanwhile")
    target = sending.add_argument("target", metavar="KEY|NAME", type=_unmarked)
    target.help = "a session, or a view model for a session of its own"
    sending.add_argument("kind", metavar="KIND|-", help="or the events of standard input, a JSON object a line")
    sending.add_argument("members", metavar="MEMBER=VALUE|JSON", nargs="*", help="by=2, or an object with all of them")
    sending.add_argument("--arguments", metavar="JSON", type=_json_value, help="what NAME is opened with")
    listing = add("rows", "prints rows of a session's list: all there are, or some")
    listing.add_argument("key", metavar="KEY", type=_unmarked)
    listing.add_argument("list", metavar="LIST", help="its name, which is the kind of its events, too")
    listing.add_argument("first", metavar="FIRST", type=_index, nargs="?", help="the place of the first one, from 0")
    listing.add_argument("count", metavar="COUNT", type=_index, nargs="?", default=1, help="how many from there (1)")
    for name, help in (
        ("watch", "prints a session's events, those first that make up its state, until Ctrl-C"),
        ("back", "leaves a session that a view model has shown, if that lets go"),
        ("close", "ends a session for everyone, and removes what is stored of it"),
    ):
        add(name, help).add_argument("key", metavar="KEY", type=_unmarked)
    return parser


def _json_value(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError:
        raise argparse.ArgumentTypeError(f"is no JSON: {text}") from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"is no number of seconds: {text}")
    return seconds


def _index(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise argparse.ArgumentTypeError(f"is no number from 0 on: {text}")
    return int(text)


def _events_of_input() -> Deque[Any]:
    """Reads all of standard input before anything is sent, so that a faulty line does no harm."""
    events: Deque[Any] = collections.deque()
    for number, line in enumerate(sys.stdin.buffer, 1):
        if line.strip():
            try:
                event = _json_value(line.decode())
            except (argparse.ArgumentTypeError, UnicodeDecodeError):
                event = None
            if not isinstance(event, dict) or "kind" not in event:
                raise _WrongArguments(f"line {number} of the input is no JSON object with a kind; nothing was sent")
            events.append(event)
    return events


class _GaveBack(Exception):
    """View events were given back on standard output; `str` says why."""


class _Command:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        # Events of the input that weren't tried yet.
        self._unsent: Deque[Any] = collections.deque()
        self._reads_input: bool = vars(options).get("kind") == "-"
        # Whether the command leaves a session for the next one.
        self._is_kept = False
        self._client: Optional[Client] = None
        self._was_silent = False
        self._told_stall: Optional[str] = None

    def _connect(self, reconnect: bool) -> _Connecting:
        options = vars(self._options)
        command, unix = options.get("command"), options.get("unix")
        tcp = options.get("tcp", None if command is not None or unix is not None else "127.0.0.1:7351")
        if tcp is not None:
            try:
                _Place.host_and_port(tcp)
            except ValueError as error:
                raise _WrongArguments(str(error)) from None
        words = None if command is None else shlex.split(command)
        if words == []:
            raise _WrongArguments("--command is empty")
        return connect(
            command=words,
            tcp=tcp,
            unix=unix,
            token=self._token(),
            reconnect=reconnect and words is None,
            patience=options.get("patience", 180),
            on_change=self._tell_hindrance,
        )

    def _token(self) -> Optional[str]:
        path: Optional[str] = vars(self._options).get("token_file")
        if path is None:
            return os.environ.get("VIEW_MODEL_SERVER_TOKEN")
        with open(path, encoding="utf-8") as file:
            return file.read().strip()

    def read_input(self) -> None:
        if self._reads_input:
            if vars(self._options).get("members"):
                raise _WrongArguments("with - the events come from standard input, and have their members there")
            self._unsent = _events_of_input()

    async def run(self) -> int:
        try:
            return await self._run()
        except ClientError as error:
            dropped = [*error.dropped, *self._dropped_input()]
            if not dropped:
                raise
            self._print_dropped(dropped)
            raise _GaveBack(_words(error)) from error

    def _dropped_input(self) -> List[Dropped]:
        return [Dropped(event, was_sent=False) for event in self._unsent]

    async def _run(self) -> int:
        subcommand: str = self._options.subcommand
        # A command that goes on for long outlives a lost connection.
        client = await self._connect(reconnect=subcommand in ("open", "watch", "rows") or self._reads_input)
        self._client = client
        self._is_kept = subcommand in ("send", "back", "watch", "rows") or vars(self._options).get("keep", False)
        try:
            run: Callable[[Client], Coroutine[Any, Any, int]] = getattr(self, f"_{subcommand}")
            return await run(client)
        finally:
            await (client.leave() if self._is_kept else client.close())

    async def _list(self, client: Client) -> int:
        for name in client.view_models:
            _print(name)
        return 0

    async def _describe(self, client: Client) -> int:
        _print(json.dumps(await client.describe(self._options.name), ensure_ascii=False, indent=2))
        return 0

    async def _open(self, client: Client) -> int:
        view = await client.open(self._options.name, vars(self._options).get("arguments"))
        _print_json({"key": view.key, "viewModel": view.view_model})
        if self._options.keep:
            return 0
        try:
            return await self._print_all(view)
        finally:
            self._say_how_to_come_back(client, view)

    @staticmethod
    def _say_how_to_come_back(client: Client, view: View) -> None:
        if view.reason is None and client.keeps_durable:
            # The server doesn't say which view models are durable.
            print(f"view_model_client: kept, if {view.view_model} is durable: watch {view.key}", file=sys.stderr)

    def _tell_hindrance(self) -> None:
        is_silent = self._client is not None and self._client.is_silent
        if is_silent and not self._was_silent:
            print("view_model_client: the server doesn't answer; waiting for it", file=sys.stderr)
        self._was_silent = is_silent
        stall = None if self._client is None else self._client.stall
        if stall is not None and stall != self._told_stall:
            words = f"the server can't store anything now ({stall}); what was sent waits for it"
            print(f"view_model_client: {words}", file=sys.stderr)
        self._told_stall = stall

    async def _watch(self, client: Client) -> int:
        return await self._print_all(await self._attach(client, self._options.key))

    async def _send(self, client: Client) -> int:
        target: str = self._options.target
        arguments = vars(self._options).get("arguments")
        is_new = target in client.view_models
        if arguments is not None and not is_new:
            raise _WrongArguments(f"--arguments go with the name of a view model, and {target!r} is none")
        view = await (client.open(target, arguments) if is_new else self._attach(client, target, self._reads_input))
        # One of its own ends with the command, if nobody can come back to it.
        self._is_kept = not is_new
        if not self._reads_input:
            self._unsent.append(await self._event(client, view.view_model))
        try:
            while self._unsent:
                await self._send_one(client, view, view._post(self._unsent.popleft()))
        finally:
            if is_new:
                self._say_how_to_come_back(client, view)
        return 0

    async def _send_one(self, client: Client, view: View, sending: _Sending) -> None:
        try:
            await view._answer(sending)
        except ServerError as error:
            # One that another client superseded is no reason to give up those behind it.
            if not (self._reads_input and error.is_superseded):
                await self._explain(client, view.view_model, error)
                raise
        except asyncio.CancelledError:
            # Not for a single event, which the script has in its arguments.
            if self._reads_input:
                self._print_dropped([Dropped(sending.event, sending.was_sent), *self._dropped_input()])
            raise
        finally:
            self._print_new(view)

    async def _rows(self, client: Client) -> int:
        rows = (await self._attach(client, self._options.key)).list(self._options.list)
        if self._options.first is not None:
            for row in await rows.rows(self._options.first, self._options.count):
                _print_json(row)
        else:
            async for row in rows:
                _print_json(row)
        return 0

    async def _back(self, client: Client) -> int:
        await (await self._attach(client, self._options.key)).back()
        return 0

    async def _close(self, client: Client) -> int:
        await (await self._attach(client, self._options.key)).end_session()
        return 0

    @staticmethod
    async def _attach(client: Client, key: str, sends_on: bool = False) -> View:
        """`sends_on`: for events that go on over lost connections."""
        since: Optional[int] = None
        while True:
            try:
                return await client.attach(key, since, only_watch=not sends_on)
            except ServerError as error:
                if error.name == "ReplayUnavailable" and since is None:
                    since = error._detail("oldest") - 1
                elif error.name == "UnknownSession":
                    known = ", ".join(client.view_models)
                    message = f"there is no session {key!r}; it ended, or the key is wrong (view models are {known})"
                    raise ServerError(error.code, message) from error
                else:
                    raise

    async def _event(self, client: Client, view_model: str) -> Dict[str, Any]:
        event: Dict[str, Any] = {"kind": self._options.kind}
        words: List[str] = self._options.members
        if len(words) == 1 and words[0].lstrip().startswith("{"):
            try:
                return {**_json_value(words[0]), **event}
            except argparse.ArgumentTypeError as error:
                raise _WrongArguments(str(error)) from None
        schemas = _Schemas(await client.describe(view_model)) if words else None
        for word in words:
            name, is_member, text = word.partition("=")
            if not is_member or schemas is None:
                raise _WrongArguments(f"neither MEMBER=VALUE nor a JSON object: {word!r}")
            event[name] = schemas.value(self._options.kind, name, text)
        return event

    @staticmethod
    async def _explain(client: Client, view_model: str, error: ServerError) -> None:
        if error._detail("path") == "/event/kind":
            kinds = ", ".join(_Schemas(await client.describe(view_model)).kinds)
            error.message += f"; {view_model} takes {kinds}"

    async def _print_all(self, view: View) -> int:
        async for item in view.notifications():
            _print_notification(item)
        if view.reason in ("closed", "dismissed", "popped"):
            return 0
        raise ViewClosed(view.reason or "")

    @staticmethod
    def _print_dropped(dropped: Sequence[Dropped]) -> None:
        for one in dropped:
            _print_json({"dropped": one.event, "wasSent": one.was_sent})

    @staticmethod
    def _print_new(view: View) -> None:
        while True:
            item = view._inbox.take()
            if item is None:
                return
            # Events in the attach answer, or after it, were there before.
            if item.seq > view._newest_at_first:
                _print_notification(item)


class _Schemas:
    """The answer to `viewModel/describe`, as far as it is needed to read a command line."""

    def __init__(self, description: Dict[str, Any]) -> None:
        self._definitions: Dict[str, Any] = description.get("$defs", {})
        event = self._resolved(description["viewEvent"])
        self.kinds: Dict[str, Dict[str, Any]] = {}
        for case in map(self._resolved, event.get("oneOf", [event])):
            members = case.get("properties", {})
            kind = self._resolved(members.get("kind", {}))
            for name in kind.get("enum", [kind.get("const")]):
                if name is not None:
                    self.kinds[name] = {key: value for key, value in members.items() if key != "kind"}

    def value(self, kind: str, name: str, text: str) -> Any:
        """The value of the text, by the schema of the member: `7` is a number, or a string of one digit."""
        members = self.kinds.get(kind, {name: {}})
        if name not in members:
            has = ", ".join(members) or "none"
            raise _WrongArguments(f"{kind} has no member {name!r}; its members: {has}")
        types = self._types(members[name])
        try:
            value = _json_value(text)
        except argparse.ArgumentTypeError:
            return text
        if "string" in types and (isinstance(value, str) or value is None or not types & self._types_of(value)):
            return text
        return value

    @staticmethod
    def _types_of(value: Any) -> Set[str]:
        if isinstance(value, bool):
            return {"boolean"}
        if isinstance(value, int):
            return {"integer", "number"}
        if isinstance(value, float):
            return {"number"}
        return {"null" if value is None else "string" if isinstance(value, str) else
                "array" if isinstance(value, list) else "object"}

    def _types(self, schema: Any) -> Set[str]:
        schema = self._resolved(schema)
        if "type" in schema:
            names = schema["type"]
            return {names} if isinstance(names, str) else set(names)
        if "const" in schema:
            return self._types_of(schema["const"])
        if "enum" in schema:
            return set().union(*map(self._types_of, schema["enum"]))
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return set().union(*map(self._types, schema[word]))
        return {"boolean", "integer", "number", "string", "array", "object", "null"}

    def _resolved(self, schema: Any) -> Dict[str, Any]:
        # Bounded, since a reference may lead to itself.
        for _ in range(64):
            if not isinstance(schema, dict):
                return {}
            if "$ref" not in schema:
                return schema
            schema = self._definitions.get(schema["$ref"].rpartition("/")[2], {})
        return {}


def _print(text: str) -> None:
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def _print_json(value: Any) -> None:
    _print(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _print_notification(item: Notification) -> None:
    if isinstance(item, Event):
        _print_json(item.event)
    elif isinstance(item, Snapshot):
        for event in item.events:
            _print_json(event)
    elif isinstance(item, Navigation):
        _print_json({"navigation": item.kind, "viewModel": item.view_model, "key": item.key})
    else:
        stack = [_shown_json(child) for child in item.stack]
        presented = _shown_json(item.presented) if item.presented else None
        _print_json({"navigation": "screen", "stack": stack, "presented": presented})


def _shown_json(child: Shown) -> Dict[str, str]:
    return {"viewModel": child.view_model, "key": child.key}


class _Stopping:
    """Ends the command in good order for a signal, or when nobody reads any more what it prints."""

    def __init__(self) -> None:
        self.signal: Optional[signal.Signals] = None

    def watch(self, task: asyncio.Task[int]) -> None:
        def stop(number: signal.Signals) -> None:
            self.signal = self.signal or number
            task.cancel()

        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # One that is ignored, as in a job that a script sends to the background, stays so.
            if signal.getsignal(number) != signal.SIG_IGN:
                loop.add_signal_handler(number, stop, number)
        if stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode):
            # The writing end of a pipe has nothing to read: it wakes up when the reading end is closed.
            loop.add_reader(sys.stdout.fileno(), stop, signal.SIGPIPE)


def _words(error: ClientError) -> str:
    return f"{error} ({error.name})" if isinstance(error, ServerError) else str(error)


async def _run(command: _Command, stopping: _Stopping) -> int:
    task = asyncio.ensure_future(command.run())
    stopping.watch(task)
    try:
        return await task
    except asyncio.CancelledError:
        return 0
    finally:
        if sys.stdout is not None:
            asyncio.get_running_loop().remove_reader(sys.stdout.fileno())


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command and returns its exit status."""
    logging.basicConfig(format="view_model_client: %(message)s", level=logging.ERROR)
    words = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args([_marked(word) for word in words])
    stopping = _Stopping()
    status, message = 0, ""
    try:
        command = _Command(options)
        command.read_input()
        status = asyncio.run(_run(command, stopping))
    except KeyboardInterrupt:
        stopping.signal = signal.SIGINT
    except BrokenPipeError:
        stopping.signal = signal.SIGPIPE
    except _WrongArguments as error:
        status, message = os.EX_USAGE, str(error)
    except _GaveBack as error:
        status, message = os.EX_TEMPFAIL, str(error)
    except ClientError as error:
        message = _words(error)
        is_unauthorized = isinstance(error, ServerError) and error.name == "Unauthorized"
        is_away = isinstance(error, ConnectionLost)
        status = os.EX_NOPERM if is_unauthorized else os.EX_UNAVAILABLE if is_away else 1
    except OSError as error:
        is_input = error.filename is not None
        if not is_input:
            # Python writes unwritten output once more at the end, which must not change the status.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status, message = os.EX_NOINPUT if is_input else os.EX_IOERR, str(error)
    if stopping.signal is not None:
        # So that a shell sees that the user, or the end of the pipe, ended it, and ends its script too.
        signal.signal(stopping.signal, signal.SIG_DFL)
        os.kill(os.getpid(), stopping.signal)
    if message:
        print(f"view_model_client: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
