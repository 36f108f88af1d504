"""The finder: in the page, and over it as a palette. Each case has a tree of files and a server of its own."""

import os
import shutil
import tempfile

from setting import LOST, case, expect, script
from webdriver import Failed, wait_for, wait_until_equal

ROW = ".found [role=option]"
LINE = ".file-lines .line"
TREE = {
    "Sources/App/Main.swift": "import App\n\nApp.main()\n",
    "Sources/App/Übergröße.swift": "// größer\nlet größe = 1\n",
    "Sources/App/Views/MainView.swift": "struct MainView {}\n",
    "docs/café 𝒳.md": "# Café\n\tein 𝒳 und ein needle 👩‍🚀 needle\n",
    "docs/<img src=x onerror=alert(1)>.md": "<b>bold</b>\n",
    "long.txt": "".join(f"line {number}{' needle' if number == 4000 else ''}\n" for number in range(1, 5001)),
    "binary.bin": "\0\1\2\0",
    ".hidden": "needle\n",
}
for count in range(300):
    TREE[f"many/file-{count:03}.txt"] = f"{count}\n"


def serve(case):
    """A server in the tree, and the page before it."""
    folder = tempfile.mkdtemp(prefix="web-finder-")
    case.closers.append(lambda: shutil.rmtree(folder, ignore_errors=True))
    for path, text in TREE.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    case.finder_address = case.new_server(folder=folder).address
    case.relay = case.new_relay(case.finder_address)
    return os.path.realpath(folder)


def show(case):
    browser = case.open("#/finder")
    browser.click("form.opening button", "Open")
    browser.see(".finder .counts", f"{len(TREE) - 1} files")
    browser.see(ROW)
    return browser


def chosen(browser, attribute="title"):
    """The row that is chosen, as assistive technology knows it from the field."""
    return browser.run("""
        const id = document.querySelector(".finder input").getAttribute("aria-activedescendant");
        const row = id && document.getElementById(id);
        const others = document.querySelectorAll(".found [aria-selected=true]").length;
        return row && row.getAttribute("aria-selected") === "true" && others === 1 && row.getAttribute(arguments[0])""",
        attribute)


def wait_for_chosen(browser, path):
    wait_until_equal(lambda: chosen(browser), path, "the chosen row")


def is_field_focused(browser, field=".finder input"):
    return browser.run("return document.activeElement === document.querySelector(arguments[0])", field)


def retype(browser, text):
    browser.see(".finder input").click()
    browser.press("Control+a")
    browser.type(text)


def marks(browser, row=f"{ROW}[aria-selected=true]"):
    found = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
    return browser.run(found, f"{row} mark")


def in_sight(browser, selector, scroller):
    return browser.run("""
        const one = document.querySelector(arguments[0])?.getBoundingClientRect();
        const place = document.querySelector(arguments[1])?.getBoundingClientRect();
        return Boolean(one && place && one.height > 0 && one.top >= place.top - 1 && one.bottom <= place.bottom + 1)""",
        selector, scroller)


def key_of(case):
    case.browser.see(".finder")
    return wait_for(lambda: "/" in case.browser.address.split("#/finder")[-1] and case.key(), "the key")


@case
def matches_are_marked_where_their_bytes_are(case):
    browser = case.open()
    browser.see(".card")
    expect(browser.run_async(script("marks")), [], "texts that were cut wrongly")


@case
def files_are_found_as_one_types(case):
    serve(case)
    browser = show(case)
    expect(is_field_focused(browser), True, "focus in the field")
    browser.see(".finder-preview .empty", "shown here")
    browser.type("mainsw")
    browser.see(".finder .counts", f"2 of {len(TREE) - 1} files")
    wait_for_chosen(browser, "Sources/App/Main.swift")
    wait_until_equal(lambda: "".join(marks(browser)).lower(), "mainsw", "what is marked")
    wait_until_equal(lambda: browser.texts(".found .name"), ["Main.swift", "MainView.swift"], "the names")
    # The best one's file, beside what was found.
    browser.see(".finder-preview h2", "Sources/App/Main.swift")
    browser.see(LINE, "App.main()")
    browser.see("h1", "Finder")
    expect(browser.visible("button", "Back"), [], "ways back")
    browser.press("ArrowDown")
    wait_for_chosen(browser, "Sources/App/Views/MainView.swift")
    browser.see(".finder-preview h2", "MainView.swift")
    browser.press("ArrowDown")
    wait_for_chosen(browser, "Sources/App/Views/MainView.swift")
    browser.press("ArrowUp", "ArrowUp")
    wait_for_chosen(browser, "Sources/App/Main.swift")
    # Bytes of UTF-8 aren't units of UTF-16.
    retype(browser, "übergröße.s")
    wait_for_chosen(browser, "Sources/App/Übergröße.swift")
    what = "what is marked behind letters of two bytes"
    wait_until_equal(lambda: "".join(marks(browser)), "Übergröße.s", what)
    browser.see(LINE, "let größe = 1")
    retype(browser, "img")
    wait_for_chosen(browser, "docs/<img src=x onerror=alert(1)>.md")
    browser.see(LINE, "<b>bold</b>")
    retype(browser, "nothing has this")
    browser.see(".found .empty", "No file matches.")
    browser.see_not(ROW)
    browser.see_not(LINE)
    expect(chosen(browser), None, "the chosen row")
    retype(browser, "binary")
    browser.see(".file-lines [role=status]")
    browser.see_not(LINE)


