"""What one does with view models in an editor, by key presses, and what one sees then.

The editors' plugins look and act alike, so these are the tests of each. `editor.start(folder, **config)` runs the editor
in a Terminal, with an empty home in `folder` and the plugin set up with a `command` (a list), an `address`, a `token`.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from fake import Fake
from peer import Peer
from relay import Relay
from server import Server
from terminal import Failure, wait

ORDERS = ':ViewModel orders {"delay": 0}'


def said(text):
    """A line for what was checked."""
    print("ok  " + text, flush=True)


class Stage:
    """An editor and what it talks to, gone when the story is over."""

    def __init__(self, editor):
        self.editor = editor
        self.folder = tempfile.mkdtemp(prefix="view-models-")
        self.closing = [lambda: shutil.rmtree(self.folder, ignore_errors=True)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for close in reversed(self.closing):
            close()

    def start(self, **config):
        terminal = self.editor.start(self.folder, **config)
        self.closing.append(terminal.close)
        return terminal

    def relay(self, address):
        relay = Relay(address)
        self.closing.append(relay.close)
        return relay

    def server(self, *arguments, **options):
        server = Server(self.editor.server, *arguments, **options)
        self.closing.append(server.end)
        return server

    def fake(self, description, events):
        fake = Fake(description, events)
        self.closing.append(fake.close)
        return fake

    def peer(self, address):
        peer = Peer(address)
        self.closing.append(peer.close)
        return peer


def command(terminal, text):
    """Types an Ex command."""
    terminal.type(text)
    terminal.press("Enter")


def last_key(relay):
    """The key of the session that the client attached to last, or opened."""
    text = relay.from_server.decode()
    return text.rsplit('"key":"', 1)[1].split('"')[0]


def session_ends(stage, editor, key):
    """Waits until there is no session with this key."""
    peer = stage.peer(editor.address)

    def is_gone():
        try:
            peer.request("session/attach", key=key)
        except KeyError as error:
            return "-32012" in str(error)

    wait("the session's end", is_gone, lambda: "it goes on")


def orders(editor):
    """The orders, from the list to the cancelled order and back."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100", *(f"Order #{number}" for number in range(20)))
        key = last_key(relay)
        terminal.press("G")
        terminal.shows_line("Order #99")
        said("a list of 100 orders")
        terminal.press("g", "g")
        terminal.type("10G")
        terminal.press("Enter")
        # Three lines of head, so the tenth line is the seventh order.
        terminal.shows_line("Details of Order #6", "Cancelled: no")
        terminal.press("q")
        terminal.shows_line("Orders: 100")
        terminal.press("j", "Enter")
        terminal.shows_line("Details of Order #7", "Cancelled: no")
        terminal.shows_no("Orders: 100")
        said("Enter shows the details of the order under the cursor, q goes back to it")

        terminal.press("c")
        terminal.shows("Cancel Order #7?", "y yes   n no", "Details of Order #7")
        terminal.press("n")
        terminal.shows_no("Cancel Order #7?")
        terminal.shows_line("Cancelled: no")
        terminal.press("c")
        terminal.shows("Cancel Order #7?", "Details of Order #7")
        terminal.press("q")
        terminal.shows_no("Cancel Order #7?")
        terminal.shows_line("Cancelled: no")
        terminal.press("c")
        terminal.shows("Cancel Order #7?")
        terminal.press("Escape")
        terminal.shows_no("Cancel Order #7?")
        terminal.shows_line("Cancelled: no")
        said("the question stands over the details; n, q and Escape leave the order as it is")
        terminal.press("c")
        terminal.shows("Cancel Order #7?")
        terminal.press("y")
        terminal.shows_no("Cancel Order #7?")
        terminal.shows_line("Details of Order #7", "Cancelled: yes")
        said("y cancels it")

        terminal.press("e")
        terminal.type("call them")
        terminal.press("Enter")
        terminal.shows_line("Note:      call them  (not saved)")
        terminal.press("q")
        terminal.shows_line("can't go back: the note isn't saved", "Details of Order #7")
        said("a refused back is said in words")
        terminal.press("s")
        terminal.shows_line("Note:      call them")
        terminal.shows_no("can't go back")
        terminal.press("e", "C-u", "Enter")
        terminal.shows("(not saved)")
        terminal.shows_no("call them")
        terminal.press("s")
        terminal.shows_no("(not saved)")
        said("a note is written, saved, emptied and saved")
        terminal.press("q")
        terminal.shows_line("Orders: 100", "Order #6", "Order #7  cancelled", "Order #8")
        said("back in the list, the order is cancelled")
        for text, expected in (("Orders: 100", True), ("Order #7  cancelled", True), ("Order #5", False)):
            wait(f"a style of {text!r}: {expected}", lambda: terminal.is_coloured(text) == expected, terminal.screen)
        said("the title and what is cancelled are highlighted")

        terminal.press("r")
        terminal.shows_line("Orders: 100", "Order #7  cancelled")
        terminal.press("q")
        terminal.shows_no("Order #7")
        session_ends(stage, editor, key)
        said("q in the list closes the session")


