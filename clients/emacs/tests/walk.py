#!/usr/bin/env python3
"""A user at the keyboard of an Emacs in a terminal of 80 by 24: keys are pressed, and the screen is read.

    VIEW_MODEL_SERVER=… VIEW_MODEL_ADDRESS=HOST:PORT walk.py [STORY…]

The stories that other editors share speak of the commands and in the words of these, so Emacs has its own.
VIEW_MODEL_PACKAGE is the folder of the package, where another one than that beside these tests is meant.
"""

import json
import os
import pathlib
import re
import shlex
import signal
import sys
import time

sys.dont_write_bytecode = True
CLIENT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CLIENT.parent / "testing"))

import stories
from server import Server, StoreFile, stop
from stories.of_leaving import store_of, stored
from stories.of_lists import requests_of
from stories.of_servers import child, kill_server
from stories.of_unanswered import ENDED, Lock, terminate
from stories.stage import Stage, last_key, said, session_ends
from terminal import Failure, Terminal, wait


class Keyboard(Terminal):
    """A terminal whose keys are those of Emacs, and whose screen is read by regular expressions."""

    def press(self, *keys):
        """Names such as C-x and Enter are keys; anything else is typed."""
        for key in keys:
            if re.fullmatch(r"([CM]-.|C-M-.|Enter|Tab|Escape)", key):
                super().press(key)
            else:
                self.type(key)

    def screen(self):
        return super().screen().replace("’", "'")

    def sees(self, *patterns, without=()):
        """Waits until the screen has all `patterns` and nothing of `without`, and returns it."""
        def is_so():
            screen = self.screen()
            return (all(re.search(p, screen) for p in patterns) and not any(re.search(p, screen) for p in without)
                    and screen)
        expected = " and ".join([f"/{p}/" for p in patterns] + [f"no /{p}/" for p in without])
        return wait(expected, is_so, self.screen)

    def command(self, name, *answers):
        """M-x and a name, and an answer to each prompt: its pattern and a text."""
        self.press("M-x")
        self.sees(r"\n(C-u )?M-x\b")
        self.press(name, "Enter")
        for prompt, text in answers:
            self.sees(prompt)
            self.press(*([text] if text else []), "Enter")

    def open(self, name, *patterns):
        """Opens a view model, and waits until the screen has these."""
        self.command("view-model", (r"View model:", name))
        self.sees(*patterns)

    def open_orders(self, count="", delay="0", fails=""):
        """Opens orders with arguments, which are asked for."""
        self.press("C-u")
        self.command("view-model", (r"View model:", "orders"), (r"count \(", count), (r"delay \(", delay),
                     (r"fails \(", fails))

    def increment(self, by, offered=""):
        """Sends an increment; `offered` is what Emacs proposes."""
        self.press("s")
        self.sees(r"Send \(default increment\):")
        self.press("Enter")
        self.sees(rf"by( \(.*\))?: {offered}".rstrip())
        self.press(*([] if by == offered else [by]), "Enter")

    def kill(self, *patterns):
        """Kills the buffer, and waits until the screen has none of these."""
        self.press("C-x", "k", "Enter")
        self.sees(without=patterns)

    def stays(self, question):
        """Presses the keys that end Emacs, and says no to that question."""
        self.press("C-x", "C-c")
        self.sees(question)
        self.press("no", "Enter")
        self.sees(without=[r"anyway"])


