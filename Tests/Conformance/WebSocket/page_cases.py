"""The pages that the port has."""

import posixpath
import re
import time

from frames import TEXT, frame
from http_cases import get
from http_wire import HTTPClient, expect, metrics
from wire import WebSocket

# What a page, a style or a script names another file by.
LINK = re.compile(rb"""(?:src|href|from|import)\s*=?\s*\(?["'](\.?/?[\w./-]+\.(?:js|css|svg|html))["']""")


def client(server):
    return HTTPClient(server.host, server.port)


def healthz(server):
    with client(server) as one:
        response = one.ask(get(b"/healthz"))
        expect(response.status == 200 and response.body == b"ready\n", f"{response}")


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
            for name in LINK.findall(response.body):
                name = posixpath.normpath(posixpath.join(posixpath.dirname(path), name.decode()))
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
        expect(one.ask(get(b"/healthz")).body == b"ready\n", "something is left after HEAD")


def date(server):
    with client(server) as one:
        for path in (b"/", b"/healthz", b"/nothing"):
            text = one.ask(get(path)).header("Date")
            told = time.mktime(time.strptime(text, "%a, %d %b %Y %H:%M:%S GMT")) - time.timezone
            expect(abs(told - time.time()) < 100, f"the date is {text}")


def counts(server):
    """The metrics are Prometheus's text, and follow what happens."""
    with client(server) as one:
        response = one.ask(get(b"/metrics"))
        expect(response.status == 200, f"status {response.status}")
        expect((response.header("Content-Type") or "").startswith("text/plain; version=0.0.4"), response.header("Content-Type"))
        before = metrics(response.body.decode())
        expect(all(value >= 0 for value in before.values()), "a negative value")
        with WebSocket(server.host, server.port) as socket:
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


def samples(server):
    with client(server) as one:
        return metrics(one.ask(get(b"/metrics")).body.decode())


def nobody_is_left(server, descriptors):
    """Once all clients are gone, nothing of them is: no connection, no view, no descriptor."""
    deadline = time.monotonic() + 60
    while True:
        now = samples(server)
        views = sum(value for (name, _), value in now.items() if name == "view_model_server_views")
        connections, open_now = now["view_model_server_connections", ""], now["process_open_fds", ""]
        # The one that asks has one; what was opened once for all may have one or two.
        if connections == views == 0 and open_now <= descriptors + 3:
            return
        expect(time.monotonic() < deadline,
               f"{connections} connections, {views} views, {open_now} descriptors, where {descriptors} were open at first")


def rows(server):
    for title, action in (
            ("/healthz", healthz), ("/ and /index.html", front_page), ("the page is guarded", page_is_guarded),
            ("files that the page names", linked_files), ("ETag and 304", entity_tags), ("HEAD", head), ("Date", date),
            ("/metrics", counts)):
        yield f"page: {title}", lambda action=action: action(server)
