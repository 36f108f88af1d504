"""A user at the keyboard of an Emacs in a terminal of 80 by 24: keys are pressed, and the screen is read.

    python3 walk.py FOLDER-OF-view-model.elc work|absence|leaving

The terminal is tmux's. VIEW_MODEL_ADDRESS is reached through a relay of this test's own, which cuts the connection.
"""

import json
import os
import queue
import re
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testing"))

from relay import Relay
from server import Server, StoreFile, stop
from terminal import PATIENCE, Failure, style_of


class OtherClient:
    """Another client of the same server, which attaches by key."""

    def __init__(self, server):
        self.stream = socket.create_connection(server, timeout=PATIENCE).makefile("rw")
        self.id = 0
        self.seen = []
        self.ask("initialize")

    def ask(self, method, **params):
        self.id += 1
        self.stream.write(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}) + "\n")
        self.stream.flush()
        while "id" not in (message := json.loads(self.stream.readline())):
            self.seen.append(message)
        if "error" in message:
            raise Failure(f"{method}: {message['error']['message']}")
        return message["result"]

    def send(self, session, kind):
        return self.ask("view/event", session=session, event={"kind": kind})

    def child(self, method):
        """Return the key of what was shown last by METHOD."""
        self.ask("ping")
        return [m["params"]["key"] for m in self.seen if m["method"] == method][-1]

    def events(self, session):
        self.ask("ping")
        return [m["params"]["event"] for m in self.seen
                if m["method"] == "viewModel/event" and m["params"]["session"] == session]


class FarRelay(Relay):
    """A relay to a server that is far away: an answer takes 100 ms."""

    def __init__(self, address):
        self.under_way = {}
        super().__init__(address)

    def _write(self, sink, data, is_sliced):
        if sink not in self.under_way:
            self.under_way[sink] = queue.Queue()
            threading.Thread(target=self._deliver, args=(sink, self.under_way[sink]), daemon=True).start()
        self.under_way[sink].put((time.monotonic() + 0.05, data))

    @staticmethod
    def _deliver(sink, under_way):
        while True:
            due, data = under_way.get()
            time.sleep(max(0, due - time.monotonic()))
            try:
                sink.sendall(data)
            except OSError:
                return


class Terminal:
    def __init__(self, folder):
        self.folder = folder
        self.tmux = ["tmux", "-S", os.path.join(folder, "tmux"), "-f", "/dev/null"]

    def start(self, command):
        environment = dict(os.environ, HOME=self.folder, TMPDIR=self.folder, LC_ALL="C.UTF-8", TERM="xterm-256color")
        environment.pop("TMUX", None)
        subprocess.run([*self.tmux, "-u", "new-session", "-d", "-x", "80", "-y", "24", shlex.join(command)],
                       check=True, env=environment)

    def end(self):
        subprocess.run([*self.tmux, "kill-server"], stderr=subprocess.DEVNULL)

    def run(self, *arguments):
        return subprocess.run([*self.tmux, *arguments], check=True, capture_output=True, text=True).stdout

    def press(self, *keys):
        """Names such as C-x and Enter are keys; anything else is typed."""
        for key in keys:
            if re.fullmatch(r"([CM]-.|C-M-.|Enter|Tab|Escape)", key):
                self.run("send-keys", key)
            else:
                self.run("send-keys", "-l", key)

    def screen(self):
        return self.run("capture-pane", "-p").replace("’", "'")

    def style(self, text):
        return style_of(text, self.run("capture-pane", "-p", "-e"))

    def wait(self, condition, expected):
        deadline = time.monotonic() + PATIENCE
        pause = 0.02
        while not condition(screen := self.screen()):
            if time.monotonic() > deadline:
                raise Failure(f"expected: {expected}\nseen:\n{screen}")
            time.sleep(pause)
            pause = min(0.3, pause * 1.2)
        return screen

    def sees(self, *patterns, without=()):
        """Wait until the screen has all PATTERNS and nothing of WITHOUT."""
        expected = " and ".join([f"/{p}/" for p in patterns] + [f"no /{p}/" for p in without])
        return self.wait(lambda screen: all(re.search(p, screen) for p in patterns)
                         and not any(re.search(p, screen) for p in without), expected)

    @property
    def pid(self):
        return int(self.run("display-message", "-p", "#{pane_pid}"))


def ok(text):
    print("ok   " + text, flush=True)


def command(terminal, name, *answers):
    """M-x NAME, and an answer to each prompt: (PROMPT, TEXT)."""
    terminal.press("M-x")
    terminal.sees(r"\n(C-u )?M-x\b")
    terminal.press(name, "Enter")
    for prompt, text in answers:
        terminal.sees(prompt)
        terminal.press(*([text] if text else []), "Enter")


def lisp(terminal, form):
    terminal.press("M-:")
    terminal.sees(r"Eval:")
    terminal.press(form, "Enter")


def copied_key(terminal, folder):
    path = os.path.join(folder, "key")
    terminal.press("w")
    terminal.sees(r"Copied the key")
    lisp(terminal, f'(write-region (current-kill 0) nil "{path}")')
    terminal.wait(lambda _: os.path.exists(path) and os.path.getsize(path) > 0, "the key in a file")
    key = open(path).read()
    os.remove(path)
    return key


def servers(emacs):
    """Return the servers that EMACS started, a line for each: its number, state and command."""
    listed = subprocess.run(["ps", "-o", "pid=,stat=,args=", "--ppid", str(emacs)], capture_output=True, text=True)
    # It starts others of its own accord, to compile its own library.
    return [line for line in listed.stdout.splitlines() if "--stdio" in line]


def only_server(emacs):
    found = servers(emacs)
    if len(found) != 1:
        raise Failure(f"expected: one server that Emacs started\nseen: {found}")
    return int(found[0].split()[0])


def is_gone(server, key):
    try:
        OtherClient(server).ask("session/attach", key=key)
    except Failure as failure:
        return "no session" in str(failure)
    return False


