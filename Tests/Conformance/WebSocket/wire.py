"""A WebSocket client that does as it is told: any bytes, in pieces of any size.

It checks what comes from the server against RFC 6455 and keeps what was wrong in `faults`.
"""

import base64
import hashlib
import os
import select
import socket
import time

from frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, FrameReader, close_payload, frame

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

# How long is waited for what has to come: a guard against hanging.
PATIENCE = 60.0


class Refused(Exception):
    """The server didn't take the upgrade as it should have."""


class Connection:
    """A TCP connection on which nothing blocks for longer than it is told."""

    def __init__(self, host, port, patience=None):
        self.host, self.port, self.patience = host, port, patience or PATIENCE
        self.socket = socket.create_connection((host, port), timeout=self.patience)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.received = bytearray()
        # How the server ended its side: "end" (in order) or "reset".
        self.ended = None
        self._is_sending, self._replies = False, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data, chop=None):
        """Writes all of it, `chop` bytes at a time, and reads on while the server doesn't take more."""
        if self._is_sending:
            # What is read meanwhile may ask for a reply, which may not come in the middle of a frame.
            self._replies.append(data)
            return
        self._is_sending = True
        self._send(data, chop)
        self._is_sending = False
        while self._replies:
            self.send(self._replies.pop(0))

    def _send(self, data, chop):
        view = memoryview(data)
        deadline = time.monotonic() + max(self.patience, 30)
        at = 0
        while at < len(view) and self.ended is None:
            try:
                at += self.socket.send(view[at : at + chop] if chop else view[at : at + (1 << 18)])
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return
                self._wait(select.POLLIN | select.POLLOUT, 0.5)
            except OSError:
                # The server is gone; what it said before that is still to be read.
                self.receive(0)
                return

    def receive(self, seconds):
        """Reads what is there or comes within this time into `received`; false when nothing came or the server ended."""
        if self.ended is not None or not self._wait(select.POLLIN, seconds):
            return False
        return self._read()

    def read_until(self, condition, seconds=None):
        """Reads until the condition holds; false when the time is over or the server ended before."""
        deadline = time.monotonic() + (self.patience if seconds is None else seconds)
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0 or self.ended is not None:
                return False
            self.receive(left)
        return True

    def end_of_input(self):
        """Says that nothing more will be sent."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _wait(self, events, seconds):
        poll = select.poll()
        poll.register(self.socket, events)
        ready = poll.poll(max(0, seconds) * 1000)
        if ready and ready[0][1] & select.POLLIN and events & select.POLLOUT:
            self._read()
        return bool(ready)

    def _read(self):
        try:
            data = self.socket.recv(1 << 20)
        except BlockingIOError:
            return False
        except OSError:
            self.ended = "reset"
            return False
        if not data:
            self.ended = "end"
            return False
        self.took(data)
        return True

    def took(self, data):
        self.received += data


class WebSocket(Connection):
    """A connection that is upgraded, and then gives frames and messages."""

    def __init__(self, host, port, patience=None):
        super().__init__(host, port, patience)
        self.reader = FrameReader()
        self.is_open = False
        self.messages = []  # ("text" | "binary" | "pong", payload)
        self.close_code = self.close_reason = None
        self.close_came = self.close_sent = False
        self.faults = self.reader.faults
        self._kind, self._pieces = None, []

    def upgrade(self, path="/ws", headers=(), first=b""):
        """Asks for the upgrade, with the bytes `first` in the same write, and checks the answer; returns its headers."""
        key = base64.b64encode(os.urandom(16))
        self.send(upgrade_request(self.host, self.port, path, key, headers) + first)
        began = time.monotonic()
        if not self.read_until(lambda: b"\r\n\r\n" in self.received):
            how = f"the connection is {self.ended or 'open'} after {time.monotonic() - began:.1f} s"
            raise Refused(f"no answer to the upgrade, only {bytes(self.received[:200])!r}; {how}")
        head, _, rest = bytes(self.received).partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        if lines[0].split(" ")[:2] != ["HTTP/1.1", "101"]:
            raise Refused(f"the upgrade was answered {lines[0]!r}")
        answer = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        accept = base64.b64encode(hashlib.sha1(key + GUID).digest()).decode()
        if answer.get("sec-websocket-accept") != accept:
            raise Refused(f"Sec-WebSocket-Accept is {answer.get('sec-websocket-accept')!r}, not {accept!r}")
        tokens = [token.strip() for token in answer.get("connection", "").lower().split(",")]
        if answer.get("upgrade", "").lower() != "websocket" or "upgrade" not in tokens:
            raise Refused("the answer's Upgrade or Connection is wrong")
        self.is_open = True
        del self.received[:]
        self.took(rest)
        return answer

    def took(self, data):
        if not self.is_open:
            self.received += data
            return
        self.reader.feed(data)
        while (one := self.reader.next()) is not None:
            self._frame(*one)

    def send_close(self, code=None, reason=b""):
        self.close_sent = True
        self.send(frame(CLOSE, close_payload(code, reason)))

    def _frame(self, fin, rsv, opcode, payload):
        if self.close_came:
            self._fault(f"a frame (opcode {opcode}) came after the close frame")
            return
        if rsv:
            self._fault(f"reserved bits {rsv} are set")
        if opcode >= CLOSE:
            self._control(fin, opcode, payload)
            return
        if opcode > BINARY or (opcode == CONTINUATION) != (self._kind is not None):
            self._fault(f"opcode {opcode} came {'inside a' if self._kind else 'outside any'} message")
            return
        self._kind = self._kind or opcode
        self._pieces.append(payload)
        if fin:
            message = b"".join(self._pieces)
            self.messages.append(("text" if self._kind == TEXT else "binary", message))
            self._kind, self._pieces = None, []

    def _control(self, fin, opcode, payload):
        if not fin or len(payload) > 125:
            self._fault(f"a control frame of {len(payload)} bytes, fin {fin}")
        if opcode == PING:
            self.send(frame(PONG, payload))
        elif opcode == PONG:
            self.messages.append(("pong", payload))
        elif opcode == CLOSE:
            self.close_came = True
            self._close(payload)
        else:
            self._fault(f"opcode {opcode} came")

    def _close(self, payload):
        if len(payload) == 1:
            self._fault("a close frame of one byte")
        if len(payload) >= 2:
            self.close_code = int.from_bytes(payload[:2], "big")
            try:
                self.close_reason = payload[2:].decode()
            except UnicodeDecodeError:
                self._fault("the reason of the close frame is not UTF-8")

    def _fault(self, text):
        if text not in self.faults:
            self.faults.append(text)


def upgrade_request(host, port, path, key, headers=()):
    """The request for an upgrade. A header in `headers` replaces the one of its name; None leaves it out."""
    lines = {
        "Host": f"{host}:{port}", "Upgrade": "websocket", "Connection": "Upgrade",
        "Sec-WebSocket-Key": key.decode() if isinstance(key, bytes) else key, "Sec-WebSocket-Version": "13",
    }
    lines.update(headers)
    text = f"GET {path} HTTP/1.1\r\n"
    text += "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
    return (text + "\r\n").encode("latin-1")
