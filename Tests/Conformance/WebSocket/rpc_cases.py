"""The protocol over WebSocket: what makes it another transport, and nothing else."""

import json

from frames import CONTINUATION, PING, TEXT, fragments, frame
from http_wire import expect
from rpc_wire import LIMIT, Client, encoded


def conversation(server):
    with Client(server, initializes=False) as one:
        result = one.result("initialize", clientInfo={"name": "conformance"})
        expect(result["protocolVersion"] == "1.2" and result["limits"]["messageBytes"] == LIMIT, f"{result}")
        expect("counter" in [model["name"] for model in result["capabilities"]["viewModels"]], f"{result}")
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


def large_out(server):
    """What the server sends takes each of the three forms of length."""
    with Client(server, patience=60.0) as one:
        for count in (1, 300, 100_000, 3_000_000):
            session = one.result("session/open", viewModel="todos")["session"]
            one.result("view/event", session=session, event={"kind": "add", "title": "x" * count})
            last = [message["params"]["event"] for message in one.all()
                    if message.get("method") == "viewModel/event" and message["params"]["session"] == session][-1]
            expect(f'"{"x" * count}"' in json.dumps(last), f"the title of {count} characters isn't whole")
        sizes = {min(len(payload).bit_length() // 8, 2) for _, payload in one.messages}
        expect(sizes == {0, 1, 2}, "the messages' lengths don't take all forms")


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
            ("long messages from the server", large_out), ("while a handler runs", while_running),
            ("with the package websockets", with_package)):
        yield f"rpc: {title}", lambda action=action: action(server)
