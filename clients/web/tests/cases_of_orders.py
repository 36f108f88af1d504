"""The orders: the walk, notes, many rows, loading, and all of it by keyboard."""

import re

from setting import LOST, case, expect
from webdriver import Failed, wait_for, wait_until_equal


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


def top(browser):
    """The first row that is seen, and how far it is scrolled out of sight; null until it is there."""
    return browser.run("""
        const list = document.querySelector(".virtual-list");
        const edge = list.getBoundingClientRect().top + list.clientTop;
        const row = [...list.querySelectorAll("li")].find((one) => one.getBoundingClientRect().bottom > edge + 1);
        if (!row || row.querySelector(".is-coming")) return null;
        return [row.querySelector(".name").innerText, Math.round(row.getBoundingClientRect().top - edge)]""")


@case
def a_million_orders_have_few_rows_and_keep_their_place(case):
    browser = case.load_orders(count=1000000)
    rows = browser.count(".row")
    if not 5 <= rows <= 60:
        raise Failed(f"expected 5 to 60 rows in the document, seen {rows}")
    browser.run("document.querySelector('.virtual-list').scrollTop = 4_000_000")
    place = wait_for(lambda: (seen := top(browser)) and re.fullmatch(r"Order #(49|50)\d{4}", seen[0]) and seen, "the middle")
    if browser.count(".row") > 60:
        raise Failed(f"expected at most 60 rows after scrolling, seen {browser.count('.row')}")
    number = int(place[0].removeprefix("Order #")) + 2
    name = f"Order #{number}"
    item = browser.run("""
        const item = document.querySelector(`[data-index='${arguments[0]}']`);
        return `${item.getAttribute("aria-posinset")}/${item.getAttribute("aria-setsize")}`""", number)
    expect(item, f"{number + 1}/1000000", "position for assistive technology")
    browser.click(".row", name)
    browser.see("h1", f"Details of {name}")
    browser.click("button", "Cancel order…")
    browser.click("dialog button", "Cancel order")
    browser.see(".chip", "Cancelled")
    browser.back()
    browser.see(".row.is-cancelled", name)
    wait_until_equal(lambda: top(browser), place, "the place in the list")
    wait_for(lambda: name in browser.focused, "focus on the row that was left")
    browser.click("button", "Load again")
    browser.see_not(".loading")
    browser.see(".row.is-cancelled", name)
    wait_until_equal(lambda: top(browser), place, "the place in the list that was loaded again")
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
    browser.see(".row", "Order #999999")
    browser.see_not(".row.is-coming[tabindex='-1']")
    case.picture("orders-million")
    browser.click(".row", "Order #999999")
    browser.see("h1", "Details of Order #999999")


@case
def orders_that_are_scrolled_to_while_away_come_with_the_connection(case):
    case.allowed = LOST
    browser = case.load_orders(count=1000000)
    case.relay.cut()
    browser.see("#banner", "The connection is lost")
    browser.see(".row", "Order #0")
    browser.run("document.querySelector('.row').focus()")
    browser.press("End")
    browser.see(".row.is-coming[aria-busy=true]", "…")
    browser.press("Enter")
    browser.click("#banner button", "Show")
    browser.see("#banner li", "Show order 999999")
    case.relay.open()
    # Now, and not when the page thinks that it is time.
    browser.run("document.querySelector('.light button').click()")
    browser.see("h1", "Details of Order #999999")
    browser.back()
    browser.see(".row", "Order #999999")
    browser.see_not(".row.is-coming[tabindex='-1']")


@case
def loading_can_fail_and_be_tried_again(case):
    browser = case.open_orders(delay=0, fails=True)
    browser.click("button", "Load orders")
    browser.see("[role=alert]", "The orders couldn't be loaded: the order service can't be reached.")
    # One button for it, and not two.
    expect(browser.texts(".orders button"), ["Try again"], "buttons after a failure")
    browser.click("button", "Try again")
    browser.see("[role=alert]", "The orders couldn't be loaded")
    expect(browser.texts(".orders button"), ["Try again"], "buttons after another one")


@case
def loading_that_is_cancelled_before_it_begins_gives_the_focus_back(case):
    browser = case.open_orders(delay=600)
    browser.run("""const loading = document.querySelector(".loading");
        window.endings = 0;
        new MutationObserver(() => { if (loading.hidden) window.endings += 1; })
            .observe(loading, { attributeFilter: ["hidden"] });""")
    case.relay.delay = 1
    # Faster than the view model's first event over this link.
    browser.click("button", "Load orders")
    browser.click(".loading button", "Cancel")
    # The page's own end, and then the view model's.
    wait_until_equal(lambda: browser.run("return window.endings"), 2, "times that the loading ended")
    wait_until_equal(lambda: browser.focused, "Load orders", "focus after cancelling")


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
