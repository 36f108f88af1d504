"""The page itself: its files, the gallery, the inspector, and how it looks."""

import os
import re
import urllib.request

from setting import case, expect, script
from webdriver import PATIENCE, Failed, wait_for, wait_until_equal


@case
def every_file_of_the_page_is_served_as_it_stands(case):
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    client = os.path.join(here, "../javascript")
    parts = [f"view-model-client/{name}" for name in os.listdir(os.path.join(client, "view-model-client"))]
    files = {name: os.path.join(client, name) for name in ["view-model-client.js", *parts]}
    for folder, folders, names in os.walk(here):
        folders[:] = [name for name in folders if name != "tests"]
        for name in names:
            if name.endswith((".html", ".css", ".js", ".svg")):
                path = os.path.join(folder, name)
                files[os.path.relpath(path, here)] = path
    kinds = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
    for name, path in files.items():
        with urllib.request.urlopen(case.relay.address + name, timeout=PATIENCE) as answer, open(path, "rb") as file:
            kind = answer.headers.get_content_type()
            expect(kind, kinds[os.path.splitext(name)[1]], f"the kind of {name}")
            if answer.read() != file.read():
                raise Failed(f"the server's {name} isn't the one that stands in clients: it must be built again")
            if "script-src 'self'" not in answer.headers["Content-Security-Policy"] and name == "index.html":
                raise Failed("expected a Content-Security-Policy")


@case
def all_modules_of_the_page_are_asked_for_at_once(case):
    def text(name):
        with urllib.request.urlopen(case.relay.address + name, timeout=PATIENCE) as answer:
            return answer.read().decode()

    imported, waiting = set(), ["app.js"]
    while waiting:
        name = waiting.pop()
        paths = re.findall(r'^(?:import|export) [^;]*?from ["\'](.+?)["\'];', text(name), re.MULTILINE)
        new = {os.path.normpath(os.path.join(os.path.dirname(name), path)) for path in paths} - imported
        imported |= new
        waiting += new
    preloaded = re.findall(r'rel="modulepreload" href="([^"]*)"', text("index.html"))
    expect(sorted(preloaded), sorted(imported), "modules")


@case
def the_gallery_shows_every_view_model_of_the_server(case):
    hosted = [one["name"] for one in case.new_client().initialized["capabilities"]["viewModels"]]
    browser = case.open()
    browser.see(".card")
    shown = "return [...document.querySelectorAll('.card')].map((card) => card.dataset.viewModel)"
    wait_until_equal(lambda: sorted(browser.run(shown)), sorted(hosted), "cards")
    silent = "return [...document.querySelectorAll('.card')].filter((card) => !card.querySelector('p')?.textContent).length"
    wait_until_equal(lambda: browser.run(silent), 0, "cards without a sentence")
    browser.see(".light", "Connected")
    browser.click(".card[data-view-model=hello] button", "Open")
    browser.see("h1", "Hello")
    browser.back()
    browser.see("h1", "View models")
    browser.see(".recent a", "Hello")


@case
def the_inspector_shows_both_directions_and_stays_small(case):
    browser = case.open()
    browser.click("#inspector-button")
    wait_until_equal(lambda: browser.focused, "Filter messages", "focus in the inspector")
    browser.click(".card[data-view-model=counter] button", "Open")
    browser.see(".messages .out", "session/open counter")
    browser.see(".messages .in", "viewModel/event count")
    browser.see(".inspector input").type("session/open")
    wait_for(lambda: len(browser.visible(".messages li")) == 1, "one message after filtering")
    browser.click(".messages summary")
    browser.see(".messages pre", '"viewModel": "counter"')
    browser.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.click(".messages button", "Copy")
    browser.see(".messages button", "Copied")
    browser.see(".inspector input").clear()
    browser.click(".inspector button", "Clear")
    browser.see(".inspector", "No messages yet.")
    browser.click(".inspector button", "Pause")
    browser.click("button[aria-label=Increase]")
    browser.see(".inspector header", "waiting")
    expect(browser.count(".messages li"), 0, "messages while it pauses")
    browser.click(".inspector button", "Go on")
    browser.see(".messages", "increment")
    # Far more than it keeps.
    browser.run("for (let count = 0; count < 300; count++) document.querySelector('[aria-label=Increase]').click()")
    browser.see(".big-number", "301")
    wait_for(lambda: 300 <= browser.count(".messages li") <= 400, "at most 400 messages")
    browser.click(".inspector button", "Close")
    wait_until_equal(lambda: browser.focused, "Inspector", "focus after closing the inspector")


