"""The README's programs, run as they stand there."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import unittest

from support import ADDRESS, CLIENT_FOLDER, PATIENCE, Folder, OwnServer, generate_types, own_list


class Readme(unittest.TestCase):
    def blocks(self, language):
        with open(os.path.join(CLIENT_FOLDER, "README.md"), encoding="utf-8") as file:
            blocks = re.findall(rf"```{language}\n(.*?)```", file.read(), re.DOTALL)
        return [block.replace("127.0.0.1:7351", ADDRESS) for block in blocks]

    def run_program(self, *command, cwd=None):
        environment = {**os.environ, "PYTHONPATH": CLIENT_FOLDER, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, cwd=cwd)

    def test_the_first_program(self):
        program = self.run_program(sys.executable, Folder(self).file("first.py", self.blocks("python")[0]))
        self.assertEqual((program.returncode, program.stderr), (0, ""))
        received, rows, *events = map(eval, program.stdout.splitlines())
        self.assertEqual([event["kind"] for event in received], ["loading", "orders", "loading"])
        self.assertEqual(rows, [{"id": 6, "name": "Order #6"}, {"id": 7, "name": "Order #7"}])
        self.assertEqual(events[0], {"kind": "title", "value": "Details of Order #7"})

    def test_the_program_without_asyncio(self):
        text = self.blocks("python")[1]
        self.assertIn('{"list": "work"}', text)
        text = text.replace('{"list": "work"}', json.dumps(own_list()))
        program = self.run_program(sys.executable, Folder(self).file("second.py", text))
        self.assertEqual((program.returncode, program.stdout, program.stderr), (0, "2\n", ""))

    def test_the_program_with_lists(self):
        (text,) = [block for block in self.blocks("python") if "view.list" in block]
        (printed,) = [block for block in self.blocks("text") if "square" in block]
        program = self.run_program(sys.executable, Folder(self).file("lists.py", text))
        self.assertEqual((program.returncode, program.stdout, program.stderr), (0, printed, ""))

    def test_the_program_with_types(self):
        folder = Folder(self)
        generate_types(folder)
        block = self.blocks("python")[-1]
        imports, _, rest = block.partition("\n\n")
        text = f"import asyncio\nfrom view_model_client import connect\n{imports}\n\nasync def main():\n"
        # No order is loaded yet, which is what the view model says.
        text += textwrap.indent(rest, "    ") + "\nasyncio.run(main())\n"
        program = self.run_program(sys.executable, folder.file("typed.py", text))
        self.assertIn("there is no order 7: no orders are loaded", program.stderr)

    @unittest.skipUnless(shutil.which("jq"), "jq isn't installed")
    def test_the_script_that_sends_again_what_a_server_that_is_killed_and_started_again_didnt_handle(self):
        (function, *_) = [block for block in self.blocks("sh") if block.startswith("vm()")]
        (script,) = [block for block in self.blocks("sh") if "wasSent" in block]
        server, folder = OwnServer(self), Folder(self)
        function = function.splitlines()[0].replace("python3", sys.executable)
        function = function.replace(f"--tcp {ADDRESS}", f"--unix {server.path}")
        folder.file("events", "".join(f'{{"kind":"add","title":"{title}"}}\n' for title in ("one", "two")))

        def run(script):
            return self.run_program("bash", "-c", f"{function}\n{script}", cwd=folder.path)

        key = run("vm open todos --keep | jq -r .key").stdout.strip()
        server.kill()
        server.start()
        again = run(f"todos={key}\n{script}")
        self.assertIn("there is no session", again.stderr)
        self.assertEqual([line.count('"isDone"') for line in again.stdout.splitlines()], [1, 2])

    @unittest.skipUnless(shutil.which("jq"), "jq isn't installed")
    def test_the_shell_script_and_what_it_prints(self):
        (script,) = [block for block in self.blocks("sh") if block.startswith("vm()")]
        (printed,) = [block for block in self.blocks("text") if "stays" in block]
        script = script.replace("python3", sys.executable)
        lines = self.run_program("bash", "-c", f"exec 2>&1\n{script}\nvm close \"$orders\"").stdout.splitlines()
        start, middle, end = (part.splitlines() for part in printed.split("…\n"))
        self.assertEqual(lines[:2], start)
        self.assertIn("\n".join(middle), "\n".join(lines))
        self.assertEqual(lines[-len(end) :], end)
