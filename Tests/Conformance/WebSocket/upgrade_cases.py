"""Who is let over to WebSocket, and how the others are told."""

from dataclasses import dataclass, field

from http_cases import NEXT, get
from http_wire import HTTPClient, check_readable, expect
from server_process import Server
from frames import TEXT, frame
from wire import WebSocket, upgrade_request

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
HELLO = frame(TEXT, b'{"jsonrpc":"2.0","id":1,"method":"initialize"}')


@dataclass
class Row:
    title: str
    # Headers in place of the usual ones; None leaves one out. {port} is the server's.
    headers: dict = field(default_factory=dict)
    path: str = "/ws"


TAKEN = [
    Row("plain"),
    Row("a query", path="/ws?a=b"),
    Row("Connection: keep-alive, Upgrade", {"Connection": "keep-alive, Upgrade"}),
    Row("Connection: UPGRADE", {"Connection": "UPGRADE"}),
    Row("Upgrade: WebSocket", {"Upgrade": "WebSocket"}),
    Row("Upgrade: h2c, websocket", {"Upgrade": "h2c, websocket"}),
    Row("an extension offered", {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}),
    Row("many extensions offered", {
        "Sec-WebSocket-Extensions": 'permessage-deflate; server_max_window_bits="10", x-webkit-deflate-frame, a;b=c;d'}),
    Row("a subprotocol offered", {"Sec-WebSocket-Protocol": "view-models"}),
    Row("many subprotocols offered", {"Sec-WebSocket-Protocol": "soap, wamp, mqtt"}),
    Row("from the server's own page", {"Origin": "http://127.0.0.1:{port}"}),
    Row("from the server's own page at localhost", {"Host": "localhost:{port}", "Origin": "http://localhost:{port}"}),
    Row("from the server's own page at [::1]", {"Host": "[::1]:{port}", "Origin": "http://[::1]:{port}"}),
    Row("from its own page behind TLS", {"Origin": "https://127.0.0.1:{port}"}),
    Row("cookies and what browsers send besides", {
        "Origin": "http://127.0.0.1:{port}", "Cookie": "a=b; c=d", "Pragma": "no-cache", "Cache-Control": "no-cache",
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "Accept-Encoding": "gzip, deflate, br",
        "Accept-Language": "de,en;q=0.9", "Sec-Fetch-Mode": "websocket", "Sec-Fetch-Site": "same-origin"}),
]

STRANGERS = [
    Row(f"Origin {origin}", {"Origin": origin, **more})
    for origin, more in (
        ("http://example.com", {}), ("https://example.com:{port}", {}), ("null", {}), ("file://", {}), ("", {}),
        ("http://127.0.0.1", {}), ("http://127.0.0.1:1", {}), ("http://127.0.0.1:{port}0", {}),
        ("http://127.0.0.1:{port}.example.com", {}), ("http://127.0.0.1:{port}@example.com", {}),
        ("http://example.com/127.0.0.1:{port}", {}), ("http://127.0.0.1:{port}/", {}), ("http://localhost:{port}", {}),
        ("127.0.0.1:{port}", {}), ("ws://127.0.0.1:{port}", {}), ("http://127.0.0.1:{port} http://example.com", {}),
        # Somebody else's name that was made to mean this machine.
        ("http://example.com:{port}", {"Host": "example.com:{port}"}),
        ("http://example.com", {"Host": "example.com"}),
        ("http://127.0.0.1.example.com:{port}", {"Host": "127.0.0.1.example.com:{port}"}),
        ("http://localhost.example.com:{port}", {"Host": "localhost.example.com:{port}"}),
    )
]