@case
def the_inspector_marks_errors_and_shows_what_is_opened(case):
    # At a server of its own, where the list without a name is nobody else's.
    case.relay = case.new_relay(case.new_server().address)
    browser = case.open()
    browser.click("#inspector-button")
    browser.click(".card[data-view-model=todos] button", "Open")
    browser.see(".add input").type("  \n")
    browser.see(".messages .error", "error -32014 to view/event: a thing to do needs a title")
    expect(browser.texts(".messages .error .visually-hidden"), ["received an error"], "what assistive technology reads")
    for index in range(20):
        browser.see(".add input").type(f"{index}\n")
    # Nothing may come behind the one that is opened.
    answers = """
        const texts = [...document.querySelectorAll(".messages li")].map((item) => item.textContent);
        return texts.filter((text) => text.includes("answer to view/event")).length"""
    wait_for(lambda: browser.run(answers) == 20, "the answers")
    last = "[...document.querySelectorAll('.messages details')].at(-1)"
    browser.run(f"{last}.querySelector('summary').click()")
    inside = f"""
        const {{ bottom }} = {last}.querySelector("pre")?.getBoundingClientRect() ?? {{ bottom: Infinity }};
        return bottom <= document.querySelector(".inspector .scroller").getBoundingClientRect().bottom"""
    wait_for(lambda: browser.run(inside), "the opened message in sight")


@case
def the_inspector_waits_until_what_a_message_changed_is_painted(case):
    browser = case.open()
    browser.click("#inspector-button")
    browser.click(".card[data-view-model=counter] button", "Open")
    browser.see(".messages .in", "viewModel/event count")
    browser.see(".big-number", "0")
    # In the frame that shows a new number, the list of messages is as it was.
    added = browser.run_async("""
        const done = arguments[0];
        const added = [];
        const received = () => document.querySelectorAll(".messages .in").length;
        const frames = (count, then) =>
          requestAnimationFrame(() => setTimeout(count > 1 ? frames : then, 0, count - 1, then));
        const next = () => {
          if (added.length === 20) return done(added);
          const before = received();
          const observer = new MutationObserver(() => {
            observer.disconnect();
            requestAnimationFrame(() => {
              added.push(received() - before);
              // Until all is drawn.
              frames(5, next);
            });
          });
          const all = { childList: true, subtree: true, characterData: true };
          observer.observe(document.querySelector(".big-number"), all);
          document.querySelector("[aria-label=Increase]").click();
        };
        frames(5, next);""")
    # On a busy machine the answer to the event before may come as late as this.
    expect(sorted(added)[len(added) // 2], 0, "messages that were drawn before what they changed")
    browser.see(".messages", "increment")
    # Rows out of sight cost nothing.
    visibility = "return getComputedStyle(document.querySelector('.messages li')).contentVisibility"
    expect(browser.run(visibility), "auto", "content-visibility")


@case
def every_screen_is_readable_light_and_dark_and_fits_a_narrow_one(case):
    browser = case.open()

    def look(name):
        browser.run("document.activeElement.blur()")
        for scheme in ("light", "dark"):
            # Without transitions, in the midst of which colours are others.
            browser.media(color_scheme=scheme, reduced_motion="reduce")
            browser.size(1100, 800)
            pale = browser.run(script("contrasts"))
            expect(pale, [], f"text of too little contrast on {name}, {scheme}")
            if scheme == "dark":
                case.picture(f"{name}-dark")
            else:
                case.picture(name)
        unnamed = browser.run(script("names"))
        expect(unnamed, [], f"controls without a name on {name}")
        browser.media(reduced_motion="reduce")
        browser.size(320, 640)
        wide = browser.run(script("overflow"))
        expect(wide, [], f"what is too wide for 320 pixels on {name}")
        case.picture(f"{name}-narrow")
        browser.size(1100, 800)

    wait_for(lambda: browser.visible("a[aria-label='Open Orders with arguments']"), "the contracts")
    look("gallery")
    browser = case.open_orders(delay=0, count=1000000)
    look("orders-empty")
    browser.click("button", "Load orders")
    browser.see(".row", "Order #0")
    look("orders")
    browser.click("button", "Generic view")
    browser.see(".event-form")
    look("orders-generic")
    browser.click("button", "Generic view")
    browser.click(".row", "Order #1")
    browser.see("h1", "Details of Order #1")
    case.field("Note").type("Ring twice.")
    browser.see(".quiet-text", "Not saved yet")
    browser.click("button", "Back")
    browser.see(".notice")
    look("details")
    browser.click("button", "Save note")
    browser.click("button", "Cancel order…")
    browser.see("dialog:modal")
    look("confirm")
    browser.click("dialog button", "Cancel order")
    browser.see(".chip", "Cancelled")
    browser.click("#inspector-button")
    browser.see(".messages")
    look("inspector")
    browser.click(".inspector button", "Close")
    for name in ("counter", "todos", "stopwatch", "hello"):
        case.open(f"#/{name}")
        browser.see("form.opening")
        if name == "counter":
            look("opening")
        browser.click("form.opening button", "Open")
        browser.see(f".pane[data-view-model={name}]")
        look(name)
    case.open("#/orders/nothing")
    browser.see(".ended")
    look("gone")