def orders(terminal, relay, server, folder):
    terminal.press("C-u")
    command(terminal, "view-model", (r"View model:", "orders"), (r"count \(", ""), (r"delay \(", "0"),
            (r"fails \(", ""))
    terminal.sees(r"100 orders", r"  Order #0\n", r"  Order #19\n", r"RET details")
    ok("C-u M-x view-model asks for the name and the arguments, and shows a list of 100 orders")

    terminal.press(*["n"] * 7, "Enter")
    terminal.sees(r"Details of Order #7", r"State  open")
    ok("RET on order 7 shows its details")

    terminal.press("c")
    terminal.sees(r"Cancel Order #7\?", r"Details of Order #7", r"y yes")
    ok("c presents the question over the details")
    terminal.press("n")
    terminal.sees(r"Details of Order #7", r"State  open", without=[r"Cancel Order"])
    ok("n dismisses it, and the order is as it was")
    terminal.press("c")
    terminal.sees(r"Cancel Order #7\?")
    terminal.press("y")
    terminal.sees(r"Details of Order #7", r"State  cancelled", without=[r"Cancel Order"])
    ok("y dismisses it, and the order is cancelled")

    terminal.press("e")
    terminal.sees(r"\nNote:")
    terminal.press("call Zoë ☎", "Enter")
    terminal.sees(r"Note   call Zoë ☎  \(not saved\)")
    terminal.press("q")
    terminal.sees(r"Can't go back: the note isn't saved", r"Details of Order #7")
    ok("q is refused while the note isn't saved, in words")
    terminal.press("s")
    terminal.sees(r"Note   call Zoë ☎\n")
    terminal.press("q")
    terminal.sees(r"100 orders, 1 cancelled", r"Order #7 +cancelled", without=[r"Details of"])
    ok("after saving, q goes back to the list, which shows order 7 as cancelled")
    terminal.press("Enter")
    terminal.sees(r"Details of Order #7", r"State  cancelled")
    terminal.press("C-x", "k", "Enter")
    terminal.sees(r"100 orders, 1 cancelled", without=[r"Details of"])
    ok("point stayed on order 7, and killing its details goes back too")

    key = copied_key(terminal, folder)
    other = OtherClient(server)
    other.ask("session/attach", key=key)
    terminal.press(*["p"] * 4, "Enter")
    terminal.sees(r"Details of Order #3", r"State  open")
    relay.is_refusing = True
    relay.cut()
    terminal.sees(r"connection lost, reconnecting", r"Details of Order #3")
    ok("a lost connection is said in the header line, and the order stays on screen")
    terminal.press("e")
    terminal.sees(r"\nNote:")
    terminal.press("written while away", "Enter")
    terminal.sees(r"1 event waits to be sent", r"Waits to be sent\n +editNote +written while away")
    stack = OtherClient(server).ask("session/attach", key=key)["navigation"]["stack"]
    details = other.ask("session/attach", key=stack[-1]["key"])["session"]
    other.send(details, "cancelOrder")
    other.send(other.ask("session/attach", key=other.child("navigation/present"))["session"], "confirm")
    relay.mend()
    terminal.sees(r"Details of Order #3", r"State  cancelled", r"Note   written while away  \(not saved\)",
                  without=[r"reconnecting", r"Cancel Order"])
    ok("back again: what another client did meanwhile is shown, and what was written meanwhile is sent")
    terminal.press("s")
    terminal.sees(r"Note   written while away\n")
    notes = [e for e in other.events(details) if e["kind"] == "note"]
    expected = [{"kind": "note", "value": "written while away", "isSaved": saved} for saved in (False, True)]
    if notes != expected:
        raise Failure(f"expected: {expected}\nseen: {notes}")
    terminal.press("q")
    terminal.sees(r"100 orders, 2 cancelled", r"Order #3 +cancelled", r"Order #7 +cancelled")
    ok("each was sent once, and the list has both")

    lines = [line for line in terminal.screen().splitlines() if "Order #" in line]
    if len(lines) != len(set(lines)) or not lines[0].startswith("  Order #0"):
        raise Failure("expected each order once, seen:\n" + "\n".join(lines))
    terminal.press("Enter")
    terminal.sees(r"Details of Order #3")
    other.send(other.ask("session/attach", key=other.child("navigation/push"))["session"], "done")
    terminal.sees(r"100 orders, 2 cancelled", without=[r"Details of"])
    ok("details that another client leaves are left here as well")

    terminal.press("C-x", "k", "Enter")
    terminal.sees(rf"orders goes on: M-x view-model-attach RET {key}", without=[r"100 orders"])
    command(terminal, "view-model-attach", (r"Key of the session:", key))
    terminal.sees(r"100 orders, 2 cancelled")
    ok("killing the list leaves its session, which is found again by its key")
    terminal.press("C-c", "C-e")
    terminal.sees(r"End orders for good\? Another view of it is open\. \(yes or no\)")
    terminal.press("no", "Enter")
    terminal.sees(r"100 orders, 2 cancelled", without=[r"for good"])
    terminal.press("C-c", "C-e")
    terminal.sees(r"for good\?")
    terminal.press("yes", "Enter")
    terminal.sees(without=[r"100 orders"])
    terminal.wait(lambda _: is_gone(server, key), "the session's end")
    ok("C-c C-e ends it for all, after a question")


def generic(terminal, relay):
    command(terminal, "view-model", (r"View model:", "counter"))
    terminal.sees(r"count +0\n")
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
    ok("s asks for the kind and the members of an event, takes no nonsense, and shows what comes of it")

    relay.drops_answers = True
    terminal.press("s")
    terminal.sees(r"Send \(default increment\):")
    terminal.press("Enter")
    terminal.sees(r"by( \(.*\))?:")
    terminal.press("3", "Enter")
    terminal.sees(r"working")
    relay.is_refusing = True
    relay.cut()
    terminal.sees(r"connection lost, reconnecting")
    relay.mend()
    terminal.sees(r" count +8\n", r" 3 count +8\n", without=[r"working", r"reconnecting", r" 4 count"])
    terminal.press("s")
    terminal.sees(r"Send \(default increment\):")
    terminal.press("reset", "Enter")
    terminal.sees(r" 4 count +0\n +3 count +8\n")
    ok("an event whose answer was lost with the connection isn't applied twice")

    terminal.press("s")
    terminal.sees(r"Send \(default increment\):")
    terminal.press("load", "Enter")
    terminal.sees(r'rows +\[\{"id":0')
    terminal.press("M-<", "C-n", "C-n", "Enter")
    terminal.sees(r"view model event\*", r'"kind": "rows"')
    ok("RET shows an event in full")
    terminal.press("C-x", "1", "C-x", "k", "Enter")


