"""Shared by the cases: their list, and the setting of each."""

import os
import re
import secrets

from network import Client, Relay, Server
from webdriver import Failed, WebDriverError, wait_for

# In the order in which they are imported.
cases = []

HERE = os.path.dirname(os.path.abspath(__file__))

# The browser asks before the page is left.
ASKS = """const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented"""

# What the browser's console says where a test cuts connections.
LOST = ["WebSocket connection to", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE"]


def case(function):
    cases.append(function)
    return function


def script(name):
    """A script to run in the page: `page-NAME.js`."""
    with open(os.path.join(HERE, f"page-{name}.js"), encoding="utf-8") as file:
        return file.read()


def expect(seen, expected, what):
    if seen != expected:
        raise Failed(f"{what}: expected {expected!r}, seen {seen!r}")


class Case:
    """The setting of a test: the browser, on an origin of its own, and the server."""

    def __init__(self, browser, program, address, artifacts):
        self.browser = browser
        self.program = program
        host, port = address.rsplit(":", 1)
        self.server = (host, int(port))
        self.artifacts = artifacts
        self.closers = []
        self.allowed = []
        self.first_tab = browser.tab
        self.relay = self.new_relay(self.server)
        browser.problems()

    def new_relay(self, target):
        relay = Relay(target)
        self.closers.append(relay.cut)
        return relay

    def new_server(self, *options, folder=None):
        server = Server(self.program, *options, folder=folder)
        self.closers.append(server.close)
        return server

    def new_shop(self, *options):
        """A server with other view models under the names of examples, which is built beside the one that is tested."""
        program = os.path.join(os.path.dirname(self.program), "Shop")
        if not os.path.exists(program):
            raise Failed(f"{program} isn't there: 'swift build --product Shop' makes it")
        server = Server(program, *options)
        self.closers.append(server.close)
        return server

    def new_client(self, address=None):
        client = Client(address or self.server)
        self.closers.append(client.close)
        return client

    def open(self, route=""):
        self.browser.go(f"{self.relay.address}{route}")
        return self.browser

    def open_orders(self, **given):
        """Through the form of the arguments, as a user does."""
        browser = self.open("#/orders")
        browser.see("form.opening")
        for label, value in given.items():
            if isinstance(value, bool):
                self.field(label).type("Yes" if value else "No")
            else:
                self.field(label).type(str(value))
        browser.click("form.opening button", "Open")
        browser.see(".pane h1", "Orders")
        return browser

    def load_orders(self, count=100, **given):
        browser = self.open_orders(**{"delay": 0, "count": count, **given})
        browser.click("button", "Load orders")
        browser.see(".row", "Order #0")
        browser.see(".quiet-text", f"{count:,} orders")
        return browser

    def open_list(self):
        """A list of things to do that nobody else opens, as a person has one of each name."""
        browser = self.open("#/todos")
        self.field("Give list").click()
        self.field("List").type(f"of-{secrets.token_hex(6)}")
        browser.click("form.opening button", "Open")
        # The form has a field, too.
        browser.see(".pane h1", "Todos")
        return browser

    def field(self, label, inside=""):
        """The input whose label begins so."""
        def find():
            return self.browser.run("""
                const label = [...document.querySelectorAll(`${arguments[1]} label`)].find((one) =>
                  one.checkVisibility() && one.innerText.toLowerCase().startsWith(arguments[0].toLowerCase()));
                return label ? label.id ||= `label-${Math.random()}`.replace("0.", "") : null""", label, inside)
        labelled = wait_for(find, f"a field {label!r}")
        id = self.browser.run("return document.getElementById(arguments[0]).control.id", labelled)
        return self.browser.see(f"#{id}")

    def key(self):
        return re.search(r"#/[^/]+/([^/]+)$", self.browser.address).group(1)

    def picture(self, name):
        self.browser.screenshot(os.path.join(self.artifacts, f"{name}.png"))

    def expect_clean_console(self):
        """No error, and nothing that the policy of the page forbade, but for lost connections where a test cut them."""
        for tab in self.browser.tabs:
            self.browser.switch(tab)
            problems = [text for text in self.browser.problems() if not any(word in text for word in self.allowed)]
            expect(problems, [], "the browser's console")
        self.browser.switch(self.first_tab)

    def after_failure(self, name):
        try:
            self.picture(f"failed-{name}")
            shown, told = self.browser.text[:800], self.browser.problems()
            return [f"       the page shows: {shown!r}", f"       the console says: {told}"]
        except WebDriverError as error:
            return [f"       {error}"]

    def close(self):
        for tab in self.browser.tabs:
            self.browser.switch(tab)
            if tab != self.first_tab:
                self.browser.close_tab()
        self.browser.switch(self.first_tab)
        self.browser.devtools("Emulation.clearDeviceMetricsOverride")
        self.browser.media()
        self.browser.go("about:blank")
        for close in reversed(self.closers):
            try:
                close()
            except OSError:
                pass

