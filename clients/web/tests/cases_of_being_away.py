"""The connection is lost: what waits, what may be old, what is lost with a session, and what is opened meanwhile."""

import re
import urllib.request

from setting import ASKS, LOST, case, expect, script
from webdriver import PATIENCE, wait_for, wait_until_equal


def open_todos(case, *titles):
    case.allowed = LOST
    browser = case.open_list()
    for title in titles:
        browser.see(".add input").type(f"{title}\n")
        browser.see(".todos", title)
        # The row of what waits has the title, too.
        browser.see_not("li.waiting")
    # An answer may come after its event, and what isn't answered is counted where the connection is lost.
    wait_until_equal(lambda: browser.run(ASKS), False, "whether something isn't answered")
    return browser


def another_view(case):
    """A client that sees the session of the page, too."""
    other = case.new_client()
    other.request("session/attach", key=case.key())
    return other


def own_server(case):
    """A server that no other case uses."""
    server = case.new_server()
    case.relay = case.new_relay(server.address)
    return server


def lose(case):
    case.relay.cut()
    case.browser.see("#banner", "The connection is lost")


def come_back(case):
    """Now, and not when the page thinks that it is time."""
    case.relay.open()
    case.browser.run("document.querySelector('.light button').click()")
    case.browser.see(".light", "Connected")


def restart_server(case):
    """As after a crash: another one at the same address, which knows no session."""
    case.relay.target = case.new_server().address
    come_back(case)


def waiting(browser):
    return browser.texts("#banner ol .what")


@case
def what_waits_is_counted_and_marked_and_can_be_seen(case):
    browser = open_todos(case, "Milk")
    other = another_view(case)
    lose(case)
    browser.see("#banner", "What you do waits until it is back.")
    browser.see(".add input").type("Bread\nEggs\n")
    browser.click(".todos label", "Milk")
    browser.see("#banner", "3 actions wait to be sent when it is back.")
    browser.click("#banner button", "Show")
    expect(waiting(browser), ["Add: Bread", "Add: Eggs", "Toggle: Milk"], "what waits")
    # And where it was done.
    expect(browser.texts(".only-away li"), ["Bread\nwaits", "Eggs\nwaits"], "entries that wait")
    expect(browser.texts(".todos [data-waiting]"), ["Milk"], "marked entries")
    browser.run("document.activeElement.blur()")
    for scheme in ("light", "dark"):
        browser.media(color_scheme=scheme, reduced_motion="reduce")
        expect(browser.run(script("contrasts")), [], f"text of too little contrast while away, {scheme}")
        case.picture(f"away-{scheme}")
    browser.media()

    # The user thinks better of one, and has its text again.
    browser.click("#banner button[aria-label='Take back Add: Eggs']")
    browser.see("#banner", "2 actions wait")
    wait_until_equal(lambda: browser.see(".add input").property("value"), "Eggs", "the field")
    come_back(case)
    browser.see(".todos .done", "Milk")
    browser.see_not("#banner")
    expect(browser.texts(".todos li"), ["Milk", "Bread"], "the list")
    wait_until_equal(lambda: browser.texts("[data-waiting]"), [], "marked entries")
    events = lambda: other.request("session/list")["sessions"][0]["seq"]
    wait_until_equal(events, 4, "events: of the start and of three actions")


@case
def what_may_be_old_is_dimmed_and_says_from_when_it_is(case):
    browser = open_todos(case, "Milk")
    color = "return getComputedStyle(document.querySelector('.todos span')).color"
    usual = browser.run(color)
    expect(browser.texts(".age"), [], "ages")
    lose(case)
    browser.see(".pane .age", "As of ")
    if browser.run(color) == usual:
        wait_for(lambda: browser.run(color) != usual, "the text to be dimmed")
    come_back(case)
    browser.see_not(".age")
    wait_until_equal(lambda: browser.run(color), usual, "the colour of the text")


