"""A board that many share: its columns, and its cards on screens of their own."""

from cases_of_being_away import come_back, lose, own_server, waiting
from cases_of_sharing import come, read_link, server_with_people
from setting import LOST, case, expect, script
from webdriver import wait_for, wait_until_equal

TITLES = ".board-column[data-column={}] .name"


def open_screen(browser):
    browser.click(".card[data-view-model=boardScreen] button", "Open")
    browser.see(".board")


def add(browser, *titles):
    field = browser.see(".board-view .add input")
    for title in titles:
        field.type(title + "\n")
        browser.see(".board", title)


def expect_columns(browser, **columns):
    for name, titles in columns.items():
        wait_until_equal(lambda: browser.texts(TITLES.format(name)), titles, f"the cards of {name}")


def drag(browser, title, column):
    """Drags as the browser does it, which a driver can't in a headless one."""
    browser.run("""
        const card = [...document.querySelectorAll(".board-card")].find((one) => one.innerText.includes(arguments[0]));
        const column = document.querySelector(`.board-column[data-column=${arguments[1]}]`);
        if (!card.draggable) return;
        const dataTransfer = new DataTransfer();
        const fire = (target, type) =>
          target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
        fire(card, "dragstart");
        if (!fire(column, "dragover")) fire(column, "drop");
        fire(card, "dragend");""", title, column)


@case
def two_people_work_on_one_board_each_on_a_screen_of_their_own(case):
    _, tokens = server_with_people(case)
    browser = come(case, tokens["ada"])
    open_screen(browser)
    browser.see("[data-part=here]", "On the board: ada")
    add(browser, "Dig", "Sow")
    first, second = browser.tab, browser.new_tab()
    browser.switch(second)
    come(case, tokens["bob"])
    open_screen(browser)
    browser.see("[data-part=here]", "On the board: ada, bob")
    expect_columns(browser, toDo=["Dig", "Sow"], doing=[], done=[])
    drag(browser, "Sow", "done")
    expect_columns(browser, toDo=["Dig"], doing=[], done=["Sow"])
    browser.see("[data-part=news]", "bob: Sow is done")
    browser.switch(first)
    browser.see("[data-part=here]", "On the board: ada, bob")
    expect_columns(browser, toDo=["Dig"], doing=[], done=["Sow"])
    browser.see(".board-column[data-column=done] small", "bob")
    case.picture("board")
    # Each is where they want.
    browser.click(".board-card .row", "Dig")
    browser.see("h1", "Dig")
    browser.switch(second)
    browser.see(".board")
    browser.click(".board-card button[aria-label='Move Dig to Doing']")
    expect_columns(browser, toDo=[], doing=["Dig"])
    browser.switch(first)
    wait_until_equal(
        lambda: browser.run("return document.querySelector('.column-choice :checked').value"), "doing", "the column")
    browser.see(".details", "Changed last by bob")
    case.picture("board-card")
    title = browser.see(".details input[type=text]")
    title.clear()
    title.type("Dig deep\n")
    browser.see("h1", "Dig deep")
    browser.switch(second)
    expect_columns(browser, doing=["Dig deep"])
    browser.click(".board-card button[aria-label='Remove Dig deep']")
    browser.switch(first)
    browser.see(".board")
    expect_columns(browser, toDo=[], doing=[], done=["Sow"])
    browser.switch(second)
    browser.click(".toolbar a", "All view models")
    browser.switch(first)
    wait_until_equal(lambda: browser.texts("[data-part=here]"), ["On the board: ada"], "who is here")


@case
def the_board_itself_renames_in_place(case):
    own_server(case)
    browser = case.open()
    browser.click(".card[data-view-model=board] button", "Open")
    add(browser, "begun")
    browser.click(".board-card .row", "begun")
    title = browser.see(".rename input")
    title.clear()
    title.type(" ")
    browser.click(".rename button", "Save")
    browser.see(".notice", "A card needs a title.")
    title.clear()
    title.type("renamed\n")
    browser.see_not(".rename")
    browser.see(".board-card .name", "renamed")
    browser.click(".board-card .row", "renamed")
    browser.press("Escape")
    browser.see_not(".rename")
    browser.see(".board")
    browser.click(".board-card button[aria-label='Remove renamed']")
    browser.see_not(".board-card")


