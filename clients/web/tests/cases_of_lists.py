"""Lists of any length, as tables in the generic view."""

import re

from setting import LOST, case, expect, script
from webdriver import Failed, wait_for, wait_until_equal

ROW = "[data-list=results] .rows [role=row]"


def show(case):
    """The page with a list of 100,000 rows, over a server in the page."""
    browser = case.open()
    browser.see(".card")
    shown = browser.run_async(script("lists"))
    if shown != "shown":
        raise Failed(shown)
    browser.see("[data-list=results] .title", "100,000 rows")
    browser.see(ROW, "Result 0")
    return browser


def top(browser):
    """The first row that is seen, and how far it is scrolled out of sight."""
    return browser.run("""
        const grid = document.querySelector("[data-list=results] .virtual-list");
        const edge = grid.querySelector(".head").getBoundingClientRect().bottom;
        const row = [...grid.querySelectorAll(".row")].find((one) => one.getBoundingClientRect().bottom > edge + 1);
        return row && [row.children[1].innerText, Math.round(row.getBoundingClientRect().top - edge)]""")


def scroll(browser, top):
    browser.run("""document.querySelector("[data-list=results] .virtual-list").scrollTop = arguments[0]""", top)


@case
def a_list_is_a_table_of_the_rows_that_are_seen(case):
    browser = show(case)
    wait_until_equal(lambda: browser.texts("[data-list=results] [role=columnheader]"),
                     ["Id", "Title", "Size", "Place"], "the columns")
    cells = browser.run(f"return [...document.querySelector('{ROW}').children].map((one) => one.innerText)")
    expect(cells, ["id-0", "Result 0", "", '{"shelf":0}'], "the first row")
    expect(browser.texts("[data-list=words] [role=columnheader]"), ["Row"], "the column of what has no members")
    expect(browser.texts("[data-list=words] [role=gridcell]"), ["one", "two"], "its rows")
    # It isn't shown as a value, too.
    expect(browser.texts(".newest dt"), [], "values")

    browser.run("fake.isHolding = true; fake.requests = []")
    scroll(browser, 50_000 * 36)
    browser.see(f"{ROW}.is-coming[aria-busy=true]", "…")
    case.picture("list-coming")
    browser.run("fake.release()")
    browser.see(ROW, "Result 50000")
    browser.see_not(".is-coming[tabindex='-1']")
    requests = browser.run("return fake.requests")
    if len(requests) != 1 or int(requests[0].split("+")[1]) > 120:
        raise Failed(f"expected one request for the rows around, seen {requests}")
    if browser.count(ROW) > 60:
        raise Failed(f"expected at most 60 rows in the document, seen {browser.count(ROW)}")
    place = browser.run(f"""
        const row = [...document.querySelectorAll('{ROW}')].find((one) => one.innerText.includes("Result 50003"));
        return [row.getAttribute("aria-rowindex"), row.closest("[role=grid]").getAttribute("aria-rowcount")]""")
    expect(place, ["50005", "100001"], "the place for assistive technology, with the head")
    # Scrolling line by line isn't a request for each.
    browser.run("fake.requests = []")
    for line in range(1, 9):
        scroll(browser, (50_000 + line) * 36)
        wait_until_equal(lambda: top(browser), [f"Result {50_000 + line}", 0], "the first row")
    if len(browser.run("return fake.requests")) > 3:
        raise Failed(f"expected few requests, seen {browser.run('return fake.requests')}")


@case
def rows_that_cannot_be_had_are_said_so_and_asked_for_again(case):
    browser = show(case)
    browser.run("fake.isFailing = true")
    scroll(browser, 50_000 * 36)
    browser.see("[data-list=results] [role=alert]", "Rows can’t be shown: the disk is gone.")
    browser.click("[data-list=results] [role=alert] button", "Try again")
    browser.see("[data-list=results] [role=alert]", "the disk is gone")
    browser.run("fake.isFailing = false")
    browser.click("[data-list=results] [role=alert] button", "Try again")
    browser.see(ROW, "Result 50000")
    browser.see_not("[data-list=results] [role=alert]")


