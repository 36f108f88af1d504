"""The page in headless Chromium as a client for `run`: a browser for each client, whose user clicks on a counter.

Orders and answers are those of `client.py`. Needs chromium and chromedriver.
"""
import json
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../clients/web/tests"))
from webdriver import Driver, wait_for  # noqa: E402

# Keeps what comes over the wire, whatever the page makes of it.
RECORDER = """
const wire = [];
window.takeWire = () => wire.splice(0);
window.WebSocket = class extends WebSocket {
  constructor(...words) {
    super(...words);
    this.addEventListener("message", ({ data }) => wire.push(data));
  }
};
"""

# Its arguments are optional.
OPEN = """
const open = [...document.querySelectorAll("button")].find((button) => button.textContent === "Open");
open?.click();
return open !== undefined;
"""


class Member:
    def __init__(self, driver, order):
        self.number, self.place = order["client"], order["webSocket"].replace("ws://", "http://").removesuffix("ws")
        self.seen, self.last, self.sent, self.strange, self.key = {}, 0, 0, [], None
        self.longest, self.longest_at = 0.0, 0.0
        self.browser = driver.browser()

    def begin(self):
        self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=RECORDER)
        self.browser.go(self.place + "#/counter")
        wait_for(lambda: self.browser.run(OPEN), "the page offers a counter")
        wait_for(lambda: self.shown() == 0, "the page shows the count")
        wait_for(self.take, "the session's key came")
        self.say(key=self.key)

    def shown(self):
        words = self.browser.run("return document.querySelector('.big-number')?.textContent ?? ''")
        return int(words.replace(",", "")) if words[:1].isdigit() else None

    def take(self):
        """Reads what has come, and returns the session's key."""
        for text in self.browser.run("return window.takeWire()"):
            for message in (lambda value: value if isinstance(value, list) else [value])(json.loads(text)):
                if isinstance(message.get("result"), dict) and "key" in message["result"]:
                    self.key = self.key or message["result"]["key"]
                if message.get("method") == "viewModel/event":
                    self.took(message["params"])
        return self.key

    def took(self, params):
        number, after = params["seq"], params.get("after", params["seq"] - 1)
        if number <= self.last:
            self.strange.append(f"twice: number {number} came behind {self.last}")
        elif after != self.last:
            self.strange.append(f"order: number {number} came after {after}, and the newest was {self.last}")
        self.last = number
        self.seen[number] = params["event"]

    def work(self, pause):
        while not ends.wait(random.uniform(0, 2 * pause)):
            clicks = random.choice([1, 1, 1, 3])
            begin = time.time()
            self.browser.run(
                "for (let n = 0; n < arguments[0]; n++) document.querySelector('[aria-label=Increase]').click()", clicks)
            self.sent += clicks
            wait_for(lambda: self.shown() == self.sent, f"the count is {self.sent}; {self.words()}")
            if time.time() - begin > self.longest:
                self.longest, self.longest_at = time.time() - begin, begin
            self.take()
        self.say(seq=self.last)

    def words(self):
        return self.browser.run("return document.body.innerText").replace("\n", " | ")[:500]

    def report(self, newest):
        wait_for(lambda: self.take() and self.last >= newest, f"number {newest} came")
        if self.shown() != self.sent:
            self.strange.append(f"lost: {self.sent} clicks, and the page shows {self.shown()}")
        self.say(sent=self.sent, seen=self.seen, strange=self.strange, longest=self.longest, longestAt=self.longest_at)

    def say(self, **words):
        with printing:
            print(json.dumps({"client": self.number, **words}), flush=True)


def follow(driver):
    members, threads = [], []
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "open":
            members.append(Member(driver, order))
            members[-1].begin()
        elif order["do"] == "work":
            threads = [threading.Thread(target=guarded, args=(member.work, order["pause"])) for member in members]
            for thread in threads:
                thread.start()
        elif order["do"] == "rest":
            ends.set()
            for thread in threads:
                thread.join()
        else:
            for member in members:
                member.report(order["newest"].get(str(member.number), 0))


def guarded(call, *arguments):
    """A mistake of one client is the end of all."""
    try:
        call(*arguments)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        driver.kill()
        os._exit(1)


ends, printing, driver = threading.Event(), threading.Lock(), Driver()
random.seed(os.environ.get("SEED"))
try:
    guarded(follow, driver)
finally:
    driver.close()