@case
def found_rows_are_walked_through_by_keyboard_and_mouse(case):
    serve(case)
    browser = show(case)
    browser.type("many/")
    browser.see(".finder .counts", "300 of")
    first = wait_for(lambda: chosen(browser), "the chosen row")
    browser.press("Control+End")
    last = wait_for(lambda: (now := chosen(browser)) != first and now, "the last row")
    wait_for(lambda: in_sight(browser, f"{ROW}[aria-selected=true]", ".found .virtual-list"), "the last row in sight")
    place = "return document.querySelector('.found [aria-selected=true]').ariaPosInSet"
    expect(browser.run(place), "300", "its place")
    browser.see(".finder-preview h2", last)
    browser.press("PageUp")
    wait_for(lambda: chosen(browser) not in (first, last), "a row further up")
    browser.press("Control+Home")
    wait_for_chosen(browser, first)
    browser.press("PageDown")
    wait_for(lambda: chosen(browser) != first, "a row further down")
    browser.press("Control+Home", "Control+n", "Control+n", "Control+p")
    second = browser.run("return document.querySelectorAll('.found [role=option]')[1].title")
    wait_for_chosen(browser, second)
    # The mouse chooses, and the field keeps the focus.
    third = browser.run("return document.querySelectorAll('.found [role=option]')[2].title")
    browser.click(ROW, third.rsplit("/", 1)[1])
    wait_for_chosen(browser, third)
    browser.see(".finder-preview h2", third)
    expect(is_field_focused(browser), True, "focus in the field")
    if browser.count(ROW) > 60:
        raise Failed(f"expected at most 60 rows in the document, seen {browser.count(ROW)}")
    # A new text begins at its best row.
    browser.press("Control+End")
    browser.type("7")
    top = "return document.querySelector('.found .virtual-list').scrollTop"
    wait_until_equal(lambda: [browser.run(place), browser.run(top)], ["1", 0], "the best row")


@case
def a_chosen_row_stays_chosen_when_files_come_above_it(case):
    folder = serve(case)
    browser = show(case)
    browser.type("main")
    wait_for_chosen(browser, "Sources/App/Main.swift")
    browser.press("ArrowDown")
    row = wait_for(lambda: (now := chosen(browser)) != "Sources/App/Main.swift" and now, "the second row")
    with open(os.path.join(folder, "main"), "w", encoding="utf-8") as file:
        file.write("main\n")
    wait_for(lambda: browser.visible(f"{ROW}[title=main]"), "a better file")
    expect(chosen(browser), row, "the chosen row")


