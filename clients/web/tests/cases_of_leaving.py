"""The page is left, closed, loaded anew and shown twice: what is kept, and by which name a tab is known."""

import os
import shutil
import signal
import tempfile

from cases_of_being_away import open_todos
from server import StoreFile
from setting import ASKS, case, expect, script
from webdriver import wait_for, wait_until_equal

# The names that a page has sent as a client, of the messages in the inspector, which are written when they are opened.
NAMES = """for (const details of document.querySelectorAll(".inspector details")) details.open = true;
    const sent = [...document.querySelectorAll(".inspector li.out")].map((one) => one.textContent).join("");
    return [...sent.matchAll(/"client": ?"([^"]+)"/g)].map(([, name]) => name)"""


def names_sent(browser):
    browser.click("#inspector-button")
    return wait_for(lambda: browser.run(NAMES), "a name in the inspector")


def new_folder(case):
    folder = tempfile.mkdtemp(prefix="page-store-")
    case.closers.append(lambda: shutil.rmtree(folder, ignore_errors=True))
    return folder


def server_with_store(case):
    store = f"sqlite:{os.path.join(new_folder(case), 'store')}"
    return case.new_server("--store", store), store


@case
def a_tab_has_one_name_however_often_it_is_loaded(case):
    browser = open_todos(case, "Milk")
    first = names_sent(browser)
    for _ in range(3):
        browser.reload()
        browser.see(".todos", "Milk")
        names = names_sent(browser)
        expect(names, first[:1], "names of the tab after a reload")
    browser.see(".add input").type("Bread\n")
    browser.see(".todos", "Bread")
    # Another tab has another one, also as a copy of this one, which takes along what is stored.
    stored = browser.run("return { ...sessionStorage }")
    expect("view-model-tab" in stored, False, "whether a copy of the tab would have its name")
    address = browser.address
    # Gone to anew it has another one: what it left meanwhile may have been copied with the browser's profile.
    browser.go("about:blank")
    browser.go(address)
    browser.see(".todos", "Bread")
    expect(names_sent(browser) == first[:1], False, "whether a page that was left and is gone to anew has the same name")
    # So it has where its name is there at a reload that comes later, as of a restored tab that failed to load.
    left = "sessionStorage.setItem('view-model-tab', `${performance.timeOrigin - 1} tab-of-before`)"
    added = browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=left)["identifier"]
    browser.reload()
    browser.see(".todos", "Bread")
    expect("tab-of-before" in names_sent(browser), False, "whether it has the name of a page that was left before")
    browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=added)
    browser.switch(browser.new_tab())
    browser.go(address)
    browser.see(".todos", "Bread")
    others = names_sent(browser)
    expect(others == first[:1], False, "whether two tabs have the same name")


@case
def a_view_that_is_shown_under_the_same_name_elsewhere_says_so(case):
    # As if each were the reload of a page of this name, as may be where a tab was copied at that moment.
    name = "sessionStorage.setItem('view-model-tab', `${performance.timeOrigin + 1} tab-of-two`)"
    browser = case.browser
    added = browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=name)["identifier"]
    case.closers.append(lambda: browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=added))
    case.open()
    browser.reload()
    open_todos(case, "Milk")
    address = browser.address
    browser.switch(browser.new_tab())
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=name)
    browser.go(address)
    browser.see(".todos", "Milk")
    browser.reload()
    second = browser.tab
    browser.switch(case.first_tab)
    browser.see(".ended", "This session is shown in another page that has this tab’s name.")
    case.picture("shown-elsewhere")
    browser.switch(second)
    browser.see(".add input").type("Bread\n")
    browser.see(".todos", "Bread")
    expect(browser.texts(".ended"), [], "whether they fight for it")
    browser.switch(case.first_tab)
    browser.click(".ended button", "Show it here")
    browser.see(".todos", "Bread")
    browser.see(".add input").type("Eggs\n")
    browser.see(".todos", "Eggs")
    browser.switch(second)
    browser.see(".ended", "This session is shown in another page")
    expect(browser.texts(".unsent:not([hidden])"), [], "what wasn't sent")


@case
def a_durable_session_is_there_when_every_page_was_closed_and_the_server_restarted(case):
    server, store = server_with_store(case)
    case.relay = case.new_relay(server.address)
    browser = open_todos(case, "Milk")
    key = case.key()
    # Another tab, and this one is closed: what a tab keeps for itself is gone.
    closed = browser.tab
    browser.switch(browser.new_tab())
    remaining = browser.tab
    browser.go("about:blank")
    browser.switch(closed)
    browser.run("sessionStorage.clear()")
    browser.go("about:blank")
    browser.switch(remaining)
    server.close()
    case.relay.target = case.new_server("--store", store).address
    browser.go(case.relay.address)
    browser.see(".recent", "The server keeps those of durable view models, also when every page is closed.")
    case.picture("opened-before")
    browser.click(".recent a", "Todos")
    browser.see(".todos", "Milk")
    expect(case.key(), key, "the session")

    # Leaving it asks nothing, ending it does.
    browser.click("a.all")
    browser.see(".recent a", "Todos")
    browser.click(".recent a", "Todos")
    browser.see(".todos", "Milk")
    browser.click("button", "End session")
    browser.see("dialog:modal", "What the server has stored of it is removed.")
    case.picture("end-durable")
    browser.press("Escape")
    browser.see_not("dialog")
    browser.see(".todos", "Milk")
    browser.click("button", "End session")
    browser.click("dialog button", "End it")
    browser.see("h1", "View models")
    expect(browser.texts(".recent a"), [], "sessions to come back to")
    case.open(f"#/todos/{key}")
    browser.see(".ended", "This session is gone")