class Emacs:
    """With the package on its load path."""

    program = "emacs"
    server = os.environ.get("VIEW_MODEL_SERVER")
    address = os.environ.get("VIEW_MODEL_ADDRESS")
    package = os.environ.get("VIEW_MODEL_PACKAGE", str(CLIENT))

    def start(self, folder, stays=False, address=None, command=None, patience=5):
        """Starts it with an address or a command; a server that says nothing is asked after `patience` seconds."""
        started = "(list {})".format(" ".join(map(json.dumps, command or [self.server, "--stdio"])))
        terminal = Keyboard(shlex.join([
            self.program, "-Q", "-nw", "--eval",
            "(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil)",
            "-L", self.package, "-l", "view-model", "-l", "view-model-find", "--eval",
            f"(setq view-model-address {json.dumps(address) if address else 'nil'} view-model-command {started} "
            f"view-model-watch--patience {patience} create-lockfiles nil inhibit-startup-screen t)"]),
            folder, columns=80, rows=24, stays=stays)
        terminal.sees(r"\*scratch\*")
        return terminal


def rows_asked(relay):
    """How many requests for rows came to the server."""
    return len(requests_of(relay))


def cut_off(terminal, relay):
    """Cuts the connection until the relay is mended."""
    relay.is_refusing = True
    relay.cut()
    terminal.sees(r"connection lost, reconnecting")


def no_server(terminal):
    """Waits until Emacs has no server that it started."""
    def is_gone():
        try:
            child(terminal.process())
        except Failure:
            return True
    wait("the server ended with its last buffer", is_gone, terminal.screen)