def cuts(terminal, relay):
    command(terminal, "view-model", (r"View model:", "counter"))
    terminal.sees(r"count +0\n")
    # The session knows a view by the events that it has numbered.
    lisp(terminal, "(view-model-send '(:kind \"increment\" :by 0))")
    terminal.sees(r" 2 count +0\n", without=[r"working"])
    # Each press of F9 sends fifty events, of some 6,500 bytes, and the connection is cut a little later each time: before the
    # first, or among them.
    lisp(terminal, "(local-set-key [f9] (lambda () (interactive) (dotimes (_ 50) "
                   "(view-model-send '(:kind \"increment\" :by 1)))))")
    for turn in range(6):
        relay.cut_after(turn * 1200)
        terminal.run("send-keys", "F9")
        if not relay.is_cut.wait(PATIENCE):
            raise Failure(f"expected: {turn * 1200} bytes of events\nseen:\n" + terminal.screen())
        relay.mend()
        count = 50 * (turn + 1)
        terminal.sees(rf"count +{count}\n", rf" {count + 2} count +{count}\n +{count + 1} count +{count - 1}\n",
                      without=[r"working", r"reconnecting", r"connecting"])
    ok("of 300 events over six cuts each was applied once")
    terminal.press("C-x", "k", "Enter")
    terminal.sees(without=[r"count +300"])


def increment(terminal, by, offered=""):
    """Sends an increment; `offered` is what Emacs proposes."""
    terminal.press("s")
    terminal.sees(r"Send \(default increment\):")
    terminal.press("Enter")
    terminal.sees(rf"by( \(.*\))?: {offered}".rstrip())
    terminal.press(*([] if by == offered else [by]), "Enter")


def away(terminal, folder):
    path = os.path.join(folder, "server")
    server = Server(os.environ["VIEW_MODEL_SERVER"], "--unix", path)
    try:
        lisp(terminal, f'(setq view-model-address "{path}")')
        command(terminal, "view-model", (r"View model:", "counter"))
        terminal.sees(r"count +0\n")
        usual = terminal.style("  count")
        server.end()
        terminal.sees(r"connection lost, reconnecting")
        terminal.wait(lambda _: terminal.style("  count") not in (None, usual), "dimmed text")
        increment(terminal, "3")
        increment(terminal, "5")
        terminal.sees(r"2 events wait to be sent  connection lost",
                      r"Waits to be sent\n +increment +by: 3\n +increment +by: 5\n")
        ok("without a server the text is dimmed, and what waits to be sent is counted and listed")
        server = Server(os.environ["VIEW_MODEL_SERVER"], "--unix", path)
        terminal.sees(r"2 events weren't sent \(C-c C-u\)  its session is gone; g opens it again",
                      without=[r"Waits to be sent"])
        terminal.press("C-c", "C-u")
        terminal.sees(r"counter: increment\n +by: 3\n\ncounter: increment\n +by: 5\n")
        terminal.press("q")
        terminal.sees(without=[r"counter: increment"])
        ok("what wasn't sent to a session that is gone is counted, and C-c C-u lists it")
        terminal.press("g")
        terminal.sees(r"2 events weren't sent", r"count +0\n", without=[r"gone"])
        terminal.wait(lambda _: terminal.style("  count") == usual, "text that isn't dimmed")
        increment(terminal, "3", offered="3")
        terminal.sees(r"count +3\n", r"1 event wasn't sent")
        ok("the prompt offers it again, and what is sent is no longer listed")
        terminal.press("C-c", "C-u")
        terminal.sees(r"counter: increment\n +by: 5\n", without=[r"by: 3"])
        terminal.press("d")
        terminal.sees(r"Nothing is left to be sent", without=[r"wasn't sent"])
        terminal.press("q", "C-x", "k", "Enter")
        terminal.sees(without=[r"count +3\n"])
        ok("d forgets one")

        terminal.press("C-u")
        command(terminal, "view-model", (r"View model:", "orders"), (r"count \(", "3"), (r"delay \(", "0"),
                (r"fails \(", ""))
        terminal.sees(r"  Order #2")
        terminal.press("n", "Enter")
        terminal.sees(r"Details of Order #1")
        server.end()
        terminal.sees(r"connection lost, reconnecting")
        terminal.press("e")
        terminal.sees(r"\nNote:")
        terminal.press("written while away", "Enter")
        terminal.sees(r"1 event waits to be sent")
        server = Server(os.environ["VIEW_MODEL_SERVER"], "--unix", path)
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
        ok("a note to an order whose session is gone is in the prompt again when that is opened")

        server.end()
        terminal.sees(r"connection lost, reconnecting")
        terminal.press("s")
        terminal.sees(r"1 event waits to be sent")
        terminal.press("C-x", "C-c")
        terminal.sees(r"1 event for a view model wasn't sent; exit anyway\?")
        terminal.press("no", "Enter")
        terminal.sees(r"connection lost, reconnecting", without=[r"exit anyway"])
        ok("leaving Emacs asks first where something wasn't sent")
        terminal.press("C-x", "b", "*orders*", "Enter", "C-x", "k", "Enter")
        terminal.sees(r"1 event wasn't sent; M-x view-model-unsent shows what", without=[r"Order #"])
        command(terminal, "view-model-unsent")
        terminal.sees(r"Details of Order #1: saveNote")
        terminal.press("d")
        terminal.sees(r"Nothing is left to be sent")
        terminal.press("q")
        ok("what waited for a buffer that is killed is kept as well")
    finally:
        server.end()


def cut_open(terminal, relay):
    lisp(terminal, f'(setq view-model-address "{relay.address}")')
    command(terminal, "view-model", (r"View model:", "hello"))
    terminal.sees(r"helloText")
    relay.drops_answers = True
    seen = len(relay.from_server)
    lisp(terminal, '(view-model "counter" (list :start 5))')
    answer = lambda: bytes(relay.from_server[seen:])
    terminal.wait(lambda _: b'"viewModel":"counter"' in answer(), "an open that was answered")
    terminal.sees(r"opening\.\.\.")
    lisp(terminal, "(view-model-send (list :kind \"increment\" :by 2))")
    relay.is_refusing = True
    relay.cut()
    terminal.sees(r"1 event waits to be sent")
    relay.mend()
    terminal.sees(r"count +7\n", r" 2 count +7\n +1 count +5\n", without=[r"wait"])
    keys = [part.split(b'"')[0] for part in answer().split(b'"key":"')[1:]]
    if len(keys) != 2 or keys[0] != keys[1]:
        raise Failure(f"expected: the same session twice\nseen: {keys}")
    ok("an open whose answer was lost gives the same session, and what was sent meanwhile comes after it")
    terminal.press("C-x", "k", "Enter", "C-x", "b", "*hello*", "Enter", "C-x", "k", "Enter")
    terminal.sees(without=[r"count +7\n", r"helloText"])


