"""Connections that are lost, and messages that are odd."""

import pathlib
import sys

from terminal import Failure, wait
from .stage import ORDERS, Stage, cancel_as_another, command, last_key, said, wait_for_count


def lost_connection(editor):
    """Connections that are cut with something on screen, and with something on its way."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100")
        list_key = last_key(relay)
        terminal.type("8G")
        terminal.press("Enter")
        terminal.shows_line("Details of Order #7")
        terminal.press("c")
        terminal.shows("Cancel Order #7?")

        relay.is_refusing = True
        relay.cut()
        terminal.shows("trying again", "Cancel Order #7?")
        relay.is_refusing = False
        terminal.shows_no("trying again")
        terminal.shows("Cancel Order #7?", "Details of Order #7")
        assert relay.connections == 2, relay.connections
        said("after a cut all is on screen as before, the question too")
        terminal.press("y")
        terminal.shows_no("Cancel Order #7?")
        terminal.shows_line("Details of Order #7", "Cancelled: yes")
        terminal.press("q")
        terminal.shows_line("Orders: 100", "Order #7  cancelled")
        said("and it goes on from there")

        terminal.press("G")
        terminal.shows_line("Order #99")
        relay.is_refusing = True
        relay.cut()
        terminal.shows("trying again")
        cancel_as_another(stage.peer(editor.address), list_key, 3)
        relay.is_refusing = False
        terminal.shows_line("Details of Order #3", "Cancelled: yes")
        terminal.press("q")
        terminal.shows_line("Order #99")
        terminal.press("g", "g")
        terminal.shows_line("Orders: 100", "Order #3  cancelled", "Order #7  cancelled")
        said("what another user did meanwhile is shown then")

    with Stage(editor) as stage:
        fake = stage.fake({}, {"tall": [{"kind": "text", "value": ["a line that is long enough"] * 50}]})
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel tall")
        terminal.shows("a line that is long enough")
        terminal.press("G")
        terminal.shows_no("q leave")
        fake.close()
        terminal.shows("trying again")
        terminal.shows_no("q leave")
        said("it is said too where the head, which shows it, is out of sight")


def once(editor):
    """Events that were on their way when the connection was cut."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ":ViewModel counter")
        terminal.shows_line("count  0")

        def increment():
            terminal.press("s")
            terminal.shows("increment")
            editor.choose(terminal, 1)
            terminal.shows("by (integer):")
            terminal.type("1")
            terminal.press("Enter")
            terminal.shows_no("by (integer):")

        increment()
        terminal.shows_line("count  1")
        relay.drops_answers = True
        increment()
        wait("two increments", lambda: relay.from_client.count(b'"increment"') == 2, lambda: bytes(relay.from_client))
        wait_for_count(stage, editor, relay, 2)
        relay.drops_answers = False
        relay.cut()
        terminal.shows_line("count  2")
        increment()
        terminal.shows_line("count  3")
        numbers = [message["params"]["number"] for message in relay.said() if message.get("method") == "view/event"]
        if numbers != [1, 2, 2, 3]:
            raise Failure(f"expected: events 1, 2, 3, and 2 asked after\nseen: {numbers}")
        said("an event whose answer is lost isn't done twice")

        relay.drops_requests = True
        sent = relay.from_client.count(b'"increment"')
        increment()
        wait("one more", lambda: relay.from_client.count(b'"increment"') == sent + 1, lambda: bytes(relay.from_client))
        relay.drops_requests = False
        relay.cut()
        terminal.shows_line("count  4")
        said("an event that never arrived is sent again")

        relay.is_refusing = True
        relay.cut()
        terminal.shows("trying again")
        increment()
        increment()
        relay.is_refusing = False
        terminal.shows_line("count  6")
        last_events = terminal.screen().split("Last events")[1].split("\n")
        last = [line.split()[-1] for line in last_events if line.startswith("count")]
        if last != ["6", "5", "4", "3", "2", "1", "0"]:
            raise Failure(f"expected: each count once, from 6 to 0\nseen: {last}")
        said("events of a time without connection are sent then; nothing came twice, and nothing is missing")


def tell_count(relay, session, seq, count):
    """Sends an event that no counter has sent."""
    event = {"kind": "count", "value": count}
    relay.say({"method": "viewModel/event", "params": {"session": session, "seq": seq, "event": event}})