@case
def a_board_by_keyboard(case):
    own_server(case)
    browser = case.open()
    open_screen(browser)
    add(browser, "one", "two", "three")
    browser.press("Tab", "Tab")
    wait_for(lambda: browser.focused.startswith("one"), "focus on the first card")
    browser.press("ArrowDown")
    wait_for(lambda: browser.focused.startswith("two"), "focus on the second card")
    expect(browser.run("return document.querySelectorAll(\".board [tabindex='0']\").length"), 3, "controls in the tab order")
    browser.press("Tab")
    label = "return document.activeElement.getAttribute('aria-label')"
    wait_until_equal(lambda: browser.run(label), "Move two to Doing", "what is behind the card")
    browser.press("Enter")
    expect_columns(browser, toDo=["one", "three"], doing=["two"])
    # Not at the beginning of the page again.
    wait_for(lambda: browser.run("return document.activeElement.closest('.board') !== null"), "focus on the board")
    browser.press("Home", "Enter")
    browser.see("h1", "one")
    browser.press("Escape")
    browser.see(".board")


@case
def who_may_only_look_at_a_board_moves_nothing(case):
    own_server(case)
    browser = case.open()
    open_screen(browser)
    add(browser, "stays")
    link = read_link(browser)
    browser.click("dialog button", "Done")
    browser.switch(browser.new_tab())
    browser.go(link)
    browser.see(".looking")
    browser.see(".board-card .name", "stays")
    enabled = "return document.querySelectorAll('.pane :is(button, input):enabled, .pane [draggable=true]').length"
    wait_until_equal(lambda: browser.run(enabled), 0, "what can be used")
    drag(browser, "stays", "done")
    browser.see(".board-column[data-column=toDo] .name", "stays")
    expect_columns(browser, done=[])


@case
def what_is_done_on_a_board_while_away_waits(case):
    case.allowed = LOST
    own_server(case)
    browser = case.open()
    open_screen(browser)
    add(browser, "here")
    lose(case)
    browser.see(".board-view .add input").type("later\n")
    browser.see(".only-away", "later")
    browser.click(".board-card button[aria-label='Move here to Doing']")
    browser.see(".board-card .row[data-waiting]", "here")
    browser.click("#banner button", "Show")
    expect(waiting(browser), ["Add: later", "Move to Doing: here"], "what waits")
    case.picture("board-away")
    come_back(case)
    expect_columns(browser, toDo=["later"], doing=["here"])


@case
def a_long_column_has_the_cards_that_are_seen(case):
    server = own_server(case)
    browser = case.open()
    open_screen(browser)
    client = case.new_client(server.address)
    session = client.request("session/open", viewModel="board")["session"]
    for number in range(3_000):
        client.request("view/event", session=session, event={"kind": "add", "title": f"card {number}"})
    browser.see(".board-column[data-column=toDo] .title", "3,0")
    count = browser.count(".board-column[data-column=toDo] .board-card")
    expect(count < 60, True, f"cards in the document: {count}")
    browser.run("document.querySelector('[data-column=toDo] .virtual-list').scrollTop = 1500 * 56")
    browser.see(".board-card .name", "card 1500")


@case
def a_board_is_readable_light_and_dark_and_fits_a_narrow_screen(case):
    own_server(case)
    browser = case.open()
    open_screen(browser)
    browser.see_not(".board-card")
    case.picture("board-empty")
    add(browser, "short", "a title that is much longer than a column of a board is wide, as some are")
    browser.click(".board-card button[aria-label='Move short to Doing']")
    expect_columns(browser, doing=["short"])
    browser.run("document.activeElement.blur()")
    for scheme in ("light", "dark"):
        browser.media(color_scheme=scheme, reduced_motion="reduce")
        browser.size(1100, 800)
        expect(browser.run(script("contrasts")), [], f"text of too little contrast, {scheme}")
        case.picture(f"board-{scheme}")
    expect(browser.run(script("names")), [], "controls without a name")
    browser.size(320, 640)
    expect(browser.run(script("overflow")), [], "what is too wide for 320 pixels")
    case.picture("board-narrow")
