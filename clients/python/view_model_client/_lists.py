"""Lists of a view model: windows on them, rows that are asked for, a row that is selected, and who listens."""

from __future__ import annotations

import asyncio
import functools
import sys
import weakref
from dataclasses import dataclass
from typing import Any, AsyncIterator, Callable, Dict, Generic, Iterable, List, Optional, Sequence, Tuple, TypeVar

from ._attachment import Attachment
from ._errors import ClientError, ConnectionLost, ListChanged, ServerError, ViewClosed
from ._inbox import Stream
from ._rows import ListEdit, Rows

_Row = TypeVar("_Row")

_MAXIMUM_ROWS = 4000
_PAGE = 500


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

    def __init__(self, attachment: Attachment, name: str, is_known: bool) -> None:
        self.name = name
        self.error: Optional[ClientError] = None
        """Why the rows that `show` asked for don't come; it is tried again at the next change or `show`."""
        self._attachment = attachment
        self._is_used = False
        self._read: Callable[[Any], _Row] = _as_it_is
        self._id = "id"
        # Of the newest event or answer that is in it.
        self._seq = 0
        self._rows = Rows()
        # False where it may have rows of which nobody has told this view.
        self._is_known = is_known
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
        return f"<{type(self).__name__} {self.name} of {self._attachment.view_model}: {self.count} rows>"

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
        return Stream(_RowStream(self).next)

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
        is_new = not self._is_known or seq > self._attachment.seq or count != self.count
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

    def _begin_reading(self, rows: Rows) -> _Reading:
        reading = _Reading(rows)
        self._readings.add(reading)
        return reading

    async def _ask(self, wanted: Tuple[int, int], reading: Optional[_Reading] = None) -> None:
        """Fills in some of the rows, the first at least; asks again where the connection is lost before the answer."""
        attachment, connection, (first, end) = self._attachment, self._attachment.connection, wanted
        clock = asyncio.get_running_loop().time
        deadline = clock() + connection.patience
        is_right = has_none = False
        params = {"list": self.name, "first": first, "count": min(end - first, connection.limits.get("rows", 1000))}

        def answered(answer: Dict[str, Any]) -> None:
            nonlocal is_right, has_none
            # As it was then: more may be known when this goes on.
            has_none = not answer["rows"] and first < answer["count"]
            # Not from a view that ended for reading too slowly.
            if attachment.is_attached.is_set() and attachment.session == session:
                is_right = self._answered(answer, reading)

        while not is_right:
            wire, session = await attachment.wire(), attachment.session
            try:
                with attachment.asking():
                    await wire.call("session/rows", {"session": session, **params}, answered)
            except ConnectionLost:
                # Not for ever, since the call itself may be the end of the server.
                if not connection.reconnects or clock() > deadline:
                    raise
            except ServerError as error:
                if error.name != "UnknownSession":
                    raise
                is_current = attachment.is_attached.is_set() and attachment.session == session
                if attachment.reason is not None or is_current:
                    raise ViewClosed(attachment.reason or "closed") from error
        if has_none:
            raise ClientError(f"the server sends no row of {self.name} from {first} on; is that one too long?")

    def _look(self) -> None:
        """Asks for rows that are shown, or near, and aren't here."""
        is_over = self._attachment.reason is not None or self.error is not None
        if self._fetching is None and not is_over and self._missing() is not None:
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
                    self._attachment.did_refuse(error)
                    with self._attachment.asking():
                        await asyncio.sleep(error.retry_after)
                else:
                    self._attachment.store_works()
        except ClientError as error:
            # Who waits for an answer or an event learns why a view ended.
            if self._attachment.reason is None:
                self.error = error.with_traceback(None)
                asyncio.get_running_loop().call_soon(self._tell, ())
        finally:
            if self._fetching is asyncio.current_task():
                self._fetching = None


@dataclass(eq=False)
class _Reading:
    """Rows that somebody gathers, and the place that it has come to, which the list's changes bring up to date."""

    rows: Rows
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
        self._reading = rows._begin_reading(Rows())
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
            reading.rows = Rows(self._list.count)
            await self._list._ask((reading.place, reading.place + _PAGE), reading)
            self._was_asked = True
        if reading.place >= reading.rows.count:
            raise StopAsyncIteration
        reading.place += 1
        return self._list._read(row)


class Lists:
    """Of one view, by their names: those that were asked for, and every kind of event that may be of a list."""

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment
        self._lists: Dict[str, RowList[Any]] = {}
        # False where lists may have rows of which nobody has told this view.
        self.are_known = True

    def called(self, name: str) -> RowList[Any]:
        if name not in self._lists:
            self._lists[name] = RowList(self._attachment, name, self.are_known)
        return self._lists[name]

    def used(self, name: str, read: Optional[Callable[[Any], Any]], id: Optional[str]) -> RowList[Any]:
        """One that somebody asks for."""
        rows = self.called(name)
        rows._is_used = True
        rows._read = read or rows._read
        rows._id = id or rows._id
        return rows

    def take(self, seq: int, event: Any) -> Optional[str]:
        """Brings the list up to date whose event this is, or may be. Returns its name where it is used."""
        rows = self._of(event)
        if rows is None:
            return None
        rows._take(seq, event)
        return rows.name if rows._is_used else None

    def begin_anew(self, seq: int, snapshot: Sequence[Any]) -> None:
        self.are_known = True
        told = {}
        for event in snapshot:
            rows = self._of(event)
            if rows is not None:
                told[rows.name] = event
        # A copy, since listeners may ask for another one.
        for name, rows in list(self._lists.items()):
            rows._begin_anew(seq, told.get(name, {"count": 0}))

    def _of(self, event: Any) -> Optional[RowList[Any]]:
        """Which kinds are lists is known only once they are asked for."""
        kind = event.get("kind") if isinstance(event, dict) else None
        if not isinstance(kind, str) or not _is_index(event.get("count")):
            return None
        return self.called(kind)


def _as_it_is(row: Any) -> Any:
    return row


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= sys.maxsize
