"""Going away from a session, which goes on, coming back to it by its key, and ending it."""

import os
import re
import subprocess

from terminal import Failure, wait
from .of_absence import increment
from .of_servers import kill_server
from .stage import Stage, command, last_key, said, session_ends


def store_of(stage):
    """The server's arguments for a store of the story's own."""
    return ["--store", "sqlite:" + os.path.join(stage.folder, "store.db")]


def stored(editor, stage):
    """The names of the view models whose sessions are in the store."""
    listed = subprocess.run([editor.server, "sessions", *store_of(stage)], check=True, capture_output=True, text=True)
    return [line.split()[1] for line in listed.stdout.splitlines()[1:]]


def views(peer, key):
    """How many views a session has, without one of this peer's."""
    session = peer.request("session/attach", key=key)["session"]
    [one] = [one for one in peer.request("session/list")["sessions"] if one["session"] == session]
    peer.request("session/detach", session=session)
    return one["views"] - 1


def key_on(terminal):
    """The key that is said on the screen."""
    terminal.shows("counter: ")
    return re.search(r"counter: ([\w-]{22})", terminal.screen())[1]


def quitting(editor):
    """Leaving the editor with a session of a durable view model."""
    with Stage(editor) as stage:
        config = {"command": [editor.server, "--stdio", *store_of(stage)]}
        terminal = stage.start(stays=True, **config)
        command(terminal, ":ViewModel counter")
        terminal.shows_line("count  0")
        increment(editor, terminal, "3")
        terminal.shows_line("count  3")
        command(terminal, ":ViewModelKey")
        key = key_on(terminal)
        command(terminal, ":qall")
        terminal.shows("the editor has ended")
        terminal.shows(f"counter is kept if it is durable; :ViewModelAttach {key} finds it")
        said("what is kept is said where it is still read")
        if stored(editor, stage) != ["counter"]:
            raise Failure(f"expected: a counter in the store\nseen: {stored(editor, stage)}")
        terminal = stage.start(**config)
        command(terminal, f":ViewModelAttach {key}")
        terminal.shows_line("counter", "count  3")
        increment(editor, terminal, "4")
        terminal.shows_line("count  7")
        said("and is found again by its key, in another editor with another server")

        command(terminal, ":ViewModelEnd")
        terminal.shows("End counter for good? What the server has stored of it is removed.")
        editor.answer_end(terminal, False)
        terminal.shows_no("for good?")
        increment(editor, terminal, "1")
        terminal.shows_line("count  8")
        command(terminal, ":ViewModelEnd")
        terminal.shows("for good?")
        editor.answer_end(terminal, True)
        terminal.shows_no("count  8")
        if stored(editor, stage):
            raise Failure(f"expected: nothing in the store\nseen: {stored(editor, stage)}")
        said("it is ended by who says so, and confirms it")


