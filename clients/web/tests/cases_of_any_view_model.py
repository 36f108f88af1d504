"""The generic view, the forms that it is made of, and the other examples."""

from setting import case, expect, script
from webdriver import Failed, wait_for, wait_until_equal


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
    browser.see("form[data-kind=loadOrders] button", "Cancel")
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

    case.open_list()
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
