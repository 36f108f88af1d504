"""Connects more often than the server, which may have 64 descriptors, has some for it, opens a session on each connection, and
cuts them all."""

import json
import os
import socket
import sys

HOST, PORT = sys.argv[1].rsplit(":", 1)
PROCESS = sys.argv[2]


def connect():
    connection = socket.create_connection((HOST, int(PORT)), timeout=120)
    return connection, connection.makefile("rb")


def call(connection, lines, method, params):
    message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    connection.sendall(json.dumps(message).encode() + b"\n")
    while line := lines.readline():
        answer = json.loads(line)
        if answer.get("id") == method:
            return answer["result"]
    raise ConnectionError("closed by the server")


served, refused = [], 0
while refused < 3:
    connection, lines = connect()
    try:
        call(connection, lines, "initialize", {})
        served.append((connection, lines))
    except ConnectionError:
        refused += 1
# Without any, Swift's pool would end the process. Of the 16 that are kept it may have a few open now.
left = 64 - len(os.listdir(f"/proc/{PROCESS}/fd"))
print("some were refused" if left >= 10 else f"only {left} descriptors were left")
for connection, lines in served:
    call(connection, lines, "session/open", {"viewModel": "counter"})
for connection, lines in served:
    lines.close()
    connection.close()
print("all were cut")
while True:
    connection, lines = connect()
    try:
        call(connection, lines, "initialize", {})
        break
    except ConnectionError:
        continue
print("served again")
