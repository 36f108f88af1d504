"""Walks orders, details, question, and back, as a thin client would: it shows whatever it is told to show.

    python3 navigation.py stdio COMMAND...          one client
    python3 navigation.py tcp HOST:PORT HOST:PORT   one drives (a), one watches (b), and one comes late, in the middle (c)

Prints what is on screen after each step. Python's standard library alone.
"""

import json
import socket
import subprocess
import sys


class Client:
    """A View of whatever a session shows: its screens are a tree, each with what its view model told last."""

    def __init__(self, name, write, read):
        self.name, self.write, self.read = name, write, read
        self.last_id = 0
        self.answers = {}  # to requests that are still waited for further out
        self.screens = {}  # by view number
        self.request("initialize")

    # Messages, one a line.

    def send(self, message):
        self.write.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.write.flush()

    def receive(self):
        line = self.read.readline()
        if not line:
            sys.exit(f"{self.name}: the connection ended")
        return json.loads(line)

    def request(self, method, **params):
        self.last_id += 1
        id = self.last_id
        self.send({"id": id, "method": method, "params": params})
        while id not in self.answers:
            self.take(self.receive())
        answer = self.answers.pop(id)
        if "error" in answer:
            error = answer["error"]
            print(f"{self.name} {method}: error {error['code']} {error.get('data', '')}".rstrip(), flush=True)
            return None
        return answer["result"]

    # What is on screen.

    def open(self, view_model, **arguments):
        opened = self.request("session/open", viewModel=view_model, arguments=arguments)
        self.root = self.screen(opened["session"], opened["key"], view_model)
        return self.root["key"]

    def attach(self, key):
        attached = self.request("session/attach", key=key)
        screen = self.screen(attached["session"], key, attached["viewModel"])
        for event in attached["snapshot"]:
            screen["told"][event["kind"]] = event
        navigation = attached.get("navigation") or {"stack": [], "presented": None}
        screen["stack"] = [self.attach(child["key"]) for child in navigation["stack"]]
        if navigation["presented"]:
            screen["presented"] = self.attach(navigation["presented"]["key"])
        return screen

    def screen(self, view, key, view_model):
        screen = {"view": view, "key": key, "viewModel": view_model, "told": {}, "stack": [], "presented": None}
        self.screens[view] = screen
        return screen

    def take(self, message):
        if "id" in message:
            self.answers[message["id"]] = message
            return
        method, params = message["method"], message["params"]
        screen = self.screens.get(params.get("session"))
        if screen is None:
            return
        if method == "viewModel/event":
            screen["told"][params["event"]["kind"]] = params["event"]
        elif method == "navigation/push":
            screen["stack"].append(self.attach(params["key"]))
        elif method == "navigation/present":
            screen["presented"] = self.attach(params["key"])
        elif method == "navigation/pop":
            screen["stack"] = [child for child in screen["stack"] if child["key"] != params["key"]]
        elif method == "navigation/dismiss":
            screen["presented"] = None
        elif method == "session/closed":
            del self.screens[params["session"]]

    def outline(self, screen=None, depth=0):
        screen = screen or self.root
        told = [self.text(event) for event in screen["told"].values()]
        lines = ["  " * depth + " · ".join([screen["viewModel"]] + [text for text in told if text])]
        for child in screen["stack"]:
            lines += self.outline(child, depth)
        if screen["presented"]:
            lines += self.outline(screen["presented"], depth + 1)
        return lines

    @staticmethod
    def text(event):
        kind, value = event["kind"], event.get("value")
        if kind == "orders":
            return f"{event['count']} orders"
        if kind == "note":
            return f"note {value!r}{'' if event['isSaved'] else ' (unsaved)'}" if value else None
        if kind == "cancelled":
            return "cancelled" if value or "id" in event else None
        return value if isinstance(value, str) else None

    # Steps.

    def do(self, screen, kind, **members):
        self.request("view/event", session=screen["view"], event={"kind": kind, **members})
        self.request("ping")

    def show(self, title):
        print(f"{self.name} {title}", *self.outline(), sep="\n    ", flush=True)

    def catch_up(self, other, title):
        """Waits until it shows what the other one shows."""
        while self.outline() != other.outline():
            self.take(self.receive())
        print(f"{self.name} sees the same: {title}", flush=True)


def walk(a, others, late=None):
    def step(title):
        a.show(title)
        for other in others:
            other.catch_up(a, title)

    key = a.open("orders", count=8, delay=0)
    for other in others:
        other.root = other.attach(key)
    a.do(a.root, "loadOrders")
    a.do(a.root, "selectOrder", index=7)
    step("selected an order")
    details = a.root["stack"][0]
    a.do(details, "cancelOrder")
    step("wants it cancelled")
    if late:
        c = late()
        c.root = c.attach(key)
        c.catch_up(a, "came late")
        others.append(c)
    a.do(details["presented"], "confirm")
    step("confirmed")
    a.do(details, "editNote", value="call them")
    a.request("navigation/back", session=details["view"])
    a.do(details, "saveNote")
    step("saved a note")
    a.request("navigation/back", session=details["view"])
    step("went back")
    a.request("navigation/back", session=a.root["view"])
    for client in [a] + others:
        client.request("shutdown")
        client.send({"method": "exit"})


def over_tcp(name, address):
    host, port = address.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), timeout=120)
    return Client(name, connection.makefile("wb"), connection.makefile("rb"))


def main(way, *arguments):
    if way == "stdio":
        server = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        walk(Client("a", server.stdin, server.stdout), [])
        print(f"the server ended with status {server.wait(30)}", flush=True)
    else:
        first, second = arguments
        walk(over_tcp("a", first), [over_tcp("b", second)], lambda: over_tcp("c", first))


main(*sys.argv[1:])
