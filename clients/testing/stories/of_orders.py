"""The orders, from the list to the cancelled order and back."""

import time

from terminal import Failure, wait
from .of_lists import requests_of
from .stage import ORDERS, Stage, command, last_key, said


def orders(editor):
    """The orders, from the list to the cancelled order and back."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100", *(f"Order #{number}" for number in range(20)))
        key = last_key(relay)
        terminal.press("G")
        terminal.shows_line("Order #99")
        said("a list of 100 orders")
        terminal.press("g", "g")
        terminal.shows_line("Order #0")
        terminal.type("10G")
        terminal.press("Enter")
        terminal.shows_line("Details of Order #9", "Cancelled: no")
        terminal.press("q")
        terminal.shows_line("Orders: 100")
        terminal.press("k", "k", "k", "Enter")
        terminal.shows_line("Details of Order #6", "Cancelled: no")
        terminal.press("q")
        terminal.shows_line("Orders: 100")
        terminal.press("j", "Enter")
        terminal.shows_line("Details of Order #7", "Cancelled: no")
        terminal.shows_no("Orders: 100")
        said("Enter shows the details of the order under the cursor, q goes back to it")

        terminal.press("c")
        terminal.shows("Cancel Order #7?", "y yes   n no", "Details of Order #7")
        terminal.press("n")
        terminal.shows_no("Cancel Order #7?")
        terminal.shows_line("Cancelled: no")
        terminal.press("c")
        terminal.shows("Cancel Order #7?", "Details of Order #7")
        terminal.press("q")
        terminal.shows_no("Cancel Order #7?")
        terminal.shows_line("Cancelled: no")
        terminal.press("c")
        terminal.shows("Cancel Order #7?")
        terminal.press("Escape")
        terminal.shows_no("Cancel Order #7?")
        terminal.shows_line("Cancelled: no")
        said("the question stands over the details; n, q and Escape leave the order as it is")
        terminal.press("c")
        terminal.shows("Cancel Order #7?")
        terminal.press("y")
        terminal.shows_no("Cancel Order #7?")
        terminal.shows_line("Details of Order #7", "Cancelled: yes")
        said("y cancels it")

        terminal.press("e")
        terminal.type("call them")
        terminal.press("Enter")
        terminal.shows_line("Note:      call them  (not saved)")
        terminal.press("q")
        terminal.shows_line("can't go back: the note isn't saved", "Details of Order #7")
        said("a refused back is said in words")
        terminal.press("s")
        terminal.shows_line("Note:      call them")
        terminal.shows_no("can't go back")
        terminal.press("e", "C-u", "Enter")
        terminal.shows("(not saved)")
        terminal.shows_no("call them")
        terminal.press("s")
        terminal.shows_no("(not saved)")
        said("a note is written, saved, emptied and saved")
        terminal.press("q")
        terminal.shows_line("Orders: 100", "Order #6", "Order #7  cancelled", "Order #8")
        said("back in the list, the order is cancelled")
        for text, expected in (("Orders: 100", True), ("Order #7  cancelled", True), ("Order #5", False)):
            wait(f"a style of {text!r}: {expected}", lambda: terminal.is_coloured(text) == expected, terminal.screen)
        said("the title and what is cancelled are highlighted")

        terminal.press("Enter")
        terminal.shows_line("Details of Order #7")
        terminal.press("q")
        terminal.shows_line("Orders: 100")
        said("the cursor is still there")

        terminal.press("r")
        terminal.shows_line("Orders: 100", "Order #7  cancelled")
        terminal.press("q")
        terminal.shows_no("Order #7")
        stage.peer(editor.address).request("session/attach", key=key)
        said("q in the list leaves the session, which goes on")


def slow_and_failing(editor):
    """Orders that take long, and that fail."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ':ViewModel orders {"delay": 600}')
        terminal.shows_line("Orders: loading…")
        terminal.press("x")
        terminal.shows_line("Orders: 0", "stopped")
        said("loading is shown, and stopped with x")
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100")
        terminal.type("8G")
        command(terminal, ":split")
        load_again(terminal, relay)
        terminal.press("C-w", "j")
        choose(terminal, "Details of Order #7")
        terminal.press("q")
        terminal.shows_line("Order #7")
        command(terminal, ":only")
        said("loading again moves no cursor, in another window neither")
        command(terminal, ':ViewModel orders {"delay": 0, "fails": true}')
        terminal.shows_line("Orders: the order service can't be reached")
        said("a failure is said in words")


