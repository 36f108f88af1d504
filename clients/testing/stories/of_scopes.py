"""View models whose sessions are found again by opening them."""

import secrets

from terminal import Failure, wait
from .stage import Stage, command, said

BARE = {"kind": "bare"}


def scoped(stage):
    """A server with a view model for a person, whose session it finds, and one for everyone."""
    fake = stage.fake({}, {"todos": [BARE], "board": [BARE]})
    fake.scopes = {"todos": "person", "board": "everyone"}
    fake.found = {"seq": 7, "snapshot": [{"kind": "told", "value": "before"}]}
    return fake


def scopes(editor):
    """Sessions of a person and of everyone, which are found, left, and ended."""
    with Stage(editor) as stage:
        fake = scoped(stage)
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel todos")
        terminal.shows_line('told  "before"')
        fake.tell("viewModel/event", 1, event={"kind": "told", "value": "now"})
        terminal.shows_line('told  "now"')
        if "session/attach" in fake.methods:
            raise Failure(f"expected: it goes on from the snapshot\nseen: {fake.methods}")
        said("a session that is found is shown as it is, and goes on")
        terminal.press("q")
        terminal.shows("todos goes on; :ViewModel todos goes back to it")
        command(terminal, ':ViewModel todos {"list": "home"}')
        terminal.shows_line('told  "before"')
        terminal.press("q")
        terminal.shows('todos goes on; :ViewModel todos {"list": "home"} goes back to it')
        said("who leaves it is told that an open finds it, with its arguments")
        command(terminal, ":ViewModelAttach key-root")
        terminal.shows_line("bare")
        terminal.press("q")
        terminal.shows("todos goes on; :ViewModelAttach key-root goes back to it")
        said("and the key where another client knows the arguments")

        fake.hold("session/open")
        command(terminal, ":ViewModel todos {}")
        wait("the open", lambda: fake.kept, terminal.screen)
        terminal.press("q")
        terminal.shows_no("opening…")
        count = fake.methods.count("session/detach")
        fake.release()
        wait("a detaching", lambda: fake.methods.count("session/detach") > count, lambda: str(fake.methods))
        if "session/close" in fake.methods:
            raise Failure(f"expected: it goes on\nseen: {fake.methods}")
        said("one that is found too late is left, and goes on")

        command(terminal, ":ViewModel board")
        terminal.shows_line('told  "before"')
        command(terminal, ":ViewModelEnd")
        terminal.shows("board stays for the others; :ViewModel board goes back to it")
        terminal.shows_no("told")
        if fake.methods.count("session/close") != 1:
            raise Failure(f"expected: the server is told\nseen: {fake.methods}")
        said("everyone's session isn't said to end")

    with Stage(editor) as stage:
        fake = scoped(stage)
        fake.durable = True
        terminal = stage.start(stays=True, address=fake.address)
        command(terminal, ":ViewModel todos")
        terminal.shows_line('told  "before"')
        fake.tell("session/closed", 1, reason="failed")
        terminal.shows("if the session is kept, R or :ViewModel todos goes back to it")
        if "another" in terminal.screen():
            raise Failure(f"expected: there is no other one\nseen:\n{terminal.screen()}")
        command(terminal, ":qall")
        terminal.shows("todos is kept if it is durable; :ViewModel todos finds it")
        said("nor is there another one where it has failed")

    with Stage(editor) as stage:
        fake = stage.fake({}, {"orders": [{"kind": "loading", "value": False}]}, {"orders": "Examples.OrdersViewModel"})
        fake.scopes = {"orders": "person"}
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel orders {}")
        wait("a loading", lambda: fake.received == [(1, {"kind": "loadOrders"})], lambda: str(fake.received))
        fake.found = {"seq": 1, "snapshot": [{"kind": "loading", "value": False}]}
        command(terminal, ":ViewModel orders {}")
        wait("another open", lambda: 2 in fake.sequence, lambda: str(fake.methods))
        terminal.shows_line("Orders: 0")
        terminal.press("r")
        wait("another loading", lambda: fake.received[1:] == [(2, {"kind": "loadOrders"})], lambda: str(fake.received))
        said("what a view sends to a new session isn't sent to one that is found")


def add_todo(editor, terminal, title):
    """Adds a thing to do to the list in the current window."""
    terminal.press("s")
    terminal.shows("add", "toggle", "removeDone")
    editor.choose(terminal, 1)
    terminal.shows("title (text):")
    terminal.type(title)
    terminal.press("Enter")


def own_lists_found(editor):
    """A list of a name of its own, twice in one editor, and in another one later."""
    opening = f':ViewModel todos {{"list": "of-{secrets.token_hex(6)}"}}'
    with Stage(editor) as stage:
        terminal = stage.start(address=editor.address)
        command(terminal, opening)
        terminal.shows_line('changed  {"items": [], "remaining": 0}')
        add_todo(editor, terminal, "Milk")
        terminal.shows_line("remaining: 1")
        command(terminal, ":vsplit")
        command(terminal, opening)

        def are_two(count):
            both = f"remaining: {count}"
            wait(f"{both!r}, twice", lambda: terminal.screen().count(both) == 2, terminal.screen)

        are_two(1)
        add_todo(editor, terminal, "Bread")
        are_two(2)
        command(terminal, ":wincmd w")
        add_todo(editor, terminal, "Eggs")
        are_two(3)
        said("the same list opened twice is two views of one session")
        terminal.press("q")
        terminal.shows(f"todos goes on; {opening} goes back to it")
        add_todo(editor, terminal, "Salt")
        terminal.shows_line("remaining: 4")
        said("one of them that is left leaves the other")
        command(terminal, ":qall")

    with Stage(editor) as stage:
        terminal = stage.start(address=editor.address)
        command(terminal, opening)
        terminal.shows_line("remaining: 4")
        add_todo(editor, terminal, "Tea")
        terminal.shows_line("remaining: 5")
        said("another editor finds it as it was, and goes on")
