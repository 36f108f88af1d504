#!/usr/bin/env python3
"""Whether what is checked of HTTP finds what is wrong: it is played to a server that sends what it is told.

    python3 test_http.py
"""

import os
import socket
import sys
import threading
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import http_cases
import wire
from http_cases import EITHER, ENDS, GOES_ON, Row, get
from http_wire import Wrong, metrics, parse_head
from page_cases import entity_tags, head
from upgrade_cases import Row as Upgrade, refused, stranger, taken

# A server that says nothing is found out after this time.
wire.PATIENCE = 3.0

TEXT = b"Content-Type: text/plain; charset=utf-8\r\n"
REFUSAL = b"HTTP/1.1 400 Bad Request\r\n" + TEXT + b"Connection: close\r\nContent-Length: 12\r\n\r\nnot like so\n"
OK = b"HTTP/1.1 200 OK\r\n" + TEXT + b"Content-Length: 6\r\n\r\nready\n"
LAST_OK = OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


class Scripted:
    """Sends the same to each client once it has asked something, and then ends the connection or waits for the client to."""

    host = "127.0.0.1"

    def __init__(self, data, ends):
        self.data, self.ends = data, ends

    def __enter__(self):
        self.listener = socket.create_server((self.host, 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()
        return self

    def _serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client:
                client.settimeout(60)
                try:
                    client.recv(65536)
                    client.sendall(self.data)
                    if self.ends:
                        client.shutdown(socket.SHUT_WR)
                    while client.recv(65536):
                        pass
                except OSError:
                    pass

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()


def wrong(action, data, ends=True):
    """What an action finds wrong with a server that sends this; None where all is well."""
    with Scripted(data, ends) as server:
        try:
            action(server)
        except Wrong as found:
            return str(found)
    return None


class RowTests(unittest.TestCase):
    def play(self, data, then=ENDS, statuses=(400,), ends=True, request=get()):
        return wrong(lambda server: http_cases.play(Row("row", request, statuses, then), server), data, ends)

    def test_what_is_right_passes(self):
        self.assertIsNone(self.play(REFUSAL))
        self.assertIsNone(self.play(REFUSAL, EITHER))
        self.assertIsNone(self.play(OK + OK, GOES_ON, (200,)))
        self.assertIsNone(self.play(LAST_OK, ENDS, (200,)))
        self.assertIsNone(self.play(REFUSAL.split(b"\r\n\r\n")[0] + b"\r\n\r\n", request=get(method=b"HEAD")))

    def test_what_is_wrong_is_found(self):
        for data, options, found in (
                (OK, {}, "200 b'ready\\n', where (400,) is right"),
                (REFUSAL + OK, {}, "more came after the answer"),
                (REFUSAL + OK, {"then": EITHER}, "more came after the answer"),
                (REFUSAL, {"ends": False}, "the connection stayed open"),
                (REFUSAL.replace(b"Connection: close\r\n", b""), {}, "doesn't say Connection: close"),
                (REFUSAL.replace(b"text/plain", b"text/html"), {}, "comes as text/html"),
                (REFUSAL.replace(b"not like so\n", b"<p>no</p>\n\n\n"), {}, "which is no line of text to read"),
                (REFUSAL.replace(b"400 Bad Request", b"405 No"), {"statuses": (405,)}, "405 without Allow"),
                (REFUSAL.replace(b"Content-Length: 12\r\n", b""), {}, "without Content-Length"),
                (REFUSAL.replace(b"12", b"13"), {}, "12 of 13 bytes of a body came"),
                (OK, {"then": GOES_ON, "statuses": (200,)}, "no answer"),
                (OK + REFUSAL, {"then": GOES_ON, "statuses": (200,)}, "the request behind it was answered"),
                (b"", {}, "no answer")):
            self.assertIn(found, self.play(data, **options) or "nothing", f"{data} {options}")


class PageTests(unittest.TestCase):
    def test_a_page_that_never_says_304_is_found(self):
        page = b'HTTP/1.1 200 OK\r\nETag: "a1"\r\nContent-Length: 3\r\n\r\nok\n'
        self.assertIn("is answered 200", wrong(entity_tags, page * 2, ends=False))
        self.assertIn("ETag is None", wrong(entity_tags, OK, ends=False))

    def test_head_with_a_body_is_found(self):
        self.assertIsNotNone(wrong(head, OK * 3, ends=False))


class UpgradeTests(unittest.TestCase):
    def test_everyone_let_in_is_found(self):
        data = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        self.assertIn("101, where 403", wrong(lambda server: stranger(server, Upgrade("one")), data) or "")
        self.assertIn("101", wrong(lambda server: refused(server, Upgrade("one"), (400,)), data) or "")

    def test_nobody_let_in_is_found(self):
        with self.assertRaises(Exception), Scripted(REFUSAL, True) as server:
            taken(server, Upgrade("one"))


class SyntaxTests(unittest.TestCase):
    def test_metrics_are_read(self):
        text = '# HELP a_total Of a\n# TYPE a_total counter\na_total{b="c \\" d"} 1\na_total{b="e",f="g"} 2.5\n'
        self.assertEqual(list(metrics(text).values()), [1, 2.5])

    def test_metrics_that_prometheus_would_refuse_are_found(self):
        good = "# HELP a Of a\n# TYPE a gauge\na 1\n"
        for text in (
                good[:-1], good.replace("a 1", "a  1"), good.replace("a 1", "a one"), good.replace("a 1", 'a{b=c} 1'),
                good.replace("a 1", 'a{b="c} 1'), good + "a 1\n", good + "\n", good.replace("gauge", "counter"),
                good.replace("gauge", "number"), "a 1\n", "# TYPE a gauge\na 1\n", "# TYPE a gauge\n" + good, ""):
            with self.assertRaises(Wrong, msg=text):
                metrics(text)

    def test_a_head_that_is_not_http_is_found(self):
        self.assertEqual(parse_head(b"HTTP/1.1 200 OK\r\nA: b"), (200, [("A", "b")]))
        for text in (b"HTTP/1.0 200 OK", b"HTTP/1.1 20 OK", b"200 OK", b"HTTP/1.1 200 OK\r\nA : b", b"HTTP/1.1 200 OK\r\nA"):
            with self.assertRaises(Wrong, msg=text):
                parse_head(text)


if __name__ == "__main__":
    unittest.main()
