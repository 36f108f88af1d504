#!/usr/bin/env python3
"""How well a WebSocket echo server keeps to RFC 6455.

    python3 suite.py HOST:PORT [--path /ws] [--only 6.4] [--strict] [--json FILE]

The server has to send each text and binary message back as it came. The cases, their numbers and what counts as right
are those of the Autobahn test suite, sections 1 to 7, 9 and 10 (its numbers can be looked up there); section x has more.
Prints a line for each case that isn't OK, a count for each section and a closing line; status 1 where a case failed.
Nothing but Python's standard library is needed.
"""

import argparse
import json
import sys
import time

sys.dont_write_bytecode = True

import basic_cases
import other_cases
import utf8_cases
from cases import FAILED, INFORMATIONAL, NON_STRICT, OK
from play import play

SECTIONS = [
    ("1", "Framing", basic_cases.framing),
    ("2", "Pings and pongs", basic_cases.pings),
    ("3", "Reserved bits", basic_cases.reserved_bits),
    ("4", "Opcodes", basic_cases.opcodes),
    ("5", "Fragmentation", basic_cases.fragmentation),
    ("6", "UTF-8", utf8_cases.utf8),
    ("7", "Closing", other_cases.closing),
    ("9", "Large and many messages", other_cases.large),
    ("10", "Fragments of one size", other_cases.misc),
    ("x", "Beyond Autobahn", other_cases.beyond),
]


def is_chosen(number, only):
    """Whether a case, or anything in a section, belongs to those asked for: "6.4" means 6.4.1 too, and not 6.40."""
    return not only or any(number == one or number.startswith(one + ".") or one.startswith(number + ".") for one in only)


def run(host, port, path="/ws", only=(), patience=60.0, strict=False, report=None):
    """Plays the cases; gives (section's number and title, [(case, result, seconds)…]) for each section."""
    for number, title, cases in SECTIONS:
        if not is_chosen(number, only):
            continue
        done = []
        for case in cases():
            if only and not any(case.number == one or case.number.startswith(one + ".") for one in only):
                continue
            began = time.monotonic()
            result = play(case, host, port, path, patience, strict)
            done.append((case, result, time.monotonic() - began))
            if report:
                report(case, result)
        if done:
            yield number, title, done


def print_case(case, result):
    if result.verdict != OK:
        print(f"{case.number} {result.verdict}: {case.title}: {result.detail}", flush=True)


def main(arguments=None):
    options = parse(arguments)
    host, _, port = options.address.rpartition(":")
    counts = {OK: 0, INFORMATIONAL: 0, NON_STRICT: 0, FAILED: 0}
    lines, all_done = [], []
    for number, title, done in run(
            host.strip("[]") or "127.0.0.1", int(port), options.path, options.only, options.patience, options.strict,
            print_case):
        for _, result, _ in done:
            counts[result.verdict] += 1
        good = sum(result.verdict in (OK, INFORMATIONAL) for _, result, _ in done)
        lines.append(f"{number:>2} {title}: {good} of {len(done)}, {sum(seconds for *_, seconds in done):.1f} s")
        all_done += done
    print("\n".join(lines))
    passed = counts[OK] + counts[INFORMATIONAL]
    print(f"{passed} passed, {counts[NON_STRICT]} non-strict, {counts[FAILED]} failed")
    if options.json:
        write_json(options, counts, all_done)
    if not all_done:
        print(f"no case is called {', '.join(options.only)}", file=sys.stderr)
    return 1 if counts[FAILED] or (options.strict and counts[NON_STRICT]) or not all_done else 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", metavar="HOST:PORT")
    parser.add_argument("--path", default="/ws", help="where the server takes upgrades (/ws)")
    parser.add_argument("--only", action="append", default=[], metavar="NUMBER", help="a section or case; may be repeated")
    parser.add_argument("--strict", action="store_true", help="what is allowed but not best fails too")
    parser.add_argument("--patience", type=float, default=60.0, metavar="SECONDS", help="how long to wait for an answer (60)")
    parser.add_argument("--json", metavar="FILE", help="writes every case's result")
    return parser.parse_args(arguments)


def write_json(options, counts, done):
    cases = [
        {"case": case.number, "title": case.title, "result": result.verdict, "detail": result.detail,
         "closeCode": result.close_code, "milliseconds": round(seconds * 1000)}
        for case, result, seconds in done
    ]
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump({"address": options.address, "path": options.path, "counts": counts, "cases": cases}, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