def orders_on_screen(screen):
    return re.findall(r"^  Order #\d+.*$", screen, re.MULTILINE)


def many(terminal, relay):
    terminal.press("C-u")
    began, asked = time.monotonic(), len(relay.from_client)
    command(terminal, "view-model", (r"View model:", "orders"), (r"count \(", "1000000"),
            (r"delay \(", "0"), (r"fails \(", ""))
    terminal.sees(r"1000000 orders", r"  Order #0\n")
    terminal.press("M->")
    terminal.sees(r"  Order #999999\n")
    terminal.press("Enter")
    terminal.sees(r"Details of Order #999999")
    terminal.press("c")
    terminal.sees(r"Cancel Order #999999\?")
    terminal.press("y")
    terminal.sees(r"State  cancelled")
    terminal.press("q")
    terminal.sees(r"1000000 orders, 1 cancelled", r"Order #999999 +cancelled", r"  Order #999998\n", r"100% L1000000")
    if rows_asked(relay, asked) > 5:
        raise Failure(f"expected: a few requests for rows\nseen: {rows_asked(relay, asked)}")
    ok(f"1,000,000 orders: opened, the last one cancelled, in {time.monotonic() - began:.1f} s with all keys")

    terminal.press("C-u", "500001", "M-g", "g")
    before = orders_on_screen(terminal.sees(r"  Order #500000\n", r"50% L500001", without=[r"\.\.\."]))
    asked = len(relay.from_client)
    terminal.press("g")
    terminal.wait(lambda _: rows_asked(relay, asked) > 0, "a request for rows")
    terminal.wait(lambda screen: orders_on_screen(screen) == before and "L500001" in screen, f"{before}")
    relay.is_refusing = True
    relay.cut()
    terminal.sees(r"connection lost, reconnecting", r"  Order #500000\n")
    relay.mend()
    terminal.sees(r"1000000 orders", without=[r"reconnecting"])
    terminal.wait(lambda screen: orders_on_screen(screen) == before and "L500001" in screen, f"{before}")
    terminal.press("Enter")
    terminal.sees(r"Details of Order #500000")
    terminal.press("q")
    terminal.wait(lambda screen: orders_on_screen(screen) == before and "L500001" in screen, f"{before}")
    ok("point and the window stay at their orders: loaded again, after a cut, and back from details")
    terminal.press("C-x", "k", "Enter")
    terminal.sees(without=[r"1000000 orders"])


def rows_asked(relay, seen):
    """Return how many requests for rows came to the server since SEEN bytes."""
    return bytes(relay.from_client[seen:]).count(b'"session/rows"')


def numbers(terminal, relay, server, folder):
    terminal.press("C-u")
    command(terminal, "view-model", (r"View model:", "numbers"), (r"count( \(.*)?[:(]", "1000000"))
    terminal.sees(r"numbers +1000000 rows\n", r"chosen +0 rows\n", r"sum +0\n")
    key = copied_key(terminal, folder)
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
    ok(f"of a million rows the first, the last and those in the middle, in {time.monotonic() - began:.1f} s")

    terminal.press("n", "n", "Enter")
    terminal.sees(r"Send for this row \(default choose\):")
    terminal.press("Enter", "q")
    terminal.sees(r"chosen +1 row\n", r"sum +250002000004\n")
    command(terminal, "view-model-show-list", (r"List", "chosen"))
    terminal.sees(r"chosen 1-1 of 1", r"\n1  id: 500002, square: 250002000004\n")
    ok("RET sends an event for its row, and the other list has it")

    terminal.press("v")
    terminal.sees(r'"square": 250002000004')
    terminal.press("C-x", "1")
    other = OtherClient(server)
    session = other.ask("session/attach", key=key)["session"]
    relay.is_refusing = True
    relay.cut()
    terminal.sees(r"connection lost, reconnecting", r"1  id: 500002")
    for index in (3, 7, 11):
        other.ask("view/event", session=session, event={"kind": "choose", "index": index})
    relay.mend()
    terminal.sees(r"chosen 1-4 of 4", r"\n1  id: 500002,.*\n2  id: 3,.*\n3  id: 7,.*\n4  id: 11,",
                  without=[r"reconnecting"])
    terminal.press("M->")
    other.ask("view/event", session=session, event={"kind": "giveBack", "index": 1})
    terminal.sees(r"chosen 1-3 of 3", r"\n2  id: 7,.*\n3  id: 11,")
    terminal.press("Enter")
    terminal.sees(r"Send for this row \(default choose\):")
    other.ask("view/event", session=session, event={"kind": "giveBack", "index": 0})
    terminal.sees(r"\n2  id: 11,")
    terminal.press("giveBack", "Enter")
    terminal.sees(r"chosen 1-1 of 1\b", r"\n1  id: 7,", without=[r"id: 11,"])
    ok("over a cut and changes of others the list is as it is, and RET is for the row that was under point")

    terminal.press("C-x", "b", "*numbers: numbers*", "Enter")
    terminal.sees(r"50000[0-9]-5000[0-9]{2} of 1000000", r"id: 500002,")
    relay.is_refusing = True
    relay.cut()
    terminal.sees(r"connection lost, reconnecting")
    terminal.press("M-8", "M-<")
    terminal.sees(r"\n 800001  \.\.\.")
    relay.mend()
    terminal.sees(r"numbers 800001-800020 of 1000000", r"\n 800001  id: 800000,", r"id: 800019,", without=[r"\.\.\."])
    terminal.press("M-g", "g")
    terminal.sees(r"Row \(1 to 1000000\):")
    terminal.press("777777", "Enter")
    terminal.sees(r"id: 777776,", without=[r"\.\.\."])
    seen = len(relay.from_client)
    for _ in range(10):
        terminal.press(*["C-v"] * 10)
    terminal.sees(r"779[0-9]{3}-779[0-9]{3} of", without=[r"\.\.\."])
    if not 1 <= rows_asked(relay, seen) <= 102:
        raise Failure(f"expected: no more requests than screens\nseen: {rows_asked(relay, seen)}")
    ok("what was scrolled to without a connection comes with it, and M-g g goes to any row")
    terminal.press("C-x", "b", "*numbers*", "Enter", "C-x", "k", "Enter")
    terminal.sees(without=[r"numbers +1000000 rows", r"of 1000000"])
    lisp(terminal, '(message "%d lists" (length (seq-filter (lambda (buffer) '
                   '(string-prefix-p "*numbers" (buffer-name buffer))) (buffer-list))))')
    terminal.sees(r"0 lists")
    ok("the lists are killed with their view model")