REFUSED = [
    (Row("no Upgrade", {"Upgrade": None}), (400, 426)),
    (Row("no Connection", {"Connection": None}), (400, 426)),
    (Row("neither", {"Upgrade": None, "Connection": None}), (400, 426)),
    (Row("Upgrade: h2c", {"Upgrade": "h2c"}), (400, 426)),
    (Row("Upgrade: websockets", {"Upgrade": "websockets"}), (400, 426)),
    (Row("Connection: keep-alive", {"Connection": "keep-alive"}), (400, 426)),
    (Row("Connection: Upgraded", {"Connection": "Upgraded"}), (400, 426)),
    (Row("no version", {"Sec-WebSocket-Version": None}), (400, 426)),
    (Row("version 8", {"Sec-WebSocket-Version": "8"}), (426,)),
    (Row("version 14", {"Sec-WebSocket-Version": "14"}), (426,)),
    (Row("version 013", {"Sec-WebSocket-Version": "013"}), (400, 426)),
    (Row("versions 13, 8", {"Sec-WebSocket-Version": "13, 8"}), (400, 426)),
    (Row("no key", {"Sec-WebSocket-Key": None}), (400,)),
    (Row("empty key", {"Sec-WebSocket-Key": ""}), (400,)),
    (Row("key of 15 bytes", {"Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2Rl"}), (400,)),
    (Row("key of 17 bytes", {"Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZmc="}), (400,)),
    (Row("key that is no base64", {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25j!!=="}), (400,)),
    (Row("two keys", {"Sec-WebSocket-Key": KEY, "sec-websocket-key": KEY}), (400,)),
    (Row("with a body", {"Content-Length": "5"}), (400, 413)),
    (Row("with a body in chunks", {"Transfer-Encoding": "chunked"}), (400, 501)),
    (Row("elsewhere", path="/"), (200, 400, 404)),
    (Row("elsewhere, where nothing is", path="/wss"), (404,)),
]


def ask(server, row):
    """The answer to an upgrade, and the connection that it came on."""
    headers = {name: value.format(port=server.port) if value else value for name, value in row.headers.items()}
    client = HTTPClient(server.host, server.port)
    client.send(upgrade_request(server.host, server.port, row.path, KEY, headers))
    return client, client.response()


def taken(server, row):
    """It works, nothing that was offered is said to be agreed on, and a message is answered."""
    headers = {name: value.format(port=server.port) if value else value for name, value in row.headers.items()}
    with WebSocket(server.host, server.port) as socket:
        answer = socket.upgrade(row.path, headers, first=HELLO)
        expect("sec-websocket-extensions" not in answer, f"agreed on {answer.get('sec-websocket-extensions')}")
        expect("sec-websocket-protocol" not in answer, f"agreed on {answer.get('sec-websocket-protocol')}")
        expect("content-length" not in answer, "101 has a body")
        expect(socket.read_until(lambda: socket.messages), "no answer to the first message")
        expect(b'"serverInfo"' in socket.messages[0][1], f"{socket.messages[0]}")
        socket.send_close(1000)
        expect(socket.read_until(lambda: socket.ended), "no end after the closing handshake")
        expect(socket.close_code == 1000 and not socket.faults, f"{socket.close_code} {socket.faults}")


def refused(server, row, statuses):
    """In words, and the connection is still one for HTTP."""
    client, response = ask(server, row)
    with client:
        expect(response.status in statuses, f"{response.status} {response.body[:80]!r}, where {statuses} is right")
        if response.status == 426:
            expect("websocket" in (response.header("Upgrade") or "").lower() or response.header("Sec-WebSocket-Version"),
                   "426 without Upgrade")
        if row.title.startswith("version 8"):
            expect(response.header("Sec-WebSocket-Version") == "13", "it isn't said that version 13 is spoken")
        if response.status != 200:
            check_readable(response)
        # What isn't refused for good goes on.
        client.send(NEXT)
        if client.read_until(lambda: client.received or client.ended) and client.received:
            expect(client.response().body == b"ready\n", "the next request isn't answered")


def stranger(server, row):
    client, response = ask(server, row)
    with client:
        expect(response.status == 403, f"{response.status}, where 403 is right")
        check_readable(response)


def other_methods(server):
    for method in (b"POST", b"PUT", b"HEAD", b"OPTIONS"):
        request = upgrade_request(server.host, server.port, "/ws", KEY).replace(b"GET", method, 1)
        with HTTPClient(server.host, server.port) as client:
            response = client.ask(request)
            expect(response.status in (400, 405, 426), f"{method.decode()} is answered {response.status}")


def old_version(server):
    request = upgrade_request(server.host, server.port, "/ws", KEY).replace(b"HTTP/1.1", b"HTTP/1.0", 1)
    with HTTPClient(server.host, server.port) as client:
        status = client.ask(request).status
        expect(status in (400, 426, 505), f"answered {status}")


def wrong_key_answer(server):
    """The example of RFC 6455, section 1.3."""
    client, response = ask(server, Row("the RFC's"))
    with client:
        expect(response.header("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", f"{response.headers}")


def plain_get(server):
    with HTTPClient(server.host, server.port) as client:
        response = client.ask(get(b"/ws"))
        expect(response.status in (400, 426), f"answered {response.status}")
        check_readable(response)


def http_after_upgrade(server):
    """What is HTTP is no frame."""
    with WebSocket(server.host, server.port) as socket:
        socket.upgrade(first=NEXT)
        expect(socket.read_until(lambda: socket.close_came), "no close frame")
        expect(socket.close_code == 1002 and not socket.messages, f"{socket.close_code} {socket.messages}")


def own_origin(server):
    """--allow-origin lets this one in, and no other."""
    with Server(server.executable, "--allow-origin", "https://views.example") as other:
        taken(other, Row("allowed", {"Origin": "https://views.example"}))
        taken(other, Row("own", {"Origin": "http://127.0.0.1:{port}"}))
        for origin in ("http://views.example", "https://views.example.com", "https://x.views.example", "null"):
            stranger(other, Row("stranger", {"Origin": origin}))


def no_page(server):
    with Server(server.executable, "--no-web") as other, HTTPClient(other.host, other.port) as client:
        expect([client.ask(get(path)).status for path in (b"/", b"/healthz", b"/metrics")] == [404, 200, 200], "not so")
        taken(other, Row("plain"))


def rows(server):
    for row in TAKEN:
        yield f"upgrade: {row.title}", lambda row=row: taken(server, row)
    for row, statuses in REFUSED:
        yield f"no upgrade: {row.title}", lambda row=row, statuses=statuses: refused(server, row, statuses)
    for row in STRANGERS:
        host = f" to {row.headers['Host']}" if "Host" in row.headers else ""
        yield f"no upgrade: {row.title}{host}", lambda row=row: stranger(server, row)
    yield "no upgrade: other methods", lambda: other_methods(server)
    yield "no upgrade: HTTP/1.0", lambda: old_version(server)
    yield "no upgrade: plain GET", lambda: plain_get(server)
    yield "upgrade: the key of the RFC", lambda: wrong_key_answer(server)
    yield "upgrade: and then HTTP", lambda: http_after_upgrade(server)
    yield "upgrade: --allow-origin", lambda: own_origin(server)
    yield "upgrade: --no-web", lambda: no_page(server)
