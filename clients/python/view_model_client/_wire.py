"""JSON-RPC 2.0 over one connection, a message a line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Set, Tuple

from ._errors import ConnectionLost, ServerError, anew
from ._silence import Watch
from ._transport import in_time

_log = logging.getLogger("view_model_client")

# From the answer to a request that nobody waits for any more, the method that closes or detaches its session.
Undo = Callable[[Any], str]


@dataclass(eq=False)
class _Call:
    """A request that waits for its answer."""

    answer: asyncio.Future[Any]
    answered: Optional[Callable[[Any], None]]
    undo: Optional[Undo]


class Wire:
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
        self._watch: Optional[Watch] = None
        self._tell_stall: Callable[[Wire, Optional[str]], None] = lambda *_: None
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
        tell: Callable[[Wire, Optional[ConnectionLost]], None],
        tell_stall: Callable[[Wire, Optional[str]], None],
        has_refusals: Callable[[], bool],
    ) -> None:
        """Has `tell` called where the server doesn't answer, as `Watch` says, and `tell_stall` with its answers.

        `has_refusals` says whether something waits to be asked again.
        """
        self._tell_stall, self._has_refusals = tell_stall, has_refusals
        if delay > 0:

            def is_waiting() -> bool:
                return self.is_waiting or has_refusals()

            loop = asyncio.get_running_loop()
            self._watch = Watch(delay, loop, is_waiting, self._ping, lambda error: tell(self, error))

    def _ping(self) -> None:
        def answered(result: Any) -> None:
            stall = result.get("storeUnavailable") if isinstance(result, dict) else None
            self._is_stalled = isinstance(stall, str)
            self._tell_stall(self, stall if isinstance(stall, str) else None)

        self._pings.add(self._last_id + 1)
        _, answer = self.start("ping", answered=answered)
        answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())

    @property
    def takes_more(self) -> bool:
        """False from the moment that writing fails, soon after which it ends."""
        return self._ending is None and not self._writer.is_closing()

    async def call(
        self,
        method: str,
        params: Optional[Dict[str, Any]] = None,
        answered: Optional[Callable[[Any], None]] = None,
        undo: Optional[Undo] = None,
    ) -> Any:
        """`answered` is called before anything that came after the answer is looked at.

        `undo` is for an answer that comes after the caller has given up.
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
        undo: Optional[Undo] = None,
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
            raise anew(self._ending)

    async def until_lost(self) -> ConnectionLost:
        await asyncio.wait([self._reading])
        return self._ending or ConnectionLost("the connection was closed")

    async def close(self) -> None:
        """Ends it, once what was written has gone."""
        try:
            self._writer.close()
            await in_time(self._writer.wait_closed(), 5)
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
                await in_time(process.wait(), 5)
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
            self.end(ending)

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
            result = message["result"]
            _, answer = self.start(call.undo(result), {"session": result["session"]})
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

    def end(self, ending: ConnectionLost) -> None:
        """At once: what waits for an answer is told."""
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
                call.answer.set_exception(anew(ending))
                # Nobody may be left who waits for it.
                call.answer.exception()