def orders(editor):
    """The orders, from the list to the cancelled order and back, and their session, left and ended."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        terminal.open_orders()
        terminal.sees(r"100 orders", r"  Order #0\n", r"  Order #19\n", r"RET details")
        key = last_key(relay)
        said("C-u M-x view-model asks for the name and the arguments, and shows a list of 100 orders")
        terminal.press(*["n"] * 7, "Enter")
        terminal.sees(r"Details of Order #7", r"State  open")
        said("RET on order 7 shows its details")

        for choice, state in (("n", "open"), ("q", "open"), ("y", "cancelled")):
            terminal.press("c")
            terminal.sees(r"Cancel Order #7\?", r"Details of Order #7", r"y yes")
            terminal.press(choice)
            terminal.sees(r"Details of Order #7", rf"State  {state}", without=[r"Cancel Order"])
        said("c presents the question over the details; n and q leave the order as it was, y cancels it")

        terminal.press("e")
        terminal.sees(r"\nNote:")
        terminal.press("call Zoë ☎", "Enter")
        terminal.sees(r"Note   call Zoë ☎  \(not saved\)")
        terminal.press("q")
        terminal.sees(r"Can't go back: the note isn't saved", r"Details of Order #7")
        said("q is refused while the note isn't saved, in words")
        terminal.press("s")
        terminal.sees(r"Note   call Zoë ☎\n")
        terminal.press("q")
        terminal.sees(r"100 orders, 1 cancelled", r"Order #7 +cancelled", without=[r"Details of"])
        said("after saving, q goes back to the list, which shows order 7 as cancelled")
        terminal.press("Enter")
        terminal.sees(r"Details of Order #7", r"State  cancelled")
        terminal.kill(r"Details of")
        terminal.sees(r"100 orders, 1 cancelled")
        said("point stayed on order 7, and killing its details goes back too")

        stage.peer(editor.address).request("session/attach", key=key)
        terminal.press("C-x", "k", "Enter")
        terminal.sees(rf"orders goes on: M-x view-model-attach RET {key}", without=[r"100 orders"])
        terminal.command("view-model-attach", (r"Key of the session:", key))
        terminal.sees(r"100 orders, 1 cancelled")
        said("killing the list leaves its session, which is found again by its key")
        for answer in ("no", "yes"):
            terminal.press("C-c", "C-e")
            terminal.sees(r"End orders for good\? Another view of it is open\. \(yes or no\)")
            terminal.press(answer, "Enter")
            terminal.sees(*([r"100 orders, 1 cancelled"] if answer == "no" else []), without=[r"for good"])
        terminal.sees(without=[r"100 orders"])
        session_ends(stage, editor, key)
        said("C-c C-e ends it for all, after a question")
        terminal.press("C-x", "C-c")
        terminal.ends()
        said("Emacs ends when it is told to")


def any_view_model(editor):
    """A view model that is shown by its events, which are asked for."""
    with Stage(editor) as stage:
        terminal = stage.start(address=editor.address)
        terminal.open("counter", r"count +0\n")
        terminal.press("s")
        terminal.sees(r"Send \(default increment\):")
        terminal.press("Tab", "Tab")
        terminal.sees(r"load", r"reset")
        terminal.press("inc", "Enter")
        terminal.sees(r"by( \(.*\))?:")
        terminal.press("many", "Enter")
        terminal.sees(r"\[Not that\] by")
        terminal.press("5", "Enter")
        terminal.sees(r"Newest of each kind\n +count +5\n", r" 2 count +5\n +1 count +0\n")
        said("s asks for the kind and the members of an event, takes no nonsense, and shows what comes of it")
        terminal.press("s")
        terminal.sees(r"Send \(default increment\):")
        terminal.press("load", "Enter")
        terminal.sees(r'rows +\[\{"id":0')
        terminal.press("M-<", "C-n", "C-n", "Enter")
        terminal.sees(r"view model event\*", r'"kind": "rows"')
        said("RET shows an event in full")


def absent_server(editor):
    """A server that is away, and comes back without its sessions."""
    with Stage(editor) as stage:
        path = os.path.join(stage.folder, "server")
        server = stage.server("--unix", path)
        terminal = stage.start(address=path)
        terminal.open("counter", r"count +0\n")
        usual = terminal.style("  count")
        server.end()
        terminal.sees(r"connection lost, reconnecting")
        wait("dimmed text", lambda: terminal.style("  count") not in (None, usual), terminal.screen)
        terminal.increment("3")
        terminal.increment("5")
        terminal.sees(r"2 events wait to be sent  connection lost",
                      r"Waits to be sent\n +increment +by: 3\n +increment +by: 5\n")
        said("without a server the text is dimmed, and what waits to be sent is counted and listed")
        server = stage.server("--unix", path)
        terminal.sees(r"2 events weren't sent \(C-c C-u\)  its session is gone; g opens it again",
                      without=[r"Waits to be sent"])
        terminal.press("C-c", "C-u")
        terminal.sees(r"counter: increment\n +by: 3\n\ncounter: increment\n +by: 5\n")
        terminal.press("q")
        terminal.sees(without=[r"counter: increment"])
        said("what wasn't sent to a session that is gone is counted, and C-c C-u lists it")
        terminal.press("g")
        terminal.sees(r"2 events weren't sent", r"count +0\n", without=[r"gone"])
        wait("text that isn't dimmed", lambda: terminal.style("  count") == usual, terminal.screen)
        terminal.increment("3", offered="3")
        terminal.sees(r"count +3\n", r"1 event wasn't sent")
        said("the prompt offers it again, and what is sent is no longer listed")
        terminal.press("C-c", "C-u")
        terminal.sees(r"counter: increment\n +by: 5\n", without=[r"by: 3"])
        terminal.press("d")
        terminal.sees(r"Nothing is left to be sent", without=[r"wasn't sent"])
        terminal.press("q")
        terminal.kill(r"count +3\n")
        said("d forgets one")

        terminal.open_orders(count="3")
        terminal.sees(r"  Order #2")
        terminal.press("n", "Enter")
        terminal.sees(r"Details of Order #1")
        server.end()
        terminal.sees(r"connection lost, reconnecting")
        terminal.press("e")
        terminal.sees(r"\nNote:")
        terminal.press("written while away", "Enter")
        terminal.sees(r"1 event waits to be sent")
        server = stage.server("--unix", path)
        terminal.sees(r"1 event wasn't sent .*its session is gone; q leaves it", without=[r"Waits to be sent"])
        terminal.press("q")
        terminal.sees(r"1 event wasn't sent .*its session is gone; g opens it again", r"  Order #2")
        terminal.press("g")
        terminal.sees(r"3 orders", r"1 event wasn't sent", without=[r"gone"])
        terminal.press("M-<", "n")
        terminal.sees(r"L2 +\(Orders\)", r"  Order #2")
        terminal.press("Enter")
        terminal.sees(r"Details of Order #1")
        terminal.press("e")
        terminal.sees(r"\nNote: written while away")
        terminal.press("Enter")
        terminal.sees(r"Note   written while away  \(not saved\)", without=[r"wasn't sent"])
        said("a note to an order whose session is gone is in the prompt again when that is opened")

        server.end()
        terminal.sees(r"connection lost, reconnecting")
        terminal.press("s")
        terminal.sees(r"1 event waits to be sent")
        terminal.stays(r"1 event for a view model wasn't sent; exit anyway\?")
        terminal.sees(r"connection lost, reconnecting")
        said("leaving Emacs asks first where something wasn't sent")
        terminal.press("C-x", "b", "*orders*", "Enter", "C-x", "k", "Enter")
        terminal.sees(r"1 event wasn't sent; M-x view-model-unsent shows what", without=[r"Order #"])
        terminal.command("view-model-unsent")
        terminal.sees(r"Details of Order #1: saveNote")
        said("what waited for a buffer that is killed is kept as well")


def long_lists(editor):
    """A list of a million rows, and one of those that were chosen from it."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        terminal.press("C-u")
        terminal.command("view-model", (r"View model:", "numbers"), (r"count( \(.*)?[:(]", "1000000"))
        terminal.sees(r"numbers +1000000 rows\n", r"chosen +0 rows\n", r"sum +0\n")
        began = time.monotonic()
        terminal.press("M-<", *["C-n"] * 4, "Enter")
        terminal.sees(r"numbers 1-20 of 1000000", r"\n +1  id: 0, square: 0\n", r"\n +20  id: 19, square: 361\n")
        terminal.press("M->")
        terminal.sees(r"999981-1000000 of 1000000", r"\n1000000  id: 999999, square: 999998000001\n")
        terminal.press("M-5", "M-<")
        terminal.sees(r"500001-500020 of 1000000", r"\n 500001  id: 500000, square: 250000000000\n")
        terminal.press("C-v", "C-v", "M-v", *["n"] * 3)
        terminal.sees(r"500021-500040 of 1000000", r"L500040 ")
        terminal.press(*["p"] * 39)
        terminal.sees(r"500001-500020 of 1000000", r"\n 500020  id: 500019,", without=[r"\.\.\."])
        said(f"of a million rows the first, the last and those in the middle, in {time.monotonic() - began:.1f} s")

        terminal.press("n", "n", "Enter")
        terminal.sees(r"Send for this row \(default choose\):")
        terminal.press("Enter", "q")
        terminal.sees(r"chosen +1 row\n", r"sum +250002000004\n")
        terminal.command("view-model-show-list", (r"List", "chosen"))
        terminal.sees(r"chosen 1-1 of 1", r"\n1  id: 500002, square: 250002000004\n")
        terminal.press("v")
        terminal.sees(r'"square": 250002000004')
        terminal.press("C-x", "1")
        said("RET sends an event for its row, and the other list has it, in full")

        terminal.press("C-x", "b", "*numbers: numbers*", "Enter")
        before = lines_of(terminal.sees(r"500001-500020 of 1000000", r"L500003 ", without=[r"\.\.\."]), "id: ")
        cut_off(terminal, relay)
        relay.mend()
        screen = terminal.sees(r"500001-500020 of 1000000", r"L500003 ", without=[r"reconnecting", r"\.\.\."])
        if lines_of(screen, "id: ") != before:
            raise Failure(f"expected: {before}\nseen:\n{screen}")
        said("point and the window stay at their rows over a cut")
        cut_off(terminal, relay)
        terminal.press("M-8", "M-<")
        terminal.sees(r"\n 800001  \.\.\.")
        relay.mend()
        terminal.sees(r"numbers 800001-800020 of 1000000", r"\n 800001  id: 800000,", r"id: 800019,",
                      without=[r"\.\.\."])
        terminal.press("M-g", "g")
        terminal.sees(r"Row \(1 to 1000000\):")
        terminal.press("777777", "Enter")
        terminal.sees(r"id: 777776,", without=[r"\.\.\."])
        asked = rows_asked(relay)
        for _ in range(10):
            terminal.press(*["C-v"] * 10)
        terminal.sees(r"779[0-9]{3}-779[0-9]{3} of", without=[r"\.\.\."])
        if not 1 <= rows_asked(relay) - asked <= 102:
            raise Failure(f"expected: no more requests than screens\nseen: {rows_asked(relay) - asked}")
        said("what was scrolled to without a connection comes with it, and M-g g goes to any row")


