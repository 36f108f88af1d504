"""Connections that are lost, servers that end, sessions of several views, and tokens."""

import os
import tempfile

from setting import LOST, case, expect, script
from webdriver import wait_for, wait_until_equal


@case
def a_lost_connection_loses_nothing_and_repeats_nothing(case):
    case.allowed = LOST
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
    case.allowed = LOST
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
    case.allowed = LOST
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
    link = browser.see("#share-link").property("value")
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
    case.open("#/noSuch")
    browser.see("h1", "“noSuch” can’t be opened")
    browser.see(".ended a", "All view models")
    for address in ("#/a/b/c/d", "#/%", "#orders"):
        case.open(address)
        browser.see("h1", "There is no such page")
        browser.see(".ended code", address)
        browser.click(".ended a", "All view models")
        browser.see("h1", "View models")


@case
def a_server_that_was_restarted_is_said_in_words(case):
    case.allowed = LOST
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
    case.allowed = LOST
    descriptor, path = tempfile.mkstemp()
    case.closers.append(lambda: os.remove(path))
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write("open-sesame-please")
    case.relay = case.new_relay(case.new_server("--token-file", path).address)
    browser = case.open()
    browser.see("dialog:modal", "This server wants a token")
    # It may have been given in either way, of which the page knows nothing.
    browser.see("dialog:modal", "--token-file")
    browser.see("dialog:modal", "VIEW_MODEL_SERVER_TOKEN")
    expect(case.field("Token").attribute("aria-invalid"), None, "aria-invalid before a token was tried")
    browser.type("guess")
    browser.press("Enter")
    browser.see("dialog:modal .error", "The server didn’t take this token.")
    expect(case.field("Token").attribute("aria-invalid"), "true", "aria-invalid after a wrong token")
    case.picture("token")
    browser.type("open-sesame-please")
    expect(browser.texts("dialog .error"), [""], "the message while another one is typed")
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
        file.write("close-sesame-please")
    case.relay.target = case.new_server("--token-file", path).address
    case.relay.open()
    browser.see(".light", "Not connected")
    browser.see_not("#banner")
    browser.size(320, 640)
    expect(browser.run(script("overflow")), [], "what is too wide for 320 pixels without a connection")
    browser.size(1100, 800)
    browser.click(".light button", "Connect")
    browser.see("dialog:modal .error", "The server didn’t take this token.")
    browser.press("Escape")
    browser.see("h1", "This server wants a token")
    browser.click("button", "Enter the token")
    browser.see("dialog:modal", "This server wants a token")
    browser.type("close-sesame-please")
    browser.press("Enter")
    browser.see(".card", "Orders")
    browser.see(".light", "Connected")