@case
def lines_are_found_by_text_and_by_expression(case):
    serve(case)
    browser = show(case)
    browser.press("Alt+m")
    browser.see(".modes button[aria-pressed=true]", "Text")
    browser.see(".found .empty", "Lines come as you type.")
    browser.type("ein needle")
    browser.see(".finder .counts", "1 line in")
    wait_for_chosen(browser, "docs/café 𝒳.md:2")
    what = "what is marked behind letters of four bytes"
    wait_until_equal(lambda: marks(browser), ["ein needle"], what)
    words = "ein 𝒳 und ein needle 👩‍🚀 needle, docs/café 𝒳.md:2"
    expect(chosen(browser, "aria-label"), words, "how it is read")
    retype(browser, "needle")
    browser.see(".finder .counts", "2 lines in")
    found = "return [...document.querySelectorAll('.found [role=option]')].map((one) => one.title)"
    expect(sorted(browser.run(found)), ["docs/café 𝒳.md:2", "long.txt:4000"], "the lines, without a hidden file's")
    # They come in the order in which they are found.
    browser.see_not(".finder.is-stale")
    if chosen(browser) != "long.txt:4000":
        browser.press("ArrowDown")
    wait_for_chosen(browser, "long.txt:4000")
    # Of 5,000 lines, those around the one that was found.
    browser.see(f"{LINE}.is-found .line-text", "line 4000 needle")
    browser.see(".finder-preview h2", "long.txt:4000")
    wait_for(lambda: in_sight(browser, f"{LINE}.is-found", ".file-lines .virtual-list"), "the line in sight")
    if browser.count(LINE) > 120:
        raise Failed(f"expected at most 120 lines in the document, seen {browser.count(LINE)}")
    case.picture("finder-text")

    browser.click(".modes button", "Regex")
    retype(browser, "größe.*[0-9]")
    wait_for_chosen(browser, "Sources/App/Übergröße.swift:2")
    wait_until_equal(lambda: marks(browser), ["größe = 1"], "what is marked")
    browser.type("(")
    browser.see(".finder > .failure")
    browser.see_not(ROW)
    case.picture("finder-failed")
    browser.press("Backspace")
    browser.see_not(".finder > .failure")
    wait_for_chosen(browser, "Sources/App/Übergröße.swift:2")
    browser.press("Alt+m")
    browser.see(".modes button[aria-pressed=true]", "Files")


@case
def what_is_accepted_is_shown_alone_with_its_path_to_copy(case):
    folder = serve(case)
    browser = show(case)
    browser.click(".modes button", "Text")
    browser.see(".finder input").click()
    browser.type("line 4321")
    wait_for_chosen(browser, "long.txt:4321")
    browser.press("Enter")
    browser.see(".opened-file code", f"{folder}/long.txt")
    browser.see_not(".found")
    browser.see(f"{LINE}.is-found", "line 4321")
    browser.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    wait_until_equal(lambda: browser.focused, "Copy path", "the focus")
    browser.press("Enter")
    browser.see(".opened-file button", "Copied")
    copied = browser.run_async("navigator.clipboard.readText().then(arguments[0])")
    expect(copied, f"{folder}/long.txt", "what was copied")
    case.picture("finder-opened")
    browser.press("Escape")
    browser.see(ROW)
    browser.see_not(".opened-file")
    expect(is_field_focused(browser), True, "focus in the field")
    # What another view accepts is its own affair.
    other = case.new_client(case.finder_address)
    session = other.request("session/attach", key=key_of(case))["session"]
    other.request("view/event", session=session, event={"kind": "accept", "index": 0})
    other.request("view/event", session=session, event={"kind": "query", "text": "line 17"})
    browser.see(".finder .counts", "111 lines")
    browser.see_not(".opened-file")


@case
def all_views_of_a_session_search_the_same(case):
    serve(case)
    browser = show(case)
    other = case.new_client(case.finder_address)
    session = other.request("session/attach", key=key_of(case))["session"]

    def send(**event):
        other.request("view/event", session=session, event=event)

    send(kind="query", text="café")
    wait_until_equal(lambda: browser.see(".finder input").property("value"), "café", "the text")
    wait_for_chosen(browser, "docs/café 𝒳.md")
    # The other one says what is looked at.
    browser.see_not(".finder-preview .pane")
    send(kind="mode", value="text")
    browser.see(".modes button[aria-pressed=true]", "Text")
    browser.see(ROW, "Café")
    send(kind="preview", index=0)
    browser.see(".finder-preview h2", "docs/café 𝒳.md:1")
    browser.press("End")
    browser.type("!")
    browser.see(".found .empty", "No line matches.")
    other.request("view/event", session=session, event={"kind": "mode", "value": "files"})
    said = [one["params"]["event"] for one in other.notifications if one["method"] == "viewModel/event"]
    queries = [(one["text"], one["mode"]) for one in said if one["kind"] == "query"]
    expect(queries[-2:], [("café!", "text"), ("café!", "files")], "what the other was told")
    # A reload shows the same again.
    browser.reload()
    wait_until_equal(lambda: browser.see(".finder input").property("value"), "café!", "the text after a reload")
    browser.see(".modes button[aria-pressed=true]", "Files")


