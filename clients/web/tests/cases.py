"""The tests of the page, one function each; `cases` has them in order."""

import os
import re
import tempfile
import urllib.request

from network import Client, Relay, Server
from webdriver import PATIENCE, Failed, WebDriverError, wait_for, wait_until_equal

cases = []


def case(function):
    cases.append(function)
    return function


def script(name):
    """A script to run in the page: `page-NAME.js`."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), f"page-{name}.js"), encoding="utf-8") as file:
        return file.read()


def expect(seen, expected, what):
    if seen != expected:
        raise Failed(f"{what}: expected {expected!r}, seen {seen!r}")


class Case:
    """The setting of a test: the browser, on an origin of its own, and the server."""

    def __init__(self, browser, program, address, artifacts):
        self.browser = browser
        self.program = program
        host, port = address.rsplit(":", 1)
        self.server = (host, int(port))
        self.artifacts = artifacts
        self.closers = []
        self.allowed = []
        self.first_tab = browser.tab
        self.relay = self.new_relay(self.server)
        browser.problems()

    def new_relay(self, target):
        relay = Relay(target)
        self.closers.append(relay.cut)
        return relay

    def new_server(self, *options):
        server = Server(self.program, *options)
        self.closers.append(server.close)
        return server

    def new_client(self):
        client = Client(self.server)
        self.closers.append(client.close)
        return client

    def open(self, route=""):
        self.browser.go(f"{self.relay.address}{route}")
        return self.browser

    def open_orders(self, **given):
        """Through the form of the arguments, as a user does."""
        browser = self.open("#/orders")
        browser.see("form.opening")
        for label, value in given.items():
            if isinstance(value, bool):
                self.field(label).type("Yes" if value else "No")
            else:
                self.field(label).type(str(value))
        browser.click("form.opening button", "Open")
        browser.see(".pane h1", "Orders")
        return browser

    def load_orders(self, count=100, **given):
        browser = self.open_orders(**{"delay": 0, "count": count, **given})
        browser.click("button", "Load orders")
        browser.see(".row", "Order #0")
        browser.see(".quiet-text", f"{count:,} orders")
        return browser

    def field(self, label, inside=""):
        """The input whose label begins so."""
        def find():
            return self.browser.run("""
                const label = [...document.querySelectorAll(`${arguments[1]} label`)].find((one) =>
                  one.checkVisibility() && one.innerText.toLowerCase().startsWith(arguments[0].toLowerCase()));
                return label ? label.id ||= `label-${Math.random()}`.replace("0.", "") : null""", label, inside)
        labelled = wait_for(find, f"a field {label!r}")
        id = self.browser.run("return document.getElementById(arguments[0]).control.id", labelled)
        return self.browser.see(f"#{id}")

    def key(self):
        return re.search(r"#/[^/]+/([^/]+)$", self.browser.address).group(1)

    def picture(self, name):
        self.browser.screenshot(os.path.join(self.artifacts, f"{name}.png"))

    def expect_clean_console(self):
        """No error, and nothing that the policy of the page forbade, but for lost connections where a test cut them."""
        for tab in self.browser.tabs:
            self.browser.switch(tab)
            problems = [text for text in self.browser.problems() if not any(word in text for word in self.allowed)]
            expect(problems, [], "the browser's console")
        self.browser.switch(self.first_tab)

    def after_failure(self, name):
        try:
            self.picture(f"failed-{name}")
            shown, told = self.browser.text[:800], self.browser.problems()
            return [f"       the page shows: {shown!r}", f"       the console says: {told}"]
        except WebDriverError as error:
            return [f"       {error}"]

    def close(self):
        for tab in self.browser.tabs:
            self.browser.switch(tab)
            if tab != self.first_tab:
                self.browser.close_tab()
        self.browser.switch(self.first_tab)
        self.browser.devtools("Emulation.clearDeviceMetricsOverride")
        self.browser.media()
        self.browser.go("about:blank")
        for close in reversed(self.closers):
            try:
                close()
            except OSError:
                pass


@case
def every_file_of_the_page_is_served_as_it_stands(case):
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    files = {"view-model-client.js": os.path.join(here, "../javascript/view-model-client.js")}
    for folder, folders, names in os.walk(here):
        folders[:] = [name for name in folders if name != "tests"]
        for name in names:
            if name.endswith((".html", ".css", ".js", ".svg")):
                path = os.path.join(folder, name)
                files[os.path.relpath(path, here)] = path
    kinds = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
    for name, path in files.items():
        with urllib.request.urlopen(case.relay.address + name, timeout=PATIENCE) as answer, open(path, "rb") as file:
            kind = answer.headers.get_content_type()
            expect(kind, kinds[os.path.splitext(name)[1]], f"the kind of {name}")
            if answer.read() != file.read():
                raise Failed(f"the server's {name} isn't the one that stands in clients: it must be built again")
            if "script-src 'self'" not in answer.headers["Content-Security-Policy"] and name == "index.html":
                raise Failed("expected a Content-Security-Policy")


@case
def the_gallery_shows_every_view_model_of_the_server(case):
    hosted = [one["name"] for one in case.new_client().initialized["capabilities"]["viewModels"]]
    browser = case.open()
    browser.see(".card")
    shown = "return [...document.querySelectorAll('.card')].map((card) => card.dataset.viewModel)"
    wait_until_equal(lambda: sorted(browser.run(shown)), sorted(hosted), "cards")
    browser.see(".light", "Connected")
    browser.click(".card[data-view-model=hello] button", "Open")
    browser.see("h1", "Hello")
    browser.back()
    browser.see("h1", "View models")
    browser.see(".recent a", "Hello")


@case
def walk_through_orders(case):
    browser = case.open_orders(delay=0.2)
    browser.see(".empty", "Nothing is loaded yet")
    browser.click("button", "Load orders")
    browser.see(".row", "Order #0")
    browser.see(".quiet-text", "100 orders")

    browser.click(".row", "Order #7")
    browser.see("h1", "Details of Order #7")
    browser.see(".chip", "Open")
    wait_until_equal(lambda: browser.title, "Details of Order #7 – View models", "title")
    wait_until_equal(lambda: browser.texts(".row"), [], "rows beside the details")

    browser.click("button", "Cancel order…")
    browser.see("dialog:modal h2", "Cancel Order #7?")
    browser.see("h1", "Details of Order #7")
    wait_until_equal(lambda: browser.focused, "Keep order", "focus in the dialog")
    browser.press("Escape")
    browser.see_not("dialog")
    wait_until_equal(lambda: browser.focused, "Cancel order…", "focus after the dialog")
    browser.see(".chip", "Open")

    browser.click("button", "Cancel order…")
    browser.click("dialog button", "Cancel order")
    browser.see_not("dialog")
    browser.see(".chip", "Cancelled")

    browser.click("button", "Back")
    browser.see(".row.is-cancelled", "Order #7")
    browser.see(".quiet-text", "100 orders, 1 cancelled")
    wait_until_equal(lambda: len(browser.texts(".row.is-cancelled")), 1, "cancelled rows")


@case
def a_note_is_kept_and_a_refused_back_is_said_in_words(case):
    case.open()
    browser = case.load_orders()
    browser.click(".row", "Order #3")
    case.field("Note").type("call them")
    browser.see(".quiet-text", "Not saved yet")
    for leave in (lambda: browser.click("button", "Back"), lambda: browser.press("Escape"), browser.back):
        leave()
        browser.see(".notice", "You can’t go back yet: the note isn't saved.")
        browser.see("h1", "Details of Order #3")
        browser.click(".notice button", "Dismiss")
        browser.see_not(".notice")
    browser.click("button", "Save note")
    browser.see(".quiet-text", "Saved")
    wait_until_equal(lambda: case.field("Note").property("value"), "call them", "the note")
    browser.back()
    browser.see(".row", "Order #3")
    # Details that were left are gone: the browser's forward button leads nowhere.
    browser.forward()
    wait_until_equal(lambda: browser.run("return history.state?.depth ?? 0"), 0, "history on the list")
    browser.see(".row", "Order #3")
    # And they are opened again as often as one likes, with one step back each.
    browser.click(".row", "Order #4")
    browser.see("h1", "Details of Order #4")
    browser.click("button", "Done")
    browser.see(".row", "Order #4")
    browser.back()
    browser.see(".recent a", "Orders")


@case
def a_lost_connection_loses_nothing_and_repeats_nothing(case):
    case.allowed = ["WebSocket connection to", "ERR_CONNECTION"]
    browser = case.open()
    browser.click(".card[data-view-model=counter] button", "Open")
    browser.see(".big-number", "0")
    other = case.new_client()
    session = other.request("session/attach", key=case.key())["session"]

    def counts():
        other.request("ping")
        return [one["params"]["event"]["value"] for one in other.notifications if one["method"] == "viewModel/event"]

    browser.click("button", "+")
    browser.see(".big-number", "1")

    # Two that arrive, but whose answers are lost.
    case.relay.is_mute = True
    browser.click("button", "+")
    browser.click("button", "+")
    wait_for(lambda: counts()[-1] == 3, "the server to have taken both")
    expect(browser.texts(".big-number"), ["1"], "the count without news")
    case.relay.cut()
    case.relay.is_mute = False
    browser.see(".light", "Reconnecting")
    browser.see("#banner", "The connection is lost")
    for _ in range(3):
        browser.click("button", "+")
    other.request("view/event", session=session, event={"kind": "increment", "by": 100})
    expect(browser.texts(".big-number"), ["1"], "the count while the connection is lost")
    case.relay.open()
    browser.see(".light", "Connected")
    browser.see(".big-number", "106")
    browser.see_not("#banner")
    expect(counts(), [1, 2, 3, 103, 104, 105, 106], "what another view of the session saw")


@case
def who_does_not_want_to_wait_connects_now(case):
    case.allowed = ["WebSocket connection to", "ERR_CONNECTION"]
    browser = case.open()
    browser.see(".card")
    # From now on no time passes in the page: it doesn't try again by itself.
    browser.run("window.setTimeout = () => 0; performance.now = () => 0")
    case.relay.cut()
    browser.see(".light", "in 1 s")
    case.relay.open()
    browser.click(".light button", "Now")
    browser.see(".light", "Connected")
    browser.click(".card[data-view-model=hello] button", "Open")
    browser.see("h1", "Hello")


@case
def navigation_goes_on_after_a_lost_connection(case):
    case.allowed = ["WebSocket connection to", "ERR_CONNECTION"]
    browser = case.load_orders()
    key = case.key()
    other = case.new_client()
    session = other.request("session/attach", key=key)["session"]
    case.relay.cut()
    browser.see(".light", "Reconnecting")
    # Another view acts meanwhile, and then this user.
    other.request("view/event", session=session, event={"kind": "selectOrder", "index": 7})
    child = next(one["params"]["key"] for one in other.notifications if one["method"] == "navigation/push")
    details = other.request("session/attach", key=child)["session"]
    case.relay.open()
    browser.see("h1", "Details of Order #7")
    browser.click("button", "Cancel order…")
    browser.see("dialog:modal h2", "Cancel Order #7?")
    case.relay.cut()
    browser.see(".light", "Reconnecting")
    browser.click("dialog button", "Cancel order")
    case.relay.open()
    browser.see_not("dialog")
    browser.see(".chip", "Cancelled")
    case.relay.cut()
    browser.see(".light", "Reconnecting")
    other.request("navigation/back", session=details)
    case.relay.open()
    browser.see(".row.is-cancelled", "Order #7")


@case
def two_tabs_on_one_session_stay_in_step(case):
    browser = case.load_orders()
    browser.click("button", "Share")
    link = browser.see("dialog input").property("value")
    expect(link, browser.address, "the link")
    browser.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.click("dialog button", "Copy link")
    browser.see("dialog .quiet-text", "Copied.")
    browser.press("Escape")
    browser.see_not("dialog")
    first, second = browser.tab, browser.new_tab()

    browser.switch(second)
    browser.go(link)
    browser.see(".row", "Order #0")
    browser.click(".row", "Order #2")
    browser.see("h1", "Details of Order #2")
    case.field("Note").type("from the second")
    browser.see(".quiet-text", "Not saved yet")

    browser.switch(first)
    browser.see("h1", "Details of Order #2")
    wait_for(lambda: case.field("Note").property("value") == "from the second", "the note in the first tab")
    browser.click("button", "Save note")
    browser.click("button", "Cancel order…")
    browser.see("dialog:modal", "Cancel Order #2?")

    browser.switch(second)
    browser.see("dialog:modal", "Cancel Order #2?")
    browser.click("dialog button", "Cancel order")
    browser.see_not("dialog")

    browser.switch(first)
    browser.see_not("dialog")
    browser.see(".chip", "Cancelled")
    browser.back()
    browser.see(".row.is-cancelled", "Order #2")

    browser.switch(second)
    browser.see(".row.is-cancelled", "Order #2")
    wait_until_equal(lambda: browser.run("return history.state?.depth ?? 0"), 0, "the second tab's history on the list")


@case
def going_back_by_several_steps_at_once_leaves_them_all(case):
    case.open()
    browser = case.load_orders()
    browser.click(".row", "Order #6")
    browser.click("button", "Cancel order…")
    browser.see("dialog:modal", "Cancel Order #6?")
    wait_until_equal(lambda: browser.run("return history.state?.depth"), 2, "the history to be as deep as the screen")
    browser.run("history.go(-2)")
    browser.see(".row", "Order #6")
    browser.see_not("dialog")
    wait_until_equal(lambda: browser.run("return history.state?.depth ?? 0"), 0, "history on the list")
    browser.click(".row", "Order #6")
    case.field("Note").type("x")
    browser.see(".quiet-text", "Not saved yet")
    browser.click("button", "Cancel order…")
    browser.see("dialog:modal", "Cancel Order #6?")
    wait_until_equal(lambda: browser.run("return history.state?.depth"), 2, "the history to be as deep as the screen")
    # The first is left, the second refuses.
    browser.run("history.go(-2)")
    browser.see_not("dialog")
    browser.see(".notice", "the note isn't saved")
    wait_until_equal(lambda: browser.run("return history.state?.depth"), 1, "history on the details")


@case
def a_reload_keeps_the_session_and_all_that_is_on_screen(case):
    browser = case.load_orders()
    browser.click(".row", "Order #5")
    browser.see("h1", "Details of Order #5")
    case.field("Note").type("remember")
    browser.click("button", "Save note")
    browser.see(".quiet-text", "Saved")
    browser.click("button", "Cancel order…")
    browser.see("dialog:modal", "Cancel Order #5?")
    browser.reload()
    browser.see("dialog:modal", "Cancel Order #5?")
    browser.click("dialog button", "Keep order")
    browser.see_not("dialog")
    wait_until_equal(lambda: case.field("Note").property("value"), "remember", "the note after a reload")
    browser.back()
    browser.see(".row", "Order #5")
    browser.reload()
    browser.see(".row", "Order #5")
    browser.see(".quiet-text", "100 orders")


@case
def a_key_that_is_gone_is_said_in_words_with_a_way_on(case):
    browser = case.open("#/orders/not-a-key-of-any-session")
    browser.see(".ended", "This session is gone")
    browser.click(".ended a", "Open Orders anew")
    browser.see("form.opening")
    browser.click("form.opening button", "Open")
    browser.see("button", "Load orders")
    browser.click("button", "End session")
    browser.see("h1", "View models")
    case.open("#/nothing")
    browser.see("h1", "Nothing can’t be opened")
    browser.see(".ended a", "All view models")


@case
def a_server_that_was_restarted_is_said_in_words(case):
    case.allowed = ["WebSocket connection to", "ERR_CONNECTION"]
    server = case.new_server()
    case.relay = case.new_relay(server.address)
    browser = case.open()
    browser.click(".card[data-view-model=counter] button", "Open")
    browser.see(".big-number", "0")
    case.relay.cut()
    case.relay.target = case.new_server().address
    server.close()
    case.relay.open()
    browser.see(".ended", "This session ended while the connection was lost")
    browser.click(".ended a", "Open Counter anew")
    browser.click("form.opening button", "Open")
    browser.see(".big-number", "0")


@case
def a_session_that_another_view_ends_is_said_in_words(case):
    browser = case.open()
    browser.click(".card[data-view-model=counter] button", "Open")
    browser.see(".big-number", "0")
    other = case.new_client()
    other.request("session/close", session=other.request("session/attach", key=case.key())["session"])
    browser.see(".ended", "This session was closed")


@case
def a_token_is_asked_for_until_it_is_right(case):
    case.allowed = ["WebSocket connection to", "ERR_CONNECTION"]
    descriptor, path = tempfile.mkstemp()
    case.closers.append(lambda: os.remove(path))
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write("open sesame")
    case.relay = case.new_relay(case.new_server("--token-file", path).address)
    browser = case.open()
    browser.see("dialog:modal", "This server wants a token")
    browser.type("guess")
    browser.press("Enter")
    browser.see("dialog:modal", "It didn’t take that one")
    browser.type("open sesame")
    browser.press("Enter")
    browser.see(".card", "Orders")
    browser.reload()
    browser.see(".card", "Orders")
    browser.click("#inspector-button")
    browser.see(".messages", "initialize")
    browser.run("document.querySelector('.messages summary').click()")
    browser.see(".messages pre", "initialize")
    expect("sesame" in browser.text, False, "the token in the inspector")
    browser.click(".inspector button", "Close")

    # The server comes back with another token: a client doesn't guess.
    case.relay.cut()
    browser.see(".light", "Reconnecting")
    with open(path, "w", encoding="utf-8") as file:
        file.write("close sesame")
    case.relay.target = case.new_server("--token-file", path).address
    case.relay.open()
    browser.see(".light", "Not connected")
    browser.see_not("#banner")
    browser.click(".light button", "Connect")
    browser.see("dialog:modal", "It didn’t take that one")
    browser.press("Escape")
    browser.see("h1", "This server wants a token")
    browser.click("button", "Enter the token")
    browser.see("dialog:modal", "This server wants a token")
    browser.type("close sesame")
    browser.press("Enter")
    browser.see(".card", "Orders")
    browser.see(".light", "Connected")


@case
def a_hundred_thousand_orders_have_few_rows_and_keep_their_place(case):
    browser = case.load_orders(count=100000)
    rows = browser.count(".row")
    if not 5 <= rows <= 60:
        raise Failed(f"expected 5 to 60 rows in the document, seen {rows}")
    place = browser.run("""
        const list = document.querySelector(".virtual-list");
        list.scrollTop = 51234 * list.querySelector("li").offsetHeight + 7;
        return list.scrollTop""")
    browser.see(".row", "Order #51236")
    if browser.count(".row") > 60:
        raise Failed(f"expected at most 60 rows after scrolling, seen {browser.count('.row')}")
    item = browser.run("""
        const item = document.querySelector("[data-index='51236']");
        return `${item.getAttribute("aria-posinset")}/${item.getAttribute("aria-setsize")}`""")
    expect(item, "51237/100000", "position for assistive technology")
    browser.click(".row", "Order #51236")
    browser.see("h1", "Details of Order #51236")
    browser.click("button", "Cancel order…")
    browser.click("dialog button", "Cancel order")
    browser.see(".chip", "Cancelled")
    browser.back()
    browser.see(".row.is-cancelled", "Order #51236")
    scrolled = "return document.querySelector('.virtual-list').scrollTop"
    wait_until_equal(lambda: browser.run(scrolled), place, "the place in the list")
    wait_for(lambda: "Order #51236" in browser.focused, "focus on the row that was left")
    # All of the list, a frame for each step, and never many rows.
    most = browser.run_async("""
        const done = arguments[0];
        const list = document.querySelector(".virtual-list");
        let [step, most] = [0, 0];
        const next = () => {
          most = Math.max(most, document.querySelectorAll(".row").length);
          list.scrollTop = (list.scrollHeight * step) / 60;
          if (step++ < 60) requestAnimationFrame(next);
          else done(most);
        };
        next();""")
    if most > 60:
        raise Failed(f"expected at most 60 rows while scrolling, seen {most}")
    browser.see(".row", "Order #99999")


@case
def loading_can_fail_and_be_tried_again(case):
    browser = case.open_orders(delay=0, fails=True)
    browser.click("button", "Load orders")
    browser.see("[role=alert]", "The orders couldn't be loaded: the order service can't be reached.")
    browser.click("button", "Try again")
    browser.see("[role=alert]", "The orders couldn't be loaded")


@case
def loading_can_be_cancelled(case):
    browser = case.open_orders(delay=600)
    browser.click("button", "Load orders")
    browser.see(".loading progress")
    browser.see(".loading [role=status]", "Loading orders")
    browser.click(".loading button", "Cancel")
    browser.see_not(".loading")
    browser.see("button", "Load orders")
    wait_until_equal(lambda: browser.focused, "Load orders", "focus after cancelling")
    announced = "return document.getElementById('announcements').innerText"
    wait_until_equal(lambda: browser.run(announced), "Loading was cancelled.", "the announcement")
    expect(browser.texts(".notice"), [], "notices: to cancel is no fault")


@case
def what_another_view_loads_is_seen_and_not_cancelled(case):
    # It loads until it is cancelled.
    browser = case.open_orders(delay=600)
    other = case.new_client()
    session = other.request("session/attach", key=case.key())["session"]
    loading = other.begin("view/event", session=session, event={"kind": "loadOrders"})
    browser.see(".loading progress")
    expect(browser.texts(".loading button"), [], "a button to cancel what another view began")
    other.notify("$/cancelRequest", id=loading)
    browser.see_not(".loading")
    browser.see("button", "Load orders")

    browser = case.open_orders(delay=0)
    session = other.request("session/attach", key=case.key())["session"]
    other.notifications.clear()
    other.notify("view/event", session=session, event={"kind": "loadOrders"})
    browser.see(".row", "Order #0")
    browser.see_not(".loading")
    browser.click("button", "End session")
    browser.see("dialog:modal", "It has another view, which will end with it.")
    wait_until_equal(lambda: browser.focused, "Keep it", "focus on the safe choice")
    browser.press("Escape")
    browser.see_not("dialog")
    browser.see(".row", "Order #0")
    browser.click("button", "End session")
    browser.click("dialog button", "End it")
    browser.see("h1", "View models")

    def reasons():
        other.request("ping")
        return [one["params"]["reason"] for one in other.notifications if one["method"] == "session/closed"]

    wait_until_equal(reasons, ["closed"], "the other view's end")


@case
def all_by_keyboard(case):
    browser = case.open()
    browser.see(".card", "Orders")
    wait_for(lambda: browser.visible("a[aria-label='Open Orders with arguments']"), "the contracts")

    named = "return document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"

    def tab_to(name, limit=40):
        for _ in range(limit):
            browser.press("Tab")
            if browser.run(named).strip() == name:
                return
        raise Failed(f"Tab doesn't lead to {name!r}; it is on {browser.focused!r}")

    tab_to("Open Orders")
    browser.press("Enter")
    browser.see("h1", "Orders")
    wait_until_equal(lambda: browser.focused, "Orders", "focus on the heading of what was opened")
    tab_to("Load orders")
    browser.press("Enter")
    browser.see(".row", "Order #0")
    tab_to("Order #0\n›", 10)

    def at(index):
        wait_for(lambda: browser.focused.startswith(f"Order #{index}\n"), f"focus on Order #{index}")
        inside = browser.run("""const row = document.activeElement.getBoundingClientRect();
            const list = document.querySelector(".virtual-list").getBoundingClientRect();
            return row.top >= list.top - 1 && row.bottom <= list.bottom + 1""")
        expect(inside, True, f"Order #{index} is scrolled to")

    moves = (["ArrowDown"] * 3, 3), (["ArrowUp"], 2), (["End"], 99), (["Home"], 0), (["ArrowUp"], 0)
    for keys, index in moves:
        browser.press(*keys)
        at(index)
    browser.press("PageDown")
    wait_for(lambda: re.search(r"#[1-9]", browser.focused), "focus further down")
    page = int(re.search(r"#(\d+)", browser.focused).group(1))
    if page < 2:
        raise Failed(f"Page Down went to {page}")
    browser.press("PageUp")
    at(0)
    browser.press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "Enter")
    browser.see("h1", "Details of Order #4")
    wait_until_equal(lambda: browser.focused, "Details of Order #4", "focus on the details' heading")
    tab_to("Cancel order…", 10)
    browser.press("Space")
    browser.see("dialog:modal")
    wait_until_equal(lambda: browser.focused, "Keep order", "focus on the safe choice")
    browser.press("Tab", "Enter")
    browser.see(".chip", "Cancelled")
    browser.see_not("dialog")
    browser.press("Escape")
    browser.see(".row.is-cancelled", "Order #4")
    wait_for(lambda: browser.focused.startswith("Order #4\n"), "focus on the row that was left")
    wait_until_equal(lambda: browser.count(".row[tabindex='0']"), 1, "rows in the tab order")
    browser.press("ArrowDown")
    at(5)


@case
def the_generic_view_sends_every_event_and_shows_what_comes(case):
    browser = case.open()
    browser.click(".card[data-view-model=counter] button", "Open")
    browser.see(".big-number", "0")
    browser.click("button", "Generic view")
    browser.see(".newest", "0")
    by = case.field("By", "form[data-kind=increment]")
    wrong = {
        "": "A number is missing here.",
        "abc": '"abc" isn\'t a number.',
        "1.5": "This must be a whole number.",
        "9007199254740993": "A web page can't send whole numbers beyond 2⁵³ exactly.",
    }
    for text, problem in wrong.items():
        by.clear()
        by.type(text)
        browser.click("form[data-kind=increment] button", "Send")
        browser.see("form[data-kind=increment] .error", problem)
        expect(by.attribute("aria-invalid"), "true", "aria-invalid")
    by.clear()
    by.type("9007199254740991\n")
    browser.see(".newest .value", "9007199254740991")
    browser.click("form[data-kind=reset] button", "Send")
    browser.see("form[data-kind=reset] [role=status]", "Done")
    wait_until_equal(lambda: browser.texts(".newest .value"), ["0"], "the count after a reset")
    browser.click("form[data-kind=load] button", "Send")
    browser.see(".newest summary", "100 items")
    events = browser.run("return [...document.querySelectorAll('.events strong')].map((one) => one.textContent)")
    expect(events[0], "rows", "the newest event")
    expect(events[-1], "count", "the oldest event")
    # The other view was kept up to date.
    browser.click("button", "Generic view")
    browser.see("td", "shipped")
    browser.see(".big-number", "0")


@case
def the_generic_view_follows_navigation_and_says_what_is_refused(case):
    browser = case.load_orders()
    browser.click("button", "Generic view")
    index = case.field("Index", "form[data-kind=selectOrder]")
    index.type("100\n")
    browser.see("form[data-kind=selectOrder] [role=alert]", "There is no order 100: the list goes from 0 to 99.")
    index.clear()
    index.type("7\n")
    browser.see("h1", "Details of Order #7")
    browser.see(".newest", "Details of Order #7")
    case.field("Value", "form[data-kind=editNote]").type("a note\n")
    browser.see(".newest", "Value\na note\nIs saved\nfalse")
    browser.click("button", "Back")
    browser.see(".notice", "the note isn't saved")
    browser.click("form[data-kind=saveNote] button", "Send")
    browser.click("form[data-kind=cancelOrder] button", "Send")
    browser.see("dialog:modal .newest", "Cancel Order #7?")
    browser.click("dialog form[data-kind=confirm] button", "Send")
    browser.see_not("dialog")
    browser.click("button", "Back")
    browser.see(".newest", "Cancelled")


@case
def the_generic_view_shows_progress_and_cancels(case):
    browser = case.open_orders(delay=600)
    browser.click("button", "Generic view")
    browser.click("form[data-kind=loadOrders] button", "Send")
    browser.see("form[data-kind=loadOrders] [role=status]", "Loading orders")
    browser.click("form[data-kind=loadOrders] button", "Cancel")
    browser.see("form[data-kind=loadOrders] [role=status]", "Cancelled")
    # Tokens of progress are no secrets.
    browser.click("#inspector-button")
    browser.see(".inspector input").type("progress-")
    browser.see(".messages", "$/progress")
    wait_until_equal(lambda: browser.texts(".newest"), ["Loading\nfalse"], "the newest values")


@case
def forms_are_made_from_any_schema(case):
    browser = case.open()
    browser.see(".card")
    result = browser.run_async(script("forms"))
    if not isinstance(result, dict):
        raise Failed(result)
    expect(result["first"], "This must look like: 2001-02-03T04:05:06Z.", "the first wrong field of an empty form")
    expect(result["item"], '"x" isn\'t a number.', "a wrong item")
    expect(result["side"], "This must be at least 1.", "a number below its minimum")
    if not result["json"].startswith("This isn't JSON: "):
        raise Failed(f"expected a message about JSON, seen {result['json']!r}")
    least = {"text": "", "flag": True, "color": "green", "when": "2001-02-03T04:05:06Z", "list": [1, -2], "level": 2,
             "shape": {"circle": {"radius": 0.5}}, "tree": {"name": "root"}, "free": {"a": [1, None]}}
    expect(result["least"], least, "what is required")
    most = {**least, "maybe": 1000, "perhaps": "red", "yes": False, "word": "", "shape": {"kind": "square", "side": 3},
            "tree": {"name": "root", "children": [{"name": "leaf"}]}, "table": {"one": 1}}
    expect(result["most"], most, "all that can be given")


@case
def the_other_examples_have_views_of_their_own(case):
    browser = case.open()
    browser.click(".card[data-view-model=hello] button", "Open")
    browser.click("button", "Say hello")
    browser.see(".greeting", "Hello")

    case.open("#/counter")
    case.field("Start").type("40")
    browser.click("form.opening button", "Open")
    browser.see(".big-number", "40")
    step = case.field("Step")
    step.clear()
    step.type("2")
    browser.click("button[aria-label=Increase]")
    browser.see(".big-number", "42")
    browser.click("button[aria-label=Decrease]")
    browser.see(".big-number", "40")
    browser.click("button", "Load rows")
    wait_until_equal(lambda: len(browser.texts("tbody tr")), 100, "rows")

    case.open("#/stopwatch")
    browser.click("form.opening button", "Open")
    browser.click("button", "Start")
    wait_for(lambda: browser.texts("[role=timer]") > ["00:00.2"], "time to run")
    browser.click("button", "Lap")
    browser.see(".laps", "Lap 1")
    browser.click("button", "Stop")
    browser.see("button", "Start")

    case.open("#/todos")
    browser.click("form.opening button", "Open")
    browser.see("input[type=text]").type("Milk\nBread\n")
    browser.see(".todos", "Bread")
    browser.see("[role=status]", "2 to do")
    browser.click(".todos label", "Milk")
    browser.see(".todos .done", "Milk")
    browser.see("[role=status]", "1 to do")
    browser.click("button", "Remove done")
    browser.see_not(".todos", "Milk")
    browser.see("input[type=text]").type("  \n")
    browser.see(".notice", "A thing to do needs a title.")


@case
def the_inspector_shows_both_directions_and_stays_small(case):
    browser = case.open()
    browser.click("#inspector-button")
    wait_until_equal(lambda: browser.focused, "Filter messages", "focus in the inspector")
    browser.click(".card[data-view-model=counter] button", "Open")
    browser.see(".messages .out", "session/open counter")
    browser.see(".messages .in", "viewModel/event count")
    browser.see(".inspector input").type("session/open")
    wait_for(lambda: len(browser.visible(".messages li")) == 1, "one message after filtering")
    browser.click(".messages summary")
    browser.see(".messages pre", '"viewModel": "counter"')
    browser.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.click(".messages button", "Copy")
    browser.see(".messages button", "Copied")
    browser.see(".inspector input").clear()
    browser.click(".inspector button", "Clear")
    browser.see(".inspector", "No messages yet.")
    browser.click(".inspector button", "Pause")
    browser.click("button[aria-label=Increase]")
    browser.see(".inspector header", "waiting")
    expect(browser.count(".messages li"), 0, "messages while it pauses")
    browser.click(".inspector button", "Go on")
    browser.see(".messages", "increment")
    # Far more than it keeps.
    browser.run("for (let count = 0; count < 300; count++) document.querySelector('[aria-label=Increase]').click()")
    browser.see(".big-number", "301")
    wait_for(lambda: 300 <= browser.count(".messages li") <= 400, "at most 400 messages")
    browser.click(".inspector button", "Close")
    wait_until_equal(lambda: browser.focused, "Inspector", "focus after closing the inspector")


@case
def every_screen_is_readable_light_and_dark_and_fits_a_narrow_one(case):
    browser = case.open()

    def look(name):
        browser.run("document.activeElement.blur()")
        for scheme in ("light", "dark"):
            # Without transitions, in the midst of which colours are others.
            browser.media(color_scheme=scheme, reduced_motion="reduce")
            browser.size(1100, 800)
            pale = browser.run(script("contrasts"))
            expect(pale, [], f"text of too little contrast on {name}, {scheme}")
            if scheme == "dark":
                case.picture(f"{name}-dark")
            else:
                case.picture(name)
        unnamed = browser.run(script("names"))
        expect(unnamed, [], f"controls without a name on {name}")
        browser.media(reduced_motion="reduce")
        browser.size(320, 640)
        wide = browser.run(script("overflow"))
        expect(wide, [], f"what is too wide for 320 pixels on {name}")
        case.picture(f"{name}-narrow")
        browser.size(1100, 800)

    wait_for(lambda: browser.visible("a[aria-label='Open Orders with arguments']"), "the contracts")
    look("gallery")
    browser = case.open_orders(delay=0, count=100000)
    look("orders-empty")
    browser.click("button", "Load orders")
    browser.see(".row", "Order #0")
    look("orders")
    browser.click("button", "Generic view")
    browser.see(".event-form")
    look("orders-generic")
    browser.click("button", "Generic view")
    browser.click(".row", "Order #1")
    browser.see("h1", "Details of Order #1")
    case.field("Note").type("Ring twice.")
    browser.see(".quiet-text", "Not saved yet")
    browser.click("button", "Back")
    browser.see(".notice")
    look("details")
    browser.click("button", "Save note")
    browser.click("button", "Cancel order…")
    browser.see("dialog:modal")
    look("confirm")
    browser.click("dialog button", "Cancel order")
    browser.see(".chip", "Cancelled")
    browser.click("#inspector-button")
    browser.see(".messages")
    look("inspector")
    browser.click(".inspector button", "Close")
    for name in ("counter", "todos", "stopwatch", "hello"):
        case.open(f"#/{name}")
        browser.see("form.opening")
        if name == "counter":
            look("opening")
        browser.click("form.opening button", "Open")
        browser.see(f".pane[data-view-model={name}]")
        look(name)
    case.open("#/orders/nothing")
    browser.see(".ended")
    look("gone")
