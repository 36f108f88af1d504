"""The pages that the port has, and many requests on one connection."""

import re
import threading
import time

from http_cases import get
from http_wire import HTTPClient, Wrong, metrics
from wire import TEXT, WebSocket, frame, upgrade_request

# Longer than the server waits for a request to become complete.
PATIENCE = 40.0


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def client(server):
    return HTTPClient(server.host, server.port)


def healthz(server):
    with client(server) as one:
        response = one.ask(get(b"/healthz"))
        expect(response.status == 200 and response.body == b"ok\n", f"{response}")


def front_page(server):
    with client(server) as one:
        response = one.ask(get(b"/"))
        expect(response.status == 200, f"status {response.status}")
        expect(response.header("Content-Type") == "text/html; charset=utf-8", response.header("Content-Type"))
        expect(response.body.lstrip().lower().startswith(b"<!doctype html>"), f"{response.body[:60]!r}")
        expect(one.ask(get(b"/index.html")).body == response.body, "/index.html is another page")


def page_is_guarded(server):
    """Nothing of other sites runs in the page, and it runs in no other site's frame."""
    with client(server) as one:
        response = one.ask(get(b"/"))
        policy = dict(
            part.strip().split(" ", 1) for part in (response.header("Content-Security-Policy") or "").split(";") if part)
        expect(policy.get("default-src") in ("'none'", "'self'"), f"default-src is {policy.get('default-src')}")
        expect("unsafe" not in str(policy), f"{policy}")
        expect(policy.get("frame-ancestors") == "'none'", f"frame-ancestors is {policy.get('frame-ancestors')}")
        expect(response.header("X-Content-Type-Options") == "nosniff", "no nosniff")
        expect(one.ask(get(b"/nothing")).header("Server") is None, "the server names its version to everyone")


def linked_files(server):
    """Every file that the page names is there, with a type of its own, an ETag and a 304."""
    types = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
    with client(server) as one:
        waiting, seen = ["/index.html"], set()
        while waiting:
            path = waiting.pop()
            seen.add(path)
            response = one.ask(get(path.encode()))
            expect(response.status == 200, f"{path} is answered {response.status}")
            kind = (response.header("Content-Type") or "").split(";")[0]
            expect(kind == types.get(path.rpartition(".")[2]), f"{path} is {kind}")
            expect(response.header("ETag"), f"{path} has no ETag")
            again = one.ask(get(path.encode(), b"If-None-Match: " + response.header("ETag").encode()))
            expect(again.status == 304 and not again.body, f"{path} again is answered {again.status}")
            for name in re.findall(rb"""(?:src|href|from|import)\s*=?\s*\(?["'](\.?/?[\w./-]+\.(?:js|css|svg|html))["']""", response.body):
                name = "/" + name.decode().lstrip("./")
                if name not in seen and name not in waiting:
                    waiting.append(name)


def entity_tags(server):
    with client(server) as one:
        tag = one.ask(get(b"/")).header("ETag")
        expect(re.fullmatch(r'(W/)?"[!#-~]+"', tag or ""), f"ETag is {tag}")
        strong = tag.removeprefix("W/").encode()
        for value, status in (
                (strong, 304), (b"W/" + strong, 304), (b'"other", ' + strong, 304), (b'"other",W/' + strong, 304), (b"*", 304),
                (b'"other"', 200), (strong[:-1] + b'x"', 200), (strong[1:-1], 200), (b"", 200)):
            response = one.ask(get(b"/", b"If-None-Match: " + value))
            expect(response.status == status, f"If-None-Match: {value.decode()} is answered {response.status}")
            expect(response.header("ETag") == tag, f"with {response.status}, ETag is {response.header('ETag')}")
        response = one.ask(get(b"/", b"If-None-Match: " + strong, method=b"HEAD"), "HEAD")
        expect(response.status == 304, f"HEAD is answered {response.status}")
        expect(one.ask(get(b"/healthz")).status == 200, "the connection doesn't go on after 304")


