"""Sections 1 to 5: framing, pings, reserved bits, opcodes, fragmentation."""

from cases import Await, Case, Closing, Send, chopped, failing, name_of, of_kind, pong, text, ways_to_send
from frames import BINARY, CONTINUATION, PING, PONG, TEXT, frame

HELLO = b"Hello, world!"
NOT_TEXT = b"\x00\xff\xfe\xfd\xfc\xfb\x00\xff"


def framing():
    """1: messages of the lengths at which the length takes another form."""
    for section, opcode, byte in ((1, TEXT, b"*"), (2, BINARY, b"\xfe")):
        for index, (count, chop) in enumerate(
                ((0, None), (125, None), (126, None), (127, None), (128, None), (65535, None), (65536, None),
                 (65536, 997)), 1):
            yield Case(
                f"1.{section}.{index}", f"{name_of(opcode)} of {count} bytes" + (f" in chops of {chop}" if chop else ""),
                [Send(frame(opcode, byte * count), chop)], [of_kind(opcode, byte * count)])


def pings():
    """2"""
    for index, (payload, chop) in enumerate(((b"", None), (b"Hello, world!", None), (NOT_TEXT, None)), 1):
        yield Case(f"2.{index}", f"ping with {payload!r}", [Send(frame(PING, payload), chop)], [pong(payload)])
    full = b"\xfe" * 125
    yield Case("2.4", "ping of 125 bytes", [Send(frame(PING, full))], [pong(full)])
    yield failing("2.5", "ping of 126 bytes", [Send(frame(PING, full + b"\xfe"))])
    yield Case("2.6", "ping of 125 bytes, byte by byte", [Send(frame(PING, full), 1)], [pong(full)])
    for number, payload in (("2.7", b""), ("2.8", b"unsolicited pong payload")):
        yield Case(number, f"pong that nobody asked for, with {payload!r}", [Send(frame(PONG, payload)), Closing()])
    yield Case(
        "2.9", "pong that nobody asked for, then a ping",
        [Send(frame(PONG, b"unsolicited pong payload") + frame(PING, b"ping payload"))], [pong(b"ping payload")])
    payloads = [b"payload-%d" % index for index in range(10)]
    for number, chop in (("2.10", None), ("2.11", 1)):
        yield Case(
            number, "ten pings" + (", byte by byte" if chop else ""),
            [Send(b"".join(frame(PING, payload) for payload in payloads), chop)], [pong(one) for one in payloads])


def reserved_bits():
    """3"""
    yield failing("3.1", "text with reserved bits 1", [Send(frame(TEXT, HELLO, rsv=1))])
    for index in (2, 3, 4):
        frames = [frame(TEXT, HELLO), frame(TEXT, HELLO, rsv=index), frame(PING)]
        way, steps = ways_to_send(frames)[index - 2]
        yield failing(
            f"3.{index}", f"text, text with reserved bits {index}, ping, {way}", steps, [text(HELLO)])
    yield failing("3.5", "binary with reserved bits 5", [Send(frame(BINARY, NOT_TEXT, rsv=5))])
    yield failing("3.6", "ping with reserved bits 6", [Send(frame(PING, HELLO, rsv=6))])
    yield failing("3.7", "close with reserved bits 7", [Send(frame(8, rsv=7))])


def opcodes():
    """4"""
    for section, first in ((1, 3), (2, 11)):
        for index in range(5):
            opcode = first + index
            payload = b"" if index in (0, 2) else b"reserved opcode payload"
            bad = frame(opcode, payload)
            if index < 2:
                steps, expect = [Send(bad)], []
            else:
                steps = chopped([frame(TEXT, HELLO), bad, frame(PING)], 1 if index == 4 else None)
                expect = [text(HELLO)]
            yield failing(
                f"4.{section}.{index + 1}", f"reserved opcode {opcode}" + (" after a text" if index > 1 else ""),
                steps, expect)


def fragmentation():
    """5"""
    one, two = frame(TEXT, b"fragment1", fin=False), frame(CONTINUATION, b"fragment2")
    whole = text(b"fragment1fragment2")
    for number, opcode in (("5.1", PING), ("5.2", PONG)):
        steps = [Send(frame(opcode, b"fragment1", fin=False) + two)]
        yield failing(number, f"{'ping' if opcode == PING else 'pong'} in two fragments", steps)
    for index, (way, steps) in enumerate(ways_to_send([one, two]), 3):
        yield Case(f"5.{index}", f"text in two fragments, {way}", steps, [whole])
    for index, (way, steps) in enumerate(ways_to_send([one, frame(PING, b"ping payload"), two]), 6):
        yield Case(
            f"5.{index}", f"text in two fragments with a ping between, {way}", steps, [pong(b"ping payload"), whole])
    for first, fin in ((9, True), (12, False)):
        frames = [frame(CONTINUATION, b"non-continuation payload", fin=fin), frame(TEXT, HELLO)]
        for index, (way, steps) in enumerate(ways_to_send(frames), first):
            yield failing(f"5.{index}", f"continuation (fin {fin}) of nothing, then text, {way}", steps)
    yield failing(
        "5.15", "text in two fragments, then a continuation of nothing, then text",
        [Send(one + two + frame(CONTINUATION, b"fragment3", fin=False) + frame(TEXT, b"fragment4"))], [whole])
    for number, fin in (("5.16", False), ("5.17", True)):
        stray = frame(CONTINUATION, b"fragment1", fin=fin)
        rest = frame(TEXT, b"fragment2", fin=False) + frame(CONTINUATION, b"fragment3")
        yield failing(number, f"continuation (fin {fin}) of nothing, then text in two fragments, twice",
                      [Send((stray + rest) * 2)])
    yield failing("5.18", "text in two fragments that are both called text", [Send(one + frame(TEXT, b"fragment2"))])
    yield from pings_in_fragments()


def pings_in_fragments():
    """The first ping is answered while the message is not yet complete."""
    pieces = [b"fragment%d" % index for index in range(1, 6)]
    more = [frame(CONTINUATION, piece, fin=False) for piece in pieces[1:4]]
    before = [frame(TEXT, pieces[0], fin=False), more[0], frame(PING, b"pongme 1!")]
    after = [more[1], more[2], frame(PING, b"pongme 2!"), frame(CONTINUATION, pieces[4])]
    expect = [pong(b"pongme 1!"), pong(b"pongme 2!"), text(b"".join(pieces))]
    for number, chop in (("5.19", None), ("5.20", "frame")):
        yield Case(
            number, "text in five fragments with two pings, " + ("in a write for each frame" if chop else "in two writes"),
            chopped(before, chop) + [Await(1)] + chopped(after, chop), expect)
