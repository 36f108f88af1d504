#!/usr/bin/env python3
"""Whether the suite finds what is wrong, and nothing else: it is played to an echo server without a fault and to one with
each of the faults that echo_server.py knows.

    python3 test_suite.py
"""

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import play
import suite
from cases import FAILED, NON_STRICT
from echo_server import EchoServer
from frames import BINARY, TEXT, FrameReader, fragments, frame, masked

# A server that doesn't close at once is found out after this time.
play.AT_ONCE = 3.0

# Sections that take no time where all is well.
QUICK = ["1", "2", "3", "4", "5", "7", "10", "x"]
CLOSES = ["7.1.1", "7.1.3"]
CLOSED = "7.1.1 7.1.3"
PINGS = "2.2 2.3 2.4 2.6 2.9 2.10 2.11 5.6 5.7 5.8 5.19 5.20 x.3.1"

# A fault, what is played, and exactly those cases that fail. "6.14" stands for all of 6.14.
FOUND = [
    ("wrong accept", ["1.1", "7.7"], "1.1 7.7"),
    ("wrong code", ["2.5", "3", "4", "5.1", "5.2", "5.18", "6.3", "6.8", "7.3", "7.5", "7.9"],
     "2.5 3 4 5.1 5.2 5.18 6.3 6.8 7.3.2 7.3.6 7.5.1 7.9"),
    ("takes reserved bits", QUICK, "3.1 3.2 3.3 3.4 3.5 3.6"),
    ("skips unknown opcodes", QUICK, "4"),
    ("takes unmasked frames", QUICK, "x.1.1 x.1.2 x.1.3 x.1.4 x.1.5"),
    ("takes control fragments", QUICK, "5.1"),
    ("takes long control frames", QUICK, "2.5 7.3.6"),
    ("takes continuations of nothing", QUICK, "5.9 5.10 5.11 5.17"),
    ("takes a message in a message", QUICK, "5.18 x.3.2"),
    ("no limit", QUICK, "x.2.1 x.2.2"),
    ("small limit", ["1", "9.1.1", "9.1.4"], "9.1.4"),
    ("doesn't check UTF-8", ["1", "6.1", "6.3", "6.4", "6.5", "6.8", "6.12", "6.13", "6.14", "6.20"],
     "6.3 6.4 6.8 6.12 6.13 6.14 6.20"),
    ("doesn't check the last character", ["6.6", "6.14", "x.3"],
     "6.6.1 6.6.3 6.6.4 6.6.6 6.6.8 6.6.10 6.14.6 6.14.7 x.3.3 x.3.4"),
    ("echoes each fragment", ["1", "2", "5.3", "5.4", "5.6", "5.19", "6.1", "6.2", "10", "x.3.1", "x.3.6"],
     "5.3 5.4 5.6 5.19 6.1.2 6.1.3 6.2.2 6.2.3 6.2.4 10 x.3.1 x.3.6"),
    ("echoes binary as text", QUICK, "1.2 x.3.6"),
    ("echoes at most 65535 bytes", QUICK + ["9.1.1", "9.2.1"], "1.1.7 1.1.8 1.2.7 1.2.8 9.1.1 9.2.1 10"),
    ("echoes twice", ["1", "2", "7.3"], "1"),
    ("spoils the payload", ["1", "2", "9.1.1", "9.3.9"], "1.1.6 1.1.7 1.1.8 1.2.6 1.2.7 1.2.8 9.1.1 9.3.9"),
    ("loses what came with the upgrade", QUICK, "x.4.1"),
    ("answers pongs", QUICK, "2.7 2.8 2.9"),
    ("never answers pings", ["1", "2.1", "2.7", "2.10", "5.3", "5.6", "5.19", "x.3"], "2.1 2.10 5.6 5.19 x.3.1 x.3.5"),
    ("pongs are empty", QUICK, PINGS),
    ("pongs after messages", QUICK, "5.6 5.7 5.8 5.19 5.20 x.3.1 x.3.5"),
    ("takes close frames of one byte", QUICK, "7.3.2"),
    ("takes any close code", QUICK, "7.9"),
    ("doesn't check close reasons", QUICK, "7.5"),
    ("drops instead of closing", CLOSES, CLOSED),
    ("closes with another code", CLOSES, CLOSED),
    ("goes on after close", CLOSES, CLOSED),
    ("leaves TCP open", CLOSES, CLOSED),
    ("masks its frames", ["1.1", "2.2"], "1.1 2.2"),
    ("sets reserved bits", ["1.1", "2.2"], "1.1 2.2"),
    ("long lengths", ["1.1", "2.2"], "1.1.1 1.1.2 1.1.3 1.1.4 1.1.5 1.1.6 1.1.7 1.1.8 2.2"),
    # What a server may do.
    ("echoes in fragments", QUICK, ""),
    ("drops without a code", QUICK, ""),
    ("checks UTF-8 late", ["6.3", "6.4", "6.8"], ""),
]


def numbers_in(only):
    """The numbers of all cases that `only` names."""
    return {
        case.number for number, _, cases in suite.SECTIONS if suite.is_chosen(number, only) for case in cases()
        if any(case.number == one or case.number.startswith(one + ".") for one in only)}


def play(only, *faults, **options):
    """The verdict on each case that was played, by number."""
    with EchoServer(*faults) as server:
        sections = suite.run("127.0.0.1", server.port, only=only, **{"patience": 3.0, **options})
        return {case.number: result.verdict for *_, done in sections for case, result, _ in done}


class FaultTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Most of the time is spent on waiting for servers that don't do what they should.
        with ThreadPoolExecutor(12) as pool:
            results = pool.map(lambda row: play(row[1], row[0]), FOUND)
            cls.results = dict(zip((fault for fault, *_ in FOUND), results))

    def test_each_fault_fails_the_cases_that_are_about_it_and_no_others(self):
        for fault, only, cases in FOUND:
            with self.subTest(fault):
                failed = {number for number, verdict in self.results[fault].items() if verdict == FAILED}
                self.assertEqual(failed, numbers_in(cases.split()) if cases else set())
                self.assertEqual(set(self.results[fault]), numbers_in(only))

    def test_text_that_is_checked_late_is_not_strict(self):
        late = [number for number, verdict in self.results["checks UTF-8 late"].items() if verdict == NON_STRICT]
        self.assertEqual(late, ["6.4.3", "6.4.4"])

    def test_a_connection_dropped_without_a_code_is_not_strict(self):
        results = play(["2.4", "2.5"], "drops without a code", strict=True)
        self.assertEqual(results, {"2.4": "OK", "2.5": NON_STRICT})

    def test_every_fault_that_the_server_knows_is_in_the_table(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "echo_server.py"), encoding="utf-8") as file:
            known = set(re.findall(r'has\("([^"]+)"\)', file.read()))
        self.assertEqual(known, {fault for fault, *_ in FOUND})


class CommandTests(unittest.TestCase):
    def run_suite(self, *arguments, faults=()):
        with EchoServer(*faults) as server, contextlib.redirect_stdout(io.StringIO()) as output:
            status = suite.main([f"127.0.0.1:{server.port}", *arguments])
        return status, output.getvalue().splitlines()

    def test_a_server_without_a_fault_passes_everything(self):
        # Of the large messages some of each kind are enough for this server.
        only = [*QUICK, "6", "9.1.4", "9.2.1", "9.3.4", "9.4.9", "9.5.3", "9.6.6", "9.7.2", "9.8.1"]
        status, lines = self.run_suite(*(word for number in only for word in ("--only", number)))
        passed = len(numbers_in(only))
        self.assertEqual((status, lines[-1]), (0, f"{passed} passed, 0 non-strict, 0 failed"), "\n".join(lines))
        informational = [line.split(" ")[0] for line in lines if " INFORMATIONAL: " in line]
        self.assertEqual(informational, ["7.1.6", "7.13.1", "7.13.2", "x.2.4", "x.2.5"])
        self.assertEqual(len(lines), 5 + len(suite.SECTIONS) + 1)

    def test_what_fails_has_a_line_and_a_place_in_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            status, lines = self.run_suite("--only", "3.1", "--only", "2.1", "--json", path, faults=["takes reserved bits"])
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        self.assertEqual(status, 1)
        self.assertIn("expected nothing, came text b'Hello, world!'", lines[0])
        self.assertTrue(lines[0].startswith("3.1 FAILED: "))
        self.assertEqual(lines[-1], "1 passed, 0 non-strict, 1 failed")
        self.assertEqual([(one["case"], one["result"]) for one in report["cases"]], [("2.1", "OK"), ("3.1", "FAILED")])

    def test_a_number_that_no_case_has_is_no_success(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(self.run_suite("--only", "8")[0], 1)

    def test_a_server_that_isnt_there_fails(self):
        with EchoServer() as server:
            port = server.port
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertEqual(suite.main([f"127.0.0.1:{port}", "--only", "1.1.1"]), 1)
        self.assertIn("can't connect", output.getvalue())


class WireTests(unittest.TestCase):
    def read(self, data):
        reader = FrameReader()
        reader.feed(data)
        return reader.next(), reader.faults

    def test_frames_have_the_bytes_of_the_rfc(self):
        self.assertEqual(frame(TEXT, b"Hello", mask=b"\x37\xfa\x21\x3d").hex(), "818537fa213d7f9f4d5158")
        self.assertEqual(frame(TEXT, b"Hello", mask=False).hex(), "810548656c6c6f")
        self.assertEqual(frame(BINARY, b"\0" * 256, mask=False)[:4].hex(), "827e0100")
        self.assertEqual(frame(BINARY, b"\0" * 65536, mask=False)[:10].hex(), "827f0000000000010000")
        self.assertEqual(fragments(TEXT, b"Hello", 3)[0] >> 4, 0)

    def test_a_mask_taken_twice_is_none(self):
        for count in range(10):
            payload = bytes(range(count))
            self.assertEqual(masked(masked(payload, b"\x01\x80\xff\x00"), b"\x01\x80\xff\x00"), payload)

    def test_there_are_as_many_cases_as_autobahn_has(self):
        counts = {number: len(list(cases())) for number, _, cases in suite.SECTIONS}
        del counts["x"]
        self.assertEqual(list(counts.values()), [16, 11, 7, 10, 20, 145, 37, 54, 1])

    def test_every_case_has_its_own_number_and_comes_in_order(self):
        for number, _, cases in suite.SECTIONS:
            numbers = [case.number for case in cases()]
            self.assertEqual(len(numbers), len(set(numbers)))
            keys = [[int(part) if part.isdigit() else 0 for part in one.split(".")] for one in numbers]
            self.assertEqual(keys, sorted(keys))
            self.assertTrue(all(one.startswith(number + ".") for one in numbers))

    def test_what_a_server_may_not_send_is_a_fault(self):
        for data, fault in (
                (frame(TEXT, b"one"), "the server masks its frames"),
                (b"\x81\x7e\x00\x03one", "a length of 3 takes 2 bytes"),
                (b"\x81\x7f" + (200).to_bytes(8, "big") + b"x" * 200, "a length of 200 takes 8 bytes")):
            self.assertIn(fault, self.read(data)[1])
        self.assertEqual(self.read(frame(TEXT, b"one", mask=False)), ((True, 0, TEXT, b"one"), []))


if __name__ == "__main__":
    unittest.main()
