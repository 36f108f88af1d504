"""A server that says what a test wants to see shown, and notes what it is sent."""

import json
import socket
import threading


class Fake:
    """Hosts view models with one `description`; `events` has what each says to a view that attaches, by its name.

    `types` has the types that it tells; an older server tells none. `scopes` has the scopes that it tells. `lists` has the
    rows of each list, by its name.
    """

    def __init__(self, description, events, types=None):
        self.description, self.events = description, events
        self.types = types or {}
        self.scopes = {}
        self.lists = {}
        self.received = []  # the views' events, each with its session
        self.numbers = []  # of these events
        self.methods = []  # of all messages
        self.opened = []  # the arguments of each open
        self.attached = []  # the parameters of each attach
        self.epoch, self.snapshot = None, None  # in the answers to these; in those to attach
        self.handled = None  # in the answers to attach
        self.found = {}  # in the answers to open, where that finds a session
        self.errors = []  # what the next events of views are answered
        self.durable = False  # whether it says that it has a store
        self.stall = None  # why its store can't be used, as pings are answered
        self.refusals = {}  # what all requests of a method are answered
        self.held, self.kept = None, []  # a method that isn't answered, and its requests
        self.names = {}  # of the view models, by their keys
        self.gone = set()  # the keys of sessions that have ended
        self.last_session = 0
        self.sequence = {}  # the number of the newest notification of each session
        self.stream = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        """Ends it."""
        for end in filter(None, (self.listener, self.stream)):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.listener.close()

    def hold(self, method):
        """Doesn't answer the requests of a method."""
        self.held = method

    def release(self):
        """Answers the requests that were held."""
        self.held, kept, self.kept = None, self.kept, []
        for message in kept:
            self._take(message)

    def tell(self, method, session, skipped=0, **params):
        """Sends the next notification of a session; the client doesn't see those that are skipped."""
        self.sequence[session] += 1 + skipped
        self._write({"method": method, "params": dict(params, session=session, seq=self.sequence[session])})

    def show(self, method, session, name):
        """Pushes or presents a view model over a session."""
        key = f"key-{len(self.names)}"
        self.names[key] = name
        self.tell(method, session, viewModel=name, key=key)
        return key

    def _serve(self):
        try:
            self.stream, _ = self.listener.accept()
            self._read()
        except OSError:
            pass

    def _read(self):
        reader = self.stream.makefile("rb")
        while True:
            length = 0
            for line in iter(reader.readline, b"\r\n"):
                if not line:
                    return
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self._take(json.loads(reader.read(length)))

    def _take(self, message):
        if "method" in message:
            self.methods.append(message["method"])
        if "id" not in message:
            return
        if message["method"] == self.held:
            self.kept.append(message)
            return
        if message["method"] in self.refusals:
            self._write({"id": message["id"], "error": self.refusals[message["method"]]})
            return
        params = message.get("params") or {}
        result, events, session = None, [], None
        if message["method"] == "initialize":
            names = [{"name": name, **self._about(name)} for name in self.events]
            capabilities = {"viewModels": names, **({"durable": True} if self.durable else {})}
            result = {"protocolVersion": "1.1", "serverInfo": {"name": "fake"}, "capabilities": capabilities}
        elif params.get("key") in self.gone:
            self._write({"id": message["id"], "error": {"code": -32012, "message": "there is no such session"}})
            return
        elif message["method"] in ("session/open", "session/attach"):
            name = params.get("viewModel") or self.names[params["key"]]
            self.last_session += 1
            if message["method"] == "session/open":
                self.opened.append(params.get("arguments"))
                self.names["key-root"] = name
            else:
                self.attached.append(params)
            session, events = self.last_session, self.events[name]
            self.sequence[session] = 0
            result = {"session": session, "key": params.get("key", "key-root"), "viewModel": name, "seq": 0}
            if "viewModel" in params and name in self.scopes:
                result.update({"isNew": not self.found}, **self.found)
                self.sequence[session] = result["seq"]
                events = [] if self.found else events
            if self.epoch:
                result["epoch"] = self.epoch
            if self.snapshot and "key" in params:
                result["snapshot"] = self.snapshot
            if self.handled is not None and "key" in params:
                result["handled"] = self.handled
        elif message["method"] == "viewModel/describe":
            result = dict(self.description, name=params["viewModel"])
        elif message["method"] == "ping":
            result = self.stall and {"storeUnavailable": self.stall}
        elif message["method"] == "session/rows":
            result = self._rows(params)
        elif message["method"] == "view/event":
            self.received.append((params["session"], params["event"]))
            self.numbers.append(params.get("number"))
            if self.errors:
                self._write({"id": message["id"], "error": self.errors.pop(0)})
                return
            result = {"seq": self.sequence[params["session"]]}
        self._write({"id": message["id"], "result": result})
        for event in events:
            self.tell("viewModel/event", session, event=event)

    def _rows(self, params):
        rows = self.lists[params["list"]]
        first = min(params["first"], len(rows))
        return {"seq": self.sequence[params["session"]], "count": len(rows), "first": first,
                "rows": rows[first:first + params["count"]]}

    def _about(self, name):
        return {what: told[name] for what, told in (("type", self.types), ("scope", self.scopes)) if name in told}

    def _write(self, message):
        text = json.dumps(dict(jsonrpc="2.0", **message)).encode()
        self.stream.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