def make_tree(folder):
    """Makes a folder with 2,004 files, of which a few are found by name or content."""
    for path, text in (("src/deep/needle.txt", "nothing\n"), ("src/größe.txt", "eins\nzwei ☎ Nadelöhr drei\n"),
                       ("long.txt", "".join(f"line {number}\n" for number in range(1, 5001))),
                       ("other.txt", "a needle\nno\n\tanother needle\n")):
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    os.mkdir(os.path.join(folder, "many"))
    for number in range(2000):
        open(os.path.join(folder, f"many/{number:04}.dat"), "w").close()


def lines_of(screen, pattern):
    return [line.rstrip() for line in screen.splitlines() if re.search(pattern, line)]


def finder(terminal, folder):
    tree = os.path.join(folder, "tree")
    make_tree(tree)
    # It shows the folder that it is started in.
    server = Server("/bin/sh", "-c", 'cd "$0" && exec "$@"', tree, os.environ["VIEW_MODEL_SERVER"], "--tcp", "0")
    relay = FarRelay(server.address)
    try:
        lisp(terminal, f'(setq view-model-address "{relay.address}")')
        terminal.press("C-x", "b", "*scratch*", "Enter")
        terminal.sees(r"\*scratch\*")
        command(terminal, "view-model-find")
        terminal.sees(r"finder  2,004 files", r"\nmany/", r"\nFind files:")
        terminal.wait(lambda screen: len(lines_of(screen, r"^(many|src|long|other)")) == 10, "ten rows")
        ok("M-x view-model-find shows as many of 2,004 files as there is room for")

        terminal.press(*"größe.txt")
        screen = terminal.sees(r"1 of 2,004 files", r"\nsrc/größe\.txt\n", r"\nFind files: größe\.txt")
        if lines_of(screen, r"many/"):
            raise Failure(f"expected: no other file\nseen:\n{screen}")
        terminal.wait(lambda _: terminal.style("src/größe") not in (None, terminal.style("src/")),
                      "what matches is marked")
        ok("nine keys over a link of 100 ms end with the rows of the last, in which the match is marked")
        terminal.press("Enter")
        terminal.sees(r"\nzwei ☎ Nadelöhr", r" größe\.txt +All", without=[r"Find files", r"finder"])
        ok("RET visits the file, and the results are gone")

        command(terminal, "view-model-find")
        terminal.sees(r"finder  2,004 files", r"\nmany/")
        terminal.press("needle", "Enter")
        terminal.sees(r"\nnothing\n", r" needle\.txt +All", without=[r"Find files"])
        ok("RET before the results are here waits for those of what was typed")

        command(terminal, "view-model-find-text")
        terminal.sees(r"\nFind text:", r"finder  2,004 files")
        terminal.press("needle")
        terminal.sees(r"finder  2 lines ", r"\nother\.txt:1:a needle\nother\.txt:3:\s+another needle\n")
        terminal.press("Tab")
        terminal.sees(r"finderPreview  other\.txt:1", r"\n1  a needle\n2  no\n3  ", r"\nother\.txt:3:")
        terminal.press("C-n")
        terminal.sees(r"finderPreview  other\.txt:3")
        terminal.press("C-g")
        terminal.sees(r"\nnothing\n", r" needle\.txt +All", without=[r"finder", r"Find text", r"a needle"])
        ok("TAB shows the lines around each result, and C-g brings back what was there")
        command(terminal, "view-model-find-text")
        # What the last one found goes first.
        terminal.sees(r"\nFind text:", r"finder  2,004 files")
        terminal.press("needle")
        terminal.sees(r"finder  2 lines ")
        terminal.press("C-n", "Enter")
        terminal.sees(r"\n\s+another needle\n", r" other\.txt +All +L3 ", without=[r"Find text"])
        lisp(terminal, '(looking-at "needle$")')
        terminal.sees(r"\nt\s*$")
        ok("RET on a line goes to what matches in it")

        command(terminal, "view-model-find")
        terminal.sees(r"\nmany/")
        terminal.press("C-t")
        terminal.sees(r"\nFind text:", without=[r"\nmany/"])
        terminal.press("C-t", "^line 4.21$")
        terminal.sees(r"\nFind regex: \^line 4\.21\$", r"finder  10 lines", r"\nlong\.txt:4021:line 4021\n")
        seen = len(relay.from_client)
        terminal.press("Tab")
        terminal.sees(r"finderPreview  long\.txt:4021", r"\n4020  line 4020\n4021  line 4021\n4022  line 4022\n")
        terminal.run("send-keys", "Escape", "C-v")
        terminal.sees(r"\n4030  line 4030\n", without=[r"\n4021  "])
        if not 1 <= rows_asked(relay, seen) <= 5:
            raise Failure(f"expected: the lines on screen are asked for\nseen: {rows_asked(relay, seen)} requests")
        ok("C-t goes to text and regular expressions, and of a long file the lines on screen are asked for")

        relay.is_refusing = True
        relay.cut()
        terminal.sees(r"connection lost, reconnecting\.\.\.; C-c C-r tries now")
        terminal.press("C-a", "C-k", "Nadel")
        terminal.sees(r"\nFind regex: Nadel")
        relay.mend()
        terminal.sees(r"finder  1 line ", r"\nsrc/größe\.txt:2:zwei ☎ Nadelöhr drei\n",
                      r"finderPreview  src/größe\.txt:2", without=[r"reconnecting"])
        ok("over a cut, what is typed meanwhile is searched")
        terminal.press("Escape")
        terminal.sees(r" other\.txt +All +L3 ", without=[r"finder", r"Find"])
        ok("ESC leaves")

        command(terminal, "view-model-find")
        terminal.sees(r"finder  2,004 files", r"\nmany/")
        terminal.press("dat")
        terminal.sees(r"2,000 of 2,004 files")
        terminal.press("M->")
        last = terminal.sees(r"\nmany/", without=[r"\.\.\."])
        terminal.press("C-p", "C-p", "M-v", "M-v")
        terminal.wait(lambda screen: lines_of(screen, "^many/") not in ([], lines_of(last, "^many/"))
                      and "..." not in screen, "other rows")
        terminal.press("M-<", "C-n", "Enter")
        terminal.sees(r" \d+\.dat +All", without=[r"Find files"])
        ok("all results are gone through by the usual keys")
        lisp(terminal, "(progn (mapc (lambda (buffer) (when (buffer-file-name buffer) (kill-buffer buffer)))"
                       ' (buffer-list)) (kill-buffer "*finder*") (switch-to-buffer "*scratch*"))')
        terminal.sees(r"\*scratch\*")
    finally:
        relay.close()
        server.end()


