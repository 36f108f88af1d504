"""Somebody at a terminal who types to `view-model-server connect`. Python's standard library and tmux.

    python3 connect.py EXECUTABLE HOST:PORT

The server at HOST:PORT is there already. Prints a line for each thing that was seen.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from terminal import PATIENCE, Failed, Terminal

EXECUTABLE, ADDRESS = sys.argv[1:3]


def start(terminal, address=ADDRESS, *arguments):
    # What is opened at once may be there already.
    return terminal.run(
        " ".join([EXECUTABLE, "connect", *arguments, address]),
        lambda lines: lines[-1].endswith(">") and any(line.startswith("'open NAME'") for line in lines))


class Relay:
    """Passes bytes on between a client and the server until it is cut."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.target = (host, int(port))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.pairs = []
        self.is_open = True
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            if not self.is_open:
                near.close()
                continue
            far = socket.create_connection(self.target)
            self.pairs.append((near, far))
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.copy, args=(one, other), daemon=True).start()

    def copy(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass

    def cut(self):
        self.is_open = False
        for pair in self.pairs:
            for end in pair:
                end.shutdown(socket.SHUT_RDWR)
                end.close()
        self.pairs = []

    def mend(self):
        self.is_open = True


def script(*lines):
    """What another client prints that does this."""
    result = subprocess.run(
        [EXECUTABLE, "connect", ADDRESS], input="".join(line + "\n" for line in lines), capture_output=True, text=True,
        timeout=PATIENCE)
    if result.returncode:
        raise Failed(f"{lines}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def key(terminal):
    """Of the session that is on screen."""
    terminal.clear()
    terminal.enter("sessions")
    line = terminal.see(lambda lines: next((line for line in lines if line.startswith("* ")), None), "the sessions")
    return line.split()[-1]


def walk(terminal):
    start(terminal)
    terminal.see(lambda lines: any("counter" in line and line.startswith("View models: ") for line in lines), "the view models")
    print("the view models are listed")

    terminal.type("op")
    terminal.key("Tab")
    terminal.see_end("> open")
    terminal.type("orders de")
    terminal.key("Tab")
    terminal.see_end("> open orders delay=")
    terminal.type("0.2")
    terminal.key("Enter")
    terminal.see_end("> open orders delay=0.2", "orders>")
    terminal.key("Tab")
    terminal.see(lambda lines: any(line.split() == ["selectOrder", "index=INTEGER"] for line in lines), "kinds with members")
    terminal.type("lo")
    terminal.key("Tab", "Enter")
    terminal.see_end("  orders count=100", "  loading false", "orders>")
    terminal.enter("rows orders 98..120")
    terminal.see_end('  98 id=98 name="Order #98"', '  99 id=99 name="Order #99"', "  rows 98 to 99 of 100", "orders>")
    print("commands, arguments and kinds are completed, and the list is shown")

    terminal.enter("selectOrder idx=7")
    terminal.see_end('selectOrder has no member "idx"; it takes index=INTEGER', "orders>")
    terminal.enter("selectOrder index=seven")
    terminal.see_end("index must be an integer, not seven", "orders>")
    print("a wrong member is refused with what is expected")

    terminal.clear()
    terminal.type("selectOrder ind")
    terminal.key("Tab")
    terminal.type("7")
    terminal.key("Enter")
    terminal.see_end(
        "orders> selectOrder index=7", '  title "Details of Order #7"', "  cancelled false", '  note value="" isSaved=true',
        "orders › orderDetails>")
    terminal.enter('editNote "Call them"')
    terminal.see_end('  note value="Call them" isSaved=false', "orders › orderDetails>")
    terminal.enter("back")
    terminal.see_end("it stays: the note isn't saved", "orders › orderDetails>")
    print("a refused back is said in words")

    terminal.enter("saveNote")
    terminal.see_end('  note value="Call them" isSaved=true', "orders › orderDetails>")
    terminal.enter("cancelOrder")
    terminal.see_end('  question "Cancel Order #7?"', "orders › orderDetails » confirmCancel>")
    terminal.clear()
    terminal.enter("confirm")
    terminal.see_end("orders › orderDetails>")
    terminal.see(
        lambda lines: "  cancelled true" in lines or "  [2 orderDetails] cancelled true" in lines, "the cancelled order")
    terminal.enter("back")
    terminal.see_end("orders>")
    terminal.enter("show cancelled")
    terminal.see_end("orders> show cancelled", "  cancelled id=7", "orders>")
    print("the prompt shows the stack, and the order is cancelled")


def cancel(terminal):
    terminal.enter("open orders delay=1000")
    terminal.clear()
    terminal.enter("loadOrders")
    terminal.see_end("  loading true", "… loadOrders: Loading orders (Ctrl-C cancels)", "orders>")
    terminal.type("half")
    terminal.see_end("… loadOrders: Loading orders (Ctrl-C cancels)", "orders> half")
    terminal.key("C-c")
    terminal.see_end("  loading false", "cancelled", "orders> half")
    print("progress is shown, and Ctrl-C cancels")
    terminal.key("C-c")
    terminal.see_end("orders> half^C", "orders>")
    print("Ctrl-C clears the line")


def interrupted_typing(terminal):
    terminal.enter("open counter start=40")
    terminal.see_end("  count 40", "counter>")
    shared = key(terminal)
    terminal.clear()
    text = "increment by=2 " + "wide 日本語 and long " * 6
    terminal.type(text)
    terminal.key("Left", "Left", "Left")
    terminal.see(lambda lines: "".join(lines).endswith("wide 日本語 and long"), "the line")
    shown, (column, row) = terminal.lines(), terminal.cursor()
    script(f"attach {shared}", *["increment 1"] * 3)
    terminal.see(lambda lines: lines == ["  count 41", "  count 42", "  count 43"] + shown, "events above the prompt")
    if terminal.cursor() != (column, row + 3):
        raise Failed(f"the cursor is at {terminal.cursor()}, not {(column, row + 3)}")
    print("events that come while one types stand above the prompt")
    # Down to the last row, for what comes next: a terminal that gets narrower moves its first rows out of sight.
    script(f"attach {shared}", *["increment 1"] * 30)
    terminal.see(lambda lines: "  count 73" in lines and lines[-len(shown):] == shown, "the prompt at the bottom")
    return text


def prompt_row(lines):
    """Where the one prompt stands, under nothing but events; none where something else is there."""
    rows = [row for row, line in enumerate(lines) if line.startswith("counter>")]
    if len(rows) == 1 and all(line.startswith("  count ") for line in lines[: rows[0]]):
        return rows[0]
    return None


def resize(terminal, text):
    def shows_once(typed):
        def condition(lines):
            row = prompt_row(lines)
            return row is not None and "".join(lines[row:]).replace(" ", "") == f"counter> {typed}".replace(" ", "")

        return condition

    for columns in (40, 61, 120, 33, 80):
        terminal.resize(columns)
        terminal.type("x")
        terminal.see(shows_once(text[:-3] + "x" + text[-3:]), f"the line on {columns} columns, once")
        terminal.key("BSpace")
        terminal.see(shows_once(text), f"the line on {columns} columns, once")
    print("a screen of another size shows the line once")
    terminal.key("Home")
    terminal.see(lambda lines: terminal.cursor() == (len("counter> "), prompt_row(lines)), "the cursor at the start")
    terminal.key("C-k")
    terminal.see_end("counter>")
    terminal.enter("increment 2")
    terminal.see_end("counter> increment 2", "  count 75", "counter>")
    print("the line is edited")


def suspend(terminal, before):
    terminal.type("half")
    terminal.see_end("counter> half")
    terminal.key("C-z")
    terminal.see_end("sh$")
    if terminal.settings() != before:
        raise Failed("the terminal isn't as it was while the client is stopped")
    terminal.enter("clear; fg")
    terminal.see_end("counter> half")
    terminal.key("C-u")
    terminal.enter("increment 2")
    terminal.see_end("counter> increment 2", "  count 77", "counter>")
    print("it stops and goes on")


def restored(terminal, before):
    terminal.key("C-d")
    terminal.see_end("sh$")
    if terminal.settings() != before:
        raise Failed("the terminal isn't as it was after Ctrl-D")
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        process = start(terminal)
        terminal.type("half")
        terminal.see_end("> half")
        os.kill(process, number)
        terminal.see_end("sh$")
        terminal.enter("echo status $?")
        terminal.see_end(f"status {128 + number}", "sh$")
        if terminal.settings() != before:
            raise Failed(f"the terminal isn't as it was after {number.name}")
    print("the terminal is as it was, however it ends")


def history(terminal):
    path = f"{terminal.folder}/state/view-model-server/history"
    if os.stat(path).st_mode & 0o777 != 0o600:
        raise Failed("others can read the history")
    start(terminal)
    terminal.key("Up")
    terminal.see_end("> increment 2")
    terminal.key("C-c")
    terminal.see_end("> increment 2^C", ">")
    terminal.key("C-r")
    terminal.type("open orders")
    terminal.see_end('(search "open orders")> open orders delay=1000')
    terminal.key("C-c")
    terminal.see_end(">")
    terminal.leave()
    start(terminal, ADDRESS, "--no-history")
    terminal.key("Up")
    terminal.type("x")
    terminal.see_end("> x")
    terminal.key("C-u")
    terminal.leave()
    print("lines that were typed come back in the next run")


def reconnect(terminal):
    relay = Relay(ADDRESS)
    start(terminal, relay.address, "--open", "counter")
    terminal.see_end("  count 0", "counter>")
    shared = key(terminal)
    script(f"attach {shared}", "increment 1")
    terminal.see_end("  count 1", "counter>")
    for round in range(3):
        terminal.clear()
        relay.cut()
        terminal.see(lambda lines: lines[0].startswith("- the connection is lost"), "the loss")
        script(f"attach {shared}", "increment 1", "increment 1")
        terminal.enter("increment 10")
        terminal.see_end("… increment 10: not sent yet (Ctrl-C cancels)", "counter (no connection)>")
        relay.mend()
        # One of its own and two of another client's, each once; and then there is nothing to wait for.
        base = 1 + round * 12
        terminal.see(
            lambda lines: [line for line in lines if line.startswith("  count ")]
            == [f"  count {base + 1}", f"  count {base + 2}", f"  count {base + 12}"] and lines[-1] == "counter>",
            "what came meanwhile, and what was typed")
        terminal.see(
            lambda lines: f"- connected again; counter goes on after event {2 + round * 3}" in lines, "words for the reconnect")
    print("after a cut connection nothing is lost and nothing comes twice")
    terminal.leave()


def main():
    with tempfile.TemporaryDirectory(prefix="vms-") as folder:
        terminal = Terminal(folder)
        try:
            terminal.see(lambda lines: lines == ["sh$"], "a shell")
            before = terminal.settings()
            start(terminal)
            terminal.leave()
            walk(terminal)
            cancel(terminal)
            text = interrupted_typing(terminal)
            resize(terminal, text)
            suspend(terminal, before)
            restored(terminal, before)
            history(terminal)
            reconnect(terminal)
        except Failed as failure:
            print(f"failed: {failure}")
            sys.exit(1)
        finally:
            terminal.end()


main()
