"""A server that is away: what waits for it, and what is given back where its sessions are gone."""

import os
import pathlib
import time

from terminal import Failure, wait
from .of_servers import kill_server
from .stage import ORDERS, Stage, command, said, wait_for_count


def increment(editor, terminal, by, offered=""):
    """Sends a counter an increment; `offered` is what the editor proposes."""
    terminal.press("s")
    terminal.shows("increment", "reset")
    editor.choose(terminal, 1)
    terminal.shows(f"by (integer): {offered}".rstrip())
    if by != offered:
        terminal.type(by)
    terminal.press("Enter")
    terminal.shows_no("by (integer):")


def counter(stage, address):
    """An editor that shows a counter of the server there."""
    terminal = stage.start(address=address)
    command(terminal, ":ViewModel counter")
    terminal.shows_line("count  0")
    return terminal


def increment_unanswered(editor, terminal, relay):
    """Sends an increment by 4 that doesn't arrive."""
    relay.drops_requests = True
    increment(editor, terminal, "4")
    wait("an event on its way", lambda: b'"increment"' in relay.from_client, terminal.screen)


def answer(terminal, *answers):
    """Answers prompts, each a question and its text."""
    for question, text in answers:
        terminal.shows(question)
        terminal.type(text)
        terminal.press("Enter")


