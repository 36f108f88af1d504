"""The command as shell scripts use it: a process of its own, its output, its errors and its status."""

import contextlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

from support import ADDRESS, CLIENT_FOLDER, PATIENCE, SERVER, Folder, OwnServer, Relay, command, own_list
from view_model_client import connect_blocking
from view_model_client.__main__ import main


def order(number):
    return {"id": number, "name": f"Order #{number}"}


class CommandTests(unittest.TestCase):
    def run_command(self, *arguments, **options):
        process = command(*arguments, **options)
        output, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, output, errors

    def run_inside(self, *arguments):
        """The same without a process, where there are many and nothing depends on it."""
        errors = io.StringIO()
        with tempfile.TemporaryFile("w+") as output:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
                with self.assertRaises(SystemExit) as exit:
                    main(arguments)
            output.seek(0)
            return exit.exception.code, output.read(), errors.getvalue()

    def vm(self, *arguments):
        """With the shared server. Returns lines of JSON; anything but success is a failure."""
        status, output, errors = self.run_inside("--tcp", ADDRESS, *arguments)
        self.assertEqual((status, errors), (0, ""))
        return [json.loads(line) for line in output.splitlines()]

    def refused(self, *arguments):
        """Returns status and words."""
        status, output, errors = self.run_inside("--tcp", ADDRESS, *arguments)
        self.assertEqual(output, "")
        return status, errors

    def opened(self, *arguments):
        (opened,) = self.vm("open", *arguments, "--keep")
        key = opened["key"]
        self.addCleanup(self.run_inside, "--tcp", ADDRESS, "close", key)
        return key

    def opened_list(self):
        return self.opened("todos", "--arguments", json.dumps(own_list()))

    def start(self, *arguments, **options):
        process = command(*arguments, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def shell(self, script):
        """Runs a script in which `vm` is the command; returns its output and its errors."""
        prelude = f"vm() {{ {shlex.quote(sys.executable)} -m view_model_client --tcp {ADDRESS} \"$@\"; }}\n"
        environment = {**os.environ, "PYTHONPATH": CLIENT_FOLDER, "PYTHONDONTWRITEBYTECODE": "1"}
        bash = subprocess.run(
            ["bash", "-c", prelude + script], env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
        return bash.stdout, bash.stderr


class Steps(CommandTests):
    def test_list_prints_names(self):
        status, output, errors = self.run_command("--tcp", ADDRESS, "list")
        self.assertEqual((status, errors), (0, ""))
        self.assertTrue({"counter", "orders", "todos"} <= set(output.split()))

    def test_describe_prints_the_schemas(self):
        status, output, _ = self.run_command("describe", "counter", "--tcp", ADDRESS)
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(output)["name"], "counter")

    def test_a_session_is_opened_and_sent_to_and_closed_by_one_process_each(self):
        key = self.opened("counter", "--arguments", '{"start":40}')
        self.assertEqual(self.vm("send", key, "increment", "by=2"), [{"kind": "count", "value": 42}])
        self.assertEqual(self.vm("send", key, "increment", '{"by":-42}'), [{"kind": "count", "value": 0}])
        self.assertEqual(self.vm("close", key), [])
        status, errors = self.refused("send", key, "reset")
        self.assertEqual(status, 1)
        self.assertIn("there is no session", errors)

    def test_send_with_the_name_of_a_view_model_opens_a_session_for_it(self):
        self.assertEqual(
            self.vm("send", "counter", "increment", "by=2", "--arguments", '{"start":1}'),
            [{"kind": "count", "value": 1}, {"kind": "count", "value": 3}],
        )

    def test_members_are_what_the_view_model_takes(self):
        key = self.opened_list()
        for title in ("7", '"x"', "a=b", "null"):
            (changed,) = self.vm("send", key, "add", f"title={title}")
            self.assertEqual(changed["value"]["items"][-1]["title"], title)
        (changed,) = self.vm("send", key, "toggle", "id=1")
        self.assertTrue(changed["value"]["items"][0]["isDone"])
        for members, words in (
            (["ttle=7"], "add has no member 'ttle'; its members: title"),
            (["title"], "neither MEMBER=VALUE nor a JSON object: 'title'"),
            (["{title:1}"], "is no JSON: {title:1}"),
        ):
            status, errors = self.refused("send", key, "add", *members)
            self.assertEqual(status, os.EX_USAGE)
            self.assertIn(words, errors)
        status, errors = self.refused("send", key, "toggle", "id=one")
        self.assertEqual(status, 1)
        self.assertIn("/event/id: expected an integer", errors)

    def test_the_walk_and_a_view_model_that_refuses_to_be_left(self):
        key = self.opened("orders", "--arguments", '{"delay":0}')
        loading, orders, loaded = self.vm("send", key, "loadOrders")
        self.assertEqual(orders, {"kind": "orders", "count": 100})
        self.assertEqual(self.vm("rows", key, "orders"), [order(number) for number in range(100)])
        (push,) = self.vm("send", key, "selectOrder", "index=7")
        self.assertEqual((push["navigation"], push["viewModel"]), ("push", "orderDetails"))
        details = push["key"]
        watching = self.start("--tcp", ADDRESS, "watch", details)
        said = [json.loads(watching.stdout.readline()) for _ in range(3)]
        self.assertIn({"kind": "title", "value": "Details of Order #7"}, said)
        (present,) = self.vm("send", details, "cancelOrder")
        self.assertEqual((present["navigation"], present["viewModel"]), ("present", "confirmCancel"))
        said = self.vm("send", present["key"], "confirm")
        self.assertEqual(said, [{"kind": "question", "value": "Cancel Order #7?"}])
        self.vm("send", details, "editNote", "value=call them")
        self.assertEqual(
            self.refused("back", details),
            (1, "view_model_client: the view model stays: the note isn't saved (InvalidRequest)\n"),
        )
        self.vm("send", details, "saveNote")
        self.assertEqual(self.vm("back", details), [])
        output, errors = watching.communicate(timeout=PATIENCE)
        lines = [json.loads(line) for line in output.splitlines()]
        self.assertEqual(
            [line.get("navigation") or [line["kind"], line["value"]] for line in lines],
            ["present", ["cancelled", True], "dismiss", ["note", "call them"], ["note", "call them"]],
        )
        self.assertEqual((watching.returncode, errors), (0, ""))
        shown = self.start("--tcp", ADDRESS, "watch", key)
        state = [json.loads(shown.stdout.readline()) for _ in range(3)]
        self.assertEqual(state[1:], [{"kind": "cancelled", "id": 7}, {"kind": "orders", "count": 100}])

    def test_rows_of_a_list_of_any_length(self):
        key = self.opened("orders", "--arguments", '{"count":1000000,"delay":0}')
        self.assertEqual(self.vm("rows", key, "orders"), [])
        self.assertEqual(self.vm("rows", key, "orders", "0", "10"), [])
        self.assertEqual(self.vm("send", key, "loadOrders")[1], {"kind": "orders", "count": 1_000_000})
        self.assertEqual(self.vm("rows", key, "orders", "999999"), [order(999_999)])
        self.assertEqual(self.vm("rows", key, "orders", "999998", "5"), [order(999_998), order(999_999)])
        self.assertEqual(self.vm("rows", key, "orders", "1000000", "5"), [])
        # More than the server gives at once.
        self.assertEqual(self.vm("rows", key, "orders", "400000", "2500"), [order(400_000 + n) for n in range(2_500)])
        output, errors = self.shell(f"vm rows '{key}' orders | head -n 3; echo ${{PIPESTATUS[0]}}")
        *rows, status = output.splitlines()
        self.assertEqual(([json.loads(row) for row in rows], status, errors), ([order(n) for n in range(3)], "141", ""))

        status, errors = self.refused("rows", key, "order")
        self.assertEqual(status, 1)
        self.assertIn("there is no list 'order'; there are orders (InvalidParams)", errors)
        for word in ("-1", "one", "1.5"):
            status, errors = self.refused("rows", key, "orders", word)
            self.assertEqual(status, os.EX_USAGE)
            self.assertIn(f"is no number from 0 on: {word}", errors)

    def test_rows_come_once_over_lost_connections(self):
        relay, key = Relay(self), self.opened("orders", "--arguments", '{"count":3000,"delay":0}')
        self.vm("send", key, "loadOrders")
        relay.cut_often(5)
        status, output, errors = self.run_command("--tcp", relay.address, "rows", key, "orders")
        self.assertEqual((status, errors, relay.cuts_left), (0, "", 0))
        self.assertEqual([json.loads(line) for line in output.splitlines()], [order(number) for number in range(3_000)])


class Watching(CommandTests):
    def test_ctrl_c_ends_it_without_a_word_and_as_the_signal_and_leaves_no_session_of_its_own(self):
        key = self.opened("counter")
        for arguments, is_own in ((["watch", key], False), (["open", "counter"], True)):
            for number in (signal.SIGINT, signal.SIGTERM):
                process = self.start("--tcp", ADDRESS, *arguments)
                if is_own:
                    key = json.loads(process.stdout.readline())["key"]
                self.assertEqual(json.loads(process.stdout.readline()), {"kind": "count", "value": 0})
                process.send_signal(number)
                output, errors = process.communicate(timeout=PATIENCE)
                self.assertEqual((process.returncode, output, errors), (-number, "", ""))
                if is_own:
                    self.assertEqual(self.refused("close", key)[0], 1)

    def test_a_session_that_ends_ends_it(self):
        key = self.opened("counter")
        process = self.start("--tcp", ADDRESS, "watch", key)
        process.stdout.readline()
        self.vm("close", key)
        self.assertEqual(process.communicate(timeout=PATIENCE), ("", ""))
        self.assertEqual(process.returncode, 0)

    def test_a_lost_connection_is_made_again_and_no_event_missed(self):
        relay = Relay(self)
        key = self.opened("counter")
        process = self.start("--tcp", relay.address, "watch", key)
        lines = [json.loads(process.stdout.readline())]
        for _ in range(4):
            relay.cut()
            for _ in range(2):
                self.vm("send", key, "increment", "by=1")
                lines.append(json.loads(process.stdout.readline()))
        self.assertEqual([line["value"] for line in lines], list(range(9)))

    def test_progress_of_who_sends_is_cancelled_by_ctrl_c(self):
        key = self.opened("orders", "--arguments", '{"delay":600}')
        watching = self.start("--tcp", ADDRESS, "watch", key)
        self.assertEqual(json.loads(watching.stdout.readline()), {"kind": "loading", "value": False})
        sending = self.start("--tcp", ADDRESS, "send", key, "loadOrders")
        self.assertEqual(json.loads(watching.stdout.readline()), {"kind": "loading", "value": True})
        sending.send_signal(signal.SIGINT)
        sending.communicate(timeout=PATIENCE)
        self.assertEqual(sending.returncode, -signal.SIGINT)
        self.assertEqual(json.loads(watching.stdout.readline()), {"kind": "loading", "value": False})


class Pipes(CommandTests):
    def test_a_reader_that_has_enough_ends_it_at_once_and_without_a_word(self):
        output, errors = self.shell(
            """
            key=$(vm open counter --keep | sed 's/.*"key":"\\([^"]*\\)".*/\\1/')
            vm watch "$key" | head -n 1
            echo "${PIPESTATUS[@]}"
            vm describe orders | head -n 1
            echo "${PIPESTATUS[1]}"
            vm close "$key"
            """
        )
        self.assertEqual(errors, "")
        # 141 is the end by SIGPIPE, although nothing was left to write.
        self.assertEqual(output.splitlines(), ['{"kind":"count","value":0}', "141 0", "{", "0"])

    def test_output_that_cant_be_written_is_an_error(self):
        with open("/dev/full", "w") as full:
            process = command("--tcp", ADDRESS, "list", stdout=full)
            _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, os.EX_IOERR)
        self.assertIn("No space left on device", errors)


