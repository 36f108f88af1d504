"""The view events of a view: numbered, sent in their order, sent again, answered, or given back.

A session takes events under rising numbers, and says which it has when the view is attached again. So an event whose
answer was lost is sent until it is answered, and never applied twice.
"""

from __future__ import annotations

import asyncio
import bisect
import heapq
import json
import logging
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from ._attachment import Attachment
from ._errors import ClientError, ConnectionLost, Dropped, ServerError, ViewClosed, anew, to_json
from ._progress import Report
from ._wire import Wire

_log = logging.getLogger("view_model_client")

# Of a view's events; other clients may have views of its session.
_MAXIMUM_IN_FLIGHT = 256
_MAXIMUM_LENGTH_IN_FLIGHT = 1 << 20

# By these limits and errors a server refuses an event before it takes its number: there is no room, or it can't be read.
_WITHOUT_NUMBER = ("pendingEvents", "pendingBytes", "addressBytes", "messageValues", "ParseError", "InvalidRequest")


@dataclass(eq=False)
class Sending:
    """A view event on its way."""

    event: Any
    json: Any
    length: int
    answer: asyncio.Future[None]
    # Among all that was given to its view.
    place: int
    token: Optional[int] = None
    # Under which it was sent, and may have been taken; 0 where it has none.
    number: int = 0
    was_sent: bool = False
    progress_goes_on: bool = False
    # Of the request that waits for its answer.
    wire: Optional[Wire] = None
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