def lost_connection(editor):
    """Connections that are cut with something on screen, and with something on its way."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100")
        list_key = last_key(relay)
        terminal.type("11G")
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

        # The head of the list, where it also stands, is out of sight.
        terminal.press("G")
        terminal.shows_no("Orders: 100")
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


def cancel_as_another(peer, list_key, index):
    """Cancels an order as another user of the same session would, and stays at its details."""
    attach = lambda key: peer.request("session/attach", key=key)
    view = attach(list_key)["session"]
    peer.request("view/event", session=view, event={"kind": "selectOrder", "index": index})
    details = attach(list_key)["navigation"]["stack"][0]["key"]
    child = attach(details)["session"]
    peer.request("view/event", session=child, event={"kind": "cancelOrder"})
    question = attach(details)["navigation"]["presented"]["key"]
    peer.request("view/event", session=attach(question)["session"], event={"kind": "confirm"})
    return child


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
        if numbers != [1, 2, 3]:
            raise Failure(f"expected: events 1, 2, 3, each sent once\nseen: {numbers}")
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
        last = [line.split()[-1] for line in terminal.screen().split("Last events")[1].split("\n") if line.startswith("count")]
        if last != ["6", "5", "4", "3", "2", "1", "0"]:
            raise Failure(f"expected: each count once, from 6 to 0\nseen: {last}")
        said("events of a time without connection are sent then; nothing came twice, and nothing is missing")


def wait_for_count(stage, editor, relay, count):
    """Waits until the counter that the client looks at has come this far."""
    peer = stage.peer(editor.address)
    snapshot = lambda: peer.request("session/attach", key=last_key(relay))["snapshot"]
    wait(f"a count of {count}", lambda: snapshot()[-1] == {"kind": "count", "value": count}, lambda: str(snapshot()))


def generic(editor):
    """A view model that the plugin knows nothing of."""
    with Stage(editor) as stage:
        terminal = stage.start(address=editor.address)
        command(terminal, ":ViewModel")
        terminal.shows("counter", "hello", "orders", "todos")
        editor.choose_named(terminal, "todos")
        terminal.shows_line("todos")
        said("without a name, a list to choose from")

        terminal.press("Enter")
        terminal.shows("add", "toggle", "removeDone")
        editor.choose(terminal, 1)
        terminal.shows("title (text):")
        terminal.type("Milk and bread, for all of us, from the shop around the corner")
        terminal.press("Enter")
        terminal.shows_line("changed", "items:", "- id: 1", "isDone: false", "remaining: 1", "Last events")
        terminal.shows('title: "Milk and bread', '"isDone": false')
        terminal.press("s")
        terminal.shows("removeDone")
        editor.choose(terminal, 2)
        terminal.shows("id (integer):")
        terminal.type("one")
        terminal.press("Enter")
        terminal.shows('id (integer, not "one"):')
        terminal.type("1")
        terminal.press("Enter")
        terminal.shows('"isDone": true', "remaining: 0")
        terminal.press("s")
        terminal.shows("removeDone")
        editor.choose(terminal, 2)
        terminal.type("7")
        terminal.press("Enter")
        terminal.shows_line("there is nothing to do with id 7")
        said("events are chosen, their members asked for and checked, and errors said in words")
        terminal.press("s")
        terminal.shows("removeDone")
        editor.choose(terminal, 3)
        terminal.shows_line('changed  {"items": [], "remaining": 0}')
        said("an event without members is sent at once")


def completion(editor):
    """The command's completion."""
    with Stage(editor) as stage:
        terminal = stage.start(address=editor.address)
        terminal.type(":ViewModel stop")
        terminal.press("Tab")
        terminal.shows(":ViewModel stopwatch")
        terminal.press("Enter")
        terminal.shows("isRunning  false")
        said("names are completed")
        command(terminal, ":ViewModel nobody")
        terminal.shows("there is no view model")
        command(terminal, ":ViewModel orders {delay")
        terminal.shows("must be a JSON object")
        said("an unknown name and wrong arguments are said")