@case
def a_row_that_is_chosen_fills_forms_and_stays_chosen(case):
    browser = show(case)
    index = case.field("Index", "form[data-kind=open]")
    browser.click(ROW, "Result 3")
    wait_until_equal(lambda: index.property("value"), "3", "the index")
    id = case.field("id", "form[data-kind=remove] .optional-body")
    expect(id.property("value"), "id-3", "what identifies it")
    expect(browser.run("return fake.announced"), "Row 4 is filled in: Open, Remove", "what is announced")
    chosen = f"return [...document.querySelectorAll('{ROW}[aria-selected=true]')].map((one) => one.children[1].innerText)"
    wait_until_equal(lambda: browser.run(chosen), ["Result 3"], "the chosen row")

    browser.run("fake.edit(1, 0, fake.resultOf('a'), fake.resultOf('b'))")
    wait_until_equal(lambda: browser.run(chosen), ["Result 3"], "the chosen row after rows came above")
    expect(index.property("value"), "5", "the index after rows came above")
    wait_until_equal(lambda: browser.focused.split("\n")[0], "id-3", "the focus")
    browser.run("fake.reset([fake.resultOf('c'), ...fake.rows])")
    wait_until_equal(lambda: browser.run(chosen), ["Result 3"], "the chosen row after a reset")
    expect(index.property("value"), "6", "the index after a reset")
    browser.click("form[data-kind=open] button", "Send")
    wait_until_equal(lambda: browser.run("return fake.sent"), [{"kind": "open", "index": 6}], "what was sent")
    # A row of another list was chosen since: this one's has no say any more.
    words = "[data-list=words] .rows [role=row]"
    browser.click(words, "two")
    wait_until_equal(lambda: index.property("value"), "1", "the index in the other list")
    browser.run("fake.edit(0, 5)")
    wait_until_equal(lambda: browser.run(chosen), ["Result 3"], "the chosen row at the other's index")
    browser.run("fake.edit(0, 1)")
    browser.run("fake.edit(0, 0, ...Array.from({ length: 6 }, (_, number) => fake.resultOf(`again ${number}`)))")
    expect(index.property("value"), "1", "the index in the other list")
    browser.click(ROW, "Result 3")
    wait_until_equal(lambda: index.property("value"), "6", "the index")
    # What the user has written stays.
    index.clear()
    index.type("77")
    browser.run("fake.edit(6, 1)")
    wait_until_equal(lambda: browser.run(chosen), [], "the chosen row, which went")
    expect(index.property("value"), "77", "what the user has written")


@case
def a_list_keeps_its_place_when_rows_come_above_it(case):
    browser = show(case)
    scroll(browser, 200 * 36 + 7)
    wait_until_equal(lambda: top(browser), ["Result 200", -7], "the place")
    browser.run("fake.edit(10, 5, ...Array.from({ length: 105 }, (_, number) => fake.resultOf(`new ${number}`)))")
    wait_until_equal(lambda: top(browser), ["Result 200", -7], "the place after rows came")
    browser.run("fake.edit(0, 150)")
    wait_until_equal(lambda: top(browser), ["Result 200", -7], "the place after rows went")
    # Also where any row may be another, as far as the rows that come tell.
    browser.run("fake.reset([fake.resultOf('first'), fake.resultOf('second'), ...fake.rows])")
    wait_until_equal(lambda: top(browser), ["Result 200", -7], "the place after a reset")
    # But for the one in the tab order, which is far up.
    browser.see_not(".is-coming[tabindex='-1']")
    # At its beginning one sees what comes there.
    scroll(browser, 0)
    browser.see(ROW, "Result first")
    browser.run("fake.edit(0, 0, fake.resultOf('newest'))")
    browser.see(ROW, "Result newest")
    browser.run("fake.reset([])")
    browser.see("[data-list=results]", "It has no rows.")
    browser.run("fake.edit(0, 0, fake.resultOf(8))")
    browser.see(ROW, "Result 8")


@case
def a_list_by_keyboard(case):
    browser = show(case)
    browser.run(f"document.querySelector('{ROW}[tabindex=\"0\"]').focus()")

    def at(name):
        wait_for(lambda: f"Result {name}" in browser.focused.split("\n"), f"focus on Result {name}")
        inside = browser.run("""const row = document.activeElement.getBoundingClientRect();
            const grid = document.querySelector("[data-list=results] .virtual-list");
            const { bottom } = grid.querySelector(".head").getBoundingClientRect();
            return row.top >= bottom - 1 && row.bottom <= grid.getBoundingClientRect().bottom + 1""")
        expect(inside, True, f"Result {name} is scrolled to")

    for keys, name in (["ArrowDown"] * 3, 3), (["ArrowUp"], 2), (["End"], 99_999), (["ArrowUp"], 99_998), (["Home"], 0):
        browser.press(*keys)
        at(name)
    browser.press("PageDown")
    wait_for(lambda: re.search(r"Result [1-9]", browser.focused), "focus further down")
    browser.press("PageUp")
    at(0)
    browser.press("ArrowDown", "Enter")
    wait_until_equal(lambda: case.field("Index", "form[data-kind=open]").property("value"), "1", "the index")
    # The focus stays on its row, also where that is out of sight.
    browser.run("fake.edit(0, 0, fake.resultOf('new'))")
    at(1)
    wait_until_equal(lambda: browser.count(f"{ROW}[tabindex='0']"), 1, "rows in the tab order")
    browser.press("ArrowUp", "Space")
    at(0)
    wait_until_equal(lambda: case.field("Index", "form[data-kind=open]").property("value"), "1", "the index")


