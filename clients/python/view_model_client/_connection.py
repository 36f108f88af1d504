"""A client's connection: how it is set up, and how it comes back with all that was attached over it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from typing import Any, Callable, Coroutine, Dict, List, Optional, Protocol

from ._errors import ClientError, ConnectionLost, ServerError, anew
from ._progress import Progress
from ._transport import Place, in_time
from ._wire import Undo, Wire

_log = logging.getLogger("view_model_client")


class Attached(Protocol):
    """What is attached over the connection, and again over the next one: a view."""

    @property
    def _waits_for_store(self) -> bool:
        """Whether something was refused, since the server's store can't be used, and is to be asked again."""

    def _take(self, method: str, params: Dict[str, Any]) -> None: ...

    def _store_works(self) -> None: ...

    async def _attach_again(self) -> None:
        """Raises ServerError where it may be tried again later."""

    def _lose_connection(self) -> None:
        """There will be another one."""

    def _end(self, reason: str, error: Optional[ClientError] = None) -> None: ...


class Connection:
    """To one server, over one wire after the other."""

    def __init__(
        self,
        place: Place,
        token: Optional[str],
        reconnects: bool,
        patience: float,
        on_change: Optional[Callable[[], None]],
        answer_timeout: float,
        asks_who_is_here: bool = False,
    ) -> None:
        self.place = place
        self._token = token
        self.reconnects = reconnects
        self.patience = patience
        self._answer_timeout = answer_timeout
        self._on_change = on_change
        self.asks_who_is_here = asks_who_is_here
        self._is_change_due = False
        # What the server said of itself.
        self.view_models: List[str] = []
        self.types: Dict[str, str] = {}
        self.scopes: Dict[str, str] = {}
        self.limits: Dict[str, int] = {}
        self.keeps_durable = False
        self.wire: Optional[Wire] = None
        self.is_connected = asyncio.Event()
        self.is_silent = False
        # Why the server's store can't be used, as it has said last.
        self.stall: Optional[str] = None
        self.progress = Progress()
        # Those that go on over a lost connection, in the order of opening: what shows another one comes before it.
        self.living: List[Attached] = []
        # By their sessions.
        self.attached: Dict[int, Attached] = {}
        self._keeper: Optional[asyncio.Task[None]] = None
        self._others: List[asyncio.Task[None]] = []
        self.over: Optional[ClientError] = None
        self.is_closed = False

    async def start(self) -> None:
        await self._dial()
        self.is_connected.set()
        self._keeper = asyncio.ensure_future(self._keep())

    async def end(self, method: Optional[str]) -> None:
        """`method` says farewell; without one the sessions are only left."""
        if self.is_closed:
            return
        self.is_closed = True
        was_over, self.over = self.over, self.over or ConnectionLost("this client is closed")
        for view in list(self.living):
            view._end("closed" if method else "detached")
        self.is_connected.set()
        self.changed()
        for task in (self._keeper, *self._others):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        if self.wire is not None:
            if was_over is None:
                await self._say_goodbye(self.wire, method)
            await self.wire.close()

    @staticmethod
    async def _say_goodbye(wire: Wire, method: Optional[str]) -> None:
        with contextlib.suppress(ClientError, asyncio.TimeoutError):
            if method is not None:
                await in_time(wire.call(method), 5)
            wire.notify("exit")

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Until it is done, or the connection is ended."""
        self._others = [task for task in self._others if not task.done()]
        self._others.append(asyncio.ensure_future(work))

    def changed(self) -> None:
        if self._on_change is not None and not self._is_change_due:
            self._is_change_due = True
            # Not from here: it may call what has just called this, and what it raises is its own fault.
            asyncio.get_running_loop().call_soon(self._report_change, self._on_change)

    def _report_change(self, on_change: Callable[[], None]) -> None:
        self._is_change_due = False
        on_change()

    # Requests.

    async def connected(self) -> Wire:
        await self.is_connected.wait()
        if self.over or self.wire is None:
            raise anew(self.over or ConnectionLost("this client isn't connected"))
        return self.wire

    async def call_again(
        self,
        method: str,
        params: Dict[str, Any],
        answered: Optional[Callable[[Any], None]] = None,
        undo: Optional[Undo] = None,
    ) -> Any:
        """Repeats the call where the connection was lost before the answer: for methods that may be called twice.

        `undo` is as in `Wire.call`.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + self.patience
        while True:
            wire = await self.connected()
            try:
                return await wire.call(method, params, answered, undo)
            except ConnectionLost:
                # Not for ever, since the call itself may be the end of the server.
                if not self.reconnects or clock() > deadline:
                    raise

    # Setting up.

    async def _dial(self) -> Wire:
        reader, writer, process = await self.place.dial()
        wire = Wire(reader, writer, process, self._take, self._lost)
        params: Dict[str, Any] = {"protocolVersion": "1.2", "clientInfo": {"name": "view_model_client.py"}}
        if process is not None:
            params["processId"] = os.getpid()
        if self._token is not None:
            params["token"] = self._token
        try:
            self._learn(await in_time(wire.call("initialize", params), 10))
            wire.message_bytes = self.limits.get("messageBytes")
        except BaseException as error:
            await wire.close()
            if isinstance(error, asyncio.TimeoutError):
                raise ConnectionLost._silent(10) from error
            if isinstance(error, (KeyError, TypeError)):
                raise ConnectionLost("what answers there is no view model server") from error
            raise
        wire.watch(self._answer_timeout, self._heard_nothing, self._did_tell_stall, self._has_refusals)
        self.wire = wire
        return wire

    def _learn(self, hello: Dict[str, Any]) -> None:
        hosted = hello["capabilities"]["viewModels"]
        self.view_models = [view_model["name"] for view_model in hosted]
        named = [*hosted, *hello["capabilities"].get("children", [])]
        self.types = {view_model["name"]: view_model["type"] for view_model in named if "type" in view_model}
        self.scopes = {view_model["name"]: view_model["scope"] for view_model in hosted if "scope" in view_model}
        self.limits = hello["limits"]
        self.keeps_durable = hello["capabilities"].get("durable") is True

    # Coming back.

    async def _keep(self) -> None:
        """Waits until the connection is lost, and makes it again where that is wanted."""
        error: ClientError = ConnectionLost("the connection was closed")
        try:
            # Asked for, since before Python 3.12 `asyncio.wait_for` may swallow a cancellation.
            while self.wire is not None and not self.is_closed:
                error = await self.wire.until_lost()
                if not self.reconnects:
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
        deadline = clock() + self.patience
        pause = 0.05
        while True:
            try:
                await self._restore()
                self.is_connected.set()
                self.is_silent = False
                self.stall = None
                self.changed()
                return
            except (ConnectionLost, ServerError) as error:
                self.is_silent = isinstance(error, ConnectionLost) and error.is_silent
                is_stall = isinstance(error, ServerError) and error.name == "StoreUnavailable"
                self._set_stall(stall_reason(str(error)) if is_stall else None)
                after = error.retry_after if isinstance(error, ServerError) else 0
                if self.is_closed or after is None:
                    raise
                pause = max(pause, after)
                if clock() + pause > deadline:
                    raise ConnectionLost(f"{error} (tried again for {self.patience:g} s)") from error
                _log.info("%s; trying again in %g s", error, pause)
                await asyncio.sleep(pause)
                pause = min(pause * 2, 5)

    async def _restore(self) -> None:
        """Connects and attaches all views. Raises ServerError where it is refused, and then there is no connection."""
        wire = await self._dial()
        try:
            for view in list(self.living):
                await view._attach_again()
        except ServerError:
            await wire.close()
            raise
        wire.check()

    def _lost(self, error: ConnectionLost) -> None:
        # Once it is over, nobody may wait for another connection.
        if self.over is None:
            self.is_connected.clear()
        self.is_silent = error.is_silent
        self.stall = None
        self.attached = {}
        for view in list(self.living):
            if self.reconnects:
                view._lose_connection()
            else:
                view._end("connectionLost", error)
        self.changed()

    def _finish(self, error: ClientError) -> None:
        self.over = self.over or error
        for view in list(self.living):
            view._end("connectionLost", error)
        self.is_connected.set()
        self.changed()

    # What the server says, or doesn't.

    def _take(self, method: str, params: Dict[str, Any]) -> None:
        if method == "window/logMessage":
            levels = {1: logging.ERROR, 2: logging.WARNING, 3: logging.INFO}
            _log.log(levels.get(params.get("type", 4), logging.DEBUG), "%s", params.get("message"))
        elif method == "$/progress":
            self.progress.take(params.get("token", 0), params.get("value") or {})
        else:
            view = self.attached.get(params.get("session", 0))
            if view is not None:
                view._take(method, params)

    def _heard_nothing(self, wire: Wire, error: Optional[ConnectionLost]) -> None:
        """A connection that can be made again is given up; another one is waited for, and None says that it is back."""
        if error is not None and self.reconnects:
            return wire.end(error)
        self.is_silent = error is not None
        self.changed()

    def _did_tell_stall(self, wire: Wire, stall: Optional[str]) -> None:
        if wire is not self.wire:
            return
        if stall is None:
            for view in self.living:
                view._store_works()
        is_waiting = wire.is_waiting or self._has_refusals()
        self._set_stall(stall_reason(stall) if stall is not None and is_waiting else None)

    def _has_refusals(self) -> bool:
        return any(view._waits_for_store for view in self.living)

    def _set_stall(self, stall: Optional[str]) -> None:
        if stall != self.stall:
            self.stall = stall
            self.changed()


def stall_reason(message: str) -> str:
    """Why the server can't store anything now, for a sentence that says the rest."""
    prefix = "the store can't be used: "
    return message[len(prefix) :] if message.startswith(prefix) else message
