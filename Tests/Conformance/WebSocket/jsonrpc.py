#!/usr/bin/env python3
"""How a view model server behaves on its TCP port, to WebSocket clients and to HTTP ones, good and bad.

    python3 jsonrpc.py EXECUTABLE [--only TEXT] [--quick]

starts servers of its own. The executable may also be given as VIEW_MODEL_SERVER. Prints a line for each thing checked and a
closing line; status 1 where something was wrong. Needs Python's standard library; what is checked with the `websockets`
package too is left out where that isn't installed. `--quick` leaves out what takes many seconds of waiting.
"""

import argparse
import os
import sys
import threading
import time
import traceback

sys.dont_write_bytecode = True

import abuse_cases
import http_cases
import life_cases
import page_cases
import rpc_cases
import traffic_cases
import upgrade_cases
from http_wire import Wrong
from server_process import Server


class Report:
    def __init__(self, only):
        self.only, self.passed, self.failed, self.lock = only, 0, [], threading.Lock()

    def check(self, title, action):
        if self.only and not any(text in title for text in self.only):
            return
        began = time.monotonic()
        try:
            skipped = action()
        except Wrong as wrong:
            return self._fail(title, str(wrong))
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            return self._fail(title, f"{type(error).__name__}: {error} ({os.path.basename(where.filename)}:{where.lineno})")
        with self.lock:
            self.passed += skipped is None
            seconds = time.monotonic() - began
            note = f": {skipped}" if skipped else f" ({seconds:.1f} s)" if seconds > 1 else ""
            print(f"{'ok' if skipped is None else 'skipped'}  {title}{note}", flush=True)

    def _fail(self, title, detail):
        with self.lock:
            self.failed.append(title)
            print(f"FAILED  {title}: {detail}", flush=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable", nargs="?", default=os.environ.get("VIEW_MODEL_SERVER"))
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="what has this in its title")
    parser.add_argument("--quick", action="store_true", help="nothing that takes many seconds")
    options = parser.parse_args(arguments)
    if not options.executable:
        parser.error("which executable?")
    report = Report(options.only)
    with Server(os.path.abspath(options.executable)) as server:
        # Those that wait for the server's patience to end do so beside the others.
        waiting = [] if options.quick else [
            threading.Thread(target=report.check, args=one) for one in traffic_cases.slow_rows(server)]
        for thread in waiting:
            thread.start()
        for module in (http_cases, page_cases, traffic_cases, upgrade_cases, rpc_cases, life_cases, abuse_cases):
            for title, action in module.rows(server):
                report.check(title, action)
        for thread in waiting:
            thread.join()
        report.check("the server is still there", lambda: is_there(server))
    for module in (life_cases, abuse_cases):
        for title, action in module.rows_of_other_servers(server.executable):
            report.check(title, action)
    report.check("the server ended in good order", lambda: has_ended(server))
    print(f"{report.passed} passed, {len(report.failed)} failed")
    return 1 if report.failed or not report.passed else 0


def is_there(server):
    if server.process.poll() is not None:
        raise Wrong(f"the server ended with {server.process.returncode}: {''.join(server.log)[-2000:]}")


def has_ended(server):
    if server.status != 0:
        raise Wrong(f"status {server.status}: {''.join(server.log)[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())
