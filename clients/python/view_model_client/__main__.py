"""The command, `python3 -m view_model_client`: the client for shell scripts."""

from __future__ import annotations

import argparse
import asyncio
import collections
import json
import logging
import os
import shlex
import signal
import stat
import sys
from typing import Any, Callable, Coroutine, Deque, Dict, List, NoReturn, Optional, Sequence

from ._arguments import Schemas, WrongArguments, events_of_input, json_value, parse
from ._client import Client, Connecting, connect
from ._errors import ClientError, ConnectionLost, Dropped, ServerError, ViewClosed
from ._inbox import Event, Notification, Snapshot
from ._navigation import Navigation, Shown
from ._outbox import Sending
from ._transport import Place
from ._view import View


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

    def _connect(self, reconnect: bool) -> Connecting:
        options = vars(self._options)
        command, unix = options.get("command"), options.get("unix")
        tcp = options.get("tcp", None if command is not None or unix is not None else "127.0.0.1:7351")
        if tcp is not None:
            try:
                Place.host_and_port(tcp)
            except ValueError as error:
                raise WrongArguments(str(error)) from None
        words = None if command is None else shlex.split(command)
        if words == []:
            raise WrongArguments("--command is empty")
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
                raise WrongArguments("with - the events come from standard input, and have their members there")
            self._unsent = events_of_input()

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

    def _say_how_to_come_back(self, client: Client, view: View) -> None:
        if view.reason is None and client.keeps_durable:
            name = view.view_model
            way = f"watch {view.key}"
            if name in client.scopes:
                # With other arguments it would be another session.
                arguments = vars(self._options).get("arguments")
                given = ["--arguments", json.dumps(arguments, ensure_ascii=False)] if arguments else []
                way = f"{shlex.join(['open', name, *given])} finds it"
            # The server doesn't say which view models are durable.
            print(f"view_model_client: kept, if {name} is durable: {way}", file=sys.stderr)

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
            raise WrongArguments(f"--arguments go with the name of a view model, and {target!r} is none")
        view = await (client.open(target, arguments) if is_new else self._attach(client, target, self._reads_input))
        # One of its own ends with the command, if nobody can come back to it.
        self._is_kept = not is_new
        if not self._reads_input:
            self._unsent.append(await self._event(client, view.view_model))
        try:
            while self._unsent:
                await self._send_one(client, view, view._outbox.post(self._unsent.popleft()))
        finally:
            if is_new:
                self._say_how_to_come_back(client, view)
        return 0

    async def _send_one(self, client: Client, view: View, sending: Sending) -> None:
        try:
            await view._outbox.answer(sending)
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
        view = await self._attach(client, self._options.key)
        await view.end_session()
        if client.scopes.get(view.view_model) == "everyone":
            print(f"view_model_client: the session of {view.view_model} stays for the others", file=sys.stderr)
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
                return {**json_value(words[0]), **event}
            except argparse.ArgumentTypeError as error:
                raise WrongArguments(str(error)) from None
        schemas = Schemas(await client.describe(view_model)) if words else None
        for word in words:
            name, is_member, text = word.partition("=")
            if not is_member or schemas is None:
                raise WrongArguments(f"neither MEMBER=VALUE nor a JSON object: {word!r}")
            event[name] = schemas.value(self._options.kind, name, text)
        return event

    @staticmethod
    async def _explain(client: Client, view_model: str, error: ServerError) -> None:
        if error._detail("path") == "/event/kind":
            kinds = ", ".join(Schemas(await client.describe(view_model)).kinds)
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


def main(arguments: Optional[Sequence[str]] = None) -> NoReturn:
    """Runs the command, and ends the process with its status."""
    logging.basicConfig(format="view_model_client: %(message)s", level=logging.ERROR)
    options = parse(sys.argv[1:] if arguments is None else arguments)
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
    except WrongArguments as error:
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
    sys.exit(status)


if __name__ == "__main__":
    main()
