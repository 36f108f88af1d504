"""Somebody at a terminal who leaves `view-model-server connect`, ends a session, and has a server that says nothing.

    python3 leave.py EXECUTABLE

Starts servers of its own. Prints a line for each thing that was seen. Python's standard library and tmux.
"""

import os
import signal
import subprocess
import sys
import tempfile

from terminal import Failed, Terminal

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../clients/testing"))
from server import stop

EXECUTABLE = sys.argv[1]


class Server:
    """One with a store, on a port."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [EXECUTABLE, "--tcp", "0", "--store", f"sqlite:{folder}/store"], stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if line.startswith("listening on "):
                self.address = line.split()[2]
                break

    def stop(self):
        stop(self.process.pid)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.go_on()
        self.process.kill()
        self.process.wait()


class Other:
    """Another client, a script."""

    def __init__(self, address, key):
        self.process = subprocess.Popen(
            [EXECUTABLE, "connect", "--attach", key, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, bufsize=1)
        self.see("counter:")

    def see(self, expected):
        """Waits for a line. Others come before it: what the session has kept."""
        lines = []
        while not lines or lines[-1] != expected:
            line = self.process.stdout.readline()
            if not line:
                raise Failed(f"the other client shows {lines}, and not {expected!r}")
            lines.append(line.rstrip("\n"))

    def send(self, line):
        self.process.stdin.write(line + "\n")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def start(terminal, *arguments):
    return terminal.run(" ".join([EXECUTABLE, "connect", *arguments]), lambda lines: lines[-1].endswith(">"))


def key(terminal):
    """Of the session that is on screen."""
    terminal.enter("sessions")
    line = terminal.see(lambda lines: next((line for line in lines if line.startswith("* ")), None), "the sessions")
    return line.split()[-1]


def seen(terminal, text):
    """Waits for a text, wherever its lines are broken."""
    without_blanks = lambda text: "".join(text.split())
    terminal.see(lambda lines: without_blanks(text) in without_blanks("".join(lines)), text)


def settle(terminal):
    """Returns when all that was sent is answered: the answer to this comes behind those."""
    terminal.enter("attach none")
    seen(terminal, "there is no session with this key")


def leave(terminal, server):
    for how in ("quit", "C-d"):
        start(terminal, server.address, "--open", "counter")
        terminal.enter("increment 2")
        terminal.see_end("  count 2", "counter>")
        shared = key(terminal)
        other = Other(server.address, shared)
        other.see("  count 2")
        if how == "quit":
            terminal.enter("quit")
        else:
            terminal.key("C-d")
        seen(terminal, "counter is kept, if it is durable: view-model-server connect --attach " + shared[:8])
        terminal.see(lambda lines: lines[-1] == "sh$", "the shell")
        other.send("increment 1")
        other.see("  count 3")
        other.end()
        start(terminal, server.address, "--attach", shared)
        terminal.see_end("  count 3", "counter>")
        terminal.leave()
    print("who leaves doesn't end the session, for others or for oneself, and is told how to come back")


def close(terminal, server):
    start(terminal, server.address, "--open", "counter")
    terminal.see_end("  count 0", "counter>")
    shared = key(terminal)
    other = Other(server.address, shared)
    other.see("  count 0")
    terminal.clear()
    terminal.enter("close")
    seen(terminal, "- 1 more view sees it, and what is stored of it is removed; 'close' once more ends it for good, 'detach' leaves it")
    terminal.enter("increment 1")
    terminal.see_end("  count 1", "counter>")
    other.see("  count 1")
    terminal.clear()
    terminal.enter("close")
    seen(terminal, "- 1 more view sees it")
    terminal.enter("close")
    terminal.see_end(">")
    other.end()
    terminal.enter(f"attach {shared}")
    terminal.see(lambda lines: any("no such session" in line or "session" in line for line in lines[-3:]), "the end")
    terminal.leave()
    print("a session that others see is ended by a second 'close', right behind the first")


def silence(terminal, server):
    start(terminal, server.address, "--open", "counter")
    terminal.see_end("  count 0", "counter>")
    terminal.clear()
    server.stop()
    terminal.enter("increment 1")
    seen(terminal, "- the connection is lost (the server doesn't answer); trying again.")
    terminal.see_end("… increment 1: sent, without an answer (Ctrl-C cancels)", "counter (no connection)>")
    for how in ("quit", "C-d"):
        terminal.key("C-l")
        terminal.see(lambda lines: len(lines) == 2, "a clear screen")
        if how == "quit":
            terminal.enter("quit")
        else:
            terminal.key("C-d")
        seen(terminal, "- increment 1 is sent, without an answer; Ctrl-D leaves all the same")
        terminal.type("x")
        terminal.key("BSpace")
    server.go_on()
    seen(terminal, "- connected again; counter goes on after event")
    terminal.see(lambda lines: lines.count("  count 1") == 1 and lines[-1] == "counter>", "the event, once")
    print("a server that says nothing is noticed, what waits is marked, and it asks before it leaves")

    # An event that is answered shows that the view is attached again: an answer to another request may come before that.
    terminal.enter("increment 1")
    terminal.see_end("  count 2", "counter>")
    settle(terminal)
    server.stop()
    terminal.enter("increment 1")
    terminal.enter("increment 5")
    terminal.see(lambda lines: lines[-1] == "counter (no connection)>", "the loss")
    terminal.key("C-d")
    seen(terminal, "- increment 1 is sent, without an answer, 1 more line waits; Ctrl-D leaves all the same")
    terminal.key("C-d")
    seen(terminal, "increment 1 may not have been handled not done: increment 5")
    terminal.see(lambda lines: lines[-1] == "sh$", "the shell")
    server.go_on()
    print("who leaves all the same is told what wasn't done")


def own_server(terminal):
    terminal.enter("clear")
    client = start(terminal, "--open", "counter", "--", EXECUTABLE, "--stdio")
    terminal.see_end("  count 0", "counter>")
    child = int(subprocess.run(["ps", "-o", "pid=", "--ppid", str(client)], capture_output=True, text=True).stdout)
    stop(child)
    terminal.enter("increment 1")
    seen(terminal, "- the server doesn't answer. What is shown may be old; what was sent waits for it.")
    os.kill(child, signal.SIGCONT)
    seen(terminal, "- the server answers again; counter goes on after event")
    terminal.see(lambda lines: lines.count("  count 1") == 1 and lines[-1] == "counter>", "the event, once")
    terminal.leave()
    print("a server of one's own that says nothing is waited for")

    for how in ("C-c", "SIGTERM"):
        terminal.enter("clear")
        client = start(terminal, "--open", "counter", "--", EXECUTABLE, "--stdio")
        terminal.see_end("  count 0", "counter>")
        child = int(subprocess.run(["ps", "-o", "pid=", "--ppid", str(client)], capture_output=True, text=True).stdout)
        stop(child)
        terminal.enter("increment 1")
        seen(terminal, "- the server doesn't answer.")
        if how == "SIGTERM":
            os.kill(client, signal.SIGTERM)
        else:
            terminal.key("C-c")
            seen(terminal, "(being cancelled)")
            terminal.key("C-c")
            seen(terminal, "- Ctrl-C once more leaves, as Ctrl-D does")
            terminal.key("C-c")
        seen(terminal, "increment 1 may not have been handled")
        terminal.see(lambda lines: lines[-1] == "sh$", "the shell")
        os.kill(child, signal.SIGCONT)
    print("who leaves by Ctrl-C, or is ended by a signal, is told what may not have been handled")


def slow_greeting(terminal, server):
    server.stop()
    terminal.enter(f"clear; {EXECUTABLE} connect {server.address}")
    seen(terminal, f"view-model-server: {server.address} doesn't answer yet; it is waited for 30 s in all")
    server.go_on()
    terminal.see(lambda lines: lines[-1] == ">", "the prompt")
    terminal.leave()
    print("a server that doesn't greet is said to be waited for")


def main():
    with tempfile.TemporaryDirectory(prefix="vms-") as folder:
        server = Server(folder)
        terminal = Terminal(folder)
        try:
            terminal.see(lambda lines: lines == ["sh$"], "a shell")
            leave(terminal, server)
            close(terminal, server)
            silence(terminal, server)
            own_server(terminal)
            slow_greeting(terminal, server)
        except Failed as failure:
            print(f"failed: {failure}")
            sys.exit(1)
        finally:
            terminal.end()
            server.end()


main()
