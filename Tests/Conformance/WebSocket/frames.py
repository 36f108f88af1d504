"""Frames of RFC 6455, right and wrong ones: written as a client does, and read as a server's."""

import os
import struct

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


def masked(payload, key):
    """The payload under its mask; applied twice it is the payload again. One big number is the fastest way in Python."""
    if not payload or key == b"\0\0\0\0":
        return bytes(payload)
    pattern = (key * (len(payload) // 4 + 1))[: len(payload)]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(pattern, "big")).to_bytes(len(payload), "big")


def length_field(count, mask_bit, form=None):
    """The second byte of a frame and those of the length. `form` 2 or 8 takes more bytes than needed."""
    form = form or (0 if count < 126 else 2 if count < 65536 else 8)
    if form == 0:
        return bytes([mask_bit | count])
    return bytes([mask_bit | (126 if form == 2 else 127)]) + struct.pack("!H" if form == 2 else "!Q", count)


def frame(opcode, payload=b"", fin=True, rsv=0, mask=True, length=None, form=None):
    """The bytes of one frame. `mask` may be a key of four bytes; `length` is declared in place of the true one."""
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    count = len(payload) if length is None else length
    if not mask:
        return bytes([first]) + length_field(count, 0, form) + payload
    key = mask if isinstance(mask, bytes) else os.urandom(4)
    return bytes([first]) + length_field(count, 0x80, form) + key + masked(payload, key)


def fragments(opcode, payload, size):
    """A message cut into frames of `size`, as one string of bytes."""
    pieces = [payload[at : at + size] for at in range(0, len(payload), size)] or [b""]
    last = len(pieces) - 1
    return b"".join(
        frame(CONTINUATION if index else opcode, piece, fin=index == last) for index, piece in enumerate(pieces))


def close_payload(code=None, reason=b""):
    return (struct.pack("!H", code) if code is not None else b"") + reason


class FrameReader:
    """Takes bytes as they come and gives the frames in them: (fin, rsv, opcode, payload)."""

    def __init__(self):
        self.buffer = bytearray()
        self.faults = []

    def feed(self, data):
        self.buffer += data

    def next(self):
        header = self._header()
        if header is None:
            return None
        start, count = header
        if len(self.buffer) < start + count:
            return None
        first = self.buffer[0]
        payload = bytes(memoryview(self.buffer)[start : start + count])
        del self.buffer[: start + count]
        return bool(first & 0x80), first >> 4 & 7, first & 15, payload

    def _header(self):
        buffer = self.buffer
        if len(buffer) < 2:
            return None
        if buffer[1] & 0x80:
            self._fault("the server masks its frames")
        short = buffer[1] & 0x7F
        if short < 126:
            return 2, short
        size = 2 if short == 126 else 8
        if len(buffer) < 2 + size:
            return None
        count = int.from_bytes(buffer[2 : 2 + size], "big")
        if count < 126 or (size == 8 and count < 65536):
            self._fault(f"a length of {count} takes {size} bytes")
        return 2 + size, count

    def _fault(self, text):
        if text not in self.faults:
            self.faults.append(text)
