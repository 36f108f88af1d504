"""Leaving what was done a moment ago and isn't answered: the editor says so, or ends when the answer is there."""

import os
import re
import signal
import sqlite3
import subprocess

from server import stop
from terminal import Failure, wait
from .of_absence import counter, increment
from .of_leaving import store_of
from .stage import Stage, command, said

REFUSED, ENDED = "No write since last change", "the editor has ended"
UNANSWERED = "this wasn't answered, and may not have been done: "


class Lock:
    """Another process's hold on a store's file, in which nothing can be written meanwhile."""

    def __init__(self, stage):
        self.connection = sqlite3.connect(
            os.path.join(stage.folder, "store.db"), timeout=60, isolation_level=None, check_same_thread=False)
        stage.closing.append(self.connection.close)

    def take(self):
        self.connection.execute("BEGIN EXCLUSIVE")

    def give_back(self):
        self.connection.execute("COMMIT")


def locked(stage, editor):
    """An editor with a server of its own, and a counter that was sent an increment that the server can't store."""
    terminal = stage.start(stays=True, command=[editor.server, "--stdio", *store_of(stage)])
    command(terminal, ":ViewModel counter")
    terminal.shows_line("count  0")
    increment(editor, terminal, "3")
    terminal.shows_line("count  3")
    lock = Lock(stage)
    lock.take()
    increment(editor, terminal, "4")
    return terminal, lock


def is_refused(terminal, text):
    """Gives a command that would end the editor, and returns whether that refuses to."""
    command(terminal, text)
    wait("an end, or a refusal", lambda: any(one in terminal.screen() for one in (REFUSED, ENDED)), terminal.screen)
    return ENDED not in terminal.screen()


def shows_unanswered(terminal, before=""):
    """Waits until it is said, after some words. Where the machine is busy it may be known already that it waits."""
    said_so = re.compile(re.escape(before) + "1 event (isn't answered yet|waits to be sent)")
    wait("an event that isn't answered", lambda: said_so.search(terminal.screen()), terminal.screen)
    terminal.shows_line('increment  {"by": 4}  (sent, and not answered)')


def must_refuse(terminal, text):
    """The same, where it must refuse, and say why."""
    if not is_refused(terminal, text):
        raise Failure(f"expected: {text} is refused\nseen:\n{terminal.screen()}")
    terminal.press("Escape")
    shows_unanswered(terminal)


