"""The library with blocking calls: its event loop runs in a thread of its own."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import math
import threading
from typing import Any, AsyncIterator, Callable, Coroutine, Dict, Generic, Iterator, List, Optional, Sequence, Tuple
from typing import TypeVar, Union, overload

from ._client import Client, Connecting, connect
from ._errors import ClientError, ConnectionLost, Dropped, TimedOut
from ._here import Viewer
from ._inbox import Notification, Readers
from ._kept import KeptSession
from ._lists import ListChange, RowList
from ._navigation import Navigation, Screen, Shown
from ._outbox import Sending
from ._view import View

_T = TypeVar("_T")
_Row = TypeVar("_Row")


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
    here: bool = False,
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
        here=here,
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

    def __init__(self, connecting: Connecting, timeout: Optional[float]) -> None:
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
    def scopes(self) -> Dict[str, str]:
        return self._client.scopes

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

    def kept_sessions(self, *, timeout: Optional[float] = None) -> List[KeptSession]:
        return self._loop.call(self._client.kept_sessions(), timeout)

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
    def access(self) -> Optional[str]:
        return self._view.access

    @property
    def here(self) -> Tuple[Viewer, ...]:
        return self._view.here

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
        posted: Optional[Sending] = None

        async def send() -> None:
            nonlocal posted
            outbox = self._view._outbox
            posted = outbox.post(event, progress)
            await outbox.answer(posted)

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

    def read_key(self, *, timeout: Optional[float] = None) -> str:
        return self._loop.call(self._view.read_key(), timeout)

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
