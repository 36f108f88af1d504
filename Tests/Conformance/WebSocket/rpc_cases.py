"""The protocol over WebSocket: what makes it another transport, and nothing else."""

import json
import os
import select
import socket
import subprocess
import tempfile
import time

from http_cases import get
from http_wire import HTTPClient, Wrong
from page_cases import expect
from rpc_wire import Client, encoded
from server_process import Server
from wire import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, close_payload, fragments, frame

LIMIT = 16 << 20


def conversation(server):
    with Client(server, initializes=False) as one:
        result = one.result("initialize", clientInfo={"name": "conformance"})
        expect(result["protocolVersion"] == "1.0" and result["limits"]["messageBytes"] == LIMIT, f"{result}")
        expect({"name": "counter"} in result["capabilities"]["viewModels"], f"{result}")
        opened = one.result("session/open", viewModel="counter", arguments={"start": 40})
        expect(opened["session"] == 1 and len(opened["key"]) >= 22, f"{opened}")
        expect(one.event(1) == {"kind": "count", "value": 40}, "no first count")
        expect(one.result("view/event", session=1, event={"kind": "increment", "by": 2}) == {"seq": 2}, "no seq 2")
        expect(one.event(2) == {"kind": "count", "value": 42}, "no second count")
        one.result("view/event", session=1, event={"kind": "load"})
        expect(len(one.event(3)["value"]) == 100, "not 100 rows")
        order = [message.get("id") or message["params"]["seq"] for message in one.all()]
        expect(order == [1, 2, 1, 2, 3, 3, 4], f"what came is in the order {order}")
        one.close_well()


def errors(server):
    """After an error inside a message the conversation goes on, as each message is framed well."""
    with Client(server) as one:
        for payload, code in (
                (b"{", -32700), (b"", -32700), (b"   ", -32700), (b"{}{}", -32700), (b'"text"', -32600), (b"{}", -32600),
                (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), (b"[]", -32600),
                (b'Content-Length: 2\r\n\r\n{}', -32700), (b'{"jsonrpc":"2.0","id":1,"method":"ping"}\0', -32700)):
            count = len(one.messages)
            one.send(frame(TEXT, payload))
            expect(one.read_until(lambda: len(one.messages) > count), f"{payload!r} isn't answered")
            answer = one.all()[count]
            # Where the id could be read it comes back.
            id = 1 if b'"jsonrpc":"1.0"' in payload else None
            expect((answer["error"]["code"], answer.get("id", 0)) == (code, id), f"{payload!r} is answered {answer}")
        expect(one.result("ping") is None, "no answer afterwards")
        expect(one.error("no/such")["code"] == -32601, "no MethodNotFound")


def white_space(server):
    """A message may have white space in it, line ends too, unlike on a connection that frames by lines."""
    with Client(server) as one:
        one.send(frame(TEXT, b' \r\n{\n  "jsonrpc": "2.0",\n\t"id": 77,\r\n  "method": "ping"\n}\n\n'))
        expect(one.answer(77)["result"] is None, "no answer")


def batch(server):
    with Client(server) as one:
        requests = [json.loads(encoded("ping", id=id)) for id in ("a", "b")] + [json.loads(encoded("initialized"))]
        one.send(frame(TEXT, json.dumps(requests).encode()))
        expect(one.read_until(lambda: len(one.messages) == 2), "no answer")
        expect(sorted(answer["id"] for answer in one.all()[1]) == ["a", "b"], f"{one.all()[1]}")


def in_fragments(server):
    with Client(server) as one:
        for size in (1, 2, 7, 1000):
            id = one.next_id()
            one.send(fragments(TEXT, encoded("session/open", {"viewModel": "hello", "client": "é€😀"}, id), size))
            expect("result" in one.answer(id), f"no result, in fragments of {size}")
        one.send(frame(TEXT, b'{"jsonrpc":"2.0","id":"p",', fin=False) + frame(PING, b"between")
                 + frame(CONTINUATION, b'"method":"ping"', fin=False) + frame(CONTINUATION, b"", fin=False)
                 + frame(CONTINUATION, b"}"))
        one.answer("p")
        one.pong(b"between")


