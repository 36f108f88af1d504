"""HTTP on the port: what is answered, what is refused, and that nobody gets a second request past a first one."""

from dataclasses import dataclass

from http_wire import HTTPClient, Wrong, check_readable

HOST = b"Host: 127.0.0.1\r\n"
# Comes right after each request that is refused: an answer to it would be an answer to what was smuggled in.
NEXT = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"

GOES_ON, ENDS, EITHER = "goes on", "ends", "goes on or ends"


@dataclass
class Row:
    title: str
    request: bytes
    statuses: tuple
    # What becomes of the connection. Where it ends, a request that follows at once isn't answered.
    then: str = ENDS


def get(path=b"/healthz", *lines, method=b"GET", version=b"HTTP/1.1", host=HOST):
    return method + b" " + path + b" " + version + b"\r\n" + host + b"".join(line + b"\r\n" for line in lines) + b"\r\n"


def raw(text):
    return text.replace(b"HOST\r\n", HOST)


ANSWERED = [
    Row("a query is overlooked", get(b"/healthz?x=1&y=%20"), (200,), GOES_ON),
    Row("an address with scheme and host", get(b"http://127.0.0.1/healthz"), (200,), GOES_ON),
    Row("header names in any case", raw(b"GET /healthz HTTP/1.1\r\nhOST: 127.0.0.1\r\n\r\n"), (200,), GOES_ON),
    Row("blanks and tabs around a value", raw(b"GET /healthz HTTP/1.1\r\nHost: \t 127.0.0.1 \t\r\n\r\n"), (200,), GOES_ON),
    Row("no blank before a value", raw(b"GET /healthz HTTP/1.1\r\nHost:127.0.0.1\r\n\r\n"), (200,), GOES_ON),
    Row("bytes beyond ASCII in a value", get(b"/healthz", b"X-Name: \xc3\xa9\xff"), (200, 400), EITHER),
    Row("an empty value", get(b"/healthz", b"X-Name:"), (200,), GOES_ON),
    Row("a length of nothing", get(b"/healthz", b"Content-Length: 0"), (200,), GOES_ON),
    Row("an empty line before the request", b"\r\n" + get(), (200,), GOES_ON),
    Row("an upgrade to something else is overlooked",
        get(b"/healthz", b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAAQAAP__"),
        (200,), GOES_ON),
    Row("a range is overlooked", get(b"/", b"Range: bytes=0-3"), (200,), GOES_ON),
    Row("a header of nearly 8 KiB", get(b"/healthz", b"X-Long: " + b"x" * 8000), (200,), GOES_ON),
    Row("a path of 4000 bytes", get(b"/" + b"x" * 4000), (404,), GOES_ON),
    Row("nothing there", get(b"/nothing"), (404,), GOES_ON),
    Row("HEAD of nothing", get(b"/nothing", method=b"HEAD"), (404,), GOES_ON),
    Row("HTTP/1.0 without Host", get(version=b"HTTP/1.0", host=b""), (200,), ENDS),
    Row("HTTP/1.0 that wants to go on", get(b"/healthz", b"Connection: keep-alive", version=b"HTTP/1.0"), (200,), EITHER),
    Row("Connection: close", get(b"/healthz", b"Connection: close"), (200,), ENDS),
    Row("Connection: Close among others", get(b"/healthz", b"Connection: x-y, Close"), (200,), ENDS),
    Row("Connection: close on something that isn't there", get(b"/no", b"Connection: close"), (404,), ENDS),
]

METHODS = [
    Row(f"{method.decode()} {path.decode()}", get(path, *lines, method=method), (405, 501), EITHER)
    for path in (b"/", b"/healthz", b"/metrics")
    for method, lines in (
        (b"POST", (b"Content-Length: 0",)), (b"PUT", (b"Content-Length: 0",)), (b"DELETE", ()), (b"PATCH", ()),
        (b"TRACE", ()), (b"OPTIONS", ()), (b"BREW", ()))
] + [
    Row("OPTIONS *", get(b"*", method=b"OPTIONS"), (400, 405, 501), EITHER),
    Row("POST with a body",
        get(b"/", b"Content-Type: text/plain", b"Content-Length: %d" % len(NEXT), method=b"POST") + NEXT, (405, 413), ENDS),
    Row("POST that waits for 100", get(b"/", b"Content-Length: 5", b"Expect: 100-continue", method=b"POST"),
        (405, 413, 417), ENDS),
    Row("GET with a body", get(b"/healthz", b"Content-Length: %d" % len(NEXT)) + NEXT, (400, 405, 413), ENDS),
]

PATHS = [
    Row(f"path {path.decode('latin-1')!r}", get(path), (400, 404), EITHER)
    for path in (
        b"/../etc/passwd", b"/../../../../../../etc/passwd", b"/..%2f..%2f..%2fetc%2fpasswd",
        b"/%2e%2e/%2e%2e/%2e%2e/etc/passwd", b"/%2E%2E%2Fetc%2Fpasswd", b"/%252e%252e/etc/passwd", b"//etc/passwd",
        b"//", b"///", b"/./", b"/.", b"/..", b"/x/../healthz", b"/healthz/", b"/healthz/..", b"/HEALTHZ", b"/healthz%00",
        b"/index.html%00.txt", b"/%00", b"/%", b"/%z", b"/%zz", b"/%4", b"/%c0%af", b"/%ff", b"/%0a", b"/%0d%0aX:%20y",
        b"/..\\..\\etc\\passwd", b"/c:/", b"/.git/config", b"/ws/", b"/ws/..", b"/Package.swift", b"/Sources", b"/;",
        b"/index.html/", b"/index.html~", b"healthz", b"*", b"ftp://127.0.0.1/healthz", b"127.0.0.1:80", b"?", b"#",
        b"http://127.0.0.1/../healthz")
]

REFUSED = [
    Row(title, raw(request), statuses)
    for title, statuses, request in (
        ("NUL in the path", (400,), b"GET /\x00 HTTP/1.1\r\nHOST\r\n\r\n"),
        # A rule of a proxy for a path wouldn't see it.
        ("a letter that is escaped", (400,), b"GET /health%7a HTTP/1.1\r\nHOST\r\n\r\n"),
        ("no Host", (400,), b"GET /healthz HTTP/1.1\r\n\r\n"),
        ("two Hosts", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nHOST\r\n\r\n"),
        ("two different Hosts", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nHost: example.com\r\n\r\n"),
        ("HTTP/2.0", (505,), b"GET /healthz HTTP/2.0\r\nHOST\r\n\r\n"),
        ("the beginning of HTTP/2", (400, 505), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ("HTTP/0.9", (400,), b"GET /healthz\r\n\r\n"),
        ("version in small letters", (400, 505), b"GET /healthz http/1.1\r\nHOST\r\n\r\n"),
        ("version with more behind it", (400, 505), b"GET /healthz HTTP/1.1x\r\nHOST\r\n\r\n"),
        ("another protocol", (400, 505), b"GET /healthz ICY/1.1\r\nHOST\r\n\r\n"),
        ("two blanks before the path", (400,), b"GET  /healthz HTTP/1.1\r\nHOST\r\n\r\n"),
        ("two blanks after the path", (400, 505), b"GET /healthz  HTTP/1.1\r\nHOST\r\n\r\n"),
        ("a blank after the version", (400, 505), b"GET /healthz HTTP/1.1 \r\nHOST\r\n\r\n"),
        ("a tab for a blank", (400,), b"GET\t/healthz\tHTTP/1.1\r\nHOST\r\n\r\n"),
        ("a blank in the path", (400,), b"GET /heal thz HTTP/1.1\r\nHOST\r\n\r\n"),
        ("a method that is no word", (400, 501), b"GET@ /healthz HTTP/1.1\r\nHOST\r\n\r\n"),
        ("a header without a colon", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX-Name value\r\n\r\n"),
        ("a blank before the colon", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX-Name : value\r\n\r\n"),
        ("a blank before Host's colon", (400,), b"GET /healthz HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n"),
        ("an empty name", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\n: value\r\n\r\n"),
        ("a name with a bracket", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX(Name: value\r\n\r\n"),
        ("a name beyond ASCII", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX\xc3\xa9: value\r\n\r\n"),
        ("a value that goes on in the next line", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX-Name: a\r\n b\r\n\r\n"),
        ("the same with a tab", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX-Name: a\r\n\tb\r\n\r\n"),
        ("a first header that goes on", (400,), b"GET /healthz HTTP/1.1\r\n X-Name: a\r\nHOST\r\n\r\n"),
        ("NUL in a value", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX-Name: a\x00b\r\n\r\n"),
        ("a control character in a value", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX-Name: a\x01b\r\n\r\n"),
        ("\\r alone in a value", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX-Name: a\rb\r\n\r\n"),
        ("\\r\\r\\n at a line's end", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX-Name: a\r\r\n\r\n"),
        ("\\n alone at a header's end", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nX-Name: a\nX-Other: b\r\n\r\n"),
        ("\\n alone at the first line's end", (400,), b"GET /healthz HTTP/1.1\nHOST\r\n\r\n"),
        ("Content-Length and Transfer-Encoding", (400, 501),
         b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("Transfer-Encoding and Content-Length on POST", (400, 405, 501),
         b"POST / HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", (400, 501),
         b"GET /healthz HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("Transfer-Encoding: xchunked", (400, 501),
         b"GET /healthz HTTP/1.1\r\nHOST\r\nTransfer-Encoding: xchunked\r\n\r\n"),
        ("Transfer-Encoding: identity", (400, 501),
         b"GET /healthz HTTP/1.1\r\nHOST\r\nTransfer-Encoding: identity\r\n\r\n"),
        ("two Transfer-Encodings", (400, 501), b"GET /healthz HTTP/1.1\r\nHOST\r\n"
         b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n"),
        ("Transfer-Encoding on HTTP/1.0", (400, 501),
         b"GET /healthz HTTP/1.0\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("two lengths", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n"),
        ("twice the same length", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n"),
        ("a list of lengths", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 0, 5\r\n\r\n"),
        ("length +5", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: +5\r\n\r\n"),
        ("length -1", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: -1\r\n\r\n"),
        ("length 0x0", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 0x0\r\n\r\n"),
        ("length 0 0", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 0 0\r\n\r\n"),
        ("an empty length", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: \r\n\r\n"),
        ("a length beyond 64 bits", (400, 413),
         b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 18446744073709551616\r\n\r\n"),
        ("a length and more in one header", (400,), b"GET /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 0\x0b\r\n\r\n"),
    )
] + [
    Row("a path of 20000 bytes", get(b"/" + b"x" * 20000), (414, 431)),
    Row("a header of 20000 bytes", get(b"/healthz", b"X-Long: " + b"x" * 20000), (431,)),
    Row("4000 headers", get(b"/healthz", *[b"a: b"] * 4000), (431,)),
    Row("a name of 20000 bytes", get(b"/healthz", b"x" * 20000 + b": a"), (431,)),
    Row("20000 bytes without an end", b"GET /" + b"x" * 20000, (414, 431)),
]


def play(row, server):
    """Sends a row's request with another one right behind it, and looks at what comes back."""
    with HTTPClient(server.host, server.port) as client:
        method = row.request.strip(b"\r\n").split(b" ")[0]
        response = client.ask(row.request + NEXT, method.decode("latin-1"))
        if response.status not in row.statuses:
            raise Wrong(f"{response.status} {response.body[:80]!r}, where {row.statuses} is right")
        if b"root:" in response.body:
            raise Wrong("the password file came")
        if response.status >= 400 and method != b"HEAD":
            check_readable(response)
        if response.status == 405 and not response.header("Allow"):
            raise Wrong("405 without Allow")
        is_last = "close" in (response.header("Connection") or "").lower()
        if row.then == ENDS and not is_last and row.request.find(b"HTTP/1.0") < 0:
            raise Wrong("the last answer doesn't say Connection: close")
        if row.then == ENDS or row.then == EITHER and is_last:
            client.expect_end()
        elif row.then == GOES_ON or client.read_until(lambda: client.received or client.ended) and client.received:
            following = client.response()
            if following.status != 200 or following.body != b"ready\n":
                raise Wrong(f"the request behind it was answered {following}")


def rows(server):
    for row in ANSWERED + METHODS + PATHS + REFUSED:
        yield f"HTTP: {row.title}", lambda row=row: play(row, server)