def failing(terminal):
    terminal.press("C-u")
    command(terminal, "view-model", (r"View model:", "orders"), (r"count \(", ""),
            (r"delay \(", "0"), (r"fails \(", "true"))
    terminal.sees(r"loading failed: the order service can't be reached; g tries again")
    ok("a list that can't be loaded says so")
    terminal.press("C-x", "k", "Enter")
    terminal.press("C-u")
    command(terminal, "view-model", (r"View model:", "orders"), (r"count \(", ""),
            (r"delay \(", "600"), (r"fails \(", ""))
    terminal.sees(r"loading\.\.\.")
    terminal.press("C-c", "C-k")
    terminal.sees(r"Cancelled", r"0 orders", without=[r"loading\.\.\."])
    ok("C-c C-k cancels what takes too long")
    terminal.press("C-x", "k", "Enter")


def taken(terminal, relay):
    terminal.press("C-u")
    command(terminal, "view-model", (r"View model:", "orders"), (r"count \(", ""),
            (r"delay \(", "20"), (r"fails \(", ""))
    terminal.sees(r"loading\.\.\.")
    terminal.press("C-c", "C-k")
    terminal.sees(r"Cancelled", r"0 orders", without=[r"loading\.\.\."])
    seen = len(relay.from_server)
    terminal.press("g")
    terminal.sees(r"loading\.\.\.")
    relay.cut()
    terminal.wait(lambda _: b'"handled":2' in relay.from_server[seen:], "it is attached again")
    terminal.press("C-x", "C-c")
    terminal.sees(r"orders: loadOrders isn't answered yet; exit anyway\?")
    terminal.press("no", "Enter")
    terminal.sees(without=[r"anyway"])
    terminal.sees(r"100 orders", without=[r"loading\.\.\."])
    # Until then its buffer isn't killed without a question.
    terminal.wait(lambda _: b'"result":{"seq":' in relay.from_server[seen:], "the answer")
    if (times := relay.from_server[seen:].count(b'{"kind":"loading","value":true}')) != 1:
        raise Failure(f"expected: it was loaded once\nseen: {times} times")
    ok("what was being done during a cut isn't answered until it is done, once")
    terminal.press("g")
    terminal.sees(r"loading\.\.\.")
    relay.cut()
    terminal.wait(lambda _: b'"handled":3' in relay.from_server[seen:], "it is attached again")
    terminal.press("C-c", "C-k")
    terminal.sees(r"Cancelled", r"100 orders", without=[r"loading\.\.\."])
    ok("and can be cancelled after that")
    terminal.press("C-x", "k", "Enter")


def stored(folder):
    """Return the names of the view models whose sessions are in the store of that folder."""
    listed = subprocess.run([os.environ["VIEW_MODEL_SERVER"], "sessions", "--store", f"sqlite:{folder}/store.db"],
                            check=True, capture_output=True, text=True)
    return [line.split()[1] for line in listed.stdout.splitlines()[1:]]


def with_store(terminal, folder):
    """Has Emacs start a server whose store is in that folder."""
    lisp(terminal, f'(setq view-model-address nil view-model-command (list "{os.environ["VIEW_MODEL_SERVER"]}" '
                   f'"--stdio" "--store" "sqlite:{folder}/store.db"))')


def kept(terminal, emacs, folder):
    with_store(terminal, folder)
    command(terminal, "view-model", (r"View model:", "counter"))
    terminal.sees(r"count +0\n")
    increment(terminal, "3")
    terminal.sees(r"count +3\n")
    key = copied_key(terminal, folder)
    terminal.press("C-x", "k", "Enter")
    terminal.sees(rf"counter is kept if durable: M-x view-model-attach RET {key}", without=[r"count +3\n"])
    terminal.wait(lambda _: not servers(emacs), "the server ended with its last buffer")
    if stored(folder) != ["counter"]:
        raise Failure(f"expected: a counter in the store\nseen: {stored(folder)}")
    command(terminal, "view-model-attach", (r"Key of the session:", key))
    terminal.sees(r"count +3\n")
    ok("the session of a durable view model outlives its last buffer and its server, and is found by its key")
    terminal.press("C-c", "C-e")
    terminal.sees(r"End counter for good\? What the server has stored of it is removed\. \(yes or no\)")
    terminal.press("yes", "Enter")
    terminal.sees(without=[r"count +3\n"])
    terminal.wait(lambda _: not servers(emacs), "the server ended with its last buffer")
    if stored(folder):
        raise Failure(f"expected: nothing in the store\nseen: {stored(folder)}")
    ok("who ends it is asked first, and then it is gone")


def without_its_store(terminal, folder):
    path, store = os.path.join(folder, "storeless"), ["--store", f"sqlite:{folder}/storeless.db"]
    server = Server(os.environ["VIEW_MODEL_SERVER"], "--unix", path, *store)
    try:
        lisp(terminal, f'(setq view-model-address "{path}")')
        command(terminal, "view-model", (r"View model:", "counter"))
        terminal.sees(r"count +0\n")
        increment(terminal, "3")
        terminal.sees(r"count +3\n")
        server.end()
        server = Server(os.environ["VIEW_MODEL_SERVER"], "--unix", path)
        terminal.sees(r"the server has no store now; g tries again", r"count +3\n")
        terminal.press("g")
        terminal.sees(r"the server has no store now; g tries again")
        server.end()
        server = Server(os.environ["VIEW_MODEL_SERVER"], "--unix", path, *store)
        terminal.press("g")
        terminal.sees(r"count +3\n", without=[r"no store now"])
        ok("g comes back to a session that a server without its store didn't know")
        terminal.press("C-x", "k", "Enter")
        terminal.sees(without=[r"count +3\n"])
    finally:
        server.end()


