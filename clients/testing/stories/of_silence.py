"""Servers that are stopped, and links that have lost their other end: nothing is said, and nothing ends."""

import os
import signal
import time

from server import stop
from terminal import Failure
from .of_absence import counter, increment
from .of_servers import child
from .stage import Stage, command, said


def notices(terminal, *texts):
    """Waits until the editor has noticed, which takes ten seconds on a machine that isn't busy."""
    start = time.monotonic()
    terminal.shows(*texts)
    if time.monotonic() - start > 30:
        raise Failure(f"expected: some ten seconds\nseen: {time.monotonic() - start}")


def silence(editor):
    """A server that is stopped and goes on, at an address, and one that the editor has started."""
    with Stage(editor) as stage:
        server = stage.server("--tcp", "0")
        terminal = counter(stage, server.address)
        # The session knows a view by the events that it has numbered.
        increment(editor, terminal, "1")
        terminal.shows_line("count  1")
        stop(server.process.pid)
        stage.closing.append(lambda: server.process.send_signal(signal.SIGCONT))
        increment(editor, terminal, "4")
        notices(terminal, "1 event waits to be sent; ", "it doesn't answer; trying again")
        terminal.shows_line('increment  {"by": 4}  (sent, and not answered)')
        increment(editor, terminal, "30")
        terminal.shows("2 events wait to be sent")
        command(terminal, ":qall")
        terminal.press("Escape")
        terminal.shows_line("count  1")
        said("it is noticed, what waits is marked, and the editor doesn't end without a word")
        server.process.send_signal(signal.SIGCONT)
        terminal.shows_line("count  35")
        terminal.shows_no("wait")
        terminal.shows_no("answer")
        said("all goes on when it goes on")

    with Stage(editor) as stage:
        terminal = stage.start(command=[editor.server, "--stdio"])
        command(terminal, ":ViewModel counter")
        terminal.shows_line("count  0")
        server = child(terminal.process())
        stop(server)
        stage.closing.append(lambda: os.path.exists(f"/proc/{server}") and os.kill(server, signal.SIGKILL))
        increment(editor, terminal, "4")
        notices(terminal, "1 event waits to be sent; the server doesn't answer; waiting for it")
        terminal.shows_line('increment  {"by": 4}  (sent, and not answered)')
        command(terminal, ":qall")
        terminal.press("Escape")
        terminal.shows_line("count  0")
        os.kill(server, signal.SIGCONT)
        terminal.shows_line("count  4")
        terminal.shows_no("wait")
        increment(editor, terminal, "1")
        terminal.shows_line("count  5")
        said("so it is with a server that the editor has started")
