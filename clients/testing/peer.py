"""Another client of the same server, with lines of JSON: what a second user does."""

import json
import socket

from terminal import PATIENCE


class Peer:
    """Connects to HOST:PORT, or to the path of a Unix socket, and initializes."""

    def __init__(self, address):
        if address.startswith("/"):
            self.stream = socket.socket(socket.AF_UNIX)
            self.stream.settimeout(PATIENCE)
            self.stream.connect(address)
        else:
            host, port = address.rsplit(":", 1)
            self.stream = socket.create_connection((host, int(port)), timeout=PATIENCE)
        self.lines = self.stream.makefile("r", encoding="utf-8")
        self.last_id = 0
        self.request("initialize")

    def request(self, method, **params):
        """Returns the result; an error is a KeyError that shows it."""
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.stream.sendall((json.dumps(message) + "\n").encode())
        while True:
            answer = json.loads(self.lines.readline())
            if answer.get("id") == self.last_id:
                if "result" not in answer:
                    raise KeyError(str(answer["error"]))
                return answer["result"]

    def close(self):
        """Goes without a word."""
        self.stream.close()
