"""Sections 7, 9 and 10: closing, large messages, fragments; and x, cases that the Autobahn test suite doesn't have."""

from cases import (
    INVALID_PAYLOAD, NORMAL, PROTOCOL_ERROR, TOO_BIG, Await, Case, Closing, Send, binary, failing, filled, message,
    name_of, of_kind, pong, text)
from frames import BINARY, CLOSE, CONTINUATION, PING, TEXT, close_payload, fragments, frame

HELLO = b"Hello World!"
MIB = 1 << 20


def closing():
    """7"""
    one, two = frame(TEXT, b"fragment1", fin=False), frame(CONTINUATION, b"fragment2")
    yield Case("7.1.1", "text, then close", [Send(frame(TEXT, HELLO))], [text(HELLO)])
    yield Case("7.1.2", "two close frames", [Closing(), Send(frame(CLOSE))])
    yield Case("7.1.3", "ping after close", [Closing(), Send(frame(PING))])
    yield Case("7.1.4", "text after close", [Closing(), Send(frame(TEXT, HELLO))])
    yield Case("7.1.5", "close between two fragments", [Send(one), Closing(), Send(two)])
    yield Case(
        "7.1.6", "256 KiB of text, text, close, ping",
        [Send(frame(TEXT, filled(TEXT, 256 << 10)) + frame(TEXT, HELLO)), Closing(), Send(frame(PING))],
        informational=True)
    yield from close_frames()
    for index, code in enumerate((1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999), 1):
        yield Case(f"7.7.{index}", f"close code {code}", [Closing(close_payload(code))], codes=(NORMAL, code))
    for index, code in enumerate((0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999), 1):
        yield wrong_close(f"7.9.{index}", f"close code {code}, which nobody may send", close_payload(code))
    for index, code in ((1, 5000), (2, 65535)):
        yield Case(
            f"7.13.{index}", f"close code {code}, which has no meaning", [Closing(close_payload(code))],
            codes=(NORMAL, PROTOCOL_ERROR, code), clean=False, informational=True)


def close_frames():
    """7.3 and 7.5: what may stand in a close frame."""
    yield Case("7.3.1", "empty close frame", [Closing(b"")])
    yield wrong_close("7.3.2", "close frame of one byte", b"a")
    yield Case("7.3.3", "close frame of two bytes", [Closing()])
    yield Case("7.3.4", "close frame with a reason", [Closing(close_payload(NORMAL, HELLO))])
    yield Case("7.3.5", "close frame with the longest reason", [Closing(close_payload(NORMAL, b"*" * 123))])
    yield wrong_close("7.3.6", "close frame with a reason that is too long", close_payload(NORMAL, b"*" * 124))
    reason = b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited"
    yield wrong_close(
        "7.5.1", "close frame whose reason is not UTF-8", close_payload(NORMAL, reason),
        (PROTOCOL_ERROR, INVALID_PAYLOAD))


def wrong_close(number, title, payload, codes=(PROTOCOL_ERROR,)):
    return Case(number, title, [Closing(payload)], codes=codes, clean=False)


def large():
    """9"""
    for section, opcode in ((1, TEXT), (2, BINARY)):
        for index, count in enumerate((64 << 10, 256 << 10, MIB, 4 * MIB, 8 * MIB, 16 * MIB), 1):
            yield echo(f"9.{section}.{index}", f"{name_of(opcode)} of {count >> 10} KiB", opcode, count)
    for section, opcode in ((3, TEXT), (4, BINARY)):
        for index in range(9):
            size = 64 << 2 * index
            yield echo(
                f"9.{section}.{index + 1}", f"{name_of(opcode)} of 4 MiB in fragments of {size} bytes", opcode, 4 * MIB,
                size=size)
    for section, opcode in ((5, TEXT), (6, BINARY)):
        for index in range(6):
            chop = 64 << index
            yield echo(
                f"9.{section}.{index + 1}", f"{name_of(opcode)} of 1 MiB in chops of {chop} bytes", opcode, MIB,
                chop=chop)
    for section, opcode in ((7, TEXT), (8, BINARY)):
        for index, count in enumerate((0, 16, 64, 256, 1024, 4096), 1):
            yield round_trips(f"9.{section}.{index}", opcode, count)


def echo(number, title, opcode, count, size=None, chop=None):
    def make():
        payload = filled(opcode, count)
        return [Send(message(opcode, payload, size), chop)], [of_kind(opcode, payload)]

    return Case(number, title, [], make=make, seconds=60)