def odd_messages(editor):
    """Messages that come in pieces, twice, never, or for nobody: over a socket, and from a server that was started."""
    tell_odd_messages(editor, lambda relay: {"address": relay.address})
    bridge = str(pathlib.Path(__file__).resolve().parents[1] / "bridge.py")
    tell_odd_messages(editor, lambda relay: {"command": [sys.executable, bridge, relay.address]})


def tell_odd_messages(editor, config):
    """Sends them to an editor that reaches the relay by what `config` makes of it."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        relay.is_slicing = True
        terminal = stage.start(**config(relay))
        command(terminal, ':ViewModel counter {"start": 5}')
        terminal.shows_line("count  5")
        said("a byte at a time")
        relay.is_slicing = False

        relay.say({"id": 77, "method": "ping"})
        relay.say({"id": 78, "method": "what/ever", "params": {}})
        answers = lambda: {message["id"]: message for message in relay.said() if "method" not in message}
        wait("two answers", lambda: len(answers()) == 2, lambda: str(relay.said()))
        if answers()[77].get("result", "none") is not None or answers()[78]["error"]["code"] != -32601:
            raise Failure(f"expected: null and MethodNotFound\nseen: {answers()}")
        said("the server's requests are answered")

        attached = lambda: [message["params"] for message in relay.said() if message.get("method") == "session/attach"]
        relay.say({"method": "what/ever", "params": {"session": 1}})
        tell_count(relay, session=9, seq=1, count=901)
        tell_count(relay, session=1, seq=1, count=902)
        relay.say({"id": 79, "method": "ping"})
        wait("another answer", lambda: 79 in answers(), lambda: str(relay.said()))
        if attached():
            raise Failure("expected: nothing happens\nseen: it attached again")
        tell_count(relay, session=1, seq=9, count=903)
        wait("it attaches again", lambda: len(attached()) == 1, lambda: str(relay.said()))
        if attached()[0]["since"] != 1:
            raise Failure(f"expected: since 1\nseen: {attached()}")
        peer = stage.peer(editor.address)
        view = peer.request("session/attach", key=last_key(relay))["session"]
        peer.request("view/event", session=view, event={"kind": "increment", "by": 1})
        terminal.shows_line("count  6")
        if "90" in terminal.screen().split("count  6")[1]:
            raise Failure("expected: nothing of what was made up\nseen:\n" + terminal.screen())
        said("what came before is left out, and where something is missing all since then is asked for")

        relay.say({"method": "session/closed", "params": {"session": 2, "reason": "overflow"}})
        wait("it attaches again", lambda: len(attached()) == 2, lambda: str(relay.said()))
        peer.request("view/event", session=view, event={"kind": "increment", "by": 1})
        terminal.shows_line("count  7")
        said("a view that was ended for being slow attaches again")
        relay.say({"method": "viewModel/event", "params": {
            "session": 3, "seq": 20, "after": 3, "event": {"kind": "other", "value": 1}}})
        terminal.shows_line("other  1")
        said("events that a newer one replaced aren't missed")
        relay.say({"method": "session/closed", "params": {"session": 3, "reason": "failed"}})
        terminal.shows_line("ended: the view model failed; R opens it again")
        said("its end is said in words")


def long_absence(editor):
    """A connection that is lost for so long that events aren't kept."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ':ViewModel orders {"delay": 0, "count": 3}')
        terminal.shows_line("Orders: 3")
        relay.is_refusing = True
        relay.cut()
        terminal.shows("trying again")
        peer = stage.peer(editor.address)
        key = last_key(relay)
        details = cancel_as_another(peer, key, 1)
        peer.request("view/event", session=details, event={"kind": "done"})
        view = peer.request("session/attach", key=key)["session"]
        for _ in range(600):
            peer.request("view/event", session=view, event={"kind": "loadOrders"})
        relay.is_refusing = False
        terminal.shows_no("trying again")
        wait("a snapshot", lambda: b'"snapshot"' in relay.from_server, lambda: bytes(relay.from_server[-300:]))
        terminal.shows_line("Orders: 3", "Order #0", "Order #1  cancelled", "Order #2")
        terminal.press("Enter")
        terminal.shows_line("Details of Order #0")
        said("a snapshot replaces what it knew, and it goes on from there")
