"""Shared by the tests: servers, real and scripted, and a relay that loses connections."""

import asyncio
import contextlib
import functools
import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile

import relay
from view_model_client import connect

SERVER = os.environ["VIEW_MODEL_SERVER"]
ADDRESS = os.environ["VIEW_MODEL_ADDRESS"]
CLIENT_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATIENCE = 300


def in_time(test):
    """Runs an asynchronous test, which has its deadline."""

    @functools.wraps(test)
    def run(self):
        asyncio.run(asyncio.wait_for(test(self), PATIENCE))

    return run


def own_list():
    """Arguments of `todos` for a list that no other test has."""
    return {"list": secrets.token_hex(8)}


class Folder:
    """A folder that is removed after the test."""

    def __init__(self, test):
        self.path = tempfile.mkdtemp(prefix="view-model-client.")
        test.addCleanup(shutil.rmtree, self.path)

    def file(self, name, text=None):
        path = os.path.join(self.path, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path


def generate_types(folder):
    """Has the server write `view_models.py`."""
    # Doc comments come from Swift's symbol graphs, without which the package would be built here.
    graph = '{"module":{"name":"Examples"},"symbols":[],"relationships":[]}'
    folder.file("none.symbols.json", graph)
    subprocess.run(
        [SERVER, "contract", "--symbols", folder.path, "--python", folder.path],
        check=True,
        capture_output=True,
        cwd=folder.path,
    )
    if not os.path.exists(folder.file("view_models.py")):
        raise AssertionError(f"{SERVER} contract --python wrote no view_models.py: is it an old one?")


class OwnServer:
    """A server on a Unix socket that a test may end and start again."""

    def __init__(self, test, *options):
        self.path = Folder(test).file("server")
        self.options = options
        self.process = None
        self.start()
        test.addCleanup(self.stop)

    def start(self):
        if os.path.exists(self.path):
            os.remove(self.path)
        self.process = subprocess.Popen([SERVER, "--unix", self.path, *self.options], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if line.startswith("listening on"):
                return
        raise AssertionError("the server didn't start")

    def pause(self):
        """From now on it reads nothing: what is sent to it is sent, and not handled."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitpid(self.process.pid, os.WUNTRACED)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self._end(signal.SIGKILL)

    def stop(self):
        if self.process is not None:
            self.resume()
        self._end(signal.SIGTERM)

    def _end(self, number):
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(PATIENCE)
            self.process.stderr.close()
            self.process = None


class Changes:
    """The `on_change` of a client, which a test can wait for."""

    def __init__(self):
        self._event = asyncio.Event()

    def __call__(self):
        self._event.set()

    async def until(self, condition):
        while not condition():
            self._event.clear()
            await self._event.wait()


class Relay(relay.Relay):
    """Between a client and the server at ADDRESS; it can lose many connections, mostly in the middle of a message."""

    def __init__(self, test, seed=0):
        self.random = random.Random(seed)
        self.cuts_left = 0
        super().__init__(ADDRESS)
        test.addCleanup(self.close)

    def cut_often(self, count):
        """Cuts so many times, each after some more bytes of the server."""
        self.cuts_left = count
        self._cut_later()

    def cut(self):
        super().cut()
        self._cut_later()

    def _cut_later(self):
        if self.cuts_left:
            self.cuts_left -= 1
            self.cut_answers_after(self.random.randrange(100, 2500))


@contextlib.asynccontextmanager
async def scripted(talk, **options):
    """A client of a server that says what a test wants to hear.

    `talk` is called for each connection, with a `ScriptedPeer` and the number of the connection, from 1. The client
    says its farewell where `talk` has ended without a cut.
    """
    server = ScriptedServer(talk)
    async with server, connect(tcp=server.address, **options) as client:
        yield client


class ScriptedServer:
    def __init__(self, talk, **capabilities):
        self.talk = talk
        self.capabilities = {"viewModels": [{"name": "counter"}], "resume": True, "durable": False, **capabilities}
        self.connections = 0
        self.fault = None
        self.conversations = []

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 24)
        self.address = "127.0.0.1:%d" % self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        """Fails where something else came, or where the last conversation wasn't held to its end."""
        self.server.close()
        await asyncio.gather(*self.conversations)
        if self.fault is not None:
            raise self.fault

    async def _serve(self, reader, writer):
        self.conversations.append(asyncio.current_task())
        self.connections += 1
        self.fault = AssertionError("the last conversation came to no end")
        peer = ScriptedPeer(reader, writer)
        try:
            hello = await peer.expect("initialize")
            peer.answer(
                hello,
                {
                    "protocolVersion": "1.1",
                    "serverInfo": {"name": "scripted", "version": "1"},
                    "capabilities": self.capabilities,
                    "limits": {"messageBytes": 2000, "sessions": 9, "pendingEvents": 9, "replayEvents": 9},
                },
            )
            await self.talk(peer, self.connections)
            if not peer.is_cut:
                peer.answer(await peer.expect("shutdown"))
                await peer.expect("exit")
            self.fault = None
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            self.fault.__cause__ = error
        except Exception as error:
            self.fault = error
            self.server.close()
        finally:
            writer.close()


class ScriptedPeer:
    """The other end of one connection, a line for each message."""

    KEY = "the-key-of-the-session"

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.is_cut = False

    def cut(self):
        self.is_cut = True
        self.writer.close()

    async def until_cut(self):
        """The client ends the connection, and says nothing before."""
        self.is_cut = True
        if await self.reader.read() != b"":
            raise AssertionError("the client says something")

    def send(self, **message):
        self.writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def notify(self, method, **params):
        self.send(method=method, params=params)

    def answer(self, request, result=None):
        self.send(id=request["id"], result=result)

    def refuse(self, request, code, message, data=None):
        self.send(id=request["id"], error={"code": code, "message": message, "data": data})

    def event(self, seq, value, session=1, **more):
        self.notify("viewModel/event", session=session, seq=seq, event={"kind": "count", "value": value}, **more)

    async def read(self):
        return json.loads(await self.reader.readuntil(b"\n"))

    async def expect(self, method, **params):
        """The next message, which has this method, or is an answer, and at least these params.

        Pings come by the clock, so at any moment where little time is given to answer: where none is expected, they are answered.
        """
        message = await self.read()
        while message.get("method") == "ping" != method:
            self.answer(message)
            message = await self.read()
        if message.get("method") != method or not params.items() <= message.get("params", {}).items():
            raise AssertionError(f"expected {method} {params}, seen {message}")
        return message

    async def opens(self, **result):
        request = await self.expect("session/open")
        self.answer(request, {"session": 1, "key": self.KEY, "viewModel": "counter", **result})
        return request["params"]

    async def attaches(self, seq, session=1, since=None, snapshot=None, **result):
        request = await self.expect("session/attach", key=self.KEY)
        if request["params"].get("since") != since:
            raise AssertionError(f"expected since {since}, seen {request}")
        if snapshot is not None:
            result["snapshot"] = [{"kind": "count", "value": value} for value in snapshot]
        self.answer(request, {"session": session, "viewModel": "counter", "seq": seq, **result})
        return request["params"]


def command(*arguments, **options):
    """The command, as a process of its own; without what other packages may have installed, which also is quicker."""
    environment = {**os.environ, "PYTHONPATH": CLIENT_FOLDER, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("VIEW_MODEL_SERVER_TOKEN", None)
    environment.update(options.pop("environment", {}))
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-S", "-m", "view_model_client", *arguments],
        **{"stdin": subprocess.DEVNULL, "stdout": pipe, "stderr": pipe, "text": True, "env": environment, **options},
    )
