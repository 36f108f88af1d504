"""Servers that the editor starts, and servers that listen."""

import os
import signal
import subprocess

from terminal import Failure, wait
from .stage import ORDERS, Stage, command, said


def started_server(editor):
    """A server that the editor starts."""
    with Stage(editor) as stage:
        terminal = stage.start(command=[editor.server, "--stdio"])
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100")
        said("a server over standard input and output")
        command(terminal, ':ViewModel orders {"delay": 600}')
        terminal.shows_line("Orders: loading…")
        terminal.press("x")
        terminal.shows_line("Orders: 0", "stopped")
        terminal.press("q")
        terminal.shows_no("stopped")
        terminal.shows_line("Orders: 100")
        said("loading is stopped with x")
        terminal.type("8G")
        terminal.press("Enter")
        terminal.shows_line("Details of Order #7")
        kill_server(terminal)
        terminal.shows(f"ended with signal {editor.kill}; R opens it again")
        terminal.shows_no("Details of")
        said("its end is said in words")
        terminal.press("R")
        terminal.shows_line("Orders: 100")
        terminal.shows_no("ended")
        server = child(terminal.process())
        said("R starts it again")
        command(terminal, ":qall!")
        terminal.ends()
        wait("the server's end", lambda: not os.path.exists(f"/proc/{server}"), lambda: "it runs")
        said("it ends with the editor")
    with Stage(editor) as stage:
        terminal = stage.start(command=["/no/such/server"])
        command(terminal, ORDERS)
        terminal.shows("R opens it again")
        said("a server that can't be started is said in words")


def kill_server(terminal):
    """Kills the server that the editor in this terminal has started."""
    os.kill(child(terminal.process()), signal.SIGKILL)


def child(process):
    """The server that this process, or a child of it, has started."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], check=True, text=True, stdout=subprocess.PIPE).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    family = {process}
    for _ in range(3):
        family |= {int(pid) for pid, parent, _ in rows if int(parent) in family}
    found = [int(pid) for pid, _, args in rows if int(pid) in family and "--stdio" in args.split()]
    if len(found) != 1:
        raise Failure(f"expected: one server\nseen: {found}")
    return found[0]


def listening_server(editor):
    """Servers of another kind of address, with a token, and one that ends."""
    with Stage(editor) as stage:
        path = os.path.join(stage.folder, "socket")
        server = stage.server("--unix", path)
        terminal = stage.start(address=path)
        command(terminal, ":ViewModel hello")
        terminal.shows('helloText  ""')
        terminal.press("s")
        terminal.shows("sayHello")
        editor.choose(terminal, 1)
        terminal.shows("Hello")
        said("over a Unix socket")
        server.end()
        terminal.shows("trying again")
        stage.server("--unix", path)
        terminal.shows("ended: its session is gone; R opens it again")
        terminal.press("R")
        terminal.shows('helloText  ""')
        said("a server that was started anew knows no session of before; R opens one")
    with Stage(editor) as stage:
        server = stage.server("--tcp", "0", token="secret-0123456789")
        terminal = stage.start(address=server.address, token="secret-0123456789")
        command(terminal, ":ViewModel hello")
        terminal.shows('helloText  ""')
        said("with a token")
        terminal = stage.start(address=server.address, token="wrong")
        command(terminal, ":ViewModel hello")
        terminal.shows("token", "R opens it again")
        said("a wrong token is said")