class Places(CommandTests):
    def test_a_server_may_be_started_for_one_command(self):
        status, output, errors = self.run_command(
            "--command", f"{shlex.quote(SERVER)} --stdio", "send", "todos", "add", "title=Write it down"
        )
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(json.loads(output.splitlines()[-1])["value"]["remaining"], 1)

    def test_a_token_comes_from_a_file_or_the_environment(self):
        token = Folder(self).file("token", "secret-0123456789\n")
        server = OwnServer(self, "--token-file", token)
        place = ("--unix", server.path)
        self.assertEqual(self.run_command(*place, "--token-file", token, "list")[0], 0)
        environment = {"VIEW_MODEL_SERVER_TOKEN": "secret-0123456789"}
        self.assertEqual(self.run_command(*place, "list", environment=environment)[0], 0)
        status, output, errors = self.run_command(*place, "list")
        self.assertEqual((status, output), (os.EX_NOPERM, ""))
        self.assertIn("(Unauthorized)", errors)
        status, _, errors = self.run_command(*place, "--token-file", token + "s", "list")
        self.assertEqual(status, os.EX_NOINPUT)
        self.assertIn("No such file", errors)

    def test_a_server_that_ends_while_somebody_watches_is_told(self):
        server = OwnServer(self)
        with connect_blocking(unix=server.path) as client:
            watching = self.start("--unix", server.path, "watch", client.open("counter").key)
            watching.stdout.readline()
            server.stop()
            _, errors = watching.communicate(timeout=PATIENCE)
        self.assertEqual((watching.returncode, errors), (1, "view_model_client: the view is closed: serverShutdown\n"))

    def test_the_command_says_that_the_server_doesnt_answer(self):
        server = OwnServer(self)
        with connect_blocking(unix=server.path) as client:
            orders = client.open("orders", {"delay": 600})
            process = self.start("--unix", server.path, "send", orders.key, "loadOrders")
            # It has connected, and waits.
            self.assertEqual(next(iter(orders)), {"kind": "loading", "value": True})
            server.pause()
            self.assertEqual(process.stderr.readline(), "view_model_client: the server doesn't answer; waiting for it\n")
            server.resume()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(), -signal.SIGINT)

    def test_wrong_arguments_and_places_have_their_status_and_words(self):
        for status, words, arguments in (
            (os.EX_USAGE, "required: ACTION", []),
            (os.EX_USAGE, "invalid choice: 'lst'", ["lst"]),
            (os.EX_USAGE, "is no JSON: {", ["open", "counter", "--arguments", "{"]),
            (os.EX_USAGE, "is no JSON: NaN", ["open", "counter", "--arguments", "NaN"]),
            (os.EX_USAGE, "no HOST:PORT: 'here'", ["--tcp", "here", "list"]),
            (os.EX_USAGE, "--command is empty", ["--command", " ", "list"]),
            (os.EX_USAGE, "not allowed with", ["--tcp", "1", "--unix", "x", "list"]),
            (os.EX_UNAVAILABLE, "can't reach the server", ["--tcp", "127.0.0.1:1", "list"]),
            (os.EX_UNAVAILABLE, "can't reach the server", ["--unix", "/nowhere/at/all", "list"]),
            (os.EX_UNAVAILABLE, "can't reach the server", ["--command", "/nowhere/at/all", "list"]),
            (os.EX_UNAVAILABLE, "the server ended the connection", ["--command", "true", "list"]),
            (1, "there is no view model", ["--tcp", ADDRESS, "open", "clock"]),
            (1, "view models are board, boardScreen, counter, finder, hello", ["--tcp", ADDRESS, "watch", "clock"]),
            (1, "; counter takes increment, reset, load (InvalidParams)", ["--tcp", ADDRESS, "send", "counter", "inc"]),
            (1, "/arguments/start", ["--tcp", ADDRESS, "open", "counter", "--arguments", '{"start":"x"}']),
            (os.EX_USAGE, "'nobody' is none", ["--tcp", ADDRESS, "send", "nobody", "x", "--arguments", "{}"]),
        ):
            with self.subTest(arguments=arguments):
                seen, _, errors = self.run_inside(*arguments)
                self.assertEqual(seen, status, errors)
                self.assertIn(words, errors)

    def test_a_process_ends_with_the_status_and_the_words(self):
        for status, words, arguments in (
            (os.EX_USAGE, "invalid choice: 'lst'", ["lst"]),
            (os.EX_UNAVAILABLE, "can't reach the server", ["--tcp", "127.0.0.1:1", "list"]),
        ):
            seen, output, errors = self.run_command(*arguments)
            self.assertEqual((seen, output), (status, ""), errors)
            self.assertIn(words, errors)
            self.assertNotIn("Traceback", errors)

    def test_a_key_may_begin_with_a_dash(self):
        for key in ("-AAAAAAAAAAAAAAAAAAAAA", "--AAAAAAAAAAAAAAAAAAAA"):
            for arguments in (["watch"], ["send", "reset"], ["rows", "orders"], ["close"], ["back"]):
                arguments.insert(1, key)
                status, errors = self.refused(*arguments)
                self.assertEqual(status, 1)
                self.assertIn(f"there is no session '{key}'", errors)

    def test_help_says_how(self):
        for arguments in ([], ["send"]):
            status, output, errors = self.run_inside(*arguments, "--help")
            self.assertEqual((status, errors), (0, ""))
            self.assertIn("--token-file", output)
