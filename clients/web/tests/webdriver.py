"""As much of a WebDriver client (W3C) as these tests need: Chromium through chromedriver, with nothing but HTTP."""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Space": " ", "Home": "\ue011", "End": "\ue010",
    "PageUp": "\ue00e", "PageDown": "\ue00f", "ArrowUp": "\ue013", "ArrowDown": "\ue015", "Shift": "\ue008",
    "Backspace": "\ue003", "Control": "\ue009", "Alt": "\ue00a",
}


# Seconds after which something is taken to hang. Nothing that works comes near, however busy the machine is.
PATIENCE = 120.0


class Failed(Exception):
    """A check failed: what was expected and what was seen."""


def wait_for(condition, what):
    """Asks until the condition gives something true, and returns that."""
    deadline = time.monotonic() + PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failed(f"{what}: not within {PATIENCE} s; last seen: {value!r}")
        time.sleep(0.03)


def wait_until_equal(look, expected, what):
    """Looks until it sees what is expected: pages and servers act later than they are asked to."""
    deadline = time.monotonic() + PATIENCE
    while (seen := look()) != expected:
        if time.monotonic() > deadline:
            raise Failed(f"{what}: expected {expected!r}, seen {seen!r} after {PATIENCE} s")
        time.sleep(0.03)


# As root, Chromium takes the processors from everything that runs beside it: it gives its threads a nice value of -8.
AS_A_USER = (
    ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"]
    if os.geteuid() == 0 and shutil.which("setpriv")
    else []
)


