"""The page is left while something isn't answered, and a session ends that its server, or another one, keeps."""

import os
import sqlite3

from cases_of_being_away import lose, open_todos, own_server, restart_server
from cases_of_leaving import new_folder, server_with_store
from setting import ASKS, LOST, case, expect
from webdriver import wait_for, wait_until_equal

def locked(case, store):
    """The store as another program locks it: what is sent is taken, and not answered."""
    lock = sqlite3.connect(store.removeprefix("sqlite:"), isolation_level=None, check_same_thread=False)
    case.closers.append(lock.close)
    lock.execute("BEGIN EXCLUSIVE")
    return lock


@case
def the_browser_asks_as_long_as_something_is_not_answered(case):
    server, store = server_with_store(case)
    case.relay = case.new_relay(server.address)
    browser = open_todos(case, "Milk")
    expect(browser.run(ASKS), False, "whether the browser asks when all is answered")
    lock = locked(case, store)
    browser.see(".add input").type("Bread\n")
    expect(browser.run(ASKS), True, "whether the browser asks at once")
    # Who stays sees why it asked, until it is answered.
    browser.see("#banner", "1 action waits")
    browser.click("#banner button", "Show")
    expect(browser.texts("#banner ol .what"), ["Add: Bread"], "what isn't answered")
    case.picture("unanswered")
    lock.execute("COMMIT")
    browser.see_not("#banner")
    browser.see(".todos", "Bread")
    browser.see_not("li.waiting")
    wait_until_equal(lambda: browser.run(ASKS), False, "whether the browser asks when it is answered")


@case
def what_a_dead_connection_never_took_is_asked_about_and_listed_by_the_next_page(case):
    browser = open_todos(case, "Milk")
    case.relay.let_die()
    browser.see(".add input").type("Bread\n")
    expect(browser.run(ASKS), True, "whether the browser asks while nobody knows that the connection is dead")
    # The next page has a connection of its own.
    browser.reload()
    browser.see(".unsent h2", "1 action was not answered")
    expect(browser.texts(".unsent .what"), ["Add: Bread in Todos\nmay have been done"], "what wasn't answered")
    browser.see(".todos", "Milk")
    expect(browser.texts(".todos li"), ["Milk"], "the list, which never got it")
    browser.click(".unsent li button", "Send here")
    browser.see(".todos", "Bread")
    browser.see_not(".unsent")


# A long text in place of one that is typed, which takes longer.
ENTER = """const input = document.querySelector(".add input");
    input.value = arguments[0];
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.form.requestSubmit();"""
LONG = "x" * 30_000
LOST_TEXT = f"Add: {'x' * 75}… in Todos\n%slost as the page was loaded anew: the browser had no room for it"


def fill_storage(browser):
    """Leaves room for some 20,000 characters of what the browser keeps for the tab."""
    browser.run("sessionStorage.setItem('filling', 'x'.repeat(5 * 1024 * 1024 - 20_000))")


@case
def what_the_browser_has_no_room_for_is_named_and_the_rest_is_kept(case):
    server = own_server(case)
    browser = open_todos(case, "Milk")
    fill_storage(browser)
    lose(case)
    server.close()
    for title in ("Bread", LONG, "Eggs"):
        browser.run(ENTER, title)
    restart_server(case)
    browser.see(".unsent h2", "3 actions were not sent")
    lost = ["Add: Bread in Todos", f"Add: {LONG} in Todos\na reload loses it", "Add: Eggs in Todos"]
    expect(browser.texts(".unsent .what"), lost, "what wasn't sent")
    case.picture("unsent-without-room")
    browser.reload()
    browser.see(".unsent h2", "3 actions were not sent")
    lost[1] = LOST_TEXT % ""
    expect(browser.texts(".unsent .what"), lost, "what wasn't sent, after a reload")
    expect(browser.texts(".unsent li:nth-child(2) button"), ["Discard"], "what can be done with what is lost")
    browser.click(".unsent li:nth-child(2) button", "Discard")
    browser.click(".ended a", "Open Todos anew")
    browser.click("form.opening button", "Open")
    for title in ("Bread", "Eggs"):
        browser.click(".unsent li:first-child button", "Send here")
        browser.see(".todos", title)
    browser.see_not(".unsent")
    browser.reload()
    browser.see(".todos", "Eggs")
    expect(browser.texts(".unsent"), [], "what wasn't sent, at last")


@case
def what_is_not_answered_and_too_long_to_keep_is_named_by_the_next_page(case):
    browser = open_todos(case, "Milk")
    fill_storage(browser)
    case.relay.let_die()
    for title in (LONG, "Bread"):
        browser.run(ENTER, title)
    browser.reload()
    browser.see(".unsent h2", "2 actions were not answered")
    lost = [LOST_TEXT % "may have been done, ", "Add: Bread in Todos\nmay have been done"]
    expect(browser.texts(".unsent .what"), lost, "what wasn't answered")


