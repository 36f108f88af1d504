"""Counts over a WebSocket; the messages are as different in form as JSON lets them be.

    python3 web_socket.py HOST:PORT
"""

import os
import sys
import types

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "WebSocket"))

from frames import TEXT, frame
from rpc_wire import Client

host, _, port = sys.argv[1].rpartition(":")
client = Client(types.SimpleNamespace(host=host, port=int(port)))
client.send(frame(TEXT, b'{\n  "jsonrpc": "2.0",\r\n  "id": 2,\n  "method": "session/open",\n  "params": {"viewModel": "counter"}\n}\n'))
print(client.answer(2)["result"]["viewModel"], client.event(1))
client.send(frame(TEXT, b"no JSON\n"))
print(client.answer(None)["error"]["code"])
