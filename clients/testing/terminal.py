"""A program in a terminal, for tests that press keys and read the screen: tmux is the terminal."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time


class Failure(Exception):
    """Something wasn't as it should be."""


# Seconds after which something is taken to hang.
PATIENCE = 120


def wait(what, is_so, describe=lambda: ""):
    """Returns what is_so() returns as soon as that is true; a Failure that says what was seen if it never is."""
    deadline = time.monotonic() + PATIENCE
    # To look at a screen starts a program: with many that wait, the machine would do nothing else.
    pause = 0.02
    while True:
        seen = is_so()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise Failure(f"expected: {what}\nseen:\n{describe()}")
        time.sleep(pause)
        pause = min(0.3, pause * 1.2)


def style_of(text, captured):
    """The colours and other styles at the end of a text, in what tmux says of the screen; None without the text."""
    style, line = {}, ""
    for part in re.split(r"(\x1b\[[0-9;]*m|\n)", captured):
        if part == "\n":
            line = ""
        elif part.startswith("\x1b["):
            take_style(style, part[2:-1])
        elif part:
            line += part
            if text in line:
                return tuple(sorted(style.items()))
    return None


def take_style(style, codes):
    """Takes the numbers of an escape sequence into a dictionary of the styles in effect."""
    numbers = [int(code or 0) for code in codes.split(";")]
    for index, number in enumerate(numbers):
        if number in (38, 48):
            # Those that follow say which of 256 or of all colours.
            style[number] = tuple(numbers[index:])
            return
        if number == 0:
            style.clear()
        elif number in (39, 49):
            style.pop(number - 1, None)
        elif number // 10 in (3, 4, 9, 10):
            style[48 if number // 10 in (4, 10) else 38] = (number,)
        else:
            style[number] = (number,)


class Terminal:
    """Runs a command in a terminal of its own, with an empty home. One that `stays` says when the command has ended."""

    def __init__(self, command, home, columns=140, rows=30, stays=False):
        self.folder = tempfile.mkdtemp(prefix="terminal-")
        self.tmux = ["tmux", "-u", "-f", "/dev/null", "-S", os.path.join(self.folder, "tmux")]
        own = ("TMUX", "XDG_", "VIM")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        environment.update(HOME=home, LANG="C.UTF-8", LC_ALL="C.UTF-8", TERM="screen-256color", SHELL="/bin/sh")
        started = ["new-session", "-d", "-x", str(columns), "-y", str(rows),
                   f"{command}; echo the editor has ended; exec cat" if stays else "exec " + command]
        # A lone escape is that key, and not the beginning of another.
        subprocess.run(self.tmux + started + [";", "set", "-g", "escape-time", "0"], env=environment, check=True)

    def press(self, *keys):
        """Presses keys by their names in tmux: "Enter", "q", "C-c"."""
        self._run("send-keys", *keys)

    def type(self, text):
        """Types characters."""
        self._run("send-keys", "-l", text)

    def screen(self):
        """The screen's text, its lines without blanks at their ends."""
        seen = self._run("capture-pane", "-p", check=False).stdout
        return "\n".join(line.rstrip() for line in seen.split("\n"))

    def is_coloured(self, text):
        """Whether the line with this text on it has a colour or another style anywhere."""
        styled = self._run("capture-pane", "-p", "-e").stdout.split("\n")
        plain = self._run("capture-pane", "-p").stdout.split("\n")
        return any("\x1b[" in one for one, other in zip(styled, plain) if text in other)

    def style(self, text):
        """The colours and other styles at the end of this text, or None where it isn't on the screen."""
        return style_of(text, self._run("capture-pane", "-p", "-e").stdout)

    def process(self):
        """The id of the process in the terminal."""
        return int(self._run("display-message", "-p", "#{pane_pid}").stdout)

    def shows(self, *texts):
        """Waits until all these are on the screen at once."""
        def is_so():
            seen = self.screen()
            return all(text in seen for text in texts)
        wait("on the screen: " + ", ".join(map(repr, texts)), is_so, self.screen)

    def shows_line(self, *lines):
        """Waits until each of these is a line of its own."""
        def is_so():
            seen = [line.strip() for line in self.screen().split("\n")]
            return all(line in seen for line in lines)
        wait("lines on the screen: " + ", ".join(map(repr, lines)), is_so, self.screen)

    def shows_no(self, text):
        """Waits until this isn't on the screen."""
        wait(f"not on the screen: {text!r}", lambda: text not in self.screen(), self.screen)

    def shows_no_line(self, line):
        """Waits until this isn't a line of its own."""
        is_so = lambda: all(seen.strip() != line for seen in self.screen().split("\n"))
        wait(f"no line on the screen: {line!r}", is_so, self.screen)

    def ends(self):
        """Waits until the command has ended by itself."""
        alive = lambda: self._run("list-sessions", check=False).returncode == 0
        wait("the program ends", lambda: not alive(), self.screen)

    def close(self):
        """Ends the terminal and what runs in it."""
        pane = self._run("display-message", "-p", "#{pane_pid}", check=False).stdout.strip()
        self._run("kill-server", check=False)
        if pane:
            self._end_group(int(pane))
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def _end_group(group):
        """A Vim that gets a second hangup within its handler of the first waits for itself for ever."""
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            state = subprocess.run(["ps", "-o", "stat=", "-p", str(group)], text=True, capture_output=True).stdout.strip()
            if not state or state.startswith("Z"):
                return
            time.sleep(0.05)
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def _run(self, *arguments, check=True):
        return subprocess.run([*self.tmux, *arguments], check=check, text=True, capture_output=True)
