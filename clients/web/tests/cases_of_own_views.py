"""Which view a view model gets: by its type, and by what its server brings."""

import os
import re
import tempfile

from setting import HERE, case, expect, script
from webdriver import Failed, wait_until_equal


def example():
    """The view that the README has as its example."""
    with open(os.path.join(HERE, "../README.md"), encoding="utf-8") as file:
        [text] = re.findall(r"```js\n(.*?)```", file.read(), re.DOTALL)
    return text


def open_with(case, views):
    """Opens the counter on the page of a server whose `views.js` this is."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "views.js"), "w", encoding="utf-8") as file:
            file.write(views)
        # Read before it listens. The browser keeps connections to other ones.
        case.relay = case.new_relay(case.new_server("--views", folder).address)
    return case.open("#/counter")


@case
def the_example_of_the_readme_shows_the_counter(case):
    browser = open_with(case, example())
    browser.click("form.opening button", "Open")
    browser.see(".pane p", "Count: 0")
    browser.see_not(".big-number")
    browser.click(".pane button", "One more")
    browser.see(".pane p", "Count: 1")
    # It was kept up to date while the other one was seen.
    browser.click("button", "Generic view")
    browser.click("form[data-kind=reset] button", "Send")
    browser.see(".newest .value", "0")
    browser.click("button", "Generic view")
    browser.see(".pane p", "Count: 0")


@case
def a_view_for_a_name_is_for_any_type(case):
    browser = open_with(case, example().replace("Examples.CounterViewModel", "counter"))
    browser.click("form.opening button", "Open")
    browser.see(".pane p", "Count: 0")


@case
def views_may_bring_a_palette_as_the_finder_is_one(case):
    palette = '{ type: "Examples.CounterViewModel", name: "counter", label: "Count", key: "j" }'
    browser = open_with(case, f"{example()}\nexport const palettes = [{palette}];")
    browser.see("#counter-button", "Count")
    browser.press("Control+j")
    browser.click("dialog.palette .pane button", "One more")
    browser.see("dialog.palette .pane p", "Count: 1")
    # That of the examples is there, too, and takes its place.
    browser.press("Control+k")
    browser.see("dialog.palette .finder")
    browser.see_not("dialog.palette .pane p", "Count: 1")
    browser.press("Control+k")
    browser.see_not("dialog.palette")


@case
def views_that_load_slowly_hold_nothing_up(case):
    browser = open_with(case, "await new Promise((load) => (window.letThemLoad = load));\n" + example())
    browser.see(".light", "Connected")
    browser.run("location.hash = '#/orders'")
    browser.run("location.hash = '#/counter'")
    browser.run("letThemLoad()")
    browser.click("form.opening button", "Open")
    browser.see(".pane p", "Count: 0")


@case
def another_server_brings_its_own_views_and_gets_none_of_the_examples(case):
    case.relay.target = case.new_shop().address
    browser = case.open()
    # Nor the finder's button, key and styles.
    browser.see(".card[data-view-model=counter]")
    browser.press("Control+k")
    browser.see_not("dialog")
    expect(browser.texts(".top > button"), ["Inspector"], "the buttons at the top")
    expect(browser.run("return document.styleSheets.length"), 1, "how many style sheets there are")
    browser.click(".card[data-view-model=counter] button", "Open")
    browser.see(".dogs", "3 people with dogs: 1")
    browser.click("button", "Ten people")
    browser.see(".dogs", "10 people with dogs: 1")
    case.picture("own-view-of-another-server")

    browser.click("a", "All view models")
    browser.click(".card[data-view-model=orders] button", "Open")
    browser.see(".newest summary", "2 items")
    browser.see(".events", "Grace")
    browser.see_not("button", "Load orders")
    expect(browser.texts(".row"), [], "rows of the examples' list")
    case.picture("orders-of-another-server")
    case.field("Number", "form[data-kind=pick]").type("4712\n")
    # Clients can't open this one.
    browser.see("h1", "Order details")
    browser.see(".newest", "Grace")
    browser.see_not("button", "Cancel order")
    browser.click("button", "Back")
    browser.see("h1", "Orders")
    browser.see_not(".toolbar button", "Generic view")


@case
def a_server_that_tells_no_types_gets_the_generic_view(case):
    case.relay.replaced = (b'"type":"Examples.', b'"_ype":"Examples.')
    browser = case.open_orders(delay=0)
    browser.see("form[data-kind=loadOrders] button", "Send")
    browser.see_not("button", "Load orders")


@case
def a_view_that_fails_gives_way_to_the_generic_view(case):
    case.allowed = ["no such thing", "it is no object"]
    failures = {
        "() => { throw new Error('no such thing'); }": "no such thing",
        "() => ({ element: document.createElement('p'), onEvent() { throw new Error('no such thing'); } })": "no such",
        "() => ({ element: 'no such thing' })": "it is no object with an element",
    }
    for view, words in failures.items():
        browser = open_with(case, f"export default {{ counter: {view} }};")
        browser.click("form.opening button", "Open")
        browser.see(".notice", words)
        browser.see(".newest .value", "0")
        expect(len(browser.texts(".events li")), 1, "how often the event is listed")
        browser.see_not(".toolbar button", "Generic view")


@case
def a_file_of_views_that_cannot_be_loaded_is_said_so(case):
    case.allowed = ["SyntaxError", "no function"]
    for views, words in {"export default {": "can’t be used", "export default { counter: 1 };": "no function"}.items():
        browser = open_with(case, views)
        browser.see("[role=alert]", words)
        browser.click("form.opening button", "Open")
        browser.see(".big-number", "0")


@case
def a_kind_that_a_view_does_not_know_changes_nothing(case):
    browser = case.open()
    browser.see(".card")
    result = browser.run_async(script("kinds"))
    if not isinstance(result, list):
        raise Failed(result)
    expect(len(result), 9, "how many views there are")
    wait_until_equal(lambda: [name for name, isSame in result if not isSame], [], "views that changed")
