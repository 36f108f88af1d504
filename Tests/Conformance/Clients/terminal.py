"""A terminal for tests: a shell in a tmux of its own. Python's standard library and tmux."""

import fcntl
import os
import struct
import subprocess
import termios
import time

PATIENCE = 120


class Failed(Exception):
    pass


def wait(condition, what, shown=lambda: ""):
    """Waits until a condition holds, and returns what it says."""
    deadline = time.monotonic() + PATIENCE
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise Failed(f"waited {PATIENCE} s for {what}; there is:\n{shown()}")
        time.sleep(0.02)


class Terminal:
    """A shell in a tmux of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.name = f"vms-{os.getpid()}"
        environment = {
            **os.environ, "TMUX_TMPDIR": folder, "XDG_STATE_HOME": f"{folder}/state", "ENV": "", "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
        }
        environment.pop("TMUX", None)
        self.environment = environment
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "env PS1='sh$ ' sh")

    def tmux(self, *arguments):
        return subprocess.run(
            ["tmux", "-u", "-L", self.name, *arguments], env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def end(self):
        self.tmux("kill-server")

    def lines(self):
        return self.tmux("capture-pane", "-p").rstrip("\n").split("\n")

    def see(self, condition, what):
        """Waits for a screen, given as its lines without empty ones at the end."""
        return wait(lambda: condition(self.lines()), what, lambda: "\n".join(self.lines()))

    def see_end(self, *expected):
        """Waits until these are the last lines."""
        self.see(lambda lines: lines[-len(expected):] == list(expected), f"{list(expected)} at the end")

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def key(self, *names):
        self.tmux("send-keys", *names)

    def enter(self, text):
        self.type(text)
        self.key("Enter")

    def resize(self, columns, rows=24):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
        # tmux shows it at once, and tells programs up to a quarter of a second later.
        with open(self.tmux("display-message", "-p", "#{pane_tty}").strip()) as tty:
            size = lambda: struct.unpack("HHHH", fcntl.ioctl(tty, termios.TIOCGWINSZ, bytes(8)))
            wait(lambda: size()[1] == columns, f"{columns} columns", lambda: str(size()))

    def cursor(self):
        return tuple(map(int, self.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()))

    def clear(self):
        """Leaves only the prompt on the screen."""
        self.key("C-l")
        self.see(lambda lines: len(lines) == 1, "a clear screen")

    def run(self, command, condition):
        """Runs a command that doesn't end at once, on a clear screen, and returns its process's number."""
        self.enter("clear")
        self.see(lambda lines: lines == ["sh$"], "a clear screen")
        self.enter(f"sh -c 'echo $$ > {self.folder}/pid; exec \"$0\" \"$@\"' {command}")
        self.see(condition, "a prompt")
        with open(f"{self.folder}/pid") as file:
            return int(file.read())

    def leave(self):
        self.key("C-d")
        self.see_end("sh$")

    def settings(self):
        """What the terminal is like, as the shell sees it."""
        path = f"{self.folder}/settings"
        self.enter(f"stty -g > {path}; echo > {path}.done")
        wait(lambda: os.path.exists(f"{path}.done"), "stty")
        os.remove(f"{path}.done")
        with open(path) as file:
            return file.read()
