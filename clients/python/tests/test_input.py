"""The command's `send KEY -`: the events of its input, and those that come back."""

import json
import os
import signal
import subprocess

from support import ADDRESS, PATIENCE, OwnServer, Relay, own_list
from test_command import CommandTests
from view_model_client import connect_blocking


class Input(CommandTests):
    EVENTS = [{"kind": "add", "title": title} for title in ("one", "two", "three")]

    def send(self, *arguments, events=(), text=None):
        """Returns status, what was said, what came back, and the errors."""
        process = self.start(*arguments, "-", stdin=subprocess.PIPE)
        lines = "".join(json.dumps(event) + "\n" for event in events) if text is None else text
        return self.finish(process, *process.communicate(lines, timeout=PATIENCE))

    @staticmethod
    def finish(process, output, errors):
        lines = [json.loads(line) for line in output.splitlines()]
        said = [line for line in lines if "dropped" not in line]
        return process.returncode, said, [line for line in lines if "dropped" in line], errors

    def titles(self, said):
        return [item["title"] for item in said[-1]["value"]["items"]]

    def test_all_events_of_the_input_are_sent(self):
        key, arguments = self.opened_list(), json.dumps(own_list())
        for target in ([key], ["todos", "--arguments", arguments]):
            status, said, dropped, errors = self.send("--tcp", ADDRESS, "send", *target, events=self.EVENTS)
            self.assertEqual((status, dropped, errors), (0, [], ""))
            self.assertEqual(self.titles(said), ["one", "two", "three"])
        self.assertEqual(self.send("--tcp", ADDRESS, "send", key, text="\n"), (0, [], [], ""))

    def test_those_behind_a_refused_one_come_back_and_can_be_sent(self):
        key = self.opened_list()
        one, two, three = self.EVENTS
        status, said, dropped, errors = self.send(
            "--tcp", ADDRESS, "send", key, events=[one, {"kind": "ad"}, two, three]
        )
        self.assertEqual(status, os.EX_TEMPFAIL)
        self.assertEqual(self.titles(said), ["one"])
        self.assertEqual(dropped, [{"dropped": event, "wasSent": False} for event in (two, three)])
        self.assertIn("unknown kind 'ad'; todos takes", errors)
        status, said, dropped, _ = self.send(
            "--tcp", ADDRESS, "send", key, events=[line["dropped"] for line in dropped]
        )
        self.assertEqual((status, self.titles(said), dropped), (0, ["one", "two", "three"], []))

    def test_connections_that_are_lost_lose_no_event_and_repeat_none(self):
        relay, key = Relay(self), self.opened("counter")
        relay.cut_often(10)
        events = [{"kind": "increment", "by": number} for number in range(1, 51)]
        status, said, dropped, errors = self.send("--tcp", relay.address, "send", key, events=events)
        self.assertEqual((status, dropped, errors), (0, [], ""))
        self.assertEqual([event["value"] for event in said], [n * (n + 1) // 2 for n in range(1, 51)])
        self.assertEqual(relay.cuts_left, 0)

    def test_a_server_that_is_killed_and_started_again_has_it_all_come_back(self):
        server = OwnServer(self)
        load = {"kind": "loadOrders"}
        with connect_blocking(unix=server.path) as client:
            orders = client.open("orders", {"delay": 600})
            process = self.start("--unix", server.path, "send", orders.key, "-", stdin=subprocess.PIPE)
            process.stdin.write("".join(json.dumps(event) + "\n" for event in [load, *self.EVENTS]))
            process.stdin.close()
            process.stdin = None
            for event in orders:
                if event == {"kind": "loading", "value": True}:
                    break
            server.kill()
        server.start()
        status, _, dropped, errors = self.finish(process, *process.communicate(timeout=PATIENCE))
        self.assertEqual(status, os.EX_TEMPFAIL)
        self.assertEqual(
            dropped,
            [{"dropped": load, "wasSent": True}, *({"dropped": event, "wasSent": False} for event in self.EVENTS)],
        )
        self.assertEqual(
            errors,
            "view_model_client: the view is closed: unknownSession (its session is gone); "
            "loadOrders may have been handled\n",
        )

    def test_without_a_server_or_a_session_all_come_back(self):
        back = [{"dropped": event, "wasSent": False} for event in self.EVENTS]
        for place, target, words in (
            (("--tcp", "127.0.0.1:1"), "todos", "can't reach the server"),
            (("--tcp", ADDRESS), "A" * 22, "there is no session"),
            (("--tcp", ADDRESS), "orderDetails", "(InvalidParams)"),
        ):
            status, said, dropped, errors = self.send(*place, "send", target, events=self.EVENTS)
            self.assertEqual((status, said, dropped), (os.EX_TEMPFAIL, [], back))
            self.assertIn(words, errors)

    def test_patience_has_its_end_and_ctrl_c_its_effect(self):
        for patience, end in (("0", None), ("600", signal.SIGINT)):
            server = OwnServer(self)
            load = {"kind": "loadOrders"}
            with connect_blocking(unix=server.path) as client:
                orders = client.open("orders", {"delay": 600})
                process = self.start(
                    "--unix", server.path, "--patience", patience, "send", orders.key, "-", stdin=subprocess.PIPE
                )
                process.stdin.write(json.dumps(load) + "\n" + json.dumps(self.EVENTS[0]) + "\n")
                process.stdin.close()
                process.stdin = None
                for event in orders:
                    if event == {"kind": "loading", "value": True}:
                        break
                if end is None:
                    server.kill()
                else:
                    process.send_signal(end)
                status, _, dropped, errors = self.finish(process, *process.communicate(timeout=PATIENCE))
                self.assertEqual(status, os.EX_TEMPFAIL if end is None else -end, errors)
                self.assertEqual([line["wasSent"] for line in dropped], [True, False])

    def test_one_event_whose_answer_is_lost_comes_back_too(self):
        server = OwnServer(self)
        with connect_blocking(unix=server.path) as client:
            orders = client.open("orders", {"delay": 600})
            process = self.start("--unix", server.path, "send", orders.key, "loadOrders")
            for event in orders:
                if event == {"kind": "loading", "value": True}:
                    break
            server.kill()
        status, _, dropped, errors = self.finish(process, *process.communicate(timeout=PATIENCE))
        self.assertEqual((status, dropped), (os.EX_TEMPFAIL, [{"dropped": {"kind": "loadOrders"}, "wasSent": True}]))
        self.assertIn("loadOrders may have been handled", errors)

    def test_input_that_makes_no_sense_is_refused_before_anything_is_sent(self):
        key = self.opened_list()
        good = json.dumps(self.EVENTS[0]) + "\n"
        for text in ("{\n", "[]\n", "{}\n", '{"kind":NaN}\n', "42\n"):
            status, said, dropped, errors = self.send("--tcp", ADDRESS, "send", key, text=good + text)
            self.assertEqual((status, said, dropped), (os.EX_USAGE, [], []))
            self.assertIn("line 2 of the input is no JSON object with a kind; nothing was sent", errors)
        for arguments, words in (
            (["send", key, "-", "by=2"], "with - the events come from standard input"),
            (["--patience", "-1", "send", key, "reset"], "is no number of seconds: -1"),
        ):
            status, errors = self.refused(*arguments)
            self.assertEqual(status, os.EX_USAGE)
            self.assertIn(words, errors)