def load_again(terminal, relay):
    """Presses r, and waits until the orders are there."""
    loadings = lambda: relay.from_server.count(b'{"kind":"loading","value":false}')
    before, asked = loadings(), len(requests_of(relay))
    terminal.press("r")
    wait("the end of another loading", lambda: loadings() > before)
    wait("a request for the orders", lambda: len(requests_of(relay)) > asked, lambda: str(requests_of(relay)))
    # The orders of before may be shown until others are here.
    wait("the orders", lambda: all(is_answered(relay, message) for message in relay.said()
                                   if message.get("method") == "session/rows"))
    terminal.shows_no("…")


def choose(terminal, details):
    """Presses Enter on an order. The relay has its rows before the editor has: until then it says so, and Enter is pressed
    again, as somebody would."""
    for _ in range(50):
        terminal.press("Enter")
        wait(details, lambda: details in terminal.screen() or "isn't here yet" in terminal.screen(), terminal.screen)
        if details in terminal.screen():
            return
        time.sleep(0.1)
    raise Failure(f"expected: {details}\nseen: {terminal.screen()}")


def is_answered(relay, message):
    """Whether the server has answered a message."""
    return b'"id":%d,' % message["id"] in relay.from_server


def orders_on_screen(terminal):
    """The lines of orders."""
    return [line for line in terminal.screen().split("\n") if line.startswith("Order #")]


def many_orders(editor):
    """A million orders."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ':ViewModel orders {"delay": 0, "count": 1000000}')
        terminal.shows_line("Orders: 1000000", "Order #0", "Order #24")
        terminal.press("G")
        terminal.shows_line("Orders: 1000000", "Order #999999")
        terminal.press("Enter")
        terminal.shows_line("Details of Order #999999")
        terminal.press("c")
        terminal.shows("Cancel Order #999999?")
        terminal.press("y")
        terminal.shows_no("Cancel Order #999999?")
        terminal.shows_line("Cancelled: yes")
        terminal.press("q")
        terminal.shows_line("Orders: 1000000", "Order #999975", "Order #999999  cancelled")
        said("the details of the last one, and back at it")
        command(terminal, ":echo 'lines beyond the window:' line('$') - winheight(0)")
        terminal.shows("lines beyond the window: 0")
        asked = sum(params["count"] for params in requests_of(relay))
        if asked > 300:
            raise Failure(f"expected: some screens of rows are asked for\nseen: {asked} in {requests_of(relay)}")
        said("the buffer has the lines of the window, and hardly more are asked for")

        terminal.type("500001Gzt")
        wait("order 500,000 on the first line", lambda: orders_on_screen(terminal)[:1] == ["Order #500000"],
             terminal.screen)
        terminal.press("C-e", "C-e", "C-y")
        wait("order 500,001 on the first line", lambda: orders_on_screen(terminal)[:1] == ["Order #500001"],
             terminal.screen)
        terminal.type("500001Gzb")
        wait("order 500,000 on the last line", lambda: orders_on_screen(terminal)[-1:] == ["Order #500000"],
             terminal.screen)
        said("the middle, with the keys that scroll")
        terminal.press("k", "C-d", "C-u", "j")
        before = orders_on_screen(terminal)
        load_again(terminal, relay)
        wait("the same orders", lambda: orders_on_screen(terminal) == before, terminal.screen)
        choose(terminal, "Details of Order #500000")
        terminal.press("q")
        terminal.shows_line("Orders: 1000000")
        wait("the same orders", lambda: orders_on_screen(terminal) == before, terminal.screen)
        said("what is on screen stays when they are loaded again, and while one is looked at")

        relay.is_refusing = True
        relay.cut()
        terminal.shows("trying again")
        terminal.press("k")
        relay.is_refusing = False
        terminal.shows_no("trying again")
        wait("the same orders", lambda: orders_on_screen(terminal) == before, terminal.screen)
        choose(terminal, "Details of Order #499999")
        said("and when the connection was lost")
