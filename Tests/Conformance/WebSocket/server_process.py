"""A server of this project, started for a test and ended with it."""

import os
import re
import signal
import subprocess
import tempfile
import threading


class Server:
    """Serves on a free port of 127.0.0.1 while the `with` block runs."""

    def __init__(self, executable, *options, token=None):
        self.executable, self.options, self.token = executable, options, token
        self.log, self.is_asked = [], False

    def __enter__(self):
        environment = {name: value for name, value in os.environ.items() if name != "VIEW_MODEL_SERVER_TOKEN"}
        if self.token:
            environment["VIEW_MODEL_SERVER_TOKEN"] = self.token
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [self.executable, "--tcp", "0", *self.options], env=environment, cwd=self.folder.name,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.port = self._port()
        self.host = "127.0.0.1"
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr))
        self.reader.start()
        return self

    def _port(self):
        """Waits until it listens wherever it was told to."""
        port, places = None, 1 + self.options.count("--unix")
        for line in self.process.stderr:
            self.log.append(line)
            if found := re.search(r"listening on 127\.0\.0\.1:(\d+)", line):
                port = int(found[1])
            places -= "listening on " in line
            if places == 0 and port:
                return port
        raise RuntimeError(f"{self.executable} ended with {self.process.wait()}: {''.join(self.log)}")

    def memory(self):
        """What the process holds, in bytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS"))

    def terminate(self):
        """Asks it to end in good order, once: a second signal would end it at once."""
        if self.is_asked:
            return
        self.is_asked = True
        self.process.send_signal(signal.SIGTERM)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.terminate()
        try:
            self.status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.status = self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        self.folder.cleanup()
