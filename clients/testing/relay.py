"""A relay between a client and a server, on a port of its own: it can cut the connection, and keep back what passes."""

import json
import socket
import threading


class Relay:
    """Passes bytes between its clients and `address` ("HOST:PORT")."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.target = (host, int(port))
        self.is_refusing = False  # new connections are closed at once
        self.drops_requests = False  # what the client writes goes nowhere
        self.drops_answers = False  # what the server writes goes nowhere
        self.is_slicing = False  # what the server writes comes a byte at a time
        self.from_client, self.from_server = bytearray(), bytearray()
        self.connections = 0
        self.budget = None  # bytes of the client that are passed on before all is cut; None for no end
        self.answer_budget = None  # the same for bytes of the server; connections are taken again
        self.is_cut = threading.Event()  # since `cut_after`, `cut_answers_after`
        self.pairs = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Cuts all connections."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                self._end(end)

    def cut_after(self, count):
        """Cuts all connections, and takes no more, once clients have written so many more bytes."""
        self.is_cut.clear()
        self.budget = count

    def cut_answers_after(self, count):
        """Cuts all connections once the server has written so many more bytes."""
        self.is_cut.clear()
        self.answer_budget = count

    def mend(self):
        """Takes connections again, and passes on all."""
        self.is_refusing = self.drops_requests = self.drops_answers = False

    def say(self, message):
        """Writes a message to the client in the server's place; nothing of the server's may be on its way."""
        text = json.dumps(dict(jsonrpc="2.0", **message)).encode()
        self.say_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))

    def say_bytes(self, data):
        """Writes bytes to the client in the server's place."""
        with self.lock:
            self.pairs[-1][0].sendall(data)

    def said(self):
        """The clients' messages, each once and in order."""
        messages, rest = [], bytes(self.from_client)
        while b"\r\n\r\n" in rest:
            head, rest = rest.split(b"\r\n\r\n", 1)
            length = int(head.lower().split(b"content-length:")[1].split()[0])
            if len(rest) < length:
                break
            messages.append(json.loads(rest[:length]))
            rest = rest[length:]
        return messages

    def close(self):
        """Cuts all connections, and takes no more."""
        self.is_refusing = True
        self._end(self.listener)
        self.cut()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_refusing:
                self._end(client)
                continue
            try:
                server = socket.create_connection(self.target)
            except OSError:
                self._end(client)
                continue
            with self.lock:
                self.pairs.append((client, server))
                self.connections += 1
            for source, sink, seen, name in (
                (client, server, self.from_client, "drops_requests"),
                (server, client, self.from_server, "drops_answers"),
            ):
                threading.Thread(target=self._hand_on, args=(source, sink, seen, name), daemon=True).start()

    def _hand_on(self, source, sink, seen, drops):
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    break
                seen.extend(data)
                if drops == "drops_requests" and self.budget is not None:
                    data, self.budget = data[:self.budget], self.budget - len(data)
                if drops == "drops_answers" and self.answer_budget is not None:
                    data, self.answer_budget = data[:self.answer_budget], self.answer_budget - len(data)
                if not getattr(self, drops):
                    self._write(sink, data, self.is_slicing and drops == "drops_answers")
                if self.budget is not None and self.budget <= 0:
                    self.budget, self.is_refusing = None, True
                    self.cut()
                    self.is_cut.set()
                if self.answer_budget is not None and self.answer_budget <= 0:
                    self.answer_budget = None
                    self.cut()
                    self.is_cut.set()
        except OSError:
            pass
        self._end(source)
        self._end(sink)

    @staticmethod
    def _write(sink, data, is_sliced):
        step = 1 if is_sliced else max(1, len(data))
        for start in range(0, len(data), step):
            sink.sendall(data[start:start + step])

    @staticmethod
    def _end(end):
        # Only a shutdown ends another thread's recv.
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        end.close()