def make_tree(tree):
    """Makes a folder with 2,004 files, of which a few are found by name or content."""
    for path, text in (("src/deep/needle.txt", "nothing\n"), ("src/größe.txt", "eins\nzwei ☎ Nadelöhr drei\n"),
                       ("long.txt", "".join(f"line {number}\n" for number in range(1, 5001))),
                       ("other.txt", "a needle\nno\n\tanother ☎ needle\n"),
                       *((f"many/{number:04}.dat", "") for number in range(2000))):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)


def lines_of(screen, pattern):
    return [line for line in screen.splitlines() if re.search(pattern, line)]


def finder(editor):
    """Files and lines that are found while one types."""
    with Stage(editor) as stage:
        tree = pathlib.Path(stage.folder, "tree")
        make_tree(tree)
        # It shows the folder that it is started in.
        server = Server("/bin/sh", "-c", 'cd "$0" && exec "$@"', str(tree), editor.server, "--tcp", "0")
        stage.closing.append(server.end)
        relay = stage.relay(server.address)
        terminal = stage.start(address=relay.address)
        terminal.command("view-model-find")
        terminal.sees(r"finder  2,004 files", r"\nmany/", r"\nFind files:")
        wait("ten rows", lambda: len(lines_of(terminal.screen(), r"^(many|src|long|other)")) == 10, terminal.screen)
        said("M-x view-model-find shows as many of 2,004 files as there is room for")

        terminal.press(*"größe.txt")
        screen = terminal.sees(r"1 of 2,004 files", r"\nsrc/größe\.txt\n", r"\nFind files: größe\.txt")
        if lines_of(screen, r"many/"):
            raise Failure(f"expected: no other file\nseen:\n{screen}")
        wait("what matches is marked", lambda: terminal.style("src/größe") not in (None, terminal.style("src/")),
             terminal.screen)
        said("the rows are those of the last key, in which the match is marked")
        terminal.press("Enter")
        terminal.sees(r"\nzwei ☎ Nadelöhr", r" größe\.txt +All", without=[r"Find files", r"finder"])
        said("RET visits the file, and the results are gone")

        terminal.command("view-model-find-text")
        terminal.sees(r"\nFind text:", r"finder  2,004 files")
        terminal.press("needle")
        terminal.sees(r"finder  2 lines ", r"\nother\.txt:1:a needle\nother\.txt:3:\s+another ☎ needle\n")
        terminal.press("Tab")
        terminal.sees(r"finderPreview  other\.txt:1", r"\n1  a needle\n2  no\n3  ", r"\nother\.txt:3:")
        terminal.press("C-n")
        terminal.sees(r"finderPreview  other\.txt:3")
        terminal.press("Tab")
        terminal.sees(r"\nother\.txt:3:", without=[r"finderPreview"])
        said("TAB shows the lines around each result, or not")
        terminal.press("Enter")
        terminal.sees(r"\n\s+another ☎ needle\n", r" other\.txt +All +L3 ", without=[r"Find text"])
        terminal.press("M-:")
        terminal.sees(r"Eval:")
        terminal.press('(looking-at "needle$")', "Enter")
        terminal.sees(r"\nt\s*$")
        said("RET on a line goes to what matches in it")

        terminal.command("view-model-find")
        terminal.sees(r"\nmany/")
        terminal.press("C-t")
        terminal.sees(r"\nFind text:", without=[r"\nmany/"])
        terminal.press("C-t", "^line 4.21$")
        terminal.sees(r"\nFind regex: \^line 4\.21\$", r"finder  10 lines", r"\nlong\.txt:4021:line 4021\n")
        asked = rows_asked(relay)
        terminal.press("Tab")
        terminal.sees(r"finderPreview  long\.txt:4021", r"\n4020  line 4020\n4021  line 4021\n4022  line 4022\n")
        terminal.press("C-M-v")
        terminal.sees(r"\n4030  line 4030\n", without=[r"\n4021  "])
        if not 1 <= rows_asked(relay) - asked <= 5:
            raise Failure(f"expected: the lines on screen are asked for\nseen: {rows_asked(relay) - asked} requests")
        said("C-t goes to text and regular expressions, and of a long file the lines on screen are asked for")

        terminal.press("Escape")
        terminal.sees(r" other\.txt +All +L3 ", without=[r"finder", r"Find"])
        said("ESC leaves")

        terminal.command("view-model-find")
        terminal.sees(r"finder  2,004 files", r"\nmany/")
        terminal.press("dat")
        terminal.sees(r"2,000 of 2,004 files")
        terminal.press("M->")
        last = terminal.sees(r"\nmany/", without=[r"\.\.\."])
        terminal.press("C-p", "C-p", "M-v", "M-v")
        wait("other rows", lambda: lines_of(screen := terminal.screen(), "^many/") not in ([], lines_of(last, "^many/"))
             and "..." not in screen, terminal.screen)
        terminal.press("M-<", "C-n", "Enter")
        terminal.sees(r" \d+\.dat +All", without=[r"Find files"])
        said("all results are gone through by the usual keys")