def keys(editor):
    """Sessions that are left, found again by their keys, shown twice, and ended."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        peer = stage.peer(editor.address)
        command(terminal, ":ViewModel counter")
        terminal.shows_line("count  0")
        key = last_key(relay)
        increment(editor, terminal, "3")
        terminal.shows_line("count  3")
        terminal.press("q")
        terminal.shows(f"counter goes on; :ViewModelAttach {key} goes back to it")
        wait("no view", lambda: views(peer, key) == 0, lambda: str(views(peer, key)))
        said("a buffer that is closed leaves its session, and says the way back")
        terminal.type(":ViewModelAttach coun")
        terminal.press("Tab")
        terminal.shows(f":ViewModelAttach {key}")
        terminal.press("Enter")
        terminal.shows_line("counter", "count  3")
        increment(editor, terminal, "2")
        terminal.shows_line("count  5")
        said("the key of a session that was left is completed")

        command(terminal, ":new")
        command(terminal, f":ViewModelAttach {key}")
        wait("the counter twice", lambda: terminal.screen().count("q leave") == 2, terminal.screen)
        increment(editor, terminal, "1")
        # Each shows it as the newest and as the last event.
        wait("both have counted", lambda: terminal.screen().count("count  6") == 4, terminal.screen)
        attached = [message["params"] for message in relay.said() if message.get("method") == "session/attach"]
        opened = [message["params"] for message in relay.said() if message.get("method") == "session/open"]
        names = [params["client"] for params in opened + attached]
        if len(set(names)) != 2 or len({name.rsplit("-", 1)[0] for name in names}) != 1:
            raise Failure(f"expected: the same name in the same place, and another beside it\nseen: {names}")
        said("two views of one session have names of their own, and a name is used again")
        command(terminal, ":ViewModelEnd")
        terminal.shows("End counter for good? Another view of it is open.")
        editor.answer_end(terminal, True)
        terminal.shows("ended: it was closed")
        session_ends(stage, editor, key)
        said("its end takes it from other views, and is asked about")
        command(terminal, ":ViewModelAttach nothing")
        terminal.shows("no session")
        said("a key of nothing is said")

    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ":ViewModelAttach nothing")
        terminal.shows("no session")
        command(terminal, ":ViewModel hello")
        terminal.shows('helloText  ""')
        key = last_key(relay)
        command(terminal, ":ViewModelEnd")
        terminal.shows_no("helloText")
        session_ends(stage, editor, key)
        said("what nobody else has is ended without a question")


def replaced(editor):
    """A view whose place another has taken."""
    with Stage(editor) as stage:
        fake = stage.fake({}, {"form": [{"kind": "bare"}]})
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel form")
        terminal.shows_line("bare")
        fake.tell("session/closed", 1, reason="replaced")
        wait("an attachment", lambda: 2 in fake.sequence, lambda: str(fake.methods))
        fake.tell("viewModel/event", 2, event={"kind": "bare"})
        fake.tell("session/closed", 2, reason="replaced")
        terminal.shows("ended: it is shown elsewhere; R shows it here again")
        if fake.methods.count("session/attach") != 1:
            raise Failure(f"expected: it leaves it there\nseen: {fake.methods}")
        said("it attaches again once, then says so and doesn't fight back")
        terminal.press("R")
        terminal.shows_no("ended:")
        if fake.methods.count("session/attach") != 2 or fake.methods.count("session/open") != 1:
            raise Failure(f"expected: it is attached to again\nseen: {fake.methods}")
        terminal.shows_line("bare")
        said("R shows the same session here again")


def without_its_store(editor):
    """A server that runs for a while without its store."""
    with Stage(editor) as stage:
        path = os.path.join(stage.folder, "socket")
        server = stage.server("--unix", path, *store_of(stage))
        terminal = stage.start(address=path)
        command(terminal, ":ViewModel counter")
        terminal.shows_line("count  0")
        increment(editor, terminal, "3")
        terminal.shows_line("count  3")
        server.end()
        server = stage.server("--unix", path)
        terminal.shows("ended: the server has no store now; if the session is kept, R ")
        terminal.press("R")
        terminal.shows("ended: the server has no store now")
        server.end()
        stage.server("--unix", path, *store_of(stage))
        terminal.press("R")
        terminal.shows_no("ended")
        terminal.shows_line("count  3")
        said("R comes back to a session that a server without its store didn't know")


def left_by_its_server(editor):
    """A server with a store that the editor has started, and that dies."""
    with Stage(editor) as stage:
        terminal = stage.start(command=[editor.server, "--stdio", *store_of(stage)])
        command(terminal, ":ViewModel counter")
        terminal.shows_line("count  0")
        increment(editor, terminal, "3")
        terminal.shows_line("count  3")
        kill_server(terminal)
        terminal.shows(f"ended with signal {editor.kill}; if the session is kept, R or :ViewModelAttach ")
        terminal.press("R")
        terminal.shows_no("ended")
        terminal.shows_line("count  3")
        increment(editor, terminal, "4")
        terminal.shows_line("count  7")
        said("R comes back to what the store of a server that died has kept")
