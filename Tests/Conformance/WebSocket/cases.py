"""What the cases have in common: what is sent, step by step, and what is expected back."""

import os
from dataclasses import dataclass, field, replace

from frames import BINARY, TEXT, close_payload, fragments, frame

# The results, in the words of the Autobahn test suite.
OK, NON_STRICT, INFORMATIONAL, FAILED = "OK", "NON-STRICT", "INFORMATIONAL", "FAILED"

# Who has to close the connection.
US, SERVER = "us", "the server"

NORMAL, PROTOCOL_ERROR, INVALID_PAYLOAD, TOO_BIG = 1000, 1002, 1007, 1009


@dataclass
class Send:
    """Bytes for the server, in one write or in chops of so many."""

    data: bytes
    chop: int = None


@dataclass
class Quiet:
    """Nothing may happen for a moment. Ends the case where the server closes before, or meanwhile."""

    name: str
    # Where the server has to close now, and not later, this is how long it may take.
    is_too_late: bool = False


@dataclass
class Await:
    """Waits until so many messages and pongs have come."""

    count: int


@dataclass
class Closing:
    """A close frame of ours, valid or not."""

    payload: bytes = close_payload(NORMAL)


@dataclass
class Case:
    number: str
    title: str
    steps: list
    # The messages and pongs that come back, and those that aren't the best answer but allowed.
    expect: list = field(default_factory=list)
    non_strict: list = None
    closer: str = US
    # Codes that the server's close frame may have. None at all, or no frame, is allowed where `clean` is false.
    codes: tuple = (NORMAL,)
    # Whether both sides have to send a close frame.
    clean: bool = True
    informational: bool = False
    # How long the server may take for all of it.
    seconds: float = None
    # Whether the steps' bytes go out together with the request for the upgrade.
    early: bool = False
    # Gives steps and what is expected, where these are too large to be kept for all cases at once.
    make: object = None

    def made(self):
        if self.make is None:
            return self
        steps, expect = self.make()
        return replace(self, steps=steps, expect=expect, make=None)


def failing(number, title, steps, expect=(), codes=(PROTOCOL_ERROR,), **more):
    """A case in which the server has to fail the connection. What was right before it should still be answered."""
    expect = list(expect)
    more.setdefault("non_strict", [] if expect else None)
    return Case(number, title, steps, expect, closer=SERVER, codes=codes, clean=False, **more)


def text(payload):
    return ("text", payload if isinstance(payload, bytes) else payload.encode())


def binary(payload):
    return ("binary", payload)


def pong(payload=b""):
    return ("pong", payload)


def of_kind(opcode, payload):
    return text(payload) if opcode == TEXT else binary(payload)


def name_of(opcode):
    return "text" if opcode == TEXT else "binary"


def chopped(frames, chop):
    """Frames in one write, each in a write of its own ("frame"), or in chops of so many bytes."""
    if chop == "frame":
        return [Send(one) for one in frames]
    return [Send(b"".join(frames), chop)]


def ways_to_send(frames):
    """The three ways in which most cases send: in one write, in a write for each frame, and byte by byte."""
    return (
        ("in one write", chopped(frames, None)),
        ("in a write for each frame", chopped(frames, "frame")),
        ("byte by byte", chopped(frames, 1)),
    )


def filled(opcode, count):
    """A payload of this size in which no part is like another, so that a part in the wrong place is seen.

    A text's has characters of one to four bytes, which cuts of any size go through.
    """
    if opcode == BINARY:
        return os.urandom(count)
    line = b"".join(f"{index:05d} \u00e9\u20ac\U0001f600 ".encode() for index in range(min(count // 16 + 1, 65536)))
    whole = (line * (count // len(line) + 1))[:count]
    complete = whole.decode(errors="ignore").encode()
    return complete + b"." * (count - len(complete))


def message(opcode, payload, size=None):
    return fragments(opcode, payload, size) if size else frame(opcode, payload)
