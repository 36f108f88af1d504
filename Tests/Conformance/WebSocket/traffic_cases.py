"""Many requests on one connection, many connections, and slow ones."""

import threading
import time

from frames import TEXT, frame
from http_cases import get
from http_wire import Wrong, expect
from page_cases import client, healthz
from wire import WebSocket, upgrade_request

# Longer than the server waits for a request to become complete.
PATIENCE = 120.0


def pipelined(server):
    """Answers come in the order of the requests, however these came."""
    paths = [b"/healthz", b"/nothing", b"/", b"/metrics", b"/index.html"] * 20
    with client(server) as one:
        one.send(b"".join(get(path) for path in paths))
        for path in paths:
            status = one.response().status
            expect(status == (404 if path == b"/nothing" else 200), f"{path.decode()} is answered {status}")


def byte_by_byte(server):
    with client(server) as one:
        for _ in range(3):
            one.send(get(b"/healthz"), 1)
            expect(one.response().body == b"ready\n", "not ready")


def good_then_bad(server):
    with client(server) as one:
        one.send(get(b"/healthz") + b"GET /healthz HTTP/1.1\r\n\r\n" + get(b"/healthz"))
        statuses = [one.response().status, one.response().status]
        expect(statuses == [200, 400], f"answered {statuses}")
        one.expect_end()


def half_closed(server):
    """Who says that it asks no more is still answered."""
    with client(server) as one:
        one.send(get(b"/healthz") + get(b"/"))
        one.end_of_input()
        expect([one.response().status, one.response().status] == [200, 200], "not both are answered")
        one.expect_end()


def page_then_upgrade(server):
    """A request, an upgrade and a first message in one segment."""
    with WebSocket(server.host, server.port) as socket:
        first = frame(TEXT, b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
        request = upgrade_request(server.host, server.port, "/ws", "MDEyMzQ1Njc4OWFiY2RlZg==")
        socket.send(get(b"/healthz") + request + first)
        expect(socket.read_until(lambda: b"ServerNotInitialized" in socket.received or b"-32002" in socket.received),
               f"came {bytes(socket.received)[-300:]!r}")
        text = bytes(socket.received)
        expect(text.startswith(b"HTTP/1.1 200 ") and text.count(b"HTTP/1.1 101 ") == 1, f"came {text!r}")


def many_at_once(server):
    """Forty clients that each ask forty times."""
    failures = []

    def ask():
        try:
            with client(server) as one:
                for _ in range(40):
                    expect(one.ask(get(b"/healthz")).status == 200, "no 200")
        except (Wrong, OSError) as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not failures, f"{len(failures)} of 40: {failures[:1]}")


def never_reads(server):
    """One that asks and doesn't read isn't answered without end, and nobody else waits for it."""
    with client(server) as one:
        request = get(b"/metrics") * 200
        sent, deadline = 0, time.monotonic() + 10
        while sent < 32 << 20 and time.monotonic() < deadline:
            try:
                sent += one.socket.send(request)
            except BlockingIOError:
                # Full: the server doesn't take more. Others are answered.
                healthz(server)
                return
            except OSError:
                return
        raise Wrong(f"{sent} bytes of requests were taken from a client that reads no answer")


def drips(server):
    """A byte each half second: the time is for the whole header, and not from byte to byte."""
    began = time.monotonic()
    with client(server) as one:
        one.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        while one.ended is None and time.monotonic() - began < PATIENCE:
            one.send(b"x")
            one.receive(0.5)
        expect(one.ended is not None, f"it was let drip for {PATIENCE} s")
        expect(not one.received or one.response().status == 408, f"came {bytes(one.received)!r}")


def stops(server):
    with client(server) as one:
        one.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        expect(one.read_until(lambda: one.ended is not None, PATIENCE), f"it was waited for longer than {PATIENCE} s")
        expect(not one.received or one.response().status == 408, f"came {bytes(one.received)!r}")


def stays_for_a_while(server):
    """A connection with nothing to ask isn't ended at once, as browsers keep them."""
    with client(server) as one:
        expect(one.ask(get(b"/healthz")).status == 200, "no 200")
        one.receive(3)
        expect(one.ended is None, "it was ended within three seconds")
        expect(one.ask(get(b"/healthz")).status == 200, "no second 200")


def quiet_socket(server):
    """A client that was initialized and says nothing but pongs isn't ended by what ends a slow request."""
    with WebSocket(server.host, server.port) as socket:
        socket.upgrade()
        socket.send(frame(TEXT, b'{"jsonrpc":"2.0","id":1,"method":"initialize"}'))
        expect(socket.read_until(lambda: socket.messages), "initialize wasn't answered")
        socket.read_until(lambda: False, 20)
        expect(socket.ended is None and not socket.close_came, f"it was ended: {socket.close_code}")
        socket.send(frame(TEXT, b'{"jsonrpc":"2.0","id":2,"method":"ping"}'))
        expect(socket.read_until(lambda: len(socket.messages) > 1), "no answer afterwards")


def silent_socket(server):
    """A WebSocket without an initialize is ended, and not at once."""
    with WebSocket(server.host, server.port) as socket:
        socket.upgrade()
        socket.read_until(lambda: False, 3)
        expect(socket.ended is None and not socket.close_came, "it was ended within three seconds")
        expect(socket.read_until(lambda: socket.close_came or socket.ended, PATIENCE), "it was never ended")


def rows(server):
    for title, action in (
            ("a hundred requests in one write", pipelined), ("requests byte by byte", byte_by_byte),
            ("a good request, a bad one, a good one", good_then_bad), ("a half closed connection", half_closed),
            ("a page, an upgrade and a message in one write", page_then_upgrade), ("forty clients at once", many_at_once),
            ("a client that asks and doesn't read", never_reads)):
        yield f"traffic: {title}", lambda action=action: action(server)


def slow_rows(server):
    for title, action in (
            ("a header that comes drop by drop", drips), ("a header that stops", stops),
            ("a connection kept for later", stays_for_a_while), ("a WebSocket that is quiet", quiet_socket),
            ("a WebSocket without initialize", silent_socket)):
        yield f"slow: {title}", lambda action=action: action(server)