class Driver:
    """chromedriver, which starts the browsers; they end with it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="web-tests-")
        self.log = open(os.path.join(self.folder, "chromedriver.log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [*AS_A_USER, shutil.which("chromedriver"), "--port=0"],
            stdout=self.log, stderr=subprocess.STDOUT, env={**os.environ, "HOME": self.folder, "TMPDIR": self.folder},
            # A group of its own, with the browsers in it, that can be ended as a whole.
            start_new_session=True,
        )
        self.browsers = []
        self.port = wait_for(self._port, "chromedriver says its port")

    def _port(self):
        if self.process.poll() is not None:
            raise Failed(f"chromedriver ended with status {self.process.returncode}")
        with open(self.log.name, encoding="utf-8") as log:
            for line in log:
                if "started successfully on port" in line:
                    return int(line.strip().rstrip(".").rsplit(" ", 1)[1])
        return None

    def call(self, method, path, body=None):
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method)
        request.add_header("Content-Type", "application/json; charset=utf-8")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise WebDriverError(value["error"], value["message"].split("\n")[0]) from None

    def browser(self, **options):
        browser = Browser(self, **options)
        self.browsers.append(browser)
        return browser

    def close(self):
        for browser in self.browsers:
            try:
                browser.quit()
            except (WebDriverError, OSError):
                pass
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        self.kill()

    def kill(self):
        """Ends it at once, with all browsers."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class WebDriverError(Exception):
    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Browser:
    """One browser with a profile of its own. Its console is read by `problems`."""

    def __init__(self, driver, width=1100, height=800):
        self.driver = driver
        arguments = [
            "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars=false",
            f"--window-size={width},{height}", "--disable-background-networking", "--no-first-run",
        ]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        answer = driver.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}})
        self.path = f"/session/{answer['sessionId']}"
        self.call("POST", "/timeouts", {"script": int(PATIENCE * 900)})
        self.is_open = True

    def call(self, method, path, body=None):
        return self.driver.call(method, self.path + path, body)

    def quit(self):
        if self.is_open:
            self.is_open = False
            self.call("DELETE", "")

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    # Pages

    def go(self, address):
        self.call("POST", "/url", {"url": address})

    @property
    def address(self):
        return self.call("GET", "/url")

    @property
    def title(self):
        return self.call("GET", "/title")

    def back(self):
        self.call("POST", "/back")

    def forward(self):
        self.call("POST", "/forward")

    def reload(self):
        self.call("POST", "/refresh")

    @property
    def tabs(self):
        return self.call("GET", "/window/handles")

    @property
    def tab(self):
        return self.call("GET", "/window")

    def new_tab(self):
        return self.call("POST", "/window/new", {"type": "tab"})["handle"]

    def switch(self, tab):
        self.call("POST", "/window", {"handle": tab})

    def close_tab(self):
        self.call("DELETE", "/window")

    def size(self, width, height):
        """Of what the page sees, however narrow: windows have a least width."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", **screen)

    def media(self, color_scheme="light", reduced_motion="no-preference"):
        wishes = {"prefers-color-scheme": color_scheme, "prefers-reduced-motion": reduced_motion}
        features = [{"name": name, "value": value} for name, value in wishes.items()]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def problems(self):
        """The console's messages since the last call: errors, and what the Content-Security-Policy forbade."""
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    # Elements

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def visible(self, selector, text=None):
        """Those that the user can see, and whose text holds what is asked for."""
        found = self.run("""
            const [selector, text] = arguments;
            return [...document.querySelectorAll(selector)].filter((element) =>
              element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
                && element.getClientRects().length > 0 && (text === null || element.innerText.includes(text)))""",
            selector, text)
        return [Element(self, one[ELEMENT]) for one in found]

    def texts(self, selector):
        """The texts of those that the user can see."""
        return self.run("""
            return [...document.querySelectorAll(arguments[0])].filter((element) =>
              element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
                && element.getClientRects().length > 0).map((element) => element.innerText)""", selector)

    def see(self, selector, text=None):
        """Waits until the user can see it."""
        what = f"{selector}" + (f" with {text!r}" if text is not None else "") + " on screen"
        try:
            return wait_for(lambda: self.visible(selector, text), what)[0]
        except Failed as failure:
            raise Failed(f"{failure}; the page shows: {self.text[:600]!r}") from None

    def see_not(self, selector, text=None):
        wait_for(lambda: not self.visible(selector, text), f"{selector} {text or ''} off the screen")

    def click(self, selector, text=None):
        """Waits until it can be clicked, and does so; what is replaced meanwhile is looked for again."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self.see(selector, text).click()
            except WebDriverError as error:
                passing = "stale element reference", "element click intercepted", "element not interactable"
                if error.kind not in passing or time.monotonic() > deadline:
                    raise

    @property
    def text(self):
        return self.run("return document.body.innerText")

    @property
    def focused(self):
        """The text, or else the label, of what has the focus."""
        return self.run("""const e = document.activeElement;
            return e === document.body
              ? "" : e.innerText || e.labels?.[0]?.innerText || e.getAttribute("aria-label") || e.tagName""")

    def press(self, *keys):
        """Presses and releases each, wherever the focus is; "Shift+Tab" holds the first."""
        actions = []
        for key in keys:
            parts = [KEYS.get(part, part) for part in (key.split("+") if len(key) > 1 else [key])]
            actions += [{"type": "keyDown", "value": part} for part in parts]
            actions += [{"type": "keyUp", "value": part} for part in reversed(parts)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def type(self, text):
        self.press(*text)


class Element:
    def __init__(self, browser, id):
        self.browser = browser
        self.path = f"/element/{id}"
        self.reference = {ELEMENT: id}

    def call(self, method, path, body=None):
        return self.browser.call(method, self.path + path, body)

    def click(self):
        # As a user would, from below what stays at the top of the page.
        self.browser.run("arguments[0].scrollIntoView({ block: 'nearest', behavior: 'instant' })", self.reference)
        self.call("POST", "/click")

    def type(self, text):
        self.call("POST", "/value", {"text": text})

    def clear(self):
        self.call("POST", "/clear")

    @property
    def text(self):
        return self.call("GET", "/text")

    def property(self, name):
        return self.call("GET", f"/property/{name}")

    def attribute(self, name):
        return self.browser.run("return arguments[0].getAttribute(arguments[1])", self.reference, name)
