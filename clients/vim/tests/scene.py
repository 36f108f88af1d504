"""A picker with known files to find."""

import contextlib
import pathlib
import threading
import time

import stories
from relay import Relay
from terminal import wait

FILES = {
    "README.md": "".join(f"line {number}\n" for number in range(1, 301)) + "the needle at the end\n",
    "docs/übersicht.md": "# Übersicht\nder needle Grüße needle\n",
    "src/app/main.swift": "import Foundation\n\nfunc main() {\n\tprint(\"a needle\")\n}\n",
    "src/app/model.swift": "struct Model {}\n",
    "src/lib.swift": "// nothing\n",
    "data.bin": "\0\1\2",
}


# What a server says on a machine that watches as many folders as it can.
NOTE = "Not all folders can be watched: files that come or go are seen at the next refresh or query."


class SlowRelay(Relay):
    """A relay that holds up all that passes: for a while, or until it is let go."""

    delay = 0.1

    def __init__(self, address):
        self.is_going = threading.Event()
        self.is_going.set()
        super().__init__(address)

    @contextlib.contextmanager
    def held(self):
        """What comes meanwhile passes after that."""
        self.is_going.clear()
        try:
            yield
        finally:
            self.is_going.set()

    def _write(self, sink, data, is_sliced):
        time.sleep(self.delay)
        self.is_going.wait()
        super()._write(sink, data, is_sliced)


class Scene:
    """A tree of files, a server in it, and an editor that reaches it by a relay."""

    def __init__(self, stage, relay=Relay, files=FILES, before=""):
        self.stage = stage
        self.tree = pathlib.Path(stage.folder, "tree")
        for name, text in files.items():
            self.write(name, text)
        self.address = self.serve("--tcp", "0")
        self.relay = relay(self.address)
        stage.closing.append(self.relay.close)
        address = f"let g:view_model = {{'address': '{self.relay.address}'}}\ncd {self.tree}\n"
        self.terminal = stage.start(settings=address + before)

    def write(self, name, text):
        """Writes a file of the tree."""
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def serve(self, *arguments):
        """Starts a server in the tree."""
        program = ["-c", 'cd "$0" && exec "$@"', str(self.tree), self.stage.editor.server, *arguments]
        self.server = stories.stage.Server("sh", *program)
        self.stage.closing.append(self.server.end)
        return self.server.address

    def find(self, text="", command="ViewModelFind"):
        """Opens the picker and types a text."""
        stories.command(self.terminal, f":{command}")
        self.terminal.shows("files text regex")
        if text:
            self.terminal.type(text)

    def press(self, *keys):
        """Presses keys."""
        self.terminal.press(*keys)

    def shows(self, *texts):
        """Waits until all of these are on the screen."""
        self.terminal.shows(*texts)

    def closes(self):
        """Waits until the picker is gone."""
        self.terminal.shows_no("files text regex")

    def results(self):
        """The rows on screen, the selected one with its mark."""
        inside = [line.split("│")[1].strip() for line in self.terminal.screen().split("\n") if "│" in line]
        return [row for row in inside[2:] if row and row not in NOTE]

    def has_results(self, *rows):
        """Waits until these are the rows on screen."""
        wait(f"the rows {rows}", lambda: self.results() == list(rows), self.terminal.screen)

    def events(self, *kinds):
        """The events of these kinds that the editor has sent."""
        sent = [message["params"]["event"] for message in self.relay.said() if message.get("method") == "view/event"]
        return [event for event in sent if event["kind"] in kinds]

    def count(self, method):
        """How many requests of a method the editor has sent."""
        return len([message for message in self.relay.said() if message.get("method") == method])

    def asks(self, expression, value):
        """Waits until a Vim expression has this value; no popup may have the keys."""
        told = pathlib.Path(self.stage.folder, "told")

        def is_so():
            told.unlink(missing_ok=True)
            stories.command(self.terminal, f":call writefile([string({expression})], '{told}')")
            time.sleep(0.05)
            return told.exists() and told.read_text().strip() == value

        wait(f"{expression} is {value}", is_so, self.terminal.screen)
