"""The README's programs, run as they stand there."""

import os
import re
import shutil
import subprocess
import sys
import unittest

from support import ADDRESS, CLIENT_FOLDER, PATIENCE, Folder


class Readme(unittest.TestCase):
    def blocks(self, language):
        with open(os.path.join(CLIENT_FOLDER, "README.md"), encoding="utf-8") as file:
            blocks = re.findall(rf"```{language}\n(.*?)```", file.read(), re.DOTALL)
        return [block.replace("127.0.0.1:7351", ADDRESS) for block in blocks]

    def run_program(self, *command):
        environment = {**os.environ, "PYTHONPATH": CLIENT_FOLDER, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)

    def test_the_first_program(self):
        program = self.run_program(sys.executable, Folder(self).file("first.py", self.blocks("python")[0]))
        self.assertEqual((program.returncode, program.stderr), (0, ""))
        received, *events = map(eval, program.stdout.splitlines())
        self.assertEqual([event["kind"] for event in received], ["loading", "orders", "loading"])
        self.assertEqual(events[0], {"kind": "title", "value": "Details of Order #7"})

    @unittest.skipUnless(shutil.which("jq"), "jq isn't installed")
    def test_the_shell_script_and_what_it_prints(self):
        (script,) = [block for block in self.blocks("sh") if block.startswith("vm()")]
        (printed,) = [block for block in self.blocks("text") if "stays" in block]
        script = script.replace("python3", sys.executable)
        lines = self.run_program("bash", "-c", f"exec 2>&1\n{script}\nvm close \"$orders\"").stdout.splitlines()
        start, end = printed.split("…\n")
        self.assertEqual(lines[:2], start.splitlines())
        self.assertEqual(lines[-len(end.splitlines()) :], end.splitlines())
