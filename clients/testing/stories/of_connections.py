"""Connections that are lost, and messages that are odd."""

import pathlib
import sys

from terminal import Failure, wait
from .stage import ORDERS, Stage, cancel_as_another, command, last_key, said


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


def odd_messages(editor):
    """Messages that come in pieces, and an end: over a socket, and from a server that was started."""
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

        relay.say({"method": "session/closed", "params": {"session": 1, "reason": "failed"}})
        terminal.shows_line("ended: the view model failed; R opens it again")
        said("its end is said in words")