@case
def a_session_that_all_share_is_left_without_a_question(case):
    server, _ = server_with_store(case)
    case.relay = case.new_relay(server.address)
    type = b'"type":"Examples.TodosViewModel","scope":"person"'
    case.relay.replaced = (type, b'"scope":"everyone"'.ljust(len(type)))
    browser = case.open()
    browser.click(".card[data-view-model=todos] button", "Open")
    browser.see(".pane h1", "Todos")
    expect(browser.texts(".toolbar button"), ["Share", "Leave session"], "buttons of a session that all share")
    browser.click("button", "Leave session")
    browser.see("h1", "View models")


@case
def a_session_of_long_ago_is_listed_behind_those_that_came_later(case):
    server, _ = server_with_store(case)
    case.relay = case.new_relay(server.address)
    browser = open_todos(case, "Milk")
    key = case.key()
    later = "Array.from({ length: 8 }, (_, n) => ({ viewModel: 'hello', key: `later-${n}`, isKept: true }))"
    for storage in ["localStorage", "sessionStorage"]:
        browser.run(
            f"const all = JSON.parse({storage}['view-model-sessions']);"
            f"{storage}['view-model-sessions'] = JSON.stringify([...{later}, ...all])"
        )
    browser.go("about:blank")
    browser.go(case.relay.address)
    browser.see(".recent a", "Hello")
    browser.click(".recent summary", "3 more")
    case.picture("opened-before-more")
    browser.click(".recent details a", "Todos")
    browser.see(".todos", "Milk")
    expect(case.key(), key, "the session")


@case
def a_server_that_stands_still_is_noticed_and_all_goes_on_when_it_does(case):
    server = case.new_server()
    case.relay = case.new_relay(server.address)
    browser = open_todos(case, "Milk")
    server.stop()
    try:
        browser.see(".add input").type("Bread\n")
        browser.see("#banner", "The server doesn’t answer. 1 action waits to be sent when it does.")
        browser.see(".add input").type("Eggs\n")
        browser.see("#banner", "2 actions wait")
        browser.see(".age", "As of")
        browser.click("#banner button", "Show")
        expect(browser.texts("#banner ol li"), ["Add: Bread\nwas on its way", "Add: Eggs\nTake back"], "what waits")
        expect(browser.run(ASKS), True, "whether the browser asks before what waits is lost")
        case.picture("server-stands-still")
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    browser.see_not("#banner")
    browser.see(".todos", "Eggs")
    browser.see(".light", "Connected")
    expect(browser.texts(".todos li"), ["Milk", "Bread", "Eggs"], "the list, in which each is once")
    wait_until_equal(lambda: browser.run(ASKS), False, "whether the browser asks when nothing waits")


@case
def a_connection_that_has_lost_its_other_end_is_noticed_and_made_again(case):
    browser = open_todos(case, "Milk")
    case.relay.is_mute = True
    browser.see(".add input").type("Bread\n")
    browser.see("#banner", "The server doesn’t answer. 1 action waits")
    case.relay.is_mute = False
    browser.see_not("#banner")
    browser.see(".todos", "Bread")
    expect(browser.texts(".todos li"), ["Milk", "Bread"], "the list")


@case
def what_waits_for_a_store_whose_file_was_moved_says_why_and_is_done_once(case):
    store = StoreFile(new_folder(case))
    case.relay = case.new_relay(case.new_server("--store", f"sqlite:{store.path}").address)
    browser = open_todos(case, "Milk")
    store.move()
    try:
        browser.see(".add input").type("Bread\n")
        browser.see("#banner", "The server can’t store anything now (")
        browser.see("#banner", "store.db was moved")
        browser.see("#banner", "1 action waits for it.")
        browser.see(".add input").type("Eggs\n")
        browser.see("#banner", "2 actions wait for it.")
        browser.see(".light", "Connected")
        expect(browser.texts(".only-away li"), ["Bread\nwaits", "Eggs\nwaits"], "entries that wait")
        browser.click("#banner button", "Show")
        expect(browser.texts("#banner ol .what"), ["Add: Bread", "Add: Eggs"], "what waits")
        expect(browser.run(ASKS), True, "whether the browser asks before what waits is lost")
        for width in (1280, 320):
            browser.size(width, 640)
            for scheme in ("light", "dark"):
                browser.media(color_scheme=scheme, reduced_motion="reduce")
                expect(browser.run(script("contrasts")), [], f"text of too little contrast, {scheme}")
                case.picture(f"stalled-{width}-{scheme}")
        expect(browser.run(script("overflow")), [], "what is too wide for 320 pixels")
        expect(browser.texts(".age"), [], "what may be old")
        browser.media()
    finally:
        store.move_back()
    browser.see_not("#banner")
    browser.see(".todos", "Eggs")
    expect(browser.texts(".todos li"), ["Milk", "Bread", "Eggs"], "the list, in which each is once")
    expect(browser.texts("[data-waiting]"), [], "marked entries")
    wait_until_equal(lambda: browser.run(ASKS), False, "whether the browser asks when nothing waits")
