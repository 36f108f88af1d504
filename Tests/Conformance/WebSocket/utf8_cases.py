"""Section 6: text that is UTF-8, and text that isn't. The sequences are those of Markus Kuhn's "UTF-8 decoder
capability and stress test", which the Autobahn test suite numbers as here.
"""

from cases import INVALID_PAYLOAD, Case, Quiet, Send, failing, text
from frames import CONTINUATION, TEXT, fragments, frame

GREETING = "Hello-µ@ßöäüàá-UTF-8!!".encode()
KOSME = b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5"
EDITED = b"edited"
SURROGATE = KOSME + b"\xed\xa0\x80" + EDITED
BEYOND = b"\xf4\x90\x80\x80"  # would be U+110000


def utf8():
    """6"""
    yield from empty_fragments()
    yield from fragmented()
    yield from failing_fast()
    yield from sequences()


def empty_fragments():
    yield Case("6.1.1", "empty text", [Send(frame(TEXT))], [text(b"")])
    empty = frame(TEXT, fin=False), frame(CONTINUATION, fin=False), frame(CONTINUATION)
    yield Case("6.1.2", "text in three empty fragments", [Send(b"".join(empty))], [text(b"")])
    middle = frame(CONTINUATION, b"middle frame payload", fin=False)
    yield Case(
        "6.1.3", "text in three fragments, the first and last empty",
        [Send(empty[0] + middle + empty[2])], [text(b"middle frame payload")])


def fragmented():
    yield Case("6.2.1", "text beyond ASCII", [Send(frame(TEXT, GREETING))], [text(GREETING)])
    cut = GREETING.index("ü".encode())
    yield Case(
        "6.2.2", "text beyond ASCII, cut between characters",
        [Send(frame(TEXT, GREETING[:cut], fin=False) + frame(CONTINUATION, GREETING[cut:]))], [text(GREETING)])
    for number, payload in (("6.2.3", GREETING), ("6.2.4", KOSME)):
        yield Case(
            number, "text beyond ASCII in fragments of one byte", [Send(fragments(TEXT, payload, 1))], [text(payload)])
    yield bad("6.3.1", "a surrogate in a text", [Send(frame(TEXT, SURROGATE))])
    yield bad("6.3.2", "a surrogate in a text, in fragments of one byte", [Send(fragments(TEXT, SURROGATE, 1))])


def failing_fast():
    """6.4: the connection is failed as soon as the text can't become right any more: better than at its end."""
    whole = KOSME + BEYOND + EDITED
    data = frame(TEXT, whole)
    start = len(data) - len(whole)
    # All of the character, or only up to the byte that spoils it.
    cuts = (len(KOSME), len(KOSME) + len(BEYOND)), (12, 13)
    for index, (first, second) in enumerate(cuts, 1):
        yield fast(f"6.4.{index}", "in a fragment", [
            frame(TEXT, whole[:first], fin=False), frame(CONTINUATION, whole[first:second], fin=False),
            frame(CONTINUATION, whole[second:])])
    for index, (first, second) in enumerate(cuts, 3):
        yield fast(f"6.4.{index}", "in a piece of one frame", [
            data[: start + first], data[start + first : start + second], data[start + second :]])


def fast(number, title, parts):
    steps = [Send(parts[0]), Quiet("A"), Send(parts[1]), Quiet("B", is_too_late=True), Send(parts[2])]
    return bad(number, f"UTF-8 that goes wrong {title}", steps, [("quiet", b"A")],
               non_strict=[("quiet", b"A"), ("quiet", b"B")])


def bad(number, title, steps, expect=(), **more):
    return failing(number, title, steps, expect, codes=(INVALID_PAYLOAD,), **more)


def sequences():
    """6.5 to 6.23"""
    for section, (title, group) in enumerate(GROUPS, 5):
        for index, (valid, payload) in enumerate(group, 1):
            number, name = f"6.{section}.{index}", f"{title}: {payload.hex(' ') if len(payload) < 20 else len(payload)}"
            if valid:
                yield Case(number, name, [Send(frame(TEXT, payload))], [text(payload)])
            else:
                yield bad(number, name, [Send(frame(TEXT, payload))])