class Outbox:
    """Of one view. It has its events until whoever waits for the answer has it, or has the event back."""

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment
        self._connection = attachment.connection
        # Those that were given back, in their order.
        self.dropped: Tuple[Dropped, ...] = ()
        self._places_of_dropped: List[int] = []
        # All that somebody waits for, in its order.
        self._outgoing: List[Sending] = []
        self._posted = 0
        # A heap of those that have to be sent, with their places in that order; some may have been given up.
        self._unsent: List[Tuple[int, Sending]] = []
        # Those that wait for their answers, given up or not, in the order of sending, and how many may do so.
        self._in_flight: Dict[Sending, None] = {}
        self._length_in_flight = 0
        self._window = _MAXIMUM_IN_FLIGHT
        self._last_number = 0
        # The highest number that the server had taken when the view was attached.
        self._handled = 0

    @property
    def _is_numbered(self) -> bool:
        return self._attachment.name is not None

    @property
    def waits(self) -> bool:
        # A copy, since another thread may be looking.
        return any(not sending.answer.done() for sending in list(self._outgoing))

    def waiting(self, was_sent: bool) -> Tuple[Any, ...]:
        waiting = [sending for sending in list(self._outgoing) if not sending.answer.done()]
        return tuple(sending.event for sending in waiting if sending.was_sent == was_sent)

    def answers(self) -> List[asyncio.Future[None]]:
        return [sending.answer for sending in self._outgoing if not sending.answer.done()]

    # Who sends.

    def post(self, event: Any, report: Optional[Report] = None) -> Sending:
        if self._attachment.reason is not None:
            raise anew(self._attachment.ending, (Dropped(event, was_sent=False),))
        # A copy, since it may wait for long, and its object may be changed meanwhile.
        text = json.dumps(to_json(event), allow_nan=False)
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._posted += 1
        sending = Sending(event, json.loads(text), len(text), answer, self._posted)
        if report is not None:
            sending.token = self._connection.progress.begin(report)
        self._outgoing.append(sending)
        self._connection.changed()
        self._put_back(sending)
        return sending

    async def answer(self, sending: Sending) -> None:
        """Who has posted it waits here, and may give it up."""
        try:
            await sending.answer
        except asyncio.CancelledError:
            sending.cancel()
            raise
        finally:
            self._outgoing.remove(sending)
            if sending.token is not None and not sending.progress_goes_on:
                self._connection.progress.end(sending.token)
            self._connection.changed()

    # Attaching and ending.

    def attached(self, handled: Optional[int]) -> None:
        """The session has so many of its numbers; None where it doesn't know this client."""
        if not self._is_numbered:
            return
        self._last_number = self._handled = handled or 0
        if handled is None:
            self._give_back_doubtful()
        self._renumber()

    def end(self, reason: str) -> None:
        """The attachment has ended. An event on its way is answered, or lost with its connection."""
        for sending in self._outgoing:
            if not sending.is_on_its_way:
                self._drop(sending, self._attachment.ending)
        if self.dropped and reason not in ("closed", "detached"):
            few = "; ".join(map(str, self.dropped[:3])) + ("; …" if len(self.dropped) > 3 else "")
            name, count = self._attachment.view_model, len(self.dropped)
            _log.warning("the view of %s ended: %s; %d unanswered: %s", name, reason, count, few)
        self._unsent.clear()

    def _give_back_doubtful(self) -> None:
        """The server doesn't know this client any more: what it may have taken isn't sent again."""
        for sending in list(self._outgoing):
            # Those that were refused have no number, and those on their way get their answers.
            if sending.number and sending.wire is None:
                self._drop(sending, ConnectionLost("the server doesn't know any more whether it took this event"))

    def _renumber(self) -> None:
        """Events that the server hasn't taken are as good as not sent, and get other numbers."""
        for sending in self._outgoing:
            if sending.wire is None and sending.number > self._handled:
                sending.forget_number()

    def _drop(self, sending: Sending, error: ClientError) -> None:
        """Gives the event back, in the error that its `send` raises and in `dropped`."""
        if not sending.answer.done():
            dropped = (Dropped(sending.event, sending.was_sent),)
            # Those on their way come later than those behind them.
            index = bisect.bisect(self._places_of_dropped, sending.place)
            self._places_of_dropped.insert(index, sending.place)
            self.dropped = self.dropped[:index] + dropped + self.dropped[index:]
            sending.fail(anew(error, dropped))

    # Sending.

    def flush(self) -> None:
        """Sends what there is to send, in its order and as far as there is room on the way.

        It doesn't wait for the answers to the events before: the newest may have to take the place of an older one,
        or to be handled beside it.
        """
        attachment, wire = self._attachment, self._connection.wire
        if wire is None or not attachment.is_attached.is_set() or attachment.reason is not None or attachment.rests:
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
        return oldest.session != self._attachment.session and any(map(Sending.is_answered, self._in_flight))

    def _has_room(self, sending: Sending) -> bool:
        # Fewer than a session takes, since other views may send as well.
        window = min(self._window, self._connection.limits.get("pendingEvents", 2 * _MAXIMUM_IN_FLIGHT) // 2)
        is_small = self._length_in_flight + sending.length <= _MAXIMUM_LENGTH_IN_FLIGHT
        return not self._in_flight or (len(self._in_flight) < window and is_small)

    def _transmit(self, sending: Sending, wire: Wire) -> None:
        session = self._attachment.session
        params: Dict[str, Any] = {"session": session, "event": sending.json}
        if sending.token is not None:
            params["workDoneToken"] = sending.token
        number = 0
        if self._is_numbered:
            # One that the server has taken keeps its number. It isn't applied again, but answered when that is done.
            was_taken = 0 < sending.number <= self._handled
            number = params["number"] = sending.number if was_taken else self._last_number + 1
        try:
            sending.id, answer = wire.start("view/event", params)
        except (ServerError, ValueError) as error:
            # It is too long, or has text that can't be written as UTF-8.
            return sending.fail(error.with_traceback(None))
        sending.wire, sending.request = wire, answer
        sending.session, sending.number, sending.was_sent = session, number, True
        self._last_number = max(self._last_number, number)
        self._in_flight[sending] = None
        self._length_in_flight += sending.length
        self._connection.changed()
        asyncio.ensure_future(self._follow(sending, wire, answer))

    async def _follow(self, sending: Sending, wire: Wire, answer: asyncio.Future[Any]) -> None:
        attachment = self._attachment
        error: Optional[ClientError] = None
        try:
            result = await answer
            # Not where the connection or the view has ended since: that ends it, too.
            is_current = wire.is_open and attachment.reason is None
            if sending.token is not None and is_current and result.get("progress"):
                sending.progress_goes_on = self._connection.progress.go_on(sending.token, attachment)
        except ClientError as failure:
            error = failure.with_traceback(None)
        finally:
            sending.wire = None
            del self._in_flight[sending]
            self._length_in_flight -= sending.length
        if not isinstance(error, ServerError) or error.name != "StoreUnavailable":
            attachment.store_works()
        if error is None:
            self._window = min(self._window + 1, _MAXIMUM_IN_FLIGHT)
            sending.succeed()
        elif isinstance(error, ServerError):
            self._refused(sending, error)
        elif not self._is_numbered:
            # Without a number it might be applied twice.
            self._drop(sending, error if attachment.reason is None else attachment.ending)
        else:
            self._put_back(sending)
        if attachment.reason is not None:
            self._drop(sending, attachment.ending)
        self.flush()

    # Sending again.

    def _put_back(self, sending: Sending) -> None:
        if self._attachment.reason is None and not sending.answer.done():
            heapq.heappush(self._unsent, (sending.place, sending))
            self.flush()

    def _refused(self, sending: Sending, error: ServerError) -> None:
        number = sending.number
        if error.name == "UnknownSession":
            return self._met_the_end(sending, error)
        if error._detail("path") == "/number" and number > self._last_number:
            # One before it found no room.
            sending.forget_number()
            return self._put_back(sending)
        if error.name == "StoreUnavailable" and error.retry_after is not None:
            # Neither it nor one behind it was taken: they are sent again, in their order.
            if number > self._handled:
                self._release(sending)
            self._attachment.rests += 1
            self._attachment.did_refuse(error)
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
        self._release(sending)
        before = sum(other.place < sending.place for other in self._in_flight)
        if number and before and limit in ("pendingEvents", "pendingBytes"):
            # There is room when one of those before it is done.
            self._window = before
            return self._put_back(sending)
        sending.fail(error)

    def _met_the_end(self, sending: Sending, error: ServerError) -> None:
        attachment = self._attachment
        is_attached = attachment.is_attached.is_set()
        # It was sent to a view that had ended for reading too slowly, and is sent to the one that is attached next.
        if attachment.reason is None and (not is_attached or sending.session != attachment.session):
            if is_attached:
                self._renumber()
            if sending.number > self._handled:
                sending.forget_number()
            return self._put_back(sending)
        # It waited or ran when the session ended, which this view may be told next.
        closed = ViewClosed(attachment.reason or "closed")
        closed.__cause__ = error
        self._drop(sending, closed)

    def _release(self, sending: Sending) -> None:
        """Its number is still to be used."""
        self._last_number = min(self._last_number, max(0, sending.number - 1))
        sending.forget_number()

    def _go_on(self) -> None:
        self._attachment.rests -= 1
        self.flush()