def stopped(terminal, emacs):
    server = Server(os.environ["VIEW_MODEL_SERVER"], "--tcp", "0")
    try:
        lisp(terminal, f'(setq view-model-address "{server.address}")')
        command(terminal, "view-model", (r"View model:", "counter"))
        terminal.sees(r"count +0\n")
        # The session knows a view by the events that it has numbered.
        increment(terminal, "1")
        terminal.sees(r"count +1\n")
        stop(server.process.pid)
        increment(terminal, "4")
        terminal.sees(r"1 event waits to be sent  the server doesn't answer, reconnecting",
                      r"Waits to be sent\n +increment +by: 4  \(sent, and not answered\)\n")
        terminal.press("C-x", "C-c")
        terminal.sees(r"1 event for a view model wasn't sent; exit anyway\?")
        terminal.press("no", "Enter")
        server.process.send_signal(signal.SIGCONT)
        terminal.sees(r"count +5\n", without=[r"answer", r"wait", r"working"])
        ok("a server that was stopped is noticed, and all goes on when it goes on")
        terminal.press("C-x", "k", "Enter")
        terminal.sees(without=[r"count +5\n"])
    finally:
        server.end()
    lisp(terminal, "(setq view-model-address nil view-model-command "
                   f'(list "{os.environ["VIEW_MODEL_SERVER"]}" "--stdio"))')
    command(terminal, "view-model", (r"View model:", "counter"))
    terminal.sees(r"count +0\n")
    stop(only_server(emacs))
    increment(terminal, "4")
    terminal.sees(r"1 event waits to be sent  the server doesn't answer; waiting for it")
    os.kill(only_server(emacs), signal.SIGCONT)
    terminal.sees(r"count +4\n", without=[r"answer", r"wait", r"working"])
    ok("so it is with a server that Emacs has started")
    terminal.press("C-x", "k", "Enter")
    terminal.sees(without=[r"count +4\n"])
    terminal.wait(lambda _: not servers(emacs), "the server ended with its last buffer")


def stalled(terminal, folder):
    store = StoreFile(tempfile.mkdtemp(dir=folder))
    server = Server(os.environ["VIEW_MODEL_SERVER"], "--tcp", "0", "--store", "sqlite:" + store.path)
    try:
        lisp(terminal, f'(setq view-model-address "{server.address}")')
        command(terminal, "view-model", (r"View model:", "hello"))
        terminal.sees(r"helloText")
        command(terminal, "view-model", (r"View model:", "counter"))
        terminal.sees(r"count +0\n")
        increment(terminal, "1")
        terminal.sees(r"count +1\n")
        store.move()
        increment(terminal, "4")
        terminal.sees(r"1 event waits to be sent  the server can't store anything now",
                      r"\(\S+store\.db[\s\S]*was[\s\S]*moved", r"Waits to be sent\n +increment +by: 4  \(sent, and not")
        terminal.press("C-x", "b", "*hello*", "Enter")
        terminal.sees(r"helloText", without=[r"store anything", r"waits"])
        terminal.press("C-x", "C-c")
        terminal.sees(r"1 event for a view model wasn't sent; exit anyway\?")
        terminal.press("no", "Enter")
        terminal.sees(r"helloText", without=[r"exit anyway"])
        ok("what isn't answered since the store's file was moved says so and why, and nothing else does")
        store.move_back()
        terminal.press("C-x", "b", "*counter*", "Enter")
        terminal.sees(r"count +5\n", r" 3 count +5\n +2 count +1\n", without=[r"store anything", r"wait", r"working"])
        increment(terminal, "30")
        terminal.sees(r"count +35\n")
        ok("it is done once when the file is back")
        terminal.press("C-x", "k", "Enter", "C-x", "b", "*hello*", "Enter", "C-x", "k", "Enter")
        terminal.sees(without=[r"count +35\n", r"helloText"])
    finally:
        server.end()


def own_server(terminal, emacs, folder):
    lisp(terminal, "(setq view-model-address nil)")
    command(terminal, "view-model", (r"View model:", "counter"))
    terminal.sees(r"count +0\n")
    server = only_server(emacs)
    ok("without an address, the command is started")
    os.kill(server, signal.SIGKILL)
    terminal.sees(r"the server was ended by signal 9; g starts again")
    ok("a server that dies is said in words")
    terminal.press("s")
    terminal.sees(r"Can't send: the server was ended by signal 9")
    terminal.press("g")
    terminal.sees(r"count +0\n", without=[r"signal 9; g"])
    only_server(emacs)
    ok("g starts another")
    terminal.press("C-x", "k", "Enter")
    terminal.sees(without=[r"count +0\n"])
    terminal.wait(lambda _: not servers(emacs), "the server ended with its last buffer")
    ok("it ends with the last buffer")

    with_store(terminal, folder)
    command(terminal, "view-model", (r"View model:", "counter"))
    terminal.sees(r"count +0\n")
    increment(terminal, "3")
    terminal.sees(r"count +3\n")
    os.kill(only_server(emacs), signal.SIGKILL)
    terminal.sees(r"the server was ended by signal 9; g tries again", r"count +3\n")
    terminal.press("g")
    terminal.sees(r"count +3\n", without=[r"signal 9"])
    increment(terminal, "4")
    terminal.sees(r"count +7\n")
    ok("g comes back to what the store of a server that died has kept")
    terminal.press("C-x", "k", "Enter")
    terminal.sees(without=[r"count +7\n"])

    lisp(terminal, '(setq view-model-command (list "no-such-server"))')
    command(terminal, "view-model")
    terminal.sees(r"No connection: .*no-such-server")
    lisp(terminal, '(setq view-model-command (list "sh" "-c" "echo no licence >&2; exit 3"))')
    command(terminal, "view-model")
    terminal.sees(r"No connection: the server ended with status 3: no licence")
    ok("a server that can't be started is said in words")