def all_valid(*payloads):
    return [(True, payload) for payload in payloads]


def all_wrong(*payloads):
    return [(False, payload) for payload in payloads]


def prefixes():
    ends = {2, 5, 7, 9, 11}
    return [(count in ends, KOSME[:count]) for count in range(1, len(KOSME) + 1)]


def lonely_starts():
    """Each byte that begins a sequence, with a blank after it."""
    ranges = (0xC0, 0xDF), (0xE0, 0xEF), (0xF0, 0xF7), (0xF8, 0xFB), (0xFC, 0xFD)
    return [b"".join(bytes((byte, 0x20)) for byte in range(*one)) for one in ranges]


def noncharacters():
    """U+FFFE and U+FFFF of each plane, in the order of their numbers here."""
    found = [b"\xef\xbf\xbe", b"\xef\xbf\xbf"]
    for plane in range(1, 17):
        found += [chr(plane * 0x10000 + 0xFFFE).encode(), chr(plane * 0x10000 + 0xFFFF).encode()]
    return found


INCOMPLETE = [
    b"\xc0", b"\xe0\x80", b"\xf0\x80\x80", b"\xf8\x80\x80\x80", b"\xfc\x80\x80\x80\x80",
    b"\xdf", b"\xef\xbf", b"\xf7\xbf\xbf", b"\xfb\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf",
]

GROUPS = [
    ("right", all_valid(
        b"hello$world", b"hello\xc2\xa2world", b"hello\xe2\x82\xacworld", b"hello\xf0\xa4\xad\xa2world", KOSME)),
    ("beginning of a text", prefixes()),
    ("first of its length", all_valid(b"\x00", b"\xc2\x80", b"\xe0\xa0\x80", b"\xf0\x90\x80\x80")),
    ("first of five and six bytes", all_wrong(b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80")),
    ("last of its length", all_valid(b"\x7f", b"\xdf\xbf", b"\xef\xbf\xbf", b"\xf4\x8f\xbf\xbf")),
    ("last of four, five and six bytes", all_wrong(
        b"\xf7\xbf\xbf\xbf", b"\xfb\xbf\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf\xbf")),
    ("at a border", all_valid(b"\xed\x9f\xbf", b"\xee\x80\x80", b"\xef\xbf\xbd", b"\xf4\x8f\xbf\xbf")
     + all_wrong(BEYOND)),
    ("continuation of nothing", all_wrong(
        b"\x80", b"\xbf", *((b"\x80\xbf" * 3)[:count] for count in range(2, 7)), bytes(range(0x80, 0xBF)))),
    ("lonely start", all_wrong(*lonely_starts())),
    ("last byte missing", all_wrong(*INCOMPLETE)),
    ("incomplete ones in a row", all_wrong(b"".join(INCOMPLETE))),
    ("impossible byte", all_wrong(b"\xfe", b"\xff", b"\xfe\xfe\xff\xff")),
    ("slash that is too long", all_wrong(
        b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xf8\x80\x80\x80\xaf", b"\xfc\x80\x80\x80\x80\xaf")),
    ("largest that is too long", all_wrong(
        b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xf8\x87\xbf\xbf\xbf", b"\xfc\x83\xbf\xbf\xbf\xbf")),
    ("NUL that is too long", all_wrong(
        b"\xc0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\xf8\x80\x80\x80\x80", b"\xfc\x80\x80\x80\x80\x80")),
    ("surrogate", all_wrong(
        b"\xed\xa0\x80", b"\xed\xad\xbf", b"\xed\xae\x80", b"\xed\xaf\xbf", b"\xed\xb0\x80", b"\xed\xbe\x80",
        b"\xed\xbf\xbf")),
    ("pair of surrogates", all_wrong(*(
        high + low for high in (b"\xed\xa0\x80", b"\xed\xad\xbf", b"\xed\xae\x80", b"\xed\xaf\xbf")
        for low in (b"\xed\xb0\x80", b"\xed\xbf\xbf")))),
    ("noncharacter", all_valid(*noncharacters())),
    ("special", all_valid(*(chr(point).encode() for point in range(0xFFF9, 0x10000)))),
]