@case
def a_list_that_is_taller_than_browsers_lay_out_is_scrolled_to_its_end(case):
    browser = show(case)
    browser.run("fake.reset(Array.from({ length: 2_000_000 }, (_, number) => fake.resultOf(number)))")
    browser.see("[data-list=results] .title", "2,000,000 rows")
    browser.run(f"document.querySelector('{ROW}[tabindex=\"0\"]').focus()")
    browser.press("End")
    wait_for(lambda: "Result 1999999" in browser.focused, "focus on the last row")
    browser.press("ArrowUp")
    wait_for(lambda: "Result 1999998" in browser.focused, "focus on the last but one")
    scroll(browser, 4_000_000)
    [first, _] = wait_for(lambda: (at := top(browser)) and re.fullmatch(r"Result (99|100)\d{4}", at[0]) and at, "the middle")
    middle = browser.run("return document.querySelector('[data-list=results] .virtual-list').scrollTop")
    # A turn of the wheel is as long as elsewhere.
    scroll(browser, middle + 72)
    number = int(first.split()[1]) + 2
    wait_until_equal(lambda: (top(browser) or [None])[0], f"Result {number}", "the first row, two further down")
    scroll(browser, 100_000_000)
    browser.see(ROW, "Result 1999999")
    scroll(browser, 0)
    browser.see(ROW, "Result 0")


@case
def a_list_is_readable_light_and_dark_and_fits_a_narrow_screen(case):
    browser = show(case)
    browser.click(ROW, "Result 2")
    browser.run("document.activeElement.blur()")
    for scheme in ("light", "dark"):
        browser.media(color_scheme=scheme, reduced_motion="reduce")
        browser.size(1100, 800)
        expect(browser.run(script("contrasts")), [], f"text of too little contrast, {scheme}")
        case.picture(f"list-{scheme}")
    expect(browser.run(script("names")), [], "controls without a name")
    browser.size(320, 640)
    expect(browser.run(script("overflow")), [], "what is too wide for 320 pixels")
    case.picture("list-narrow")


@case
def the_numbers_are_chosen_from_a_table_over_a_connection_that_is_cut(case):
    case.allowed = LOST
    browser = case.open("#/numbers")
    case.field("Count").type("1000000")
    browser.click("form.opening button", "Open")
    browser.see("[data-list=numbers] .title", "1,000,000 rows")
    numbers, chosen = ("[data-list=numbers] .rows [role=row]", "[data-list=chosen] .rows [role=row]")
    browser.see("[data-list=chosen]", "It has no rows.")

    def choose(number):
        browser.click(numbers, f"{number}\n{number * number}")
        wait_until_equal(lambda: case.field("Index", "form[data-kind=choose]").property("value"), str(number), "the index")
        browser.click("form[data-kind=choose] button", "Send")
        browser.see(chosen, f"{number}\n{number * number}")

    choose(7)
    choose(9)
    browser.see("[data-list=chosen] .title", "2 rows")
    browser.see(".newest .value", "130")
    browser.click(chosen, "9\n81")
    wait_until_equal(lambda: case.field("Index", "form[data-kind=giveBack]").property("value"), "1", "the index")

    case.relay.cut()
    browser.see(".away-bar")
    browser.see(chosen, "7\n49")
    # Rows that nobody has asked for wait for the connection.
    browser.run("""document.querySelector("[data-list=numbers] .virtual-list").scrollTop = 3_000_000""")
    browser.see(f"{numbers}.is-coming", "…")
    other = case.new_client()
    session = other.request("session/attach", key=case.key())["session"]
    other.request("view/event", session=session, event={"kind": "giveBack", "index": 0})
    case.relay.open()
    browser.see_not(chosen, "7\n49")
    browser.see_not(f"{numbers}.is-coming[tabindex='-1']")
    wait_until_equal(lambda: browser.texts(f"{chosen}[aria-selected=true]"), ["9\n81"], "the chosen row")
    expect(case.field("Index", "form[data-kind=giveBack]").property("value"), "0", "the index, which moved with its row")
    case.picture("list-numbers")
