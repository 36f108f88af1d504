"""A relay that the tests cut, servers of their own, and another client of the same server."""

import json
import os
import signal
import socket
import subprocess
import threading
import time

from webdriver import PATIENCE, Failed


class Relay:
    """Passes bytes between its clients and a server, until it is cut. Its port stays."""

    def __init__(self, target):
        self.target = target
        self.lock = threading.Lock()
        self.sockets = set()
        self.web_sockets = set()
        self.dead = set()
        self.listener = None
        self.port = 0
        # Messages of the server are dropped, as when a connection dies on the way back.
        self.is_mute = False
        # Seconds that each direction takes.
        self.delay = 0
        # Bytes of the server, and as many others that are passed in their place.
        self.replaced = None
        self.open()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/"

    def open(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen()
        self.port = listener.getsockname()[1]
        self.listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def cut(self):
        """Ends every connection, and takes no more until `open`."""
        # Closing alone doesn't wake the thread that accepts.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            sockets, self.sockets = self.sockets, set()
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def let_die(self):
        """The web sockets that there are pass nothing more, and aren't closed. Others do, and those that follow."""
        with self.lock:
            self.dead |= self.web_sockets

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            with self.lock:
                self.sockets |= {client, server}
            for passing in ((client, server, False), (server, client, True)):
                threading.Thread(target=self._pass, args=passing, daemon=True).start()

    def _pass(self, source, sink, is_answer):
        try:
            while data := source.recv(65536):
                if is_answer and self.replaced:
                    data = data.replace(*self.replaced)
                time.sleep(self.delay)
                if data.startswith(b"GET /ws"):
                    self.web_sockets |= {source, sink}
                if source in self.dead:
                    continue
                if not (is_answer and self.is_mute):
                    sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        with self.lock:
            # The other direction has seen its end as well.
            self.sockets.discard(source)
        source.close()


class Server:
    """A server of the test's own."""

    running = set()

    def __init__(self, program, *options, folder=None):
        """In a folder, or in that of the tests."""
        self.process = subprocess.Popen(
            [os.path.abspath(program), "--tcp", "0", *options], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        self.running.add(self)
        for line in self.process.stderr:
            if "listening on" in line:
                host, port = line.split("listening on ")[1].split()[0].rsplit(":", 1)
                self.address = (host, int(port))
                break
        else:
            raise Failed("the server doesn't listen")
        # Its log is read, so that it never waits for a reader.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def stop(self):
        """Stops it. One of its threads takes the signal, and the others run until it has."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitpid(self.process.pid, os.WUNTRACED)

    def close(self):
        self.running.discard(self)
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Client:
    """Another client of the server, over TCP in lines."""

    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=PATIENCE)
        # Not one file for both: writing to it would forget what was read ahead.
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.id = 0
        self.notifications = []
        self.initialized = self.request("initialize")

    def begin(self, method, **params):
        """Sends a request and returns its id."""
        self.id += 1
        message = {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}
        self.socket.sendall(json.dumps(message).encode() + b"\n")
        return self.id

    def request(self, method, **params):
        id = self.begin(method, **params)
        for line in self.lines:
            message = json.loads(line)
            if message.get("id") == id:
                if "error" in message:
                    raise Failed(f"{method}: {message['error']}")
                return message["result"]
            self.notifications.append(message)
        raise Failed(f"{method}: the connection ended")

    def notify(self, method, **params):
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode() + b"\n")

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.lines.close()
        self.socket.close()