def round_trips(number, opcode, count, rounds=1000):
    def make():
        payload = filled(opcode, count)
        send = Send(frame(opcode, payload))
        steps = [step for done in range(1, rounds + 1) for step in (send, Await(done))]
        return steps, [of_kind(opcode, payload)] * rounds

    return Case(
        number, f"{rounds} times {name_of(opcode)} of {count} bytes, one after another", [], make=make, seconds=60)


def misc():
    """10"""
    payload = b"*" * 65536
    yield Case("10.1.1", "text of 65536 bytes in fragments of 1300", [Send(fragments(TEXT, payload, 1300))],
               [text(payload)])


def beyond():
    """x: cases that the Autobahn test suite doesn't have."""
    yield from unmasked()
    yield from lengths()
    payload = b"x" * 1000
    pieces = [payload[at : at + 10] for at in range(0, 1000, 10)]
    frames = [frame(CONTINUATION if at else TEXT, piece, fin=False) + frame(PING, b"%d" % at)
              for at, piece in enumerate(pieces)]
    yield Case("x.3.1", "a ping after each of 100 fragments", [Send(b"".join(frames) + frame(CONTINUATION))],
               [pong(b"%d" % at) for at in range(100)] + [text(payload)])
    yield failing("x.3.2", "binary inside a text in fragments",
                  [Send(frame(TEXT, b"one", fin=False) + frame(BINARY, b"two") + frame(CONTINUATION, b"three"))])
    yield failing("x.3.3", "text in fragments whose last character is cut off",
                  [Send(frame(TEXT, b"one\xe2", fin=False) + frame(CONTINUATION, b"\x82"))], codes=(INVALID_PAYLOAD,))
    yield failing("x.3.4", "text that is right up to its last fragment, which is empty",
                  [Send(frame(TEXT, b"\xf0\x9f\x98", fin=False) + frame(CONTINUATION))], codes=(INVALID_PAYLOAD,))
    emoji = "\U0001f600".encode()
    parts = [frame(TEXT, emoji[:1], fin=False), frame(PING), *(frame(CONTINUATION, emoji[at : at + 1], fin=False)
             for at in (1, 2)), frame(PING), frame(CONTINUATION, emoji[3:])]
    yield Case("x.3.5", "a character in four fragments with pings between", [Send(b"".join(parts))],
               [pong(), pong(), text(emoji)])
    yield Case("x.3.6", "binary that is no UTF-8, in fragments", [Send(fragments(BINARY, b"\xff\xc0\x80\xed\xa0", 1))],
               [binary(b"\xff\xc0\x80\xed\xa0")])
    yield Case("x.3.7", "right after wrong UTF-8 on another connection", [Send(frame(TEXT, emoji))], [text(emoji)])
    yield Case("x.3.8", "close with a reason beyond ASCII", [Closing(close_payload(NORMAL, emoji * 30))])
    yield Case("x.4.1", "text in one write with the request for the upgrade",
               [Send(frame(TEXT, HELLO))], [text(HELLO)], early=True)
    burst = [b"%d" % index for index in range(2000)]
    yield Case("x.4.2", "2000 texts in one write", [Send(b"".join(frame(TEXT, one) for one in burst))],
               [text(one) for one in burst])


def unmasked():
    """A server must close where a client doesn't mask (RFC 6455, 5.1)."""
    for index, (opcode, title) in enumerate(((TEXT, "text"), (BINARY, "binary"), (PING, "ping"), (CLOSE, "close")), 1):
        payload = close_payload(NORMAL) if opcode == CLOSE else HELLO
        yield failing(f"x.1.{index}", f"{title} without a mask", [Send(frame(opcode, payload, mask=False))])
    yield failing(
        "x.1.5", "continuation without a mask",
        [Send(frame(TEXT, b"one", fin=False) + frame(CONTINUATION, b"two", mask=False))])
    yield Case("x.1.6", "mask of zeros", [Send(frame(TEXT, HELLO, mask=b"\0\0\0\0"))], [text(HELLO)])


def lengths():
    yield failing("x.2.1", "length with its highest bit set", [Send(frame(BINARY, HELLO, length=1 << 63 | 12, form=8))],
                  codes=(PROTOCOL_ERROR, TOO_BIG))
    yield failing("x.2.2", "length of a terabyte", [Send(frame(BINARY, HELLO, length=1 << 40))], codes=(TOO_BIG,))
    yield failing("x.2.3", "ping with a length of a terabyte", [Send(frame(PING, HELLO, length=1 << 40))],
                  codes=(PROTOCOL_ERROR, TOO_BIG))
    for index, form in ((4, 2), (5, 8)):
        yield Case(f"x.2.{index}", f"length of 12 in {form} bytes, which is more than needed",
                   [Send(frame(TEXT, HELLO, form=form))], [text(HELLO)], informational=True)