def waiting(editor):
    """Events of a time without connection, which is found again."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100", "Order #5")
        usual = [terminal.style(text) for text in ("Orders: 100", "Order #5")]
        styles = lambda: [terminal.style(text) for text in ("Orders: 100", "Order #5")]
        relay.is_refusing = True
        relay.cut()
        terminal.shows("trying again")
        wait("another style of all that may be old", lambda: None not in styles() and
             all(now != before for now, before in zip(styles(), usual)), lambda: str(styles()))
        said("what may be old is dimmed")
        terminal.press("r")
        terminal.shows_line("Orders: 100", "Order #0", "Waits to be sent", "loadOrders")
        said("a list leaves room for what waits to be sent")
        relay.is_refusing = False
        terminal.shows_no("trying again")
        terminal.shows_no("Waits to be sent")
        wait("the usual styles", lambda: styles() == usual, lambda: str(styles()))
        said("and isn't any more when it is brought up to date")

    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = counter(stage, relay.address)
        # The session knows a view by the events that it has numbered.
        increment(editor, terminal, "1")
        terminal.shows_line("count  1")
        increment_unanswered(editor, terminal, relay)
        relay.is_refusing = True
        relay.cut()
        terminal.shows("1 event waits to be sent; no connection to")
        terminal.shows_line("Waits to be sent", 'increment  {"by": 4}  (sent, and not answered)')
        increment(editor, terminal, "30")
        terminal.shows("2 events wait to be sent; no connection to")
        terminal.shows_line('increment  {"by": 30}')
        said("what waits to be sent is counted and listed, and what was sent without an answer is marked")
        relay.mend()
        terminal.shows_line("count  35")
        terminal.shows_no("Waits to be sent")
        terminal.shows_no("wait to be sent")
        wait_for_count(stage, editor, relay, 35)
        said("it is sent then, and nothing waits any more")


def gone(editor):
    """A server that is killed and started again, so that its sessions are gone."""
    with Stage(editor) as stage:
        path = os.path.join(stage.folder, "socket")
        server = stage.server("--unix", path)
        terminal = counter(stage, path)
        server.end()
        terminal.shows("trying again")
        increment(editor, terminal, "3")
        increment(editor, terminal, "5")
        terminal.shows("2 events wait to be sent")
        server = stage.server("--unix", path)
        terminal.shows("2 events weren't sent; ended: its session is gone; R opens it again")
        terminal.shows_line("count  0", 'increment  {"by": 3}', 'increment  {"by": 5}')
        terminal.shows("Not sent   D forget it")
        terminal.shows_no("Waits to be sent")
        said("what wasn't sent to a session that is gone is counted and listed")
        terminal.press("s")
        terminal.shows("can't send; ")
        terminal.press("R")
        terminal.shows_no("ended:")
        terminal.shows("2 events weren't sent")
        terminal.shows_line("count  0", 'increment  {"by": 3}', 'increment  {"by": 5}')
        increment(editor, terminal, "3", offered="3")
        terminal.shows_line("count  3")
        terminal.shows("1 event wasn't sent")
        terminal.shows_no('increment  {"by": 3}')
        said("the prompt offers it again, and what is sent is no longer listed")
        terminal.press("D")
        terminal.shows_no("Not sent")
        terminal.shows_no("wasn't sent")
        increment(editor, terminal, "2")
        terminal.shows_line("count  5")
        said("D forgets the rest")
        server.end()
        terminal.shows("trying again")
        increment(editor, terminal, "7")
        command(terminal, ":qall")
        terminal.press("Escape")
        # Where something is painted, the message is gone from the screen.
        said_why = pathlib.Path(stage.folder, "errmsg")
        command(terminal, f":call writefile([v:errmsg], '{said_why}')")
        wait("the editor's refusal to end", lambda: said_why.exists() and
             "No write since last change" in said_why.read_text(), terminal.screen)
        command(terminal, ":write")
        terminal.shows("nothing is written here; 1 event waits to be sent")
        said("the editor doesn't end without a word")
        terminal.press("q")
        terminal.shows_no("count  5")
        command(terminal, ":messages")
        terminal.shows("counter was closed, and this wasn't sent:", 'increment  {"by": 7}')
        said("where the buffer is closed, :messages has it")

    with Stage(editor) as stage:
        server = stage.server("--tcp", "0")
        relay = stage.relay(server.address)
        terminal = counter(stage, relay.address)
        increment_unanswered(editor, terminal, relay)
        server.end()
        terminal.shows("trying again")
        increment(editor, terminal, "5")
        relay.drops_requests = False
        stage.server("--tcp", server.address.rsplit(":")[-1])
        terminal.shows("1 event wasn't sent; 1 event wasn't answered; ended: its session is gone")
        terminal.shows("Not sent or not answered")
        terminal.shows_line('increment  {"by": 4}  (sent, and not answered)', 'increment  {"by": 5}')
        said("what was sent and not answered is told apart from what never was sent")

    with Stage(editor) as stage:
        path = os.path.join(stage.folder, "socket")
        server = stage.server("--unix", path)
        terminal = stage.start(address=path)
        command(terminal, ':ViewModel orders {"delay": 0, "count": 3}')
        terminal.shows_line("Orders: 3")
        terminal.press("j", "Enter")
        terminal.shows_line("Details of Order #1")
        server.end()
        terminal.shows("trying again")
        terminal.press("e")
        terminal.type("written while away")
        terminal.press("Enter")
        terminal.shows("1 event waits to be sent")
        terminal.shows_line('editNote  "written while away"')
        stage.server("--unix", path)
        terminal.shows("1 event wasn't sent; ended: its session is gone; R opens it again")
        terminal.shows_line('Details of Order #1: editNote  "written while away"')
        said("the text for a view that went with its session is listed where it stood")
        terminal.press("R")
        terminal.shows_no("ended:")
        terminal.shows_line("Orders: 3", "Order #1")
        terminal.type("2G")
        terminal.press("Enter")
        terminal.shows_line("Details of Order #1", 'editNote  "written while away"')
        terminal.press("e")
        terminal.shows("Note: written while away")
        terminal.press("Enter")
        terminal.shows_line("Note:      written while away  (not saved)")
        terminal.shows_no("editNote")
        terminal.shows_no("wasn't sent")
        said("and is in the field again when the same is opened")

    with Stage(editor) as stage:
        terminal = stage.start(command=[editor.server, "--stdio"])
        command(terminal, ':ViewModel orders {"delay": 600}')
        terminal.shows_line("Orders: loading…")
        kill_server(terminal)
        terminal.shows("1 event wasn't answered; ended: the server ", "R opens it again")
        terminal.shows("Not answered   D forget it")
        terminal.shows_line("loadOrders  (sent, and not answered)")
        said("what a server that the editor started left unanswered is named")


DESCRIPTION = {
    "arguments": {"type": "object", "required": ["kind", "size"], "properties": {
        "kind": {"type": "string"}, "size": {"type": "integer"}, "colour": {"type": "string"}}},
    "viewEvent": {"oneOf": [{"type": "object", "properties": {"kind": {"enum": ["left", "right"]}}}]},
}


def form(stage, arguments="{}", hold=None):
    """A server with one view model, whose answers to the method `hold` wait, and an editor that opens it."""
    fake = stage.fake(DESCRIPTION, {"form": [{"kind": "bare"}]})
    if hold:
        fake.hold(hold)
    terminal = stage.start(address=fake.address)
    command(terminal, f":ViewModel form {arguments}".rstrip())
    return fake, terminal


def contracts(editor):
    """Contracts that are needed: for arguments, and before they have come."""
    with Stage(editor) as stage:
        terminal = stage.start(address=editor.address)
        command(terminal, ":ViewModel")
        terminal.shows("counter", "orderDetails", "todos")
        editor.choose_named(terminal, "orderDetails")
        terminal.shows("id (integer):")
        terminal.type("seven")
        terminal.press("Enter")
        answer(terminal, ('id (integer, not "seven"):', "7"), ("name (text):", "Order #7"))
        terminal.shows_line("Details of Order #7", "Cancelled: no")
        said("the list asks for the arguments that a view model needs")
        command(terminal, ":ViewModel orderDetails")
        terminal.shows("id (integer):")
        terminal.press("Escape")
        terminal.shows_no("id (integer):")
        terminal.shows_line("Details of Order #7")
        said("so does the command with a name alone; Escape opens nothing")

    with Stage(editor) as stage:
        path = os.path.join(stage.folder, "socket")
        terminal = stage.start(address=path)
        command(terminal, ":ViewModel orderDetails")
        terminal.shows("trying again")
        stage.server("--unix", path)
        terminal.shows("ended: /arguments/id: missing; R opens it again")
        terminal.press("R")
        answer(terminal, ("id (integer):", "8"), ("name (text):", "Order #8"))
        terminal.shows_line("Details of Order #8")
        terminal.shows_no("ended:")
        said("where they couldn't be asked for at first, R asks for them")

    with Stage(editor) as stage:
        fake, terminal = form(stage, arguments="")
        answer(terminal, ("kind (text):", "a"), ("size (integer):", "3"))
        terminal.shows_line("bare")
        if fake.opened != [{"kind": "a", "size": 3}]:
            raise Failure(f"expected: the arguments kind and size\nseen: {fake.opened}")
        said("what may be left out isn't asked for")

    with Stage(editor) as stage:
        fake, terminal = form(stage, hold="viewModel/describe")
        terminal.shows_line("bare")
        terminal.press("s")
        terminal.shows_line("asking what it takes…")
        fake.release()
        terminal.shows("left", "right")
        editor.choose(terminal, 2)
        wait("an event", lambda: fake.received == [(1, {"kind": "right"})], lambda: str(fake.received))
        terminal.shows_no("asking")
        said("s before the contract has come says so, and asks when it has")

    with Stage(editor) as stage:
        fake, terminal = form(stage, hold="viewModel/describe")
        terminal.shows_line("bare")
        terminal.press("s")
        terminal.shows_line("asking what it takes…")
        fake.close()
        terminal.shows("can't ask what it takes; no connection to", "trying again")
        terminal.press("s")
        terminal.shows("can't ask what it takes; no connection to", "trying again")
        said("where it can't be asked for, s says why")


def refused_events(editor):
    """Events that a server has no room for, and those that it has taken before."""
    with Stage(editor) as stage:
        fake, terminal = form(stage)
        terminal.shows_line("bare")

        def send(number):
            terminal.press("s")
            terminal.shows("left", "right")
            editor.choose(terminal, number)

        fake.errors.append({"code": -32015, "message": "too much waits", "data": {"limit": "pendingEvents"}})
        send(1)
        terminal.shows("too much waits; 1 event wasn't sent")
        terminal.shows_line("left")
        send(2)
        wait("two events", lambda: len(fake.numbers) == 2, lambda: str(fake.numbers))
        if fake.numbers != [1, 1]:
            raise Failure(f"expected: the number 1 for each\nseen: {fake.numbers}")
        terminal.shows_no("too much waits")
        terminal.shows_line("left")
        said("it is given back, and the next takes its number")

        fake.hold("view/event")
        send(1)
        wait("an event on its way", lambda: fake.kept, terminal.screen)
        fake.kept.clear()
        fake.handled = 2
        fake.tell("viewModel/event", 1, skipped=3, event={"kind": "bare"})
        wait("the event once more", lambda: fake.kept, terminal.screen)
        fake.errors += [
            {"code": -32015, "message": "too much waits", "data": {"limit": "pendingEvents", "retryAfterMs": 2000}},
            {"code": -32016, "message": "the store can't be used: the disk is full"},
            {"code": -32603, "message": "it was in vain"},
        ]
        began = time.monotonic()
        fake.release()
        terminal.shows("it was in vain")
        if fake.numbers[2:] != [2, 2, 2] or time.monotonic() - began < 3:
            raise Failure(f"expected: three times the number 2, in three seconds\nseen: {fake.numbers}")
        send(2)
        wait("the next", lambda: fake.numbers[5:] == [3], lambda: str(fake.numbers))
        terminal.shows_no("it was in vain")
        if "wasn't" in terminal.screen():
            raise Failure(f"expected: nothing was given back\nseen:\n{terminal.screen()}")
        said("one that was taken before is asked after until there is room, and said to have failed")


def left_opens(editor):
    """A view that is closed before its session is there."""
    with Stage(editor) as stage:
        fake, terminal = form(stage, hold="session/open")
        terminal.shows("opening…")
        wait("the open", lambda: fake.kept, terminal.screen)
        terminal.press("q")
        terminal.shows_no("opening…")
        fake.release()
        wait("a detaching", lambda: "session/detach" in fake.methods, lambda: str(fake.methods))
        said("its session is left when it comes")
