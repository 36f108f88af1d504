"""Shared by the stories: an editor with a server to talk to, and what one does in any editor."""

import os
import shutil
import tempfile

from fake import Fake
from peer import Peer
from relay import Relay
from server import Server
from terminal import Failure, wait


ORDERS = ':ViewModel orders {"delay": 0}'


class Stage:
    """An editor and what it talks to, gone when the story is over."""

    def __init__(self, editor):
        self.editor = editor
        self.folder = tempfile.mkdtemp(prefix="view-models-")
        self.closing = [lambda: shutil.rmtree(self.folder, ignore_errors=True)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for close in reversed(self.closing):
            close()

    def start(self, **config):
        terminal = self.editor.start(self.folder, **config)
        self.closing.append(terminal.close)
        return terminal

    def relay(self, address):
        relay = Relay(address)
        self.closing.append(relay.close)
        return relay

    def server(self, *arguments, **options):
        server = Server(self.editor.server, *arguments, **options)
        self.closing.append(server.end)
        return server

    def shop(self):
        """A server with other view models under the names of examples, which is built beside the one that is tested."""
        program = os.path.join(os.path.dirname(self.editor.server), "Shop")
        if not os.path.exists(program):
            raise Failure(f"{program} isn't there: 'swift build --product Shop' makes it")
        server = Server(program, "--tcp", "0")
        self.closing.append(server.end)
        return server

    def fake(self, description, events, types=None):
        fake = Fake(description, events, types)
        self.closing.append(fake.close)
        return fake

    def peer(self, address):
        peer = Peer(address)
        self.closing.append(peer.close)
        return peer


def said(text):
    """A line for what was checked."""
    print("ok  " + text, flush=True)


def command(terminal, text):
    """Types an Ex command."""
    terminal.type(text)
    terminal.press("Enter")


def last_key(relay):
    """The key of the session that the client attached to last, or opened."""
    text = relay.from_server.decode()
    return text.rsplit('"key":"', 1)[1].split('"')[0]


def session_ends(stage, editor, key):
    """Waits until there is no session with this key."""
    peer = stage.peer(editor.address)

    def is_gone():
        try:
            peer.request("session/attach", key=key)
        except KeyError as error:
            return "-32012" in str(error)

    wait("the session's end", is_gone, lambda: "it goes on")


def wait_for_count(stage, editor, relay, count):
    """Waits until the counter that the client looks at has come this far."""
    peer = stage.peer(editor.address)
    snapshot = lambda: peer.request("session/attach", key=last_key(relay))["snapshot"]
    wait(f"a count of {count}", lambda: snapshot()[-1] == {"kind": "count", "value": count}, lambda: str(snapshot()))


def cancel_as_another(peer, list_key, index):
    """Cancels an order as another user of the same session would, and stays at its details."""
    attach = lambda key: peer.request("session/attach", key=key)
    view = attach(list_key)["session"]
    peer.request("view/event", session=view, event={"kind": "selectOrder", "index": index})
    details = attach(list_key)["navigation"]["stack"][0]["key"]
    child = attach(details)["session"]
    peer.request("view/event", session=child, event={"kind": "cancelOrder"})
    question = attach(details)["navigation"]["presented"]["key"]
    peer.request("view/event", session=attach(question)["session"], event={"kind": "confirm"})
    return child