def head(server):
    """The same header as GET's, and no body: the next answer begins right after it."""
    with client(server) as one:
        for path in (b"/", b"/index.html", b"/healthz", b"/nothing", b"/ws"):
            full, short = one.ask(get(path)), one.ask(get(path, method=b"HEAD"))
            differ = {name for name, value in set(full.headers) ^ set(short.headers)} - {"Date"}
            expect(full.status == short.status and not differ, f"{path.decode()}: {full.status} and {short.status}, {differ}")
        short = one.ask(get(b"/metrics", method=b"HEAD"))
        expect(short.status == 200 and int(short.header("Content-Length")) > 100, f"{short}")
        expect(one.ask(get(b"/healthz")).body == b"ok\n", "something is left after HEAD")


def date(server):
    with client(server) as one:
        for path in (b"/", b"/healthz", b"/nothing"):
            text = one.ask(get(path)).header("Date")
            told = time.mktime(time.strptime(text, "%a, %d %b %Y %H:%M:%S GMT")) - time.timezone
            expect(abs(told - time.time()) < 100, f"the date is {text}")


def counts(server):
    """The metrics are Prometheus's text, and follow what happens."""
    with client(server) as one, WebSocket(server.host, server.port) as socket:
        response = one.ask(get(b"/metrics"))
        expect(response.status == 200, f"status {response.status}")
        expect((response.header("Content-Type") or "").startswith("text/plain; version=0.0.4"), response.header("Content-Type"))
        before = metrics(response.body.decode())
        expect(all(value >= 0 for value in before.values()), "a negative value")
        socket.upgrade()
        for at, (method, params) in enumerate((("initialize", "{}"), ("session/open", '{"viewModel":"hello"}')), 1):
            socket.send(frame(TEXT, f'{{"jsonrpc":"2.0","id":{at},"method":"{method}","params":{params}}}'.encode()))
        expect(socket.read_until(lambda: len(socket.messages) >= 2), f"only {socket.messages} came")
        after = metrics(one.ask(get(b"/metrics")).body.decode())
        for name in ("connections_total", "sessions", "views"):
            keys = [key for key in after if key[0] == f"view_model_server_{name}" and ("hello" in key[1] or not key[1])]
            expect(keys, f"no view_model_server_{name}")
            rise = sum(after[key] - before.get(key, 0) for key in keys)
            expect(rise >= 1, f"view_model_server_{name} rose by {rise} with a session more")


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
            expect(one.response().body == b"ok\n", "no ok")


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
    """A WebSocket that says nothing but pongs isn't ended by what ends a slow request."""
    with WebSocket(server.host, server.port) as socket:
        socket.upgrade()
        socket.read_until(lambda: False, 20)
        expect(socket.ended is None and not socket.close_came, f"it was ended: {socket.close_code}")
        socket.send(frame(TEXT, b'{"jsonrpc":"2.0","id":1,"method":"initialize"}'))
        expect(socket.read_until(lambda: socket.messages), "no answer afterwards")


def rows(server):
    for title, action in (
            ("/healthz", healthz), ("/ and /index.html", front_page), ("the page is guarded", page_is_guarded),
            ("files that the page names", linked_files), ("ETag and 304", entity_tags), ("HEAD", head), ("Date", date),
            ("/metrics", counts), ("a hundred requests in one write", pipelined), ("requests byte by byte", byte_by_byte),
            ("a good request, a bad one, a good one", good_then_bad), ("a half closed connection", half_closed),
            ("a page, an upgrade and a message in one write", page_then_upgrade), ("forty clients at once", many_at_once),
            ("a client that doesn't read", never_reads)):
        yield f"page: {title}", lambda action=action: action(server)


def slow_rows(server):
    for title, action in (
            ("a header that comes drop by drop", drips), ("a header that stops", stops),
            ("a connection kept for later", stays_for_a_while), ("a WebSocket that is quiet", quiet_socket)):
        yield f"slow: {title}", lambda action=action: action(server)
