"""A WebSocket echo server of a few lines whose faults can be switched on, to see that the suite finds them.

    python3 echo_server.py [FAULT…]

serves on a free port of 127.0.0.1, prints it, and ends with its standard input.
"""

import base64
import codecs
import contextlib
import hashlib
import socket
import struct
import sys
import threading

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
LIMIT = 20 << 20


class Failure(Exception):
    """The client did wrong; the connection is failed with this code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Gone(Exception):
    """The client is gone."""


class EchoServer:
    """Listens until it is left; each connection has a thread of its own."""

    def __init__(self, *faults):
        self.faults = set(faults)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.open = set()
        self.threads = []

    def __enter__(self):
        self.thread = threading.Thread(target=self._accept)
        self.thread.start()
        return self

    def __exit__(self, *_):
        # Closing alone doesn't wake the thread that waits in accept.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()
        for one in list(self.open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.open.add(client)
            thread = threading.Thread(target=self._serve, args=(client,))
            self.threads = [one for one in self.threads if one.is_alive()] + [thread]
            thread.start()

    def _serve(self, client):
        with client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with contextlib.suppress(OSError, Gone):
                Echo(client, self.faults).run()
            self.open.discard(client)


class Echo:
    """One connection. `self.has(name)` asks for a fault."""

    def __init__(self, client, faults):
        self.client, self.has = client, faults.__contains__
        self.buffer = bytearray()
        self.kind, self.message, self.decoder = None, bytearray(), None
        self.late = []

    def run(self):
        self._upgrade()
        try:
            while not self._frame():
                pass
        except Failure as failure:
            if not self.has("drops without a code"):
                self._send(CLOSE, struct.pack("!H", 1000 if self.has("wrong code") else failure.code))
        self._end()

    def _end(self):
        """The end in good order: what the client still sends is read, or else the kernel would cut the connection."""
        if not self.has("leaves TCP open"):
            self.client.shutdown(socket.SHUT_WR)
        self.client.settimeout(60)
        while self.client.recv(1 << 16):
            pass

    def _upgrade(self):
        while b"\r\n\r\n" not in self.buffer:
            self._read_more()
        head, _, rest = bytes(self.buffer).partition(b"\r\n\r\n")
        self.buffer = bytearray(b"" if self.has("loses what came with the upgrade") else rest)
        key = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")).split()[1]
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        self.client.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + (key if self.has("wrong accept") else accept) + b"\r\n\r\n")

    def _frame(self):
        """Reads one frame and does what it asks for; true when the connection is over."""
        first, second = self._take(2)
        fin, rsv, opcode, is_masked = bool(first & 0x80), first >> 4 & 7, first & 15, bool(second & 0x80)
        if rsv and not self.has("takes reserved bits"):
            raise Failure(1002)
        if opcode in (3, 4, 5, 6, 7) or opcode > PONG:
            if not self.has("skips unknown opcodes"):
                raise Failure(1002)
        if not is_masked and not self.has("takes unmasked frames"):
            raise Failure(1002)
        count = second & 0x7F
        if opcode >= CLOSE and not (fin or self.has("takes control fragments")):
            raise Failure(1002)
        if opcode >= CLOSE and count > 125 and not self.has("takes long control frames"):
            raise Failure(1002)
        if count == 126:
            count, = struct.unpack("!H", self._take(2))
        elif count == 127:
            count, = struct.unpack("!Q", self._take(8))
        if count > (1 << 20 if self.has("small limit") else LIMIT) and not self.has("no limit"):
            raise Failure(1009)
        key = self._take(4) if is_masked else b"\0\0\0\0"
        if opcode < CLOSE:
            self._begin(opcode)
        payload = self._payload(count, key, opcode)
        if opcode == CLOSE:
            return self._close(payload)
        if opcode in (PING, PONG):
            self._ping(opcode, payload)
        elif opcode <= BINARY:
            self._data(fin, payload)
        return False

    def _begin(self, opcode):
        if opcode == CONTINUATION:
            if self.kind is not None:
                return
            if not self.has("takes continuations of nothing"):
                raise Failure(1002)
        elif self.kind is not None and opcode <= BINARY and not self.has("takes a message in a message"):
            raise Failure(1002)
        self.kind = opcode or TEXT
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def _payload(self, count, key, opcode):
        """The payload, unmasked; a text's is checked as it comes in."""
        checks = opcode < CLOSE and self.kind == TEXT and not self.has("doesn't check UTF-8")
        early = checks and not self.has("checks UTF-8 late")
        payload = bytearray()
        while len(payload) < count:
            if not self.buffer:
                self._read_more()
            at = len(payload) % 4
            piece = self._unmask(bytes(self.buffer[: count - len(payload)]), key[at:] + key[:at])
            del self.buffer[: len(piece)]
            payload += piece
            if early:
                self._check(piece)
        if checks and not early:
            self._check(bytes(payload))
        return bytes(payload)

    def _unmask(self, data, key):
        pattern = (key * (len(data) // 4 + 1))[: len(data)]
        return (int.from_bytes(data, "big") ^ int.from_bytes(pattern, "big")).to_bytes(len(data), "big")

    def _check(self, data, final=False):
        try:
            self.decoder.decode(data, final)
        except UnicodeDecodeError:
            raise Failure(1007) from None

    def _data(self, fin, payload):
        self.message += payload
        if self.has("echoes each fragment") and not fin:
            self._send(self.kind, payload)
        if not fin:
            return
        if self.kind == TEXT and not self.has("doesn't check UTF-8") and not self.has("doesn't check the last character"):
            self._check(b"", final=True)
        kind, message = self.kind, bytes(payload if self.has("echoes each fragment") else self.message)
        self.kind, self.message = None, bytearray()
        self._echo(kind, message)
        while self.late:
            self._send(PONG, self.late.pop(0))

    def _echo(self, kind, message):
        if self.has("echoes binary as text"):
            kind = TEXT
        if self.has("echoes at most 65535 bytes"):
            message = message[:65535]
        if self.has("echoes twice"):
            self._send(kind, message)
        if self.has("spoils the payload") and len(message) > 1000:
            message = message[:999] + b"!" + message[1000:]
        if self.has("echoes in fragments") and len(message) > 10:
            self._send(kind, message[:10], fin=False)
            kind, message = CONTINUATION, message[10:]
        self._send(kind, message)

    def _ping(self, opcode, payload):
        if opcode == PONG and not self.has("answers pongs") or self.has("never answers pings"):
            return
        payload = b"" if self.has("pongs are empty") else payload
        if self.has("pongs after messages") and self.kind is not None:
            self.late.append(payload)
        else:
            self._send(PONG, payload)

    def _close(self, payload):
        code = struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else None
        if len(payload) == 1 and not self.has("takes close frames of one byte"):
            raise Failure(1002)
        is_allowed = code is None or 3000 <= code <= 4999 or 1000 <= code <= 1011 and code not in (1004, 1005, 1006)
        if not is_allowed and not self.has("takes any close code"):
            raise Failure(1002)
        if not self.has("doesn't check close reasons"):
            self.decoder = codecs.getincrementaldecoder("utf-8")()
            self._check(payload[2:], final=True)
        if self.has("drops instead of closing"):
            return True
        self._send(CLOSE, struct.pack("!H", 1001) if self.has("closes with another code") else payload[:2])
        return not self.has("goes on after close")

    def _send(self, opcode, payload, fin=True):
        count = len(payload)
        bit = 0x80 if self.has("masks its frames") else 0
        short = 0 if self.has("long lengths") else 126
        length = bytes([count | bit]) if count < short else (
            struct.pack("!BH", 126 | bit, count) if count < 65536 else struct.pack("!BQ", 127 | bit, count))
        first = opcode | (0x80 if fin else 0) | (0x40 if self.has("sets reserved bits") else 0)
        self.client.sendall(bytes([first]) + length + (b"\0\0\0\0" if bit else b"") + payload)

    def _take(self, count):
        while len(self.buffer) < count:
            self._read_more()
        data = bytes(self.buffer[:count])
        del self.buffer[:count]
        return data

    def _read_more(self):
        data = self.client.recv(1 << 18)
        if not data:
            raise Gone
        self.buffer += data


if __name__ == "__main__":
    with EchoServer(*sys.argv[1:]) as server:
        print(server.port, flush=True)
        sys.stdin.read()
