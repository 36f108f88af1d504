"""An HTTP client that sends whatever bytes it is given, and reads answers strictly."""

import re
from dataclasses import dataclass

from wire import Connection


class Wrong(Exception):
    """What came isn't what had to come."""


def expect(condition, text):
    if not condition:
        raise Wrong(text)


@dataclass
class Response:
    status: int
    headers: list
    body: bytes

    def header(self, name):
        """The value of this header, which may stand there once; None where there is none."""
        values = [value for other, value in self.headers if other.lower() == name.lower()]
        if len(values) > 1:
            raise Wrong(f"{name} stands {len(values)} times in the answer")
        return values[0] if values else None


class HTTPClient(Connection):
    """Sends requests; each answer is taken from what came, up to its last byte."""

    def ask(self, request, method=None):
        """The answer to one request."""
        self.send(request)
        return self.response(method or request.split(b" ", 1)[0].decode("latin-1"))

    def response(self, method="GET"):
        """The next answer. A HEAD's, a 304's and a 101's end with their header."""
        if not self.read_until(lambda: b"\r\n\r\n" in self.received):
            how = "the end of the connection" if self.ended else "nothing more, in time"
            raise Wrong(f"no answer: {bytes(self.received[:100])!r}, then {how}")
        head, _, rest = bytes(self.received).partition(b"\r\n\r\n")
        status, headers = parse_head(head)
        count = 0
        response = Response(status, headers, b"")
        length = response.header("Content-Length")
        if status not in (101, 304, 204) and length is None:
            raise Wrong("an answer without Content-Length")
        if method != "HEAD" and status not in (101, 304, 204):
            count = int(length)
        if not self.read_until(lambda: len(self.received) >= len(head) + 4 + count):
            raise Wrong(f"{len(self.received) - len(head) - 4} of {count} bytes of a body came")
        response.body = bytes(self.received[len(head) + 4 : len(head) + 4 + count])
        del self.received[: len(head) + 4 + count]
        return response

    def expect_end(self, seconds=None):
        """Nothing more may come but the end."""
        if not self.read_until(lambda: self.ended is not None, seconds):
            raise Wrong("the connection stayed open")
        if self.received:
            raise Wrong(f"more came after the answer: {bytes(self.received[:100])!r}")


def parse_head(head):
    lines = head.decode("latin-1").split("\r\n")
    found = re.fullmatch(r"HTTP/1\.1 (\d{3}) ([\x20-\x7e]*)", lines[0])
    if not found:
        raise Wrong(f"no status line: {lines[0]!r}")
    headers = []
    for line in lines[1:]:
        one = re.fullmatch(r"([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?([\x20-\x7e\x80-\xff]*)", line)
        if not one:
            raise Wrong(f"no header line: {line!r}")
        headers.append((one[1], one[2]))
    return int(found[1]), headers


def check_readable(response):
    """Whoever tries it with curl reads a line of text."""
    if not (response.header("Content-Type") or "").startswith("text/plain"):
        raise Wrong(f"status {response.status} comes as {response.header('Content-Type')}, not as text/plain")
    line = response.body.decode()
    if not re.fullmatch(r"[\x20-\x7e]{8,}\n", line):
        raise Wrong(f"status {response.status} says {line!r}, which is no line of text to read")


METRIC = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABELS = r"\{(?:%s=\"(?:[^\"\\\n]|\\[\\\"n])*\",?)*\}" % r"[a-zA-Z_][a-zA-Z0-9_]*"
SAMPLE = re.compile(r"(%s)(%s)? ([+-]?(?:Inf|[0-9.]+(?:e[+-]?[0-9]+)?)|NaN)" % (METRIC, LABELS))


def metrics(text):
    """The samples of a page in Prometheus's text format, by name and labels; strict about its syntax."""
    if not text.endswith("\n"):
        raise Wrong("the last line of the metrics has no end")
    types, helped, samples, families = {}, set(), {}, []
    for line in text[:-1].split("\n"):
        if found := re.fullmatch(r"# TYPE (%s) (counter|gauge|histogram|summary|untyped)" % METRIC, line):
            if found[1] in types:
                raise Wrong(f"{found[1]} has two types")
            types[found[1]] = found[2]
        elif found := re.fullmatch(r"# HELP (%s) (.+)" % METRIC, line):
            helped.add(found[1])
        elif found := SAMPLE.fullmatch(line):
            name, labels, value = found[1], found[2] or "", float(found[3])
            if (name, labels) in samples:
                raise Wrong(f"{name}{labels} stands there twice")
            if name not in types:
                raise Wrong(f"{name} has no type before it")
            if families[-1:] != [name]:
                if name in families:
                    raise Wrong(f"the samples of {name} don't stand together")
                families.append(name)
            if types[name] == "counter" and (value < 0 or not name.endswith("_total")):
                raise Wrong(f"{name} {value} is no counter")
            samples[name, labels] = value
        else:
            raise Wrong(f"no line of Prometheus's: {line!r}")
    if not samples or set(types) != helped:
        raise Wrong("metrics without help, or none at all")
    return samples