@case
def nothing_moves_as_the_connection_goes_and_comes(case):
    browser = open_todos(case, "Milk", "W" * 200)
    places = """return ["header.top", ".pane", ".pane h1", ".todos"].map((one) => {
        const { top, height } = document.querySelector(one).getBoundingClientRect();
        return [one, top, height]; })"""
    for width in (360, 1280):
        browser.size(width, 740)
        # A long word is broken.
        expect(browser.run("return document.scrollingElement.scrollWidth"), width, "the width of the page")
        there = browser.run(places)
        lose(case)
        browser.see(".age")
        expect(browser.run(places), there, f"places while the connection is lost, {width} wide")
        case.picture(f"away-{width}")
        if width == 360:
            browser.size(320, 640)
            expect(browser.run(script("overflow")), [], "what is too wide for 320 pixels while away")
            browser.size(width, 740)
        come_back(case)
        browser.see_not("#banner")
        expect(browser.run(places), there, f"places when it is back, {width} wide")


@case
def what_a_session_took_with_it_is_named_and_given_back(case):
    server = own_server(case)
    browser = open_todos(case, "Milk")
    lose(case)
    server.close()
    browser.see(".add input").type("Bread\nEggs\nhalf a thou")
    restart_server(case)
    browser.see(".ended", "This session ended while the connection was lost")
    browser.see(".unsent h2", "3 actions were not sent")
    lost = ["Add: Bread in Todos", "Add: Eggs in Todos", "Add: half a thou in Todos\nnot finished"]
    expect(browser.texts(".unsent .what"), lost, "what wasn't sent")
    case.picture("unsent")
    browser.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.click(".unsent li:nth-child(3) button", "Copy")
    browser.see(".unsent", "Copied")
    copied = "const done = arguments[0]; navigator.clipboard.readText().then(done)"
    expect(browser.run_async(copied), "half a thou", "what was copied")
    expect(browser.texts(".unsent button")[:2], ["Copy", "Discard"], "what can be done where no session is")
    browser.reload()
    browser.see(".unsent h2", "3 actions were not sent")

    browser.click(".ended a", "Open Todos anew")
    browser.click("form.opening button", "Open")
    browser.click(".unsent li:first-child button", "Send here")
    browser.see(".todos", "Bread")
    browser.see(".unsent h2", "2 actions were not sent")
    browser.click(".unsent li:first-child button", "Put back")
    wait_until_equal(lambda: browser.see(".add input").property("value"), "Eggs", "the field")
    browser.see(".unsent h2", "1 action was not sent")
    browser.click(".unsent li:first-child button", "Put back")
    browser.see(".notice", "The field has another text")
    browser.see(".add input").type(", six\n")
    browser.see(".todos", "Eggs, six")
    browser.click(".unsent li:first-child button", "Discard")
    browser.see_not(".unsent")
    expect(browser.texts(".todos li"), ["Bread", "Eggs, six"], "the list")


@case
def a_session_that_is_left_while_away_gets_what_was_done_in_it(case):
    browser = open_todos(case, "Milk")
    other = another_view(case)
    lose(case)
    browser.see(".add input").type("Bread\n")
    browser.click("a.all")
    browser.see(".cards")
    browser.see("#banner", "1 action waits to be sent")
    # The browser asks before the page is left with it.
    asks = """const event = new Event("beforeunload", { cancelable: true });
        window.dispatchEvent(event);
        return event.defaultPrevented"""
    expect(browser.run(asks), True, "whether the browser asks")
    come_back(case)
    browser.see_not("#banner")
    expect(browser.run(asks), False, "whether the browser asks when nothing waits")

    def titles():
        other.request("ping")
        changes = [one["params"]["event"] for one in other.notifications if one["method"] == "viewModel/event"]
        return [item["title"] for item in changes[-1]["value"]["items"]] if changes else []

    wait_until_equal(titles, ["Milk", "Bread"], "what another view of the session sees")
    expect(browser.count(".unsent:not([hidden])"), 0, "what wasn't sent")


