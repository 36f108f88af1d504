"""Where a server is, and how it is reached: over TCP, a Unix socket, or standard input and output of a process."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from dataclasses import dataclass
from typing import Awaitable, Optional, Sequence, Tuple, TypeVar

from ._errors import ConnectionLost

_T = TypeVar("_T")


async def in_time(awaitable: Awaitable[_T], seconds: float) -> _T:
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


@dataclass(frozen=True)
class Place:
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
                reader, writer = await in_time(opening, 10)
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
