"""Two connections, one session: what one View does, the other sees. Python's standard library alone.

    python3 two_views.py ADDRESS ADDRESS

An ADDRESS is HOST:PORT, or the path of a Unix socket. The first connection frames its messages with headers, the second
one a line each. Prints what each of them (a and b) sees.
"""

import json
import socket
import sys


class HeaderFraming:
    def write(self, body):
        return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    def read(self, file):
        header = file.readline()
        if not header:
            return None
        name, length = header.split(b": ")
        assert name == b"Content-Length" and file.readline() == b"\r\n", header
        return file.read(int(length))


class LineFraming:
    def write(self, body):
        return body + b"\n"

    def read(self, file):
        return file.readline() or None


class Connection:
    """Sends and receives, one message after another."""

    def __init__(self, name, address, framing):
        self.name, self.framing, self.last_id = name, framing, 0
        is_path = "/" in address
        self.socket = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET)
        self.socket.settimeout(120)
        self.socket.connect(address if is_path else (address.rsplit(":")[0], int(address.rsplit(":")[1])))
        self.file = self.socket.makefile("rb")

    def send(self, message):
        self.socket.sendall(self.framing.write(json.dumps({"jsonrpc": "2.0", **message}).encode()))

    def receive(self):
        body = self.framing.read(self.file)
        return json.loads(body) if body else None

    def request(self, method, **params):
        """Sends a request and prints what comes, up to its answer; returns the result."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.last_id:
            self.show(message)
        if "error" in message:
            self.say(f"{method}: error {message['error']['code']}")
            return None
        return message["result"]

    def notify(self, method, **params):
        self.send({"method": method, "params": params})

    def next(self):
        """Waits for a notification and prints it."""
        self.show(self.receive())

    def show(self, message):
        params = message["params"]
        if message["method"] == "viewModel/event":
            event = params["event"]
            self.say(f"event {params['seq']}: {event['kind']} {event['value']}")
        else:
            self.say(f"{message['method']}: {params['reason']}")

    def say(self, text):
        print(f"{self.name} {text}", flush=True)


def main(first, second):
    a = Connection("a", first, HeaderFraming())
    b = Connection("b", second, LineFraming())
    for connection in (a, b):
        connection.say(f"speaks {connection.request('initialize')['protocolVersion']}")

    opened = a.request("session/open", viewModel="counter", arguments={"start": 5})
    a.next()
    attached = b.request("session/attach", key=opened["key"])
    b.say(f"joined {attached['viewModel']} at {attached['seq']}: {attached['snapshot']}")

    a.request("view/event", session=opened["session"], event={"kind": "increment", "by": 1})
    b.next()
    b.request("view/event", session=attached["session"], event={"kind": "increment", "by": -10})
    a.next()

    # Gone and back: what came meanwhile comes now, and nothing twice.
    b.request("session/detach", session=attached["session"])
    a.request("view/event", session=opened["session"], event={"kind": "reset"})
    back = b.request("session/attach", key=opened["key"], since=3)
    b.say(f"is back as view {back['session']}, {'with' if 'snapshot' in back else 'without'} a snapshot")
    b.next()

    b.request("session/attach", key="nobody's key")
    a.request("session/close", session=opened["session"])
    b.next()

    for connection in (a, b):
        connection.request("shutdown")
        connection.notify("exit")
        connection.say("disconnected" if connection.receive() is None else "still there")


main(*sys.argv[1:])