@case
def a_note_that_is_written_while_away_arrives_whole(case):
    case.allowed = LOST
    browser = case.load_orders()
    browser.click(".row", "Order #3")
    browser.see(".chip", "Open")
    lose(case)
    case.field("Note").type("call them")
    browser.click("#banner button", "Show")

    def written():
        # What opened the details may wait for its answer, which comes after them.
        return [what for what in waiting(browser) if what != "Show Order #3"]

    wait_until_equal(written, ["Edit note: call them"], "what waits: the text, and not its letters")
    browser.click("button", "Save note")
    wait_until_equal(written, ["Edit note: call them", "Save note"], "what waits")
    come_back(case)
    browser.see(".details .quiet-text", "Saved")
    expect(case.field("Note").property("value"), "call them", "the note")


@case
def what_is_opened_while_away_shows_that_it_waits_and_can_be_given_up(case):
    server = own_server(case)
    case.allowed = LOST
    browser = case.open()
    browser.see(".card")

    def hosted():
        page = f"http://{server.address[0]}:{server.address[1]}/metrics"
        with urllib.request.urlopen(page, timeout=PATIENCE) as answer:
            found = re.findall(r"^view_model_server_sessions\{.*\} (\d+)$", answer.read().decode(), re.MULTILINE)
        return sum(map(int, found))

    lose(case)
    card = ".card[data-view-model=counter]"
    browser.click(f"{card} button", "Open")
    browser.see(f"{card} .wait-sign", "Waits for the connection")
    browser.click(f"{card} button", "Cancel")
    browser.see_not(".wait-sign")
    # Leaving the page gives it up as well: nothing is opened for somebody who went on.
    browser.click(f"{card} button", "Open")
    browser.see(".wait-sign")
    browser.run("location.hash = '#/stopwatch'")
    browser.see_not(".card")
    come_back(case)
    browser.see("form.opening")
    browser.see("h1", "Stopwatch")
    expect(hosted(), 0, "sessions that were opened for nobody")

    # One whose answer is lost is asked for again, and is one session.
    case.relay.is_mute = True
    browser.click("form.opening button", "Open")
    wait_until_equal(hosted, 1, "sessions")
    browser.see(".wait-sign", "Opening…")
    lose(case)
    browser.see(".wait-sign", "Waits for the connection")
    case.relay.is_mute = False
    come_back(case)
    browser.see("[role=timer]")
    expect(hosted(), 1, "sessions after the open was sent again")


@case
def an_address_that_is_gone_to_while_away_says_what_it_waits_for(case):
    case.allowed = LOST
    browser = case.open("#/no/such/page")
    browser.see("h1", "There is no such page")
    lose(case)
    browser.run("location.hash = '#/counter'")
    browser.see("main", "Waits for the connection")
    browser.see("main a", "All view models")
    come_back(case)
    browser.see("form.opening")
    # What it says follows the connection.
    case.relay.is_mute = True
    browser.run("location.hash = '#/stopwatch'")
    browser.see("main", "Loading…")
    lose(case)
    browser.see("main", "Waits for the connection")
    case.relay.is_mute = False
    come_back(case)
    browser.see("form.opening")
    # And so does the generic view, where its contract hasn't come.
    case.open(f"#/hello/{case.new_client().request('session/open', viewModel='hello')['key']}")
    browser.see("h1", "Hello")
    lose(case)
    browser.click("button", "Generic view")
    browser.see(".forms", "Waits for the connection")
    come_back(case)
    browser.see(".event-form")


@case
def a_session_that_is_gone_has_no_forms(case):
    browser = case.open("#/counter/not-a-key-of-any-session")
    browser.see(".ended", "This session is gone")
    expect(browser.texts(".toolbar button"), ["Share", "End session"], "buttons of a session that is gone")
    # It was on while the session ended, and is turned off later.
    browser = case.open("#/counter")
    browser.click("form.opening button", "Open")
    browser.click("button", "Generic view")
    browser.see(".event-form")
    other = case.new_client()
    other.request("session/close", session=other.request("session/attach", key=case.key())["session"])
    browser.see(".ended", "This session was closed")
    browser.run("document.querySelector('.toolbar button').click()")
    expect(browser.count(".event-form"), 0, "forms of a session that is gone")
