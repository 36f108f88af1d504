"""Clients that go beyond what is allowed, by mistake or on purpose."""

import os
import select
import socket
import subprocess
import tempfile
import time

from frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, close_payload, fragments, frame
from http_cases import get
from http_wire import HTTPClient, Wrong, expect
from rpc_wire import LIMIT, Client, encoded
from server_process import Server

def too_long(send):
    """One that is longer than allowed is answered LimitExceeded, and then the connection is closed with 1009."""
    def action(server):
        with Client(server, patience=60.0) as one:
            send(one)
            error = one.wait(lambda message: message.get("id", 0) is None, "LimitExceeded")["error"]
            expect(error["code"] == -32015 and error["data"]["limit"], f"{error}")
            one.expect_close(1009)
    return action


def send_declared(one):
    one.send(frame(TEXT, b"{", length=LIMIT + 1))


def send_whole(one):
    one.send(frame(TEXT, b" " * (LIMIT + 1)))


def send_in_fragments(one):
    one.send(fragments(TEXT, b" " * (LIMIT + 1), 1 << 20))


def send_endless(one):
    """Fragments without an end: what can't be read any more needn't be taken."""
    piece = frame(CONTINUATION, b" " * 65536, fin=False, mask=b"\0\0\0\0")
    one.send(frame(TEXT, b"{", fin=False))
    for _ in range(LIMIT // 65536 + 10):
        one.send(piece)


def longest(server):
    """A message of exactly the limit is taken."""
    with Client(server, patience=60.0) as one:
        body = encoded("ping", id="long")
        for chunk in (None, 1 << 20):
            payload = body + b" " * (LIMIT - len(body))
            one.send(fragments(TEXT, payload, chunk) if chunk else frame(TEXT, payload))
            count = 2 if chunk else 1
            expect(one.read_until(lambda: len(one.messages) == 1 + count), f"no answer, {one.close_code}")
        expect([message["id"] for message in one.all()[1:]] == ["long", "long"], "not both are answered")


def wrong_text(server):
    for payload in (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', b"\xc0\x80", b"\xed\xa0\x80"):
        with Client(server) as one:
            one.send(frame(TEXT, payload))
            one.expect_close(1007)


def wrong_frames(server):
    for title, data in (
            ("no mask", frame(TEXT, encoded("ping", id=1), mask=False)), ("reserved bit", frame(TEXT, b"{}", rsv=4)),
            ("opcode 3", frame(3, b"{}")), ("continuation of nothing", frame(CONTINUATION, b"{}")),
            ("long ping", frame(PING, b"x" * 126)), ("ping in parts", frame(PING, b"x", fin=False)),
            ("message in a message", frame(TEXT, b"{", fin=False) + frame(TEXT, b"}")),
            ("close code 1005", frame(CLOSE, close_payload(1005)))):
        with Client(server) as one:
            one.close_sent = title.startswith("close")
            one.send(data)
            try:
                one.expect_close(1002)
            except Wrong as wrong:
                raise Wrong(f"{title}: {wrong}") from None


def binary_refused(server):
    with Client(server) as one:
        one.send(frame(BINARY, encoded("ping", id=5)))
        one.expect_close(1003)
        expect(not [message for message in one.all() if message.get("id") == 5], "a binary message was answered")


def no_deflate(server):
    """Compression is offered and not agreed on: a compressed message is then a fault."""
    offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
    with Client(server, headers=offer) as one:
        expect("sec-websocket-extensions" not in one.answer_to_upgrade, f"{one.answer_to_upgrade}")
        one.result("session/open", viewModel="counter")
        one.send(frame(TEXT, b"\xaaV*.", rsv=4))
        one.expect_close(1002)


def slow_reader(server):
    """A view that doesn't read holds up no other, and gets all that can't be dropped, or is told of its end."""
    with Client(server, patience=60.0) as slow, Client(server) as quick:
        key = slow.result("session/open", viewModel="counter")["key"]
        quick.result("session/attach", key=key)
        for _ in range(300):
            quick.result("view/event", session=1, event={"kind": "load"})
        last = quick.result("view/event", session=1, event={"kind": "increment", "by": 1})["seq"]
        slow.wait(lambda message: message.get("method") == "session/closed"
                  or message.get("params", {}).get("seq") == last, "the last event")
        slow.expect_no_faults()


def deaf(data):
    """A client that sends and sends and reads nothing: what it is to be answered doesn't pile up."""
    def action(executable):
        with Server(executable) as server, Client(server) as one:
            before = server.memory()
            piece, at, sent, deadline = data * (65536 // len(data) + 1), 0, 0, time.monotonic() + 15
            quiet_since = time.monotonic()
            while sent < 64 << 20 and time.monotonic() < min(deadline, quiet_since + 2):
                try:
                    count = one.socket.send(memoryview(piece)[at:])
                except BlockingIOError:
                    # Full: either the server is busy, or it has stopped to read, which is well.
                    select.select([], [one.socket], [], 0.2)
                    continue
                except OSError:
                    break
                sent, at, quiet_since = sent + count, (at + count) % len(piece), time.monotonic()
            grown = server.memory() - before
            expect(grown < 12 << 20, f"after {sent >> 20} MiB the server holds {grown >> 20} MiB more")
            with Client(server) as other:
                expect(other.result("ping") is None, "nobody else is answered")
    return action


def many(server):
    """Two hundred connections at once, each with a session of its own."""
    clients = [Client(server) for _ in range(200)]
    try:
        for one in clients:
            one.id = one.request("session/open", viewModel="counter")
        for one in clients:
            expect(one.answer(one.id)["result"]["session"] == 1, "no session 1")
            one.id = one.request("view/event", session=1, event={"kind": "increment", "by": 1})
        for one in clients:
            expect(one.answer(one.id)["result"]["seq"] == 2, "no event 2")
            one.send_close(1000)
        for one in clients:
            one.expect_close(1000)
    finally:
        for one in clients:
            one.socket.close()


def from_a_browser(server):
    """A page can make a browser send almost anything as a body, and a page that has made its own name mean this machine may
    use any method: none of it is taken for JSON-RPC."""
    body = encoded("initialize", {}, 1) + b"\n" + encoded("session/open", {"viewModel": "counter"}, 2) + b"\n"
    for first in (b"POST / HTTP/1.1", b"POST /ws HTTP/1.1", b"GET / HTTP/1.1", b"CONNECT a:1 HTTP/1.1", b"COPY / HTTP/1.1",
                  b"COPY /a:b HTTP/1.1", b"Content-Length /a:1 HTTP/1.1", b"c /: HTTP/1.1",
                  b"PUT / HTTP/1.1", b"OPTIONS * HTTP/1.1"):
        with HTTPClient(server.host, server.port) as web:
            web.send(first + b"\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            expect(web.read_until(lambda: web.ended), f"{first.decode()}: the connection stayed open")
            expect(b'"result"' not in web.received, f"{first.decode()}: the body was taken for messages")


def no_http(executable):
    """On a Unix socket and on standard input there is no HTTP."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        with Server(executable, "--unix", path), socket.socket(socket.AF_UNIX) as one:
            one.settimeout(60)
            one.connect(path)
            one.sendall(get(b"/healthz"))
            answer = b"".join(iter(lambda: one.recv(65536), b""))
            expect(b"-32700" in answer and not answer.startswith(b"HTTP"), f"a Unix socket answers {answer!r}")
    done = subprocess.run([executable, "--stdio"], input=get(b"/healthz"), capture_output=True, timeout=60, check=False)
    expect(b"-32700" in done.stdout and not done.stdout.startswith(b"HTTP"), f"stdio answers {done.stdout!r}")


def rows(server):
    for title, action in (
            ("a binary message", binary_refused), ("a message of exactly the limit", longest),
            ("too long, by its header", too_long(send_declared)), ("too long, in one frame", too_long(send_whole)),
            ("too long, in fragments", too_long(send_in_fragments)), ("too long, without an end", too_long(send_endless)),
            ("text that is no UTF-8", wrong_text), ("frames against the rules", wrong_frames),
            ("compression that wasn't agreed on", no_deflate), ("a view that doesn't read", slow_reader),
            ("two hundred connections", many), ("what a browser may be made to send", from_a_browser)):
        yield f"abuse: {title}", lambda action=action: action(server)


def rows_of_other_servers(executable):
    for title, data in (
            ("pings", frame(PING, b"x" * 125)), ("requests", frame(TEXT, encoded("ping", id=1))),
            ("messages that are no JSON", frame(TEXT, b"{")), ("pongs", frame(PONG, b"x" * 125))):
        yield f"abuse: {title} from a client that doesn't read", lambda data=data: deaf(data)(executable)
    yield "abuse: HTTP on other transports", lambda: no_http(executable)
