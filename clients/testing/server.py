"""A server of the test's own, to be ended as the test likes."""

import glob
import os
import signal
import subprocess
import time


def stop(pid):
    """Stops a process. One of its threads takes the signal, and the others run until it has: so each is looked at."""
    os.kill(pid, signal.SIGSTOP)
    deadline = time.monotonic() + 60
    while not all(state(path) == "T" for path in glob.glob(f"/proc/{pid}/task/*/stat")):
        if time.monotonic() > deadline:
            raise RuntimeError(f"{pid} doesn't stop")
        time.sleep(0.001)


def state(path):
    with open(path) as file:
        return file.read().rpartition(") ")[2][0]


class Server:
    """Runs the executable with `arguments`; `address` is where it listens."""

    def __init__(self, executable, *arguments, token=None):
        environment = {name: value for name, value in os.environ.items() if name != "VIEW_MODEL_SERVER_TOKEN"}
        if token:
            environment["VIEW_MODEL_SERVER_TOKEN"] = token
        self.process = subprocess.Popen(
            [executable, *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        self.address = self._address()

    def _address(self):
        for line in self.process.stderr:
            if "listening on " in line:
                return line.split("listening on ")[1].split()[0]
        raise RuntimeError("the server ended before it listened")

    def end(self):
        """Ends it, and waits for that."""
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()


class StoreFile:
    """A store's file, with what SQLite has beside it."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "store.db")

    def move(self, source="", target=".away"):
        """Moves it away."""
        for beside in ("", "-wal", "-shm"):
            os.rename(self.path + source + beside, self.path + target + beside)

    def move_back(self):
        """Moves it to where it was."""
        self.move(".away", "")