def failing_orders(editor):
    """Orders that can't be loaded."""
    with Stage(editor) as stage:
        terminal = stage.start(address=editor.address)
        terminal.open_orders(fails="true")
        terminal.sees(r"loading failed: the order service can't be reached; g tries again")
        said("it is said why")


def taken(editor):
    """What the server is busy with while the connection is cut, and comes back."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        loadings = lambda: relay.from_server.count(b'{"kind":"loading","value":true}')
        terminal.open_orders(delay="20")
        terminal.sees(r"loading\.\.\.")
        terminal.press("C-c", "C-k")
        terminal.sees(r"Cancelled", r"0 orders", without=[r"loading\.\.\."])
        said("C-c C-k cancels what takes too long")
        terminal.press("g")
        terminal.sees(r"loading\.\.\.")
        relay.cut()
        wait("it is attached again", lambda: b'"handled":2' in relay.from_server, terminal.screen)
        terminal.stays(r"orders: loadOrders isn't answered yet; exit anyway\?")
        terminal.sees(r"100 orders", without=[r"loading\.\.\."])
        if loadings() != 2:
            raise Failure(f"expected: it was loaded once more\nseen: {loadings()} times")
        said("what was being done during a cut isn't answered until it is done, once")
        terminal.press("g")
        terminal.sees(r"loading\.\.\.")
        relay.cut()
        wait("it is attached again", lambda: b'"handled":3' in relay.from_server, terminal.screen)
        terminal.press("C-c", "C-k")
        terminal.sees(r"Cancelled", r"100 orders", without=[r"loading\.\.\."])
        said("and can be cancelled after that")


def kept(editor):
    """A session in a store, which outlives what showed it."""
    with Stage(editor) as stage:
        terminal = stage.start(command=[editor.server, "--stdio", *store_of(stage)])
        terminal.open("counter", r"count +0\n")
        terminal.increment("3")
        terminal.sees(r"count +3\n")
        terminal.press("C-x", "k", "Enter")
        left = terminal.sees(r"counter is kept if durable: M-x view-model-attach RET \S+\n", without=[r"count +3\n"])
        no_server(terminal)
        if stored(editor, stage) != ["counter"]:
            raise Failure(f"expected: a counter in the store\nseen: {stored(editor, stage)}")
        terminal.command("view-model-attach", (r"Key of the session:", re.search(r"attach RET (\S+)", left)[1]))
        terminal.sees(r"count +3\n")
        said("the session of a durable view model outlives its last buffer and its server, and is found by its key")
        kill_server(terminal)
        terminal.sees(r"the server was ended by signal 9; g tries again", r"count +3\n")
        terminal.press("g")
        terminal.sees(r"count +3\n", without=[r"signal 9"])
        terminal.increment("4")
        terminal.sees(r"count +7\n")
        said("g comes back to what the store of a server that died has kept")
        terminal.press("C-c", "C-e")
        terminal.sees(r"End counter for good\? What the server has stored of it is removed\. \(yes or no\)")
        terminal.press("yes", "Enter")
        terminal.sees(without=[r"count +7\n"])
        no_server(terminal)
        if stored(editor, stage):
            raise Failure(f"expected: nothing in the store\nseen: {stored(editor, stage)}")
        said("who ends it is asked first, and then it is gone")


def silence(editor):
    """A server that is stopped and goes on, at an address and started by Emacs."""
    for is_started in (False, True):
        with Stage(editor) as stage:
            server = None if is_started else stage.server("--tcp", "0")
            terminal = stage.start(address=server and server.address)
            terminal.open("counter", r"count +0\n")
            # The session knows a view by the events that it has numbered.
            terminal.increment("1")
            terminal.sees(r"count +1\n")
            process = server.process.pid if server else child(terminal.process())
            stop(process)
            stage.closing.append(lambda: os.path.exists(f"/proc/{process}") and os.kill(process, signal.SIGCONT))
            terminal.increment("4")
            # Emacs is told that its own server was stopped, before or after it has sent this.
            words = r"; waiting for it" if is_started else r", reconnecting"
            sent = r"" if is_started else r"  \(sent, and not answered\)\n"
            terminal.sees(rf"1 event waits to be sent  the server doesn't answer{words}",
                          rf"Waits to be sent\n +increment +by: 4{sent}")
            terminal.stays(r"1 event for a view model wasn't sent; exit anyway\?")
            os.kill(process, signal.SIGCONT)
            terminal.sees(r"count +5\n", without=[r"answer", r"wait", r"working"])
    said("it is noticed, and all goes on when the server goes on")


def stalled(editor):
    """A store whose file is moved away, and back."""
    with Stage(editor) as stage:
        store = StoreFile(stage.folder)
        server = stage.server("--tcp", "0", "--store", "sqlite:" + store.path)
        terminal = stage.start(address=server.address)
        terminal.open("hello", r"helloText")
        terminal.open("counter", r"count +0\n")
        terminal.increment("1")
        terminal.sees(r"count +1\n")
        # The server looks each second. What is sent before isn't answered, and what is sent after is refused.
        store.move()
        terminal.increment("4")
        terminal.sees(r"1 event waits to be sent  the server can't store anything now",
                      r"\(\S+store\.db[\s\S]*was[\s\S]*moved", r"Waits to be sent\n +increment +by: 4")
        terminal.press("C-x", "b", "*hello*", "Enter")
        terminal.sees(r"helloText", without=[r"store anything", r"waits"])
        terminal.stays(r"1 event for a view model wasn't sent; exit anyway\?")
        said("what isn't answered since the store's file was moved says so and why, and nothing else does")
        store.move_back()
        terminal.press("C-x", "b", "*counter*", "Enter")
        terminal.sees(r"count +5\n", r" 3 count +5\n +2 count +1\n", without=[r"store anything", r"wait", r"working"])
        said("it is done once when the file is back")


def started_server(editor):
    """A server that Emacs starts."""
    with Stage(editor) as stage:
        terminal = stage.start()
        terminal.open("counter", r"count +0\n")
        kill_server(terminal)
        terminal.sees(r"the server was ended by signal 9; g starts again")
        terminal.press("s")
        terminal.sees(r"Can't send: the server was ended by signal 9")
        said("without an address, the command is started, and its end is said in words")
        terminal.press("g")
        terminal.sees(r"count +0\n", without=[r"signal 9; g"])
        child(terminal.process())
        terminal.kill(r"count +0\n")
        no_server(terminal)
        said("g starts another, which ends with the last buffer")
    for command, problem in ((["no-such-server"], r".*no-such-server"),
                             (["sh", "-c", "echo no licence >&2; exit 3"],
                              r"the server ended with status 3: no licence")):
        with Stage(editor) as stage:
            terminal = stage.start(command=command)
            terminal.command("view-model")
            terminal.sees(rf"No connection: {problem}")
    said("one that can't be started is said in words")


NOT_DONE = r"This wasn't answered, and may not have been done: counter: increment  by: 4\n"


def unanswered(editor):
    """Leaving what was done a moment ago, and can't be stored."""
    def locked(stage):
        """An Emacs with a server of its own, which can't store an increment that a counter was sent."""
        # However busy the machine is, nobody notices that nothing is answered.
        terminal = stage.start(stays=True, command=[editor.server, "--stdio", *store_of(stage)], patience=3600)
        terminal.open("counter", r"count +0\n")
        terminal.increment("3")
        terminal.sees(r"count +3\n")
        lock = Lock(stage)
        lock.take()
        terminal.increment("4")
        return terminal, lock

    with Stage(editor) as stage:
        terminal, lock = locked(stage)
        for keys, words in ((("C-x", "C-c"), "exit"), (("C-x", "k", "Enter"), "kill the buffer")):
            terminal.press(*keys)
            terminal.sees(rf"counter: increment  by: 4 isn't answered yet; {words} anyway\?")
            terminal.press("no", "Enter")
            terminal.sees(r"count +3\n", without=[r"anyway"])
        lock.give_back()
        terminal.sees(r"count +7\n")
        terminal.press("C-x", "C-c")
        screen = terminal.sees(ENDED)
        if "answered" in screen:
            raise Failure(f"expected: nothing that isn't answered\nseen:\n{screen}")
        said("what isn't answered is asked about before it is left, until it is answered")

    def leave(terminal):
        terminal.press("C-x", "C-c")
        terminal.sees(r"isn't answered yet; exit anyway\?")
        terminal.press("yes", "Enter")

    def leave_buffer(terminal):
        terminal.press("C-x", "k", "Enter")
        terminal.sees(r"isn't answered yet; kill the buffer anyway\?")
        terminal.press("yes", "Enter")
        terminal.sees(r"counter is kept if durable", without=[r"count +3\n"])
        terminal.press("C-x", "C-c")
        terminal.sees(r"(answered yet; exit|wasn't sent; exit|wasn't answered; exit) anyway\?|" + ENDED)
        terminal.press("yes", "Enter")

    for end in (leave, leave_buffer, lambda terminal: terminal.command("kill-emacs"), terminate):
        with Stage(editor) as stage:
            terminal, _ = locked(stage)
            end(terminal)
            terminal.sees(NOT_DONE, *([] if end == leave_buffer else [r"counter is kept if durable"]), ENDED)
    said("who leaves all the same reads on the terminal what may not have been done")


# These wait for deadlines, and do nothing meanwhile.
PATIENT = [silence, stalled, taken, unanswered]

stories.run(Emacs(), orders, any_view_model, absent_server, long_lists, finder, failing_orders, kept,
            started_server, *PATIENT, shared=[], patient=PATIENT)