def emacs_with(settings):
    """Return the command of an Emacs with the package and these SETTINGS, names and values."""
    return ["emacs", "-Q", "-nw", "--eval",
            "(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil)",
            "-L", sys.argv[1], "-l", "view-model", "-l", "view-model-find", "--eval",
            f"(setq {settings} create-lockfiles nil inhibit-startup-screen t)"]


class Locked:
    """An Emacs with a server of its own, which can't store an increment that a counter was sent."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(dir="/tmp")
        store = os.path.join(self.folder, "store.db")
        command_of_server = f'(list "{os.environ["VIEW_MODEL_SERVER"]}" "--stdio" "--store" "sqlite:{store}")'
        self.terminal = terminal = Terminal(self.folder)
        # However busy the machine is, nobody notices that nothing is answered.
        emacs = shlex.join(emacs_with(f"view-model-command {command_of_server} view-model-watch--patience 3600"))
        terminal.start(["sh", "-c", f"{emacs}; echo Emacs has ended; exec cat"])
        terminal.sees(r"\*scratch\*")
        command(terminal, "view-model", (r"View model:", "counter"))
        terminal.sees(r"count +0\n")
        increment(terminal, "3")
        terminal.sees(r"count +3\n")
        self.lock = sqlite3.connect(store, timeout=PATIENCE, isolation_level=None)
        self.lock.execute("BEGIN EXCLUSIVE")
        increment(terminal, "4")
        return self

    def __exit__(self, *_):
        self.lock.close()
        self.terminal.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def refuses(self, *keys, words):
        """Press KEYS that take the counter away, and take that back at a question with these WORDS."""
        self.terminal.press(*keys)
        self.terminal.sees(rf"counter: increment  by: 4 isn't answered yet; {words} anyway\?")
        self.terminal.press("no", "Enter")
        self.terminal.sees(r"count +3\n", without=[r"anyway"])

    def says(self):
        """Wait until Emacs has ended, and says on the terminal what may not have been done."""
        self.terminal.sees(r"This wasn't answered, and may not have been done: counter: increment  by: 4\n",
                           r"counter is kept if durable", r"Emacs has ended")


def unanswered():
    with Locked() as scene:
        scene.refuses("C-x", "C-c", words="exit")
        scene.refuses("C-x", "k", "Enter", words="kill the buffer")
        scene.lock.execute("COMMIT")
        scene.terminal.sees(r"count +7\n")
        scene.terminal.press("C-x", "C-c")
        screen = scene.terminal.sees(r"Emacs has ended")
        if "answered" in screen:
            raise Failure(f"expected: nothing that isn't answered\nseen:\n{screen}")
        ok("what isn't answered is asked about before it is left, until it is answered")
    with Locked() as scene:
        scene.terminal.press("C-x", "C-c")
        scene.terminal.sees(r"isn't answered yet; exit anyway\?")
        scene.terminal.press("yes", "Enter")
        scene.says()
    with Locked() as scene:
        scene.terminal.press("C-x", "k", "Enter")
        scene.terminal.sees(r"isn't answered yet; kill the buffer anyway\?")
        scene.terminal.press("yes", "Enter")
        scene.terminal.sees(r"counter is kept if durable", without=[r"count +3\n"])
        scene.terminal.press("C-x", "C-c")
        scene.terminal.sees(r"(answered yet; exit|wasn't sent; exit|wasn't answered; exit) anyway\?|Emacs has ended")
        scene.terminal.press("yes", "Enter")
        scene.terminal.sees(r"This wasn't answered, and may not have been done: counter: increment  by: 4\n",
                            r"Emacs has ended")
    with Locked() as scene:
        lisp(scene.terminal, "(kill-emacs)")
        scene.says()
    with Locked() as scene:
        found = subprocess.run(["pgrep", "-P", str(scene.terminal.pid)], check=True, capture_output=True, text=True)
        os.kill(int(found.stdout.split()[0]), signal.SIGTERM)
        scene.says()
    ok("who leaves all the same reads on the terminal what may not have been done")


def work(terminal, relay, folder, server):
    """What one does with orders, lists and files, over cuts too."""
    orders(terminal, relay, server, folder)
    generic(terminal, relay)
    cuts(terminal, relay)
    cut_open(terminal, relay)
    many(terminal, relay)
    numbers(terminal, relay, server, folder)
    finder(terminal, folder)
    lisp(terminal, f'(setq view-model-address "{relay.address}")')
    failing(terminal)


def absence(terminal, relay, folder, server):
    """Servers that are gone, stopped, or without their store."""
    emacs = terminal.pid
    taken(terminal, relay)
    away(terminal, folder)
    kept(terminal, emacs, folder)
    without_its_store(terminal, folder)
    stopped(terminal, emacs)
    stalled(terminal, folder)
    own_server(terminal, emacs, folder)


def main(part):
    # In /tmp, since the path of a socket must be short.
    folder = tempfile.mkdtemp(dir="/tmp")
    host, port = os.environ["VIEW_MODEL_ADDRESS"].rsplit(":", 1)
    relay = Relay(os.environ["VIEW_MODEL_ADDRESS"])
    terminal = Terminal(folder)
    try:
        terminal.start(emacs_with(
            f'view-model-address "{relay.address}" view-model-command '
            f'(list "{os.environ["VIEW_MODEL_SERVER"]}" "--stdio")'))
        terminal.sees(r"\*scratch\*")
        emacs = terminal.pid
        part(terminal, relay, folder, (host.strip("[]"), int(port)))
        terminal.press("C-x", "C-c")
        deadline = time.monotonic() + PATIENCE
        while os.path.exists(f"/proc/{emacs}"):
            if time.monotonic() > deadline:
                raise Failure("expected: Emacs ends at C-x C-c\nseen:\n" + terminal.screen())
            time.sleep(0.02)
        ok("Emacs ends when it is told to")
    except Failure as failure:
        print(f"FAIL {failure}", flush=True)
        sys.exit(1)
    finally:
        terminal.end()
        relay.close()
        shutil.rmtree(folder, ignore_errors=True)


# So that what this has started ends with it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
if sys.argv[2] == "leaving":
    unanswered()
else:
    main({"work": work, "absence": absence}[sys.argv[2]])