def in_pieces(server):
    """Each byte in a segment of its own, frames' headers among them."""
    with Client(server) as one:
        id = one.next_id()
        one.send(frame(TEXT, encoded("session/open", {"viewModel": "hello", "arguments": {}}, id)), 1)
        expect("result" in one.answer(id), "no result")
        # And where a segment ends in the middle of the next message.
        data = b"".join(frame(TEXT, encoded("ping", id=f"n{at}")) for at in range(200))
        one.send(data, 97)
        for at in range(200):
            one.answer(f"n{at}")


def together(server):
    """Many messages in one segment are answered, each and in order."""
    with Client(server) as one:
        data = frame(TEXT, encoded("session/open", {"viewModel": "counter"}, "open"))
        data += b"".join(
            frame(TEXT, encoded("view/event", {"session": 1, "event": {"kind": "increment", "by": 1}}, f"n{at}"))
            for at in range(500))
        one.send(data)
        expect(one.answer("n499")["result"] == {"seq": 501}, f"{one.answer('n499')}")
        expect(one.event(501) == {"kind": "count", "value": 500}, "the count is wrong")
        expect(one.numbers() == list(range(1, 502)), "numbers are missing, or come twice")
        answers = [message["id"] for message in one.all() if isinstance(message.get("id"), str)]
        expect(answers == ["open"] + [f"n{at}" for at in range(500)], "answers come out of order")


def with_upgrade(server):
    """The first messages come in one segment with the request for the upgrade."""
    data = [encoded("initialize", {}, "i"), encoded("session/open", {"viewModel": "counter"}, "o"), encoded("ping", None, "p")]
    with Client(server, initializes=False, first=b"".join(frame(TEXT, one) for one in data)) as one:
        for id in "iop":
            expect("result" in one.answer(id), f"{one.answer(id)}")
        expect(one.event(1) == {"kind": "count", "value": 0}, "no event")


def binary_refused(server):
    with Client(server) as one:
        one.send(frame(BINARY, encoded("ping", id=5)))
        one.expect_close(1003)
        expect(not [message for message in one.all() if message.get("id") == 5], "a binary message was answered")


def too_long(send):
    """One that is longer than allowed is answered LimitExceeded, and then the connection is closed with 1009."""
    def action(server):
        with Client(server, patience=20.0) as one:
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
    with Client(server, patience=30.0) as one:
        body = encoded("ping", id="long")
        for chunk in (None, 1 << 20):
            payload = body + b" " * (LIMIT - len(body))
            one.send(fragments(TEXT, payload, chunk) if chunk else frame(TEXT, payload))
            count = 2 if chunk else 1
            expect(one.read_until(lambda: len(one.messages) == 1 + count), f"no answer, {one.close_code}")
        expect([message["id"] for message in one.all()[1:]] == ["long", "long"], "not both are answered")