def slow_and_failing(editor):
    """Orders that take long, that fail, and that are many."""
    with Stage(editor) as stage:
        terminal = stage.start(address=editor.address)
        command(terminal, ':ViewModel orders {"delay": 600}')
        terminal.shows_line("Orders: loading…")
        terminal.press("x")
        terminal.shows_line("Orders: 0", "stopped")
        said("loading is shown, and stopped with x")
        command(terminal, ':ViewModel orders {"delay": 0, "fails": true}')
        terminal.shows_line("Orders: the order service can't be reached")
        said("a failure is said in words")
        command(terminal, ':ViewModel orders {"delay": 0, "count": 10000}')
        terminal.shows_line("Orders: 10000")
        terminal.press("G")
        terminal.shows_line("Order #9999")
        terminal.press("Enter")
        terminal.shows_line("Details of Order #9999")
        terminal.press("c")
        terminal.shows("Cancel Order #9999?")
        terminal.press("y")
        terminal.shows_line("Cancelled: yes")
        terminal.press("q")
        terminal.shows_line("Order #9999  cancelled")
        said("10,000 orders, and back at the last of them")


def leaving(editor):
    """Buffers that the user takes away."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100")
        key = last_key(relay)
        terminal.press("G", "Enter")
        terminal.shows_line("Details of Order #99")
        terminal.press("e")
        terminal.type("x")
        terminal.press("Enter")
        terminal.shows("(not saved)")
        command(terminal, ":edit")
        terminal.shows_line("Details of Order #99")
        said("editing a buffer anew changes nothing")
        command(terminal, ":bdelete")
        terminal.shows_line("can't go back: the note isn't saved", "Details of Order #99")
        terminal.press("s")
        terminal.shows_no("(not saved)")
        command(terminal, ":bwipeout")
        peer = stage.peer(editor.address)
        attached = lambda: peer.request("session/attach", key=key)
        wait("only the list", lambda: "navigation" not in attached(), lambda: str(attached().get("navigation")))
        terminal.shows_line("Order #99")
        said("wiping the details is a way back, which may be refused")
        command(terminal, ":bwipeout")
        session_ends(stage, editor, key)
        said("wiping the list closes the session")
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100")
        key = last_key(relay)
        command(terminal, ":qall!")
        terminal.ends()
        session_ends(stage, editor, key)
        said("leaving the editor ends its sessions")


def started_server(editor):
    """A server that the editor starts."""
    with Stage(editor) as stage:
        terminal = stage.start(command=[editor.server, "--stdio"])
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100")
        said("a server over standard input and output")
        command(terminal, ':ViewModel orders {"delay": 600}')
        terminal.shows_line("Orders: loading…")
        terminal.press("x")
        terminal.shows_line("Orders: 0", "stopped")
        terminal.press("q")
        terminal.shows_no("stopped")
        terminal.shows_line("Orders: 100")
        said("loading is stopped with x")
        terminal.type("11G")
        terminal.press("Enter")
        terminal.shows_line("Details of Order #7")
        os.kill(child(terminal.process()), signal.SIGKILL)
        terminal.shows("ended with signal 9; R opens it again" if editor.knows_signals else "R opens it again", "ended: the server")
        terminal.shows_no("Details of")
        said("its end is said in words")
        terminal.press("R")
        terminal.shows_line("Orders: 100")
        terminal.shows_no("ended")
        server = child(terminal.process())
        said("R starts it again")
        command(terminal, ":qall!")
        terminal.ends()
        wait("the server's end", lambda: not os.path.exists(f"/proc/{server}"), lambda: "it runs")
        said("it ends with the editor")
    with Stage(editor) as stage:
        terminal = stage.start(command=["/no/such/server"])
        command(terminal, ORDERS)
        terminal.shows("R opens it again")
        said("a server that can't be started is said in words")


def child(process):
    """The server that this process, or a child of it, has started."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], check=True, text=True, stdout=subprocess.PIPE).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    family = {process}
    for _ in range(3):
        family |= {int(pid) for pid, parent, _ in rows if int(parent) in family}
    found = [int(pid) for pid, _, args in rows if int(pid) in family and args.endswith("--stdio")]
    if len(found) != 1:
        raise Failure(f"expected: one server\nseen: {found}")
    return found[0]