def unanswered(editor):
    """Leaving half a second after something was done, when nobody knows yet that it isn't answered."""
    with Stage(editor) as stage:
        terminal, lock = locked(stage, editor)
        for text in (":qall", ":quit"):
            must_refuse(terminal, text)
        command(terminal, ":wq")
        shows_unanswered(terminal, before="nothing is written here; ")
        said("the editor doesn't end, and what isn't answered is listed")
        lock.give_back()
        terminal.shows_line("count  7")
        terminal.shows_no("answered")
        if is_refused(terminal, ":qall") or UNANSWERED in terminal.screen():
            raise Failure(f"expected: it ends without a word\nseen:\n{terminal.screen()}")
        said("until it is answered")

    for end in (lambda terminal: command(terminal, ":qall!"), lambda terminal: command(terminal, ":cquit"), terminate):
        with Stage(editor) as stage:
            terminal, _ = locked(stage, editor)
            end(terminal)
            terminal.shows(ENDED, f'counter: {UNANSWERED}increment  {{"by": 4}}', "counter is kept if it is durable")
    said("where it ends all the same, that is said where it is still read")

    with Stage(editor) as stage:
        terminal, _ = locked(stage, editor)
        terminal.press("q")
        terminal.shows('counter was closed, and this isn\'t answered yet: increment  {"by": 4}')
        command(terminal, ":qall")
        terminal.shows(ENDED, f'counter: {UNANSWERED}increment  {{"by": 4}}')
        said("so it is where the buffer was closed before")

    with Stage(editor) as stage:
        server = stage.server("--tcp", "0")
        terminal = stage.start(stays=True, address=server.address)
        command(terminal, ":ViewModel counter")
        terminal.shows_line("count  0")
        server.process.kill()
        terminal.shows("trying again")
        increment(editor, terminal, "4")
        terminal.shows("1 event waits to be sent")
        command(terminal, ":bwipeout!")
        command(terminal, ":qall")
        terminal.shows(ENDED, 'counter: this wasn\'t sent, and isn\'t done: increment  {"by": 4}')
        said("and of what couldn't be sent by then")

    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = counter(stage, relay.address)
        # The session knows a view by the events that it has numbered.
        increment(editor, terminal, "3")
        terminal.shows_line("count  3")
        relay.drops_requests = True
        increment(editor, terminal, "4")
        must_refuse(terminal, ":qall")
        relay.mend()
        relay.cut()
        terminal.shows_line("count  7")
        terminal.shows_no("answered")
        said("so it is over a link that is dead, which nobody has noticed yet")

    with Stage(editor) as stage:
        # An answer that takes a second is awaited in vain, and a machine that is busy may need as long.
        for _ in range(20):
            terminal = stage.start(stays=True, address=editor.address)
            command(terminal, ':ViewModel orders {"delay": 0, "count": 3}')
            terminal.shows_line("Orders: 3")
            if not is_refused(terminal, ":execute 'normal r' | qall"):
                break
        else:
            raise Failure(f"expected: it waits for the answer\nseen:\n{terminal.screen()}")
        if "answered" in terminal.screen():
            raise Failure(f"expected: it ends without a word\nseen:\n{terminal.screen()}")
        said("it waits for an answer that comes soon, and ends without a word")
        terminal = stage.start(stays=True, address=editor.address)
        command(terminal, ':ViewModel orders {"delay": 600}')
        terminal.shows_line("Orders: loading…")
        if is_refused(terminal, ":qall") or "answered" in terminal.screen():
            raise Failure(f"expected: it ends without a word\nseen:\n{terminal.screen()}")
        said("as with what a view sends by itself")
        server = stage.server("--tcp", "0")
        terminal = stage.start(stays=True, address=server.address)
        command(terminal, ':ViewModel orders {"delay": 0, "count": 3}')
        terminal.shows_line("Orders: 3")
        stop(server.process.pid)
        if is_refused(terminal, ":execute 'normal rx' | qall") or "answered" in terminal.screen():
            raise Failure(f"expected: it ends without a word\nseen:\n{terminal.screen()}")
        said("and with what was stopped")


def taken(editor):
    """An event that the server is busy with while the connection is cut, and comes back."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(stays=True, address=relay.address)
        command(terminal, ':ViewModel orders {"delay": 20}')
        terminal.shows_line("Orders: loading…")
        terminal.press("x")
        terminal.shows_line("Orders: 0", "stopped")
        terminal.press("r")
        loads = lambda: relay.from_server.count(b'{"kind":"loading","value":true}')
        wait("it loads again", lambda: loads() == 2, terminal.screen)
        relay.cut()
        wait("it is attached again", lambda: b'"handled":2' in relay.from_server, terminal.screen)
        terminal.shows_no("trying again")
        if not is_refused(terminal, ":qall"):
            raise Failure(f"expected: it doesn't end\nseen:\n{terminal.screen()}")
        terminal.press("Escape")
        terminal.shows("1 event isn't answered yet")
        terminal.shows_line("loadOrders  (sent, and not answered)")
        said("it is shown to be unanswered")
        terminal.shows_line("Orders: 100")
        terminal.shows_no("answered")
        numbers = [message["params"]["number"] for message in relay.said() if message.get("method") == "view/event"]
        if numbers != [1, 2, 2] or loads() != 2:
            raise Failure(f"expected: two loadings, and 2 asked after\nseen: {loads()}, {numbers}")
        said("until it is done, once")
        terminal.press("r")
        wait("it loads once more", lambda: loads() == 3, terminal.screen)
        relay.cut()
        wait("it is attached again", lambda: b'"handled":3' in relay.from_server, terminal.screen)
        terminal.shows_no("trying again")
        terminal.press("x")
        terminal.shows_line("Orders: 100", "stopped")
        if is_refused(terminal, ":qall") or UNANSWERED in terminal.screen():
            raise Failure(f"expected: it ends without a word\nseen:\n{terminal.screen()}")
        said("or until it is stopped")


def terminate(terminal):
    """Has the editor in a terminal that stays end by a signal."""
    found = subprocess.run(["pgrep", "-P", str(terminal.process())], check=True, capture_output=True, text=True)
    os.kill(int(found.stdout.split()[0]), signal.SIGTERM)
