"""JSON-RPC over a WebSocket: one message of one is one message of the other."""

import json

from http_wire import Wrong
from frames import TEXT, frame
from wire import WebSocket


# The longest message that is taken, unless a server is told otherwise.
LIMIT = 16 << 20


def encoded(method, params=None, id=None):
    message = {"jsonrpc": "2.0", "method": method}
    if id is not None:
        message["id"] = id
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode()


class Client(WebSocket):
    """Upgraded and, unless told otherwise, initialized."""

    def __init__(self, server, initializes=True, patience=60.0, **options):
        super().__init__(server.host, server.port, patience)
        self.last_id = 0
        self.read_messages, self.read_count = [], 0
        self.answer_to_upgrade = self.upgrade(**options)
        if initializes:
            self.result("initialize")

    def next_id(self):
        self.last_id += 1
        return self.last_id

    def request(self, method, **params):
        """Asks, and gives the id to look for."""
        id = self.next_id()
        self.send(frame(TEXT, encoded(method, params, id)))
        return id

    def notify(self, method, **params):
        self.send(frame(TEXT, encoded(method, params)))

    def answer(self, id, seconds=None):
        """The answer to this id, which has to come in time."""
        return self.wait(lambda message: message.get("id") == id and "method" not in message, f"an answer to {id}", seconds)

    def result(self, method, **params):
        answer = self.answer(self.request(method, **params))
        if "result" not in answer:
            raise Wrong(f"{method} is answered {answer}")
        return answer["result"]

    def error(self, method, **params):
        answer = self.answer(self.request(method, **params))
        if "error" not in answer:
            raise Wrong(f"{method} is answered {answer}")
        return answer["error"]

    def event(self, seq, session=1):
        """The view model's event with this number."""
        message = self.wait(
            lambda one: one.get("method") == "viewModel/event" and one["params"]["seq"] == seq
            and one["params"]["session"] == session, f"event {seq}")
        return message["params"]["event"]

    def numbers(self, session=1):
        """The numbers of all events that came so far."""
        return [one["params"]["seq"] for one in self.all()
                if one.get("method") == "viewModel/event" and one["params"]["session"] == session]

    def all(self):
        """All that came, as JSON; everything else is wrong. What is there already isn't read again."""
        while self.read_count < len(self.messages):
            kind, payload = self.messages[self.read_count]
            self.read_count += 1
            if kind == "pong":
                continue
            message = json.loads(payload) if kind == "text" else None
            if not isinstance(message, (dict, list)):
                raise Wrong(f"a {kind} message came: {payload[:100]!r}")
            if b"\n" in payload or payload != payload.strip():
                raise Wrong(f"there is white space around a message: {payload[:100]!r}")
            self.read_messages.append(message)
        return self.read_messages

    def wait(self, condition, what, seconds=None):
        """The first message that came or comes for which the condition holds."""
        found, start = [], 0

        def look():
            nonlocal start
            messages = self.all()
            found.extend(message for message in messages[start:] if isinstance(message, dict) and condition(message))
            start = len(messages)
            return found

        if not self.read_until(look, seconds):
            raise Wrong(f"{what} didn't come; came {[payload[:200] for _, payload in self.messages][-4:]}, "
                        f"close {self.close_code}, end {self.ended}")
        self.expect_no_faults()
        return found[0]

    def expect_no_faults(self):
        if self.faults:
            raise Wrong("; ".join(self.faults))

    def expect_close(self, *codes):
        """The server closes with one of these codes, and ends the connection."""
        if not self.read_until(lambda: self.close_came or self.ended) or not self.close_came:
            raise Wrong(f"no close frame came, with {self.ended} of the connection and {self.messages[-2:]} before")
        if self.close_code not in codes:
            right = " or ".join(map(str, codes))
            raise Wrong(f"close code {self.close_code} ({self.close_reason}), where {right} is right")
        if not self.close_sent:
            self.send_close(self.close_code)
        if not self.read_until(lambda: self.ended):
            raise Wrong("the server left the TCP connection open")
        self.expect_no_faults()

    def close_well(self):
        self.send_close(1000)
        self.expect_close(1000)

    def pong(self, payload):
        if not self.read_until(lambda: ("pong", payload) in self.messages):
            raise Wrong(f"no pong with {payload}")
