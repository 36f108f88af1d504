"""A server whose store can't be used: it goes on, and what it can't store waits."""

import time

from server import StoreFile
from terminal import Failure, wait
from .of_absence import counter, form, increment
from .of_silence import notices
from .stage import Stage, command, said


def stalled(editor):
    """A store whose file is moved away, and back."""
    with Stage(editor) as stage:
        store = StoreFile(stage.folder)
        server = stage.server("--tcp", "0", "--store", "sqlite:" + store.path)
        terminal = counter(stage, server.address)
        command(terminal, ":new")
        command(terminal, ":ViewModel hello")
        terminal.shows('helloText  ""')
        command(terminal, ":wincmd p")
        increment(editor, terminal, "1")
        terminal.shows_line("count  1")
        # The server looks each second. What is sent before isn't answered, and what is sent after is refused.
        store.move()
        increment(editor, terminal, "4")
        notices(terminal, "1 event waits to be sent; the server can't store anything now (", "store.db was moved")
        terminal.shows_line("count  1")
        terminal.shows('increment  {"by": 4}')
        if terminal.screen().count("can't store") != 1:
            raise Failure(f"expected: only one of the two views says so\nseen: {terminal.screen()}")
        said("it is said why what was sent isn't answered, where something waits")
        command(terminal, ":qall")
        terminal.press("Escape")
        terminal.shows_line("count  1")
        said("and the editor doesn't end without a word")
        store.move_back()
        terminal.shows_line("count  5")
        terminal.shows_no("wait")
        terminal.shows_no("store anything")
        increment(editor, terminal, "30")
        terminal.shows_line("count  35")
        said("it is done once when the store is back, and nothing is said any more")


REFUSAL = "the store can't be used: the disk is full"
FULL = "the server can't store anything now (the disk is full); what was sent waits for it"


def left(editor, terminal):
    """Sends the first event of the form."""
    terminal.press("s")
    terminal.shows("left", "right")
    editor.choose(terminal, 1)


def told_stalls(editor):
    """A server that says with its pings that its store can't be used, and talks of other things."""
    with Stage(editor) as stage:
        fake, terminal = form(stage)
        terminal.shows_line("bare")
        fake.hold("view/event")
        fake.stall = REFUSAL
        left(editor, terminal)
        wait("an event", lambda: fake.kept, terminal.screen)
        for value in range(30):
            fake.tell("viewModel/event", 1, event={"kind": "count", "value": value})
            terminal.shows_line(f"count  {value}")
            if f"1 event waits to be sent; {FULL}" in terminal.screen():
                break
            time.sleep(1)
        terminal.shows(f"1 event waits to be sent; {FULL}")
        terminal.shows_line("left  (sent, and not answered)")
        said("it is told with a ping, also while something else is heard")
        fake.stall = None
        terminal.shows_no(FULL)
        terminal.shows_no("wait")
        said("and a ping says that it is over")
        fake.stall = REFUSAL
        terminal.shows(FULL)
        fake.release()
        terminal.shows_no(FULL)
        left(editor, terminal)
        wait("two events", lambda: len(fake.received) == 2, lambda: str(fake.received))
        terminal.shows_no("wait")
        said("so does the answer")
