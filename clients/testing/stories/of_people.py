"""Sessions that a person comes back to, and others who are there."""

import os
import re

from terminal import wait
from .stage import ORDERS, Stage, command, said


def people(editor):
    """Who else is here, who may only look, and what one may come back to."""
    with Stage(editor) as stage:
        socket = os.path.join(stage.folder, "socket")
        server = stage.server("--unix", socket, "--store", f"sqlite:{os.path.join(stage.folder, 'store')}")
        one = stage.start(address=server.address)
        command(one, ":ViewModel counter")
        one.shows_line("count  0")
        if "here: " in one.screen():
            raise AssertionError(one.screen())
        peer = stage.peer(server.address)
        key = peer.request("session/list", kept=True)["sessions"][0]["key"]
        view = peer.request("session/attach", key=key)["session"]
        one.shows("here: somebody")
        peer.request("session/detach", session=view)
        one.shows_no("here: ")
        said("who else is here is said, and that they have left")

        command(one, ":ViewModelKey read")
        one.shows("counter: ")
        read_key = re.search(r"counter: (\S+)", one.screen()).group(1)
        if read_key == key:
            raise AssertionError(one.screen())
        other = stage.start(stays=True, address=server.address)
        command(other, f":ViewModelAttach {read_key}")
        other.shows("looking only", "count  0", "here: ")
        one.shows(", looking")
        other.shows_no("send an event")
        other.press("s")
        other.shows("you may only look at this session")
        other.shows_no("increment")
        command(other, ":ViewModelEnd")
        other.shows_line("count  0")
        command(other, ":qall!")
        other.shows("the editor has ended")
        one.shows_no(", looking")
        said("who may only look is told so, and changes nothing")

        one.press("q")
        one.shows("counter goes on")
        command(one, ":ViewModel")
        one.shows("counter  just now", "orders")
        editor.choose(one, 1)
        one.shows_line("count  0")
        seen = lambda: peer.request("session/list", kept=True)["sessions"]
        wait("one session", lambda: [session["viewModel"] for session in seen()] == ["counter"], lambda: str(seen()))
        said("what was left is offered first, and gone on with")


def readers(editor):
    """Who may only look follows what others do, and leaves."""
    with Stage(editor) as stage:
        socket = os.path.join(stage.folder, "socket")
        server = stage.server("--unix", socket)
        one = stage.start(address=server.address)
        command(one, ORDERS)
        one.shows_line("Orders: 100", "Order #0")
        command(one, ":ViewModelKey read")
        one.shows("orders: ")
        key = re.search(r"orders: (\S+)", one.screen()).group(1)
        other = stage.start(address=server.address)
        command(other, f":ViewModelAttach {key}")
        other.shows("Orders: 100", "Order #1", "looking only")
        other.shows_no("reload")
        other.press("Enter")
        other.shows("you may only look at this session")
        one.press("Enter")
        other.shows("Details of Order #0", "q leave", "looking only")
        other.shows_no("edit the note")
        other.press("e")
        other.shows("you may only look at this session")
        one.press("c")
        other.shows("Cancel Order #0?")
        other.press("y")
        other.shows("you may only look at this session")
        one.press("y")
        other.shows("Cancelled: yes")
        said("what others do is shown, and nothing of it is offered")
        other.press("q")
        other.shows("orders goes on")
        one.press("q")
        one.shows("Orders: 100")
        said("going back is leaving")