def listening_server(editor):
    """Servers of another kind of address, with a token, and one that ends."""
    with Stage(editor) as stage:
        path = os.path.join(stage.folder, "socket")
        server = stage.server("--unix", path)
        terminal = stage.start(address=path)
        command(terminal, ":ViewModel hello")
        terminal.shows('helloText  ""')
        terminal.press("s")
        terminal.shows("sayHello")
        editor.choose(terminal, 1)
        terminal.shows("Hello")
        said("over a Unix socket")
        server.end()
        terminal.shows("trying again")
        stage.server("--unix", path)
        terminal.shows("ended: its session is gone; R opens it again")
        terminal.press("R")
        terminal.shows('helloText  ""')
        said("a server that was started anew knows no session of before; R opens one")
    with Stage(editor) as stage:
        server = stage.server("--tcp", "0", token="secret")
        terminal = stage.start(address=server.address, token="secret")
        command(terminal, ":ViewModel hello")
        terminal.shows('helloText  ""')
        said("with a token")
        terminal = stage.start(address=server.address, token="wrong")
        command(terminal, ":ViewModel hello")
        terminal.shows("token", "R opens it again")
        said("a wrong token is said")


def odd_messages(editor):
    """Messages that come in pieces, twice, never, or for nobody."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        relay.is_slicing = True
        terminal = stage.start(address=relay.address)
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
        relay.say({"method": "viewModel/event", "params": {"session": 9, "seq": 1, "event": {"kind": "count", "value": 901}}})
        relay.say({"method": "viewModel/event", "params": {"session": 1, "seq": 1, "event": {"kind": "count", "value": 902}}})
        relay.say({"id": 79, "method": "ping"})
        wait("another answer", lambda: 79 in answers(), lambda: str(relay.said()))
        if attached():
            raise Failure("expected: nothing happens\nseen: it attached again")
        relay.say({"method": "viewModel/event", "params": {"session": 1, "seq": 9, "event": {"kind": "count", "value": 903}}})
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
        for _ in range(400):
            peer.request("view/event", session=view, event={"kind": "loadOrders"})
        relay.is_refusing = False
        terminal.shows_no("trying again")
        wait("a snapshot", lambda: b'"snapshot"' in relay.from_server, lambda: bytes(relay.from_server[-300:]))
        terminal.shows_line("Orders: 3", "Order #0", "Order #1  cancelled", "Order #2")
        terminal.press("Enter")
        terminal.shows_line("Details of Order #0")
        said("a snapshot replaces what it knew, and it goes on from there")


FORMS = {
    "arguments": {"type": "object"},
    "viewEvent": {"oneOf": [
        {"type": "object", "required": ["kind", "side", "isOn", "ratio", "where"], "properties": {
            "kind": {"const": "everything"}, "side": {"$ref": "#/$defs/Side"}, "isOn": {"type": "boolean"},
            "ratio": {"type": "number"}, "where": {"$ref": "#/$defs/Point"},
            "note": {"type": ["string", "null"]}, "size": {"anyOf": [{"$ref": "#/$defs/Int"}, {"type": "null"}]}}},
        {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["left", "right"]}}},
    ]},
    "viewModelEvent": {},
    "$defs": {
        "Side": {"enum": ["up", "down"]}, "Int": {"type": "integer"},
        "Point": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}},
    },
}


def forms(editor):
    """Events of every form, to send and to show."""
    odd = {"kind": "odd", "text": "a\nb \u20ac \U0001f600 </x>", "none": None, "list": [], "dictionary": {}}
    with Stage(editor) as stage:
        fake = stage.fake(FORMS, {"form": [odd, {"kind": "bare"}]})
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel form")
        terminal.shows("bare", '"text": "a\\nb € 😀 </x>"' if editor.shows_emoji else '"text": "a\\nb €', '"list": []')
        said("values of every form are shown")

        def answer(question, text):
            terminal.shows(question)
            terminal.type(text)
            terminal.press("Enter")

        terminal.press("s")
        terminal.shows("everything", "left", "right")
        editor.choose(terminal, 1)
        answer("side (up, down):", "north")
        answer('side (up, down, not "north"):', "up")
        answer("isOn (true or false):", "false")
        answer("ratio (number):", "0.25")
        answer("where (JSON):", '{"x":')
        answer("where (JSON, not", '{"x":3}')
        answer("note (text, or nothing):", "")
        answer("size (integer, or nothing):", "7")
        wait("an event", lambda: fake.received, terminal.screen)
        expected = {"kind": "everything", "side": "up", "isOn": False, "ratio": 0.25, "where": {"x": 3}, "size": 7}
        if fake.received != [(1, expected)]:
            raise Failure(f"expected: {expected}\nseen: {fake.received}")
        said("members of every form are asked for")
        terminal.press("s")
        terminal.shows("everything", "left", "right")
        editor.choose(terminal, 1)
        terminal.shows("side (up, down):")
        terminal.press("Escape")
        terminal.shows_no("side (up, down):")
        terminal.press("s")
        terminal.shows("everything", "left", "right")
        editor.choose(terminal, 3)
        wait("an event", lambda: len(fake.received) == 2, terminal.screen)
        if fake.received[1] != (1, {"kind": "right"}):
            raise Failure(f"expected: right\nseen: {fake.received}")
        said("Escape sends nothing")
    with Stage(editor) as stage:
        fake = stage.fake({"viewEvent": True}, {"form": []})
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel form")
        terminal.shows_line("No events yet.")
        terminal.shows_no("opening…")
        terminal.press("s")
        terminal.shows("Event (JSON):")
        terminal.type('go","to":1}')
        terminal.press("Enter")
        wait("an event", lambda: fake.received == [(1, {"kind": "go", "to": 1})], lambda: str(fake.received))
        said("where nothing describes the events, one is written as JSON")


def towers(editor):
    """View models on and over each other."""
    with Stage(editor) as stage:
        fake = stage.fake(FORMS, {name: [{"kind": name + "Says"}] for name in ("ground", "upstairs", "ask", "askMore", "overIt")})
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel ground")
        terminal.shows("groundSays")
        upstairs = fake.show("navigation/push", 1, "upstairs")
        terminal.shows("upstairsSays")
        terminal.shows_no("groundSays")
        fake.show("navigation/present", 2, "ask")
        terminal.shows("upstairsSays", "askSays")
        more = fake.show("navigation/push", 3, "askMore")
        terminal.shows("upstairsSays", "askMoreSays")
        terminal.shows_no("askSays")
        over = fake.show("navigation/present", 4, "overIt")
        terminal.shows("overItSays")
        terminal.press("s")
        terminal.shows("everything", "left", "right")
        editor.choose(terminal, 2)
        wait("an event", lambda: fake.received == [(5, {"kind": "left"})], lambda: str(fake.received))
        said("a stack, a view over it, a stack on that, and a view over that, which has the keys")
        fake.tell("navigation/dismiss", 4, key=over)
        terminal.shows_no("overItSays")
        terminal.shows("askMoreSays")
        fake.tell("navigation/pop", 3, key=more)
        terminal.shows_no("askMoreSays")
        terminal.shows("askSays", "upstairsSays")
        terminal.press("s")
        terminal.shows("everything", "left", "right")
        editor.choose(terminal, 3)
        wait("an event", lambda: fake.received[1:] == [(3, {"kind": "right"})], lambda: str(fake.received))
        fake.tell("navigation/pop", 1, key=upstairs)
        terminal.shows("groundSays")
        terminal.shows_no("askSays")
        terminal.shows_no("upstairsSays")
        said("each that goes uncovers what is below; all that stands on one goes with it")


ALL = [orders, lost_connection, once, generic, completion, slow_and_failing, leaving, started_server, listening_server,
       odd_messages, long_absence, forms, towers]


def run(editor, *own):
    """Runs all stories and the editor's own, or those whose names are arguments, and ends the process with their status."""
    for needed in (editor.program, "tmux"):
        if not shutil.which(needed):
            print(f"{needed} isn't installed")
            sys.exit(77)
    # So that what a story has started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    failed = False
    deadline = time.monotonic() + 95
    for story in [*ALL, *own]:
        if sys.argv[1:] and story.__name__ not in sys.argv[1:]:
            continue
        if time.monotonic() > deadline:
            failed = True
            print(f"FAILED  {story.__name__}\nexpected: all is done within two minutes\nseen: there is no time left for this")
            continue
        print(f"{story.__name__}: {story.__doc__}", flush=True)
        try:
            story(editor)
        except Failure as failure:
            failed = True
            print(f"FAILED  {story.__name__}\n{failure}", flush=True)
        except Exception:
            failed = True
            print(f"FAILED  {story.__name__}\n{traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)
