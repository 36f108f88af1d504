"""Sessions that a person comes back to, and others who are there."""

import os

from terminal import wait
from .stage import Stage, command, said


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
        read_key = peer.request("session/key", session=view, access="read")["key"]
        peer.request("session/detach", session=view)
        one.shows_no("here: ")
        said("who else is here is said, and that they have left")

        other = stage.start(stays=True, address=server.address)
        command(other, f":ViewModelAttach {read_key}")
        other.shows("looking only", "count  0", "here: ")
        one.shows(", looking")
        other.press("s")
        other.shows("increment")
        editor.choose_named(other, "reset")
        other.shows("only lets it look")
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
