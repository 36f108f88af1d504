"""The client: where it connects to, and the views that it opens."""

from __future__ import annotations

import secrets
from typing import Any, Callable, Dict, Generator, List, Optional, Sequence, Tuple

from ._attachment import Names, place_in_history
from ._connection import Connection
from ._errors import to_json
from ._inbox import Readers
from ._kept import KeptSession, kept_sessions
from ._transport import Place
from ._view import View, until_answered
from ._wire import Undo


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
    here: bool = False,
) -> Connecting:
    """Connects to a server: `async with connect(…) as client`, or `client = await connect(…)`.

    One of `command` (starts the server and talks to its standard input and output), `tcp` ("127.0.0.1:7351") and `unix`
    (a socket's path) says where it is. With `reconnect` a lost connection is made again, for up to `patience` seconds,
    and its views go on: no event is lost, and none applied or seen twice. `readers` is the `VIEW_MODEL_EVENTS` of the
    `view_models.py` that the server's command `contract --python` writes: events then come as its types. `on_change`
    is called soon after `Client.is_connected` or `is_silent`, or the `pending`, `sent`, `dropped` or `here` of a view,
    has changed. With `here` views know who else has a view of their session.

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
    place = Place(command, tcp, unix)
    return Connecting(
        lambda: Client(
            Connection(place, token, reconnect, patience, on_change, answer_timeout, here),
            Names(client_name),
            readers or {},
        )
    )


class Connecting:
    """What `connect` returns: to be waited for, or entered."""

    def __init__(self, make: Callable[[], Client]) -> None:
        self._make = make
        self._client: Optional[Client] = None

    def __await__(self) -> Generator[Any, None, Client]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Client:
        # Not before: what it is made of belongs to the event loop that runs.
        self._client = self._make()
        await self._client._connection.start()
        return self._client

    async def __aexit__(self, *error: object) -> None:
        if self._client is not None:
            await self._client.__aexit__(*error)


class Client:
    """A connection to a server; made by `connect`. Its coroutines may run side by side."""

    def __init__(self, connection: Connection, names: Names, readers: Readers) -> None:
        self._connection = connection
        self._names = names
        self._readers = readers
        # In the order of opening; some may have ended.
        self._views: List[View] = []

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *error: object) -> None:
        if any(error):
            await self._connection.end("shutdown")
        else:
            await self.close()

    def __repr__(self) -> str:
        over = self._connection.over
        state = "connected" if self.is_connected else "away" if over is None else str(over)
        return f"<{type(self).__name__} of {self._connection.place}: {state}; views: {len(self.views)}>"

    @property
    def view_models(self) -> List[str]:
        """The names of the view models that `open` takes."""
        return self._connection.view_models

    @property
    def types(self) -> Dict[str, str]:
        """The Swift types with their modules, by the names of all view models: also of those that only others show.

        An older server tells none.
        """
        return self._connection.types

    @property
    def scopes(self) -> Dict[str, str]:
        """Whose session `open` finds, `person` or `everyone`, by the names of view models: of others it opens a new one."""
        return self._connection.scopes

    @property
    def limits(self) -> Dict[str, int]:
        """The server's limits: `messageBytes`, `sessions`, `pendingEvents`, `replayEvents`."""
        return self._connection.limits

    @property
    def keeps_durable(self) -> bool:
        """Whether the server has a store, in which sessions of durable view models stay when their client has left."""
        return self._connection.keeps_durable

    @property
    def is_connected(self) -> bool:
        """False while a lost connection is made again, and once it is over."""
        return self._connection.over is None and self._connection.is_connected.is_set()

    @property
    def is_silent(self) -> bool:
        """Whether the server doesn't answer: there is no connection, or it is of no use, and what is shown may be old."""
        return self._connection.over is None and self._connection.is_silent

    @property
    def stall(self) -> Optional[str]:
        """Why the server can't store anything now, in words, while something waits for that. It is done when it can."""
        if self._connection.over is not None:
            return None
        return self._connection.stall or next((view.stall for view in self.views if view.stall is not None), None)

    @property
    def views(self) -> Tuple[View, ...]:
        """Those that haven't ended, in the order of opening."""
        return tuple(view for view in list(self._views) if view.reason is None)

    async def open(self, view_model: str, arguments: Any = None) -> View:
        """Opens a session with a view model of its own.

        Of a view model in `scopes` it is the one session that there is for equal arguments, of this person or of all.
        Where others were there before, its first notification is a snapshot, as after `attach`.

        `arguments` is what the json module takes, or anything with a `to_json()`. Where the client reconnects and the
        answer is lost, it is asked for again and gives the same session. (Servers of 1.0 that don't know of that open
        another one, and close the first after the resume window.)
        Raises ServerError: `UnknownViewModel`, or `InvalidParams` for arguments that don't fit; ConnectionLost.
        """
        params: Dict[str, Any] = {"viewModel": view_model}
        if arguments is not None:
            params["arguments"] = to_json(arguments)
        if self._connection.reconnects:
            params["once"] = secrets.token_urlsafe(24)
        view = View(self._connection, self._names, self._readers, view_model)
        return await self._show(view, "session/open", params, view._opened, _undo_of_open)

    async def attach(
        self, key: str, since: Optional[int] = None, *, epoch: Optional[str] = None, only_watch: bool = False
    ) -> View:
        """Adds a view to a session that runs: one that a view model shows, or another client's.

        Without `since` the view's first notification is a snapshot; with it the events after that number come, unless
        `epoch` (a view's, kept with its `seq`) names a history that the session no longer has. A view that will
        `only_watch` has no name there, and what it sends all the same is lost with a connection.
        Raises ServerError: `UnknownSession`, or `ReplayUnavailable` where neither can be had.
        """
        view = View(self._connection, self._names, self._readers, "", key, is_named=not only_watch)
        params = {"key": key, **place_in_history(since, epoch)}
        return await self._show(
            view, "session/attach", params, lambda result: view._attached(result, since), lambda _: "session/detach"
        )

    async def _show(
        self, view: View, method: str, params: Dict[str, Any], attached: Callable[[Any], None], undo: Undo
    ) -> View:
        def answered(result: Any) -> None:
            attached(result)
            self._views = [*self.views, view]

        params = {**params, **view._attachment.params_of_client}
        try:
            await self._connection.call_again(method, params, answered, undo)
        except BaseException:
            view._attachment.give_up_name()
            raise
        return view

    async def kept_sessions(self) -> List[KeptSession]:
        """The sessions that this client's person may come back to, those used last first.

        Raises ServerError: `StoreUnavailable`.
        """
        return kept_sessions(await self._connection.call_again("session/list", {"kept": True}))

    async def describe(self, name: str) -> Dict[str, Any]:
        """The JSON Schemas of a view model: `arguments`, `viewEvent` and `viewModelEvent`, with their `$defs`."""
        description: Dict[str, Any] = await self._connection.call_again("viewModel/describe", {"viewModel": name})
        return description

    async def close(self) -> None:
        """Ends the connection, and with it the sessions that nobody can come back to.

        Those that another client watches stay, and so do those that `open` finds (`scopes`), and those of durable view
        models where the server has a store.

        It waits a second at most for the answers to events, as the end of `with` does where nothing is raised. The `send`
        of one that isn't answered by then raises ViewClosed, whose `dropped` has it.
        """
        await self._until_answered()
        await self._connection.end("shutdown")

    async def leave(self) -> None:
        """Ends the connection. Its sessions stay, for clients that attach within the server's three minutes.

        It waits for answers as `close` does.
        """
        await self._until_answered()
        await self._connection.end(None)

    async def _until_answered(self) -> None:
        if not self._connection.is_closed:
            await until_answered(lambda: list(self.views))


def _undo_of_open(result: Any) -> str:
    """A new session is nobody's. One with a scope belongs to a person, or to all."""
    return "session/close" if result.get("isNew") is None else "session/detach"