@case
def fast_typing_over_a_slow_link_ends_with_the_rows_of_the_last_text(case):
    folder = serve(case)
    browser = show(case)
    case.relay.delay = 0.1
    browser.type("Sources/App/Main.swift")
    # Faster than rows come: the best row of all of it is meant.
    browser.press("Enter")
    browser.see(".opened-file code", f"{folder}/Sources/App/Main.swift")
    text = browser.run("return document.querySelector('.finder input').value")
    expect(text, "Sources/App/Main.swift", "the text")
    browser.press("Escape")
    browser.see(".finder .counts", "2 of")
    wait_for_chosen(browser, "Sources/App/Main.swift")
    browser.see_not(".finder.is-stale")
    expect(browser.texts(".notice"), [], "notices of what was superseded")


@case
def what_is_typed_while_the_connection_is_lost_is_searched_when_it_is_back(case):
    case.allowed = LOST
    serve(case)
    browser = show(case)
    browser.type("Main")
    browser.see(LINE, "App.main()")
    case.relay.cut()
    browser.see(".away-bar")
    browser.type("View")
    browser.see(".away-bar", "1 action waits")
    case.picture("finder-away")
    case.relay.open()
    browser.see_not(".away-bar")
    wait_for_chosen(browser, "Sources/App/Views/MainView.swift")
    expect(browser.see(".finder input").property("value"), "MainView", "the text")
    browser.see(".finder-preview h2", "MainView.swift")


@case
def the_generic_view_of_the_finder_has_the_preview_on_top(case):
    serve(case)
    browser = show(case)
    browser.type("MainView")
    browser.see(".finder-preview h2", "MainView.swift")
    browser.click("button", "Generic view")
    browser.see(".pane[data-view-model=finderPreview] [data-list=lines]", "struct MainView {}")
    browser.see_not(".pane[data-view-model=finder]")
    browser.click("button", "Generic view")
    browser.see(".finder-preview h2", "MainView.swift")
    browser.see(LINE, "struct MainView {}")
    browser.click("button", "Generic view")
    browser.click("button", "Back")
    browser.see(".pane[data-view-model=finder] [data-list=results]", "MainView.swift")
    browser.click("button", "Generic view")
    browser.see(ROW, "MainView.swift")
    browser.see_not(".finder-preview .pane")


@case
def the_palette_opens_over_any_page_and_is_kept(case):
    folder = serve(case)
    browser = case.open("#/counter")
    browser.click("form.opening button", "Open")
    browser.see("button[aria-label=Increase]").click()
    browser.see(".big-number", "1")
    browser.run("document.querySelector('[aria-label=Increase]').focus()")
    browser.press("Control+k")
    browser.see("dialog.palette:modal .finder")
    browser.see(".finder .counts", f"{len(TREE) - 1} files")
    expect(is_field_focused(browser), True, "focus in the field")
    browser.type("mainview")
    wait_for_chosen(browser, "Sources/App/Views/MainView.swift")
    browser.see(LINE, "struct MainView {}")
    case.picture("palette")
    browser.press("Enter")
    browser.see(".opened-file code", f"{folder}/Sources/App/Views/MainView.swift")
    browser.press("Escape")
    browser.see(ROW, "MainView.swift")
    browser.press("Escape")
    browser.see_not("dialog.palette")
    expect(browser.focused, "+", "the focus after it")
    # Escape meant the palette alone.
    browser.see(".big-number", "1")
    address = browser.run("return document.querySelector('.palette header a').href")
    browser.press("Control+k")
    browser.see(".finder .counts", f"{len(TREE) - 1} files")
    expect(browser.see(".finder input").property("value"), "", "the text")
    browser.see_not(".finder-preview .pane")
    expect(browser.run("return document.querySelector('.palette header a').href"), address, "its session")
    browser.press("Control+k")
    browser.see_not("dialog.palette")
    # Its session can be had as a page, where the key leads to its field.
    browser.click("#finder-button")
    browser.type("café")
    browser.see(LINE, "# Café")
    browser.click(".palette header a", "Show as a page")
    browser.see("main .finder")
    browser.see_not("dialog.palette")
    browser.run("document.activeElement.blur()")
    browser.press("Control+k")
    expect(is_field_focused(browser, "main .finder input"), True, "focus in the page's field")
    browser.see_not("dialog.palette")