def large_out(server):
    """What the server sends takes each of the three forms of length."""
    with Client(server, patience=30.0) as one:
        for count in (1, 3, 1000, 100_000):
            session = one.result("session/open", viewModel="orders", arguments={"count": count, "delay": 0})["session"]
            one.result("view/event", session=session, event={"kind": "loadOrders"})
            rows = [message["params"]["event"]["value"] for message in one.all()
                    if message.get("method") == "viewModel/event" and message["params"]["session"] == session
                    and message["params"]["event"]["kind"] == "orders"]
            expect([len(value) for value in rows] == [count], f"{[len(value) for value in rows]} rows, not {count}")
        sizes = {min(len(payload).bit_length() // 8, 2) for _, payload in one.messages}
        expect(sizes == {0, 1, 2}, "the messages' lengths don't take all forms")


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


def no_deflate(server):
    """Compression is offered and not agreed on: a compressed message is then a fault."""
    offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
    with Client(server, headers=offer) as one:
        expect("sec-websocket-extensions" not in one.answer_to_upgrade, f"{one.answer_to_upgrade}")
        one.result("session/open", viewModel="counter")
        one.send(frame(TEXT, b"\xaaV*.", rsv=4))
        one.expect_close(1002)


def while_running(server):
    """Pings are answered while a handler runs, and so is everything else."""
    with Client(server) as one:
        one.result("session/open", viewModel="orders", arguments={"count": 1, "delay": 60})
        load = one.request("view/event", session=1, event={"kind": "loadOrders"})
        expect(one.event(1) == {"kind": "loading", "value": True}, "it doesn't load")
        one.send(frame(PING, b"still there?"))
        one.pong(b"still there?")
        expect(one.result("ping") is None, "no answer to ping")
        one.notify("$/cancelRequest", id=load)
        expect(one.answer(load)["error"]["code"] == -32800, f"{one.answer(load)}")


def views_of(one):
    return one.result("session/list")["sessions"][0]["views"]


def leaving(leave):
    """However a connection ends, its view is detached and the session stays for the others."""
    def action(server):
        with Client(server) as stays, Client(server) as leaves:
            key = stays.result("session/open", viewModel="counter")["key"]
            leaves.result("session/attach", key=key)
            expect(views_of(stays) == 2, "not two views")
            leave(leaves)
            deadline = time.monotonic() + 10
            while views_of(stays) != 1:
                expect(time.monotonic() < deadline, "the view is still attached")
            expect(stays.result("view/event", session=1, event={"kind": "increment", "by": 1})["seq"] == 2, "it doesn't go on")
    return action


def leave_with_error(one):
    one.send(frame(TEXT, b"\xff"))
    one.expect_close(1007)


def leave_with_reset(one):
    one.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    one.socket.close()


def leave_half(one):
    one.end_of_input()
    expect(one.read_until(lambda: one.ended), "the server left the connection open")


def leave_silent(one):
    """A close frame, and nothing read of what is answered."""
    one.send(frame(CLOSE, close_payload(1001)))


def coming_back(server):
    """After a cut a client sees what it missed, once."""
    with Client(server) as other:
        opened = other.result("session/open", viewModel="counter")
        with Client(server) as one:
            one.result("session/attach", key=opened["key"])
            one.socket.close()
        for _ in range(5):
            other.result("view/event", session=1, event={"kind": "increment", "by": 1})
        with Client(server) as one:
            answer = one.result("session/attach", key=opened["key"], since=1)
            expect(answer["seq"] == 1 or "snapshot" not in answer, f"{answer}")
            one.event(6)
            expect(one.numbers() == [2, 3, 4, 5, 6], f"{one.numbers()}")


def shared_with_lines(server):
    """A session is shared with a client that frames its messages by lines on the same port."""
    with Client(server) as one, socket.create_connection((server.host, server.port), timeout=10) as other:
        key = one.result("session/open", viewModel="counter")["key"]
        file = other.makefile("rb")
        for at, (method, params) in enumerate((("initialize", {}), ("session/attach", {"key": key}))):
            other.sendall(encoded(method, params, at) + b"\n")
            expect("result" in json.loads(file.readline()), f"{method} isn't answered")
        one.result("view/event", session=1, event={"kind": "increment", "by": 7})
        expect(json.loads(file.readline())["params"]["event"] == {"kind": "count", "value": 7}, "the other doesn't see it")
        file.close()


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


def orderly_exit(server):
    with Client(server) as one:
        one.result("shutdown")
        one.notify("exit")
        one.expect_close(1000)


def exit_alone(server):
    with Client(server) as one:
        one.notify("exit")
        one.expect_close(1000)


def close_is_echoed(server):
    for code in (1000, 1001, 3000, 4999):
        with Client(server) as one:
            one.send_close(code, b"bye")
            one.expect_close(code)
    with Client(server) as one:
        one.send_close()
        one.expect_close(None)


def nothing_after_close(server):
    """Requests behind a close frame aren't answered; those before it are taken."""
    with Client(server) as watching, Client(server) as one:
        key = watching.result("session/open", viewModel="counter")["key"]
        one.result("session/attach", key=key)
        increment = encoded("view/event", {"session": 1, "event": {"kind": "increment", "by": 1}}, 50)
        one.close_sent = True
        one.send(frame(TEXT, increment) + frame(CLOSE, close_payload(1000)) + frame(TEXT, increment) + frame(PING, b"late"))
        one.expect_close(1000)
        expect(("pong", b"late") not in one.messages, "a pong came for a ping after the close frame")
        expect(watching.event(2) == {"kind": "count", "value": 1}, "what stood before the close frame wasn't taken")
        watching.result("ping")
        expect(watching.numbers() == [1, 2], "what stood after the close frame was taken")


def slow_reader(server):
    """A view that doesn't read holds up no other, and gets all that can't be dropped, or is told of its end."""
    with Client(server, patience=30.0) as slow, Client(server) as quick:
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


def with_package(server):
    """With the package that most Python programs use."""
    try:
        import asyncio
        import websockets
    except ImportError:
        return "the package websockets isn't installed"

    async def talk():
        async with websockets.connect(f"ws://{server.host}:{server.port}/ws", subprotocols=["a", "b"]) as one:
            for at, (method, params) in enumerate((
                    ("initialize", {}), ("session/open", {"viewModel": "counter"}),
                    ("view/event", {"session": 1, "event": {"kind": "increment", "by": 5}})), 1):
                await one.send(encoded(method, params, at).decode())
            texts = [json.loads(await asyncio.wait_for(one.recv(), 10)) for _ in range(5)]
            # Fragmented by the package, from an iterable.
            await one.send(['{"jsonrpc":"2.0",', '"id":9,"method":', '"ping"}'])
            texts.append(json.loads(await asyncio.wait_for(one.recv(), 10)))
            await asyncio.wait_for(await one.ping(b"there?"), 10)
            expect(one.subprotocol is None, f"the subprotocol is {one.subprotocol}")
            await one.close()
            return texts, one.close_code

    texts, code = asyncio.run(talk())
    expect([text.get("id") for text in texts] == [1, 2, None, None, 3, 9], f"{texts}")
    expect(code == 1000, f"close code {code}")
    return None


def rows(server):
    for title, action in (
            ("a conversation", conversation), ("errors in messages", errors), ("white space in messages", white_space),
            ("a batch", batch), ("requests in fragments", in_fragments), ("requests in pieces", in_pieces),
            ("many requests in one segment", together), ("requests with the upgrade", with_upgrade),
            ("a binary message", binary_refused), ("a message of exactly the limit", longest),
            ("too long, by its header", too_long(send_declared)), ("too long, in one frame", too_long(send_whole)),
            ("too long, in fragments", too_long(send_in_fragments)), ("too long, without an end", too_long(send_endless)),
            ("long messages from the server", large_out), ("text that is no UTF-8", wrong_text),
            ("frames against the rules", wrong_frames), ("compression isn't agreed on", no_deflate),
            ("while a handler runs", while_running),
            ("leaving with a close frame", leaving(Client.close_well)), ("leaving with a cut", leaving(lambda one: one.socket.close())),
            ("leaving with a reset", leaving(leave_with_reset)), ("leaving with a wrong message", leaving(leave_with_error)),
            ("leaving with the end of input", leaving(leave_half)), ("leaving without reading", leaving(leave_silent)),
            ("leaving with exit", leaving(lambda one: one.notify("exit"))),
            ("coming back with since", coming_back), ("a session shared with lines", shared_with_lines),
            ("what a browser may be made to send", from_a_browser), ("shutdown and exit", orderly_exit), ("exit alone", exit_alone), ("the close code comes back", close_is_echoed),
            ("nothing after close", nothing_after_close), ("a view that doesn't read", slow_reader),
            ("two hundred connections", many), ("with the package websockets", with_package)):
        yield f"rpc: {title}", lambda action=action: action(server)


def token(executable):
    """Without the token: Unauthorized, and the connection is closed. In `initialize` or its options: in."""
    with Server(executable, token="open sesame") as server:
        for params in ({}, {"token": "please"}, {"token": ""}, {"initializationOptions": {"token": "open"}}):
            with Client(server, initializes=False) as one:
                expect(one.error("initialize", **params)["code"] == -32010, "no Unauthorized")
                # In good order, or as a breach of its policy.
                one.expect_close(1000, 1008)
        for params in ({"token": "open sesame"}, {"initializationOptions": {"token": "open sesame"}}):
            with Client(server, initializes=False) as one:
                expect("serverInfo" in one.result("initialize", **params), "not let in")
        with Client(server, initializes=False) as one:
            expect(one.error("session/open", viewModel="counter")["code"] == -32002, "not ServerNotInitialized")


def drained(executable):
    """SIGTERM: views are told, then the connection is closed with 1001 (going away), and the process ends well."""
    with Server(executable) as server:
        with Client(server) as one, Client(server) as idle:
            one.result("session/open", viewModel="counter")
            server.terminate()
            closed = one.wait(lambda message: message.get("method") == "session/closed", "session/closed")
            expect(closed["params"]["reason"] == "serverShutdown", f"{closed}")
            one.expect_close(1001)
            idle.expect_close(1001)
    expect(server.status == 0, f"status {server.status}")


def drained_while_busy(executable):
    """While handlers get their time, /healthz says 503 on a connection that is there already."""
    with Server(executable) as server:
        with HTTPClient(server.host, server.port) as web, Client(server) as one:
            expect(web.ask(get(b"/healthz")).status == 200, "no 200")
            one.result("session/open", viewModel="orders", arguments={"count": 1, "delay": 60})
            one.request("view/event", session=1, event={"kind": "loadOrders"})
            one.event(1)
            server.terminate()
            deadline, statuses = time.monotonic() + 10, []
            while 503 not in statuses and web.ended is None and time.monotonic() < deadline:
                web.send(get(b"/healthz"))
                if web.read_until(lambda: web.received or web.ended) and web.received:
                    statuses.append(web.response().status)
            expect(statuses[-1:] == [503], f"/healthz was answered {statuses[-3:]}, and the end was {web.ended}")
            one.read_until(lambda: one.ended, 20)
            expect(one.close_code == 1001, f"close code {one.close_code}")
    expect(server.status == 0, f"status {server.status}")


def no_http(executable):
    """On a Unix socket and on standard input there is no HTTP."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        with Server(executable, "--unix", path), socket.socket(socket.AF_UNIX) as one:
            one.settimeout(10)
            one.connect(path)
            one.sendall(get(b"/healthz"))
            answer = b"".join(iter(lambda: one.recv(65536), b""))
            expect(b"-32700" in answer and not answer.startswith(b"HTTP"), f"a Unix socket answers {answer!r}")
    done = subprocess.run([executable, "--stdio"], input=get(b"/healthz"), capture_output=True, timeout=20, check=False)
    expect(b"-32700" in done.stdout and not done.stdout.startswith(b"HTTP"), f"stdio answers {done.stdout!r}")


def rows_of_other_servers(executable):
    for title, data in (
            ("pings", frame(PING, b"x" * 125)), ("requests", frame(TEXT, encoded("ping", id=1))),
            ("messages that are no JSON", frame(TEXT, b"{")), ("pongs", frame(PONG, b"x" * 125))):
        yield f"rpc: {title} from a client that doesn't read", lambda data=data: deaf(data)(executable)
    yield "rpc: no HTTP elsewhere", lambda: no_http(executable)
    yield "rpc: a token", lambda: token(executable)
    yield "rpc: SIGTERM", lambda: drained(executable)
    yield "rpc: SIGTERM while a handler runs", lambda: drained_while_busy(executable)
