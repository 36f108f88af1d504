"""What has come for a view, until it is read."""

from __future__ import annotations

import asyncio
import collections
from dataclasses import dataclass
from typing import Any, AsyncIterator, Awaitable, Callable, Deque, Dict, List, Mapping, Optional, Sequence, Tuple
from typing import TypeVar, Union

from ._errors import ClientError, anew
from ._navigation import Navigation, Screen

_T = TypeVar("_T")


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


Notification = Union[Event, Snapshot, Navigation, Screen]

Reader = Callable[[Any], Any]
# By the names of view models.
Readers = Mapping[str, Reader]


class Stream(AsyncIterator[_T]):
    """Goes on after a wait that was cancelled, as a generator doesn't."""

    def __init__(self, next: Callable[[], Awaitable[_T]]) -> None:
        self._next = next

    async def __anext__(self) -> _T:
        return await self._next()


class Inbox:
    """Unread messages of a view. Events and navigation may be read separately, and so are kept separately."""

    def __init__(self, reader: Callable[[], Optional[Reader]]) -> None:
        """`reader` makes events of the contract's types, where there is one."""
        self._reader = reader
        self._events: collections.OrderedDict[int, Notification] = collections.OrderedDict()
        self._navigation: collections.OrderedDict[int, Notification] = collections.OrderedDict()
        self._count = 0
        # Of the newest with each key.
        self._places: Dict[str, int] = {}
        # Of a snapshot that is read event by event.
        self._unread: Deque[Any] = collections.deque()
        self._news = asyncio.Event()
        self._is_over = False
        self._error: Optional[ClientError] = None

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
        self._news.set()

    def end(self, error: Optional[ClientError]) -> None:
        """Nothing comes any more. Who has read all is told the error; without one the messages just end."""
        self._is_over, self._error = True, error
        self._news.set()

    def take(self, events: bool = True, navigation: bool = True) -> Optional[Notification]:
        """The first unread message of these kinds, as it came."""
        lanes = [lane for lane, wanted in ((self._events, events), (self._navigation, navigation)) if wanted and lane]
        return min(lanes, key=lambda lane: next(iter(lane))).popitem(last=False)[1] if lanes else None

    def received(self) -> List[Any]:
        """The events that have come, without waiting."""
        while True:
            item = self.take(navigation=False)
            if item is None:
                break
            self._unread.extend(self._events_in(self._read(item)))
        events = list(self._unread)
        self._unread.clear()
        return events

    async def next(self, events: bool = True, navigation: bool = True) -> Notification:
        while True:
            item = self.take(events, navigation)
            if item is not None:
                return self._read(item)
            if not self._is_over:
                # It may be nothing that is asked for.
                self._news.clear()
                await self._news.wait()
            elif self._error is not None:
                raise anew(self._error)
            else:
                raise StopAsyncIteration

    async def next_event(self) -> Any:
        while not self._unread:
            self._unread.extend(self._events_in(await self.next(navigation=False)))
        return self._unread.popleft()

    async def next_navigation(self) -> Union[Navigation, Screen]:
        while True:
            item = await self.next(events=False)
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
        reader = self._reader()
        if reader is None:
            return item
        if isinstance(item, Event):
            return Event(item.seq, _read_event(reader, item.event), item.more)
        if isinstance(item, Snapshot):
            events = [_read_event(reader, event) for event in item.events]
            return Snapshot(item.seq, tuple(event for event in events if event is not None))
        return item


def _read_event(reader: Reader, event: Any) -> Any:
    try:
        return reader(event)
    except ValueError as error:
        # The contract's own class, which this library can't import.
        if any(kind.__name__ == "UnknownCase" for kind in type(error).__mro__):
            return None
        raise