@case
def the_palette_begins_anew_in_a_session_in_which_another_client_has_searched(case):
    serve(case)
    other = case.new_client(case.finder_address)
    session = other.request("session/open", viewModel="finder")["session"]

    def search(text, mode):
        other.request("view/event", session=session, event={"kind": "mode", "value": mode})
        other.request("view/event", session=session, event={"kind": "query", "text": text})

    search("e", "text")
    browser = case.open()
    browser.see(".card")
    for text, mode in (("needle", "regex"), ("e", "text")):
        browser.press("Control+k")
        browser.see(".finder .counts", f"{len(TREE) - 1} files")
        wait_until_equal(lambda: browser.see(".finder input").property("value"), "", "the text")
        browser.see(".modes [aria-pressed=true]", "Files")
        browser.type("view")
        wait_for_chosen(browser, "Sources/App/Views/MainView.swift")
        browser.press("Escape")
        browser.see_not("dialog.palette")
        # What the page hears when it is open again would be searched there, too.
        search(text, mode)
        heard = "return document.querySelector('.finder input').value"
        wait_until_equal(lambda: browser.run(heard), text, "the text in the palette that is closed")
    # As a page it shows what is searched.
    show_found(case, "e", "Text")


def show_found(case, text, mode):
    """The session as a page, in which another client has searched."""
    browser = case.open("#/finder")
    browser.click("form.opening button", "Open")
    wait_until_equal(lambda: browser.see("main .finder input").property("value"), text, "the text")
    browser.see("main .modes [aria-pressed=true]", mode)
    browser.see("main .finder .counts", "lines in")


@case
def the_palette_leaves_views_below_it_alone(case):
    serve(case)
    case.load_orders(10)
    browser = case.browser
    browser.click(".row", "Order #3")
    browser.see("h1", "Details of Order #3")
    browser.press("Control+k")
    browser.see("dialog.palette .finder .counts", "files")
    browser.press("Escape")
    browser.see_not("dialog.palette")
    browser.see("h1", "Details of Order #3")
    browser.press("Control+k")
    browser.see("dialog.palette .finder .counts", "files")
    browser.back()
    browser.see_not("dialog.palette")
    browser.see("h1", "Orders")


@case
def a_palette_whose_session_is_gone_opens_another(case):
    case.allowed = LOST
    folder = serve(case)
    browser = case.open()
    browser.see(".card")
    browser.press("Control+k")
    browser.see(ROW)
    case.relay.cut()
    browser.see(".away-bar")
    case.relay.target = case.new_server(folder=folder).address
    case.relay.open()
    browser.see("dialog.palette .ended", "ended")
    browser.click("dialog.palette button", "Go back")
    browser.see_not("dialog.palette")
    browser.press("Control+k")
    browser.see(".finder .counts", f"{len(TREE) - 1} files")


@case
def a_server_without_the_finder_has_no_palette(case):
    serve(case)
    case.relay.replaced = (b'"type":"Examples.FinderView', b'"type":"Anothers.FinderView')
    browser = case.open()
    browser.see(".card[data-view-model=finder]")
    browser.press("Control+k")
    browser.see_not("dialog.palette")
    browser.see_not("#finder-button")


@case
def the_finder_is_readable_light_and_dark_and_fits_a_narrow_screen(case):
    serve(case)
    browser = show(case)

    def look(name):
        for scheme in ("light", "dark"):
            browser.media(color_scheme=scheme, reduced_motion="reduce")
            browser.size(1100, 800)
            expect(browser.run(script("contrasts")), [], f"text of too little contrast on {name}, {scheme}")
            case.picture(f"{name}-{scheme}")
        expect(browser.run(script("names")), [], f"controls without a name on {name}")
        browser.size(320, 640)
        expect(browser.run(script("overflow")), [], f"what is too wide for 320 pixels on {name}")
        case.picture(f"{name}-narrow")
        browser.size(1100, 800)

    browser.type("main")
    wait_for_chosen(browser, "Sources/App/Main.swift")
    browser.see(LINE, "App.main()")
    look("finder")
    browser.click(".modes button", "Text")
    retype(browser, "e")
    browser.see(f"{LINE}.is-found")
    look("finder-lines")
    browser.press("Enter")
    browser.see(".opened-file")
    look("finder-opened")
    case.open("#/")
    browser.see(".card")
    browser.press("Control+k")
    browser.see(".finder .counts", "files")
    browser.type("view")
    wait_for_chosen(browser, "Sources/App/Views/MainView.swift")
    browser.see(LINE, "struct MainView {}")
    look("palette")