@case
def a_browser_that_keeps_nothing_shows_the_page_and_says_what_a_reload_loses(case):
    folder = new_folder(case)
    token = os.path.join(folder, "token")
    with open(token, "w", encoding="utf-8") as file:
        file.write("open-sesame-please")
    options = "--token-file", token, "--store"
    server = case.new_server(*options, f"sqlite:{os.path.join(folder, 'store')}")
    case.relay = case.new_relay(server.address)
    case.allowed = LOST
    browser = case.browser
    refuse = """for (const name of ["sessionStorage", "localStorage"])
        Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } })"""
    added = browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=refuse)["identifier"]
    case.closers.append(lambda: browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=added))

    def enter_token():
        browser.see("dialog:modal", "This server wants a token")
        case.field("Token").type("open-sesame-please\n")

    case.open("#/todos")
    enter_token()
    browser.click("form.opening button", "Open")
    browser.see(".add input").type("Milk\n")
    browser.see(".todos", "Milk")
    browser.click("a.all")
    browser.see(".recent", "The browser doesn’t keep this list: it is gone when this tab is closed.")
    case.picture("keeps-nothing")
    browser.click(".recent a", "Todos")
    browser.see(".todos", "Milk")
    lose(case)
    server.close()
    browser.see(".add input").type("Bread\n")
    case.relay.target = case.new_server(*options, f"sqlite:{os.path.join(folder, 'another')}").address
    case.relay.open()
    browser.run("document.querySelector('.light button')?.click()")
    browser.see(".unsent h2", "1 action was not sent")
    expect(browser.texts(".unsent .what"), ["Add: Bread in Todos\na reload loses it"], "what wasn't sent")
    browser.reload()
    enter_token()
    browser.see(".ended", "This session is gone")
    expect(browser.texts(".unsent"), [], "what wasn't sent, after a reload")


@case
def a_page_that_comes_back_as_it_was_goes_on_with_what_was_not_answered(case):
    server, store = server_with_store(case)
    case.relay = case.new_relay(server.address)
    browser = open_todos(case, "Milk")
    # A browser may keep a page that is left, or not: here it does.
    browser.run("window.isSame = true")
    lock = locked(case, store)
    browser.see(".add input").type("Bread\n")
    browser.go("about:blank")
    browser.back()
    browser.see(".todos", "Milk")
    is_same = browser.run("return window.isSame === true")
    listed = ["Add: Bread in Todos\nmay have been done"]
    wait_until_equal(lambda: browser.texts(".unsent .what"), [] if is_same else listed, "what is listed as not answered")
    lock.execute("COMMIT")
    browser.see(".todos", "Bread")
    browser.see_not("li.waiting")
    wait_until_equal(lambda: browser.texts(".todos li"), ["Milk", "Bread"], "the list, in which each is once")


@case
def a_search_that_is_not_answered_is_no_reason_to_ask(case):
    case.allowed = LOST
    browser = case.open()
    browser.see(".cards")
    browser.run("document.getElementById('finder-button').click()")
    browser.see("dialog.palette .matches, dialog.palette .rows, dialog.palette input")
    case.relay.is_mute = True
    browser.see("dialog.palette input").type("READ")
    wait_for(lambda: browser.count("dialog.palette [data-waiting]"), "the search to be on its way")
    expect(browser.run(ASKS), False, "whether the browser asks because of a search")
    # What was on its way is lost for good: of it the page would tell a gap.
    case.relay.cut()
    case.relay.is_mute = False


@case
def a_session_that_is_kept_is_offered_again_however_its_server_ended_it(case):
    server, store = server_with_store(case)
    case.relay = case.new_relay(server.address)
    browser = open_todos(case, "Milk")
    key = case.key()
    # It is shut down, and one that has no store takes its place.
    case.relay.target = case.new_server().address
    server.close()
    browser.see(".ended", "This session ended")
    browser.click(".ended a", "All view models")
    browser.see(".recent a", "Todos")
    browser.click(".recent a", "Todos")
    browser.see(".ended", "This session is gone")
    browser.see(".ended", "It was kept in a store, which this server doesn’t have.")
    browser.see(".ended a", "Open Todos anew")
    case.picture("kept-elsewhere")
    again = case.new_server("--store", store)
    case.relay.cut()
    case.relay.target = again.address
    case.relay.open()
    browser.run("document.querySelector('.light button')?.click()")
    browser.see(".light", "Connected")
    browser.click(".ended button", "Try again")
    browser.see(".todos", "Milk")
    expect(case.key(), key, "the session")

    # One that another client ends is over, and isn't offered.
    other = case.new_client(again.address)
    other.request("session/close", session=other.request("session/attach", key=key)["session"])
    browser.see(".ended", "This session was closed")
    expect(browser.texts(".ended button"), [], "ways back")
    browser.click(".ended a", "All view models")
    browser.see(".cards")
    expect(browser.texts(".recent a"), [], "sessions to come back to")


@case
def a_kept_session_that_can_not_be_read_now_is_not_forgotten(case):
    folder = new_folder(case)
    path = os.path.join(folder, "store")
    store = f"sqlite:{path}"
    server = case.new_server("--store", store)
    case.relay = case.new_relay(server.address)
    browser = open_todos(case, "Milk")
    case.relay.cut()
    browser.see("#banner", "The connection is lost")
    server.close()
    shop = case.new_shop("--store", store)
    case.relay.target = shop.address
    case.relay.open()
    browser.run("document.querySelector('.light button').click()")
    browser.see(".ended")
    case.picture("kept-unreadable")
    browser.see(".ended button", "Try again")
    browser.see(".ended", "If it is durable, the store still has it.")
    browser.click(".ended a", "All view models")
    browser.see(".recent a", "Todos")
    case.relay.cut()
    shop.close()
    case.relay.target = case.new_server("--store", store).address
    case.relay.open()
    browser.run("document.querySelector('.light button')?.click()")
    browser.see(".light", "Connected")
    browser.click(".recent a", "Todos")
    browser.see(".todos", "Milk")
