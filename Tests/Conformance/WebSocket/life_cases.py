"""How connections and the server end, and what becomes of the views."""

import json
import socket
import time

from frames import CLOSE, PING, TEXT, close_payload, frame
from http_cases import get
from http_wire import HTTPClient, expect
from rpc_wire import Client, encoded
from server_process import Server


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
            deadline = time.monotonic() + 60
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
    with Client(server) as one, socket.create_connection((server.host, server.port), timeout=60) as other:
        key = one.result("session/open", viewModel="counter")["key"]
        file = other.makefile("rb")
        for at, (method, params) in enumerate((("initialize", {}), ("session/attach", {"key": key}))):
            other.sendall(encoded(method, params, at) + b"\n")
            expect("result" in json.loads(file.readline()), f"{method} isn't answered")
        one.result("view/event", session=1, event={"kind": "increment", "by": 7})
        expect(json.loads(file.readline())["params"]["event"] == {"kind": "count", "value": 7}, "the other doesn't see it")
        file.close()


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


def token(executable):
    """Without the token: Unauthorized, and the connection is closed. In `initialize` or its options: in."""
    with Server(executable, token="open sesame, please") as server:
        for params in ({}, {"token": "please"}, {"token": ""}, {"initializationOptions": {"token": "open"}}):
            with Client(server, initializes=False) as one:
                expect(one.error("initialize", **params)["code"] == -32010, "no Unauthorized")
                # In good order, or as a breach of its policy.
                one.expect_close(1000, 1008)
        for params in ({"token": "open sesame, please"}, {"initializationOptions": {"token": "open sesame, please"}}):
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


def drained_with_store(executable):
    """SIGTERM with a store: no view is told that its session ends, and 1012 says that clients may come back."""
    with Server(executable, "--store", "sqlite:store.db") as server:
        with Client(server) as one, Client(server) as idle:
            one.result("session/open", viewModel="counter")
            one.event(1)
            server.terminate()
            one.expect_close(1012)
            idle.expect_close(1012)
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
            deadline, statuses = time.monotonic() + 60, []
            while 503 not in statuses and web.ended is None and time.monotonic() < deadline:
                web.send(get(b"/healthz"))
                if web.read_until(lambda: web.received or web.ended) and web.received:
                    statuses.append(web.response().status)
            expect(statuses[-1:] == [503], f"/healthz was answered {statuses[-3:]}, and the end was {web.ended}")
            one.read_until(lambda: one.ended)
            expect(one.close_code == 1001, f"close code {one.close_code}")
    expect(server.status == 0, f"status {server.status}")


def rows(server):
    for title, action in (
            ("with a close frame", Client.close_well), ("with a cut", lambda one: one.socket.close()),
            ("with a reset", leave_with_reset), ("with a wrong message", leave_with_error),
            ("with the end of input", leave_half), ("without reading", leave_silent),
            ("with exit", lambda one: one.notify("exit"))):
        yield f"life: leaving {title}", lambda action=action: leaving(action)(server)
    for title, action in (
            ("coming back with since", coming_back), ("a session shared with lines", shared_with_lines),
            ("shutdown and exit", orderly_exit), ("exit alone", exit_alone), ("the close code comes back", close_is_echoed),
            ("nothing after close", nothing_after_close)):
        yield f"life: {title}", lambda action=action: action(server)


def rows_of_other_servers(executable):
    yield "life: a token", lambda: token(executable)
    yield "life: SIGTERM", lambda: drained(executable)
    yield "life: SIGTERM with a store", lambda: drained_with_store(executable)
    yield "life: SIGTERM while a handler runs", lambda: drained_while_busy(executable)
