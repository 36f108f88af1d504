"""Who is here, who may only look, and what one may come back to."""

import os

from cases_of_leaving import new_folder
from setting import case, expect
from webdriver import wait_for, wait_until_equal


def server_with_people(case, *options):
    """A server with tokens for two, and the tokens by their names."""
    folder = new_folder(case)
    tokens = {name: f"{name}-0123456789abcdef" for name in ("ada", "bob")}
    path = os.path.join(folder, "tokens")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{name} {token}\n" for name, token in tokens.items())
    os.chmod(path, 0o600)
    server = case.new_server("--store", f"sqlite:{folder}/store", "--token-file", path, *options)
    case.relay = case.new_relay(server.address)
    return server, tokens


def come(case, token, route=""):
    browser = case.open(route)
    browser.see("dialog:modal", "This server wants a token")
    browser.type(token)
    browser.press("Enter")
    browser.see_not("dialog:modal")
    return browser


def read_link(browser):
    browser.click("button", "Share")
    link = browser.see("#share-link").property("value")
    browser.click(".choices label", "can look")
    browser.see("dialog p", "can do nothing in it")
    wait_for(lambda: browser.see("#share-link").property("value") != link, "another link")
    return browser.see("#share-link").property("value")


@case
def who_has_a_link_to_look_is_offered_nothing_that_sends(case):
    browser = case.load_orders()
    link = read_link(browser)
    case.picture("share")
    browser.click(".choices label", "can edit")
    wait_until_equal(lambda: browser.see("#share-link").property("value"), browser.address, "the link to edit")
    browser.click("dialog button", "Done")
    first, second = browser.tab, browser.new_tab()
    browser.switch(second)
    browser.go(link)
    browser.see(".row", "Order #0")
    browser.see(".looking", "You may only look at this session.")
    browser.see(".here", "Here: web page")
    case.picture("looking")
    enabled = "return document.querySelectorAll('.pane :is(button, input, select, textarea):enabled').length"
    wait_until_equal(lambda: browser.run(enabled), 0, "controls that can be used")
    browser.click("button", "Generic view")
    browser.see(".pane", "Orders")
    browser.see_not(".sends")
    expect(browser.texts(".toolbar button"), ["Generic view", "Share", "Leave session"], "buttons of who only looks")
    browser.click("button", "Share")
    browser.see("dialog p", "can do nothing in it")
    expect(browser.see("#share-link").property("value"), link, "the link that who only looks can give")
    browser.click("dialog button", "Done")
    # What is on the session is a reader's, too.
    browser.switch(first)
    browser.see(".here", "Here: web page, looking")
    browser.click(".row", "Order #3")
    browser.see("h1", "Details of Order #3")
    browser.switch(second)
    browser.see("h1", "Details of Order #3")
    browser.see(".pane:not([hidden]) .looking")
    browser.see_not(".pane button", "Back")
    browser.click("button", "Leave session")
    browser.see("h1", "View models")
    browser.switch(first)
    browser.see(".pane", "Details of Order #3")
    browser.see_not(".here")


@case
def the_gallery_begins_with_what_one_may_come_back_to(case):
    server, tokens = server_with_people(case)
    browser = come(case, tokens["ada"])
    browser.click(".card[data-view-model=todos] button", "Open")
    browser.see(".add input").type("Milk\n")
    browser.see(".todos", "Milk")
    browser.click(".toolbar a", "All view models")
    browser.see(".yours li", "Todos: 1 open, 0 done")
    browser.click(".card[data-view-model=counter] button", "Open")
    browser.see(".big-number", "0")
    browser.click(".toolbar a", "All view models")
    browser.see(".yours li", "Counter")
    # Used in the same second, they come in any order.
    expect(sorted(browser.texts(".yours a")), ["Counter", "Todos: 1 open, 0 done"], "the sessions to come back to")
    expect(browser.count(".recent:not(.yours)"), 0, "lists of the same sessions beside")
    case.picture("yours")
    browser.click(".yours button[aria-label='End Counter']")
    browser.click("dialog button", "Keep it")
    browser.click(".yours button[aria-label='End Counter']")
    browser.click("dialog button", "End it")
    browser.see_not(".yours li", "Counter")
    # So it is where this browser knows nothing of it.
    browser.run("localStorage.clear()")
    browser.reload()
    browser.click(".yours a", "Todos")
    browser.see(".todos", "Milk")
