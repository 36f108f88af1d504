"""A session with the orders, over the standard input and output of a server. Python's standard library alone.

    python3 orders.py COMMAND...

Prints what it sees, a line each.
"""

import json
import subprocess
import sys


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self):
        header = self.process.stdout.readline()
        if not header:
            sys.exit("the server ended")
        length = int(header.split(b": ")[1])
        self.process.stdout.readline()
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, **params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        return self.last_id

    def request(self, method, **params):
        """Sends a request and prints what comes, up to its answer."""
        return self.answer(self.ask(method, **params), method)

    def answer(self, id, title):
        while (message := self.receive()).get("id") != id:
            show(message)
        if "error" in message:
            print(f"{title}: error {message['error']['code']}: {message['error']['message']}")
            return None
        print(f"{title}: done")
        return message["result"]


def show(message):
    params = message["params"]
    event = params.get("event")
    if event is None:
        what = f"{message['method']} {params['viewModel']}"
    else:
        what = f"{event['kind']} {event['count']} orders" if event["kind"] == "orders" else f"{event['kind']} {event['value']}"
    print(f"session {params['session']} event {params['seq']}: {what}")


def main(command):
    server = Server(command)
    server.request("initialize", clientInfo={"name": "orders.py"}, processId=None)
    orders = server.request("session/open", viewModel="orders", arguments={"count": 3, "delay": 0.05})["session"]
    for event in ({"kind": "loadOrders"}, {"kind": "selectOrder", "index": 1}, {"kind": "selectOrder", "index": 7}):
        server.request("view/event", session=orders, event=event)

    slow = server.request("session/open", viewModel="orders", arguments={"delay": 600})["session"]
    id = server.ask("view/event", session=slow, event={"kind": "loadOrders"})
    show(server.receive())
    server.send({"method": "$/cancelRequest", "params": {"id": id}})
    server.answer(id, "loadOrders")

    server.request("shutdown")
    server.send({"method": "exit"})
    server.process.stdin.close()
    rest = server.process.stdout.read()
    print(f"ended with status {server.process.wait()}{' and said more' if rest else ''}")


main(sys.argv[1:])
