"""A program that is a server over standard input and output, and really one that listens: bridge.py HOST:PORT."""

import os
import socket
import sys
import threading

host, port = sys.argv[1].rsplit(":", 1)
server = socket.create_connection((host, int(port)))


def hand_on_input():
    while data := os.read(0, 65536):
        server.sendall(data)
    # The other thread waits in recv, which the end of the process ends too.
    os._exit(0)


threading.Thread(target=hand_on_input, daemon=True).start()
while data := server.recv(65536):
    os.write(1, data)
