"""The package as people get it: a folder, of which only those parts are loaded that are used, or one file of it."""

import ast
import glob
import os
import re
import subprocess
import sys
import unittest

from support import ADDRESS, CLIENT_FOLDER, PATIENCE, Folder

PACKAGE = os.path.join(CLIENT_FOLDER, "view_model_client")


def python(*arguments, path):
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    options = {"env": environment, "capture_output": True, "text": True, "timeout": PATIENCE}
    # Elsewhere, since Python looks in the folder in which it runs, too.
    run = subprocess.run([sys.executable, "-S", *arguments], cwd="/", **options)
    return run.returncode, run.stdout, run.stderr


class Package(unittest.TestCase):
    def test_the_readmes_line_makes_one_file_of_it_which_is_the_command_and_the_library(self):
        with open(os.path.join(CLIENT_FOLDER, "README.md"), encoding="utf-8") as file:
            (line,) = re.findall(r"`(mkdir [^`]*zipapp[^`]*)`", file.read())
        folder = Folder(self).path
        line = line.replace("cp -r view_model_client", f"cp -r '{PACKAGE}'").replace("python3", sys.executable)
        subprocess.run(["bash", "-c", line], cwd=folder, check=True, timeout=PATIENCE)
        made = os.path.join(folder, "view_model_client.pyz")
        status, names, errors = python(made, "--tcp", ADDRESS, "list", path=folder)
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("counter", names.split())
        self.assertEqual(python(made, "lst", path=folder)[0], os.EX_USAGE)
        program = f"""
from view_model_client import connect_blocking
with connect_blocking(tcp={ADDRESS!r}) as client:
    print(client.open("counter").view_model, connect_blocking.__code__.co_filename)
"""
        status, words, errors = python("-c", program, path=made)
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(words, f"counter {made}/view_model_client/_blocking.py\n")

    def test_what_isnt_used_isnt_loaded_and_all_names_are_there(self):
        program = """
import sys
import view_model_client
print(sorted(name for name in sys.modules if name in ("argparse", "view_model_client._blocking")))
print([name for name in view_model_client.__all__ if not hasattr(view_model_client, name)])
print(hasattr(view_model_client, "nothing"), view_model_client.ViewClosed)
"""
        _, words, errors = python("-c", program, path=CLIENT_FOLDER)
        self.assertEqual((words, errors), ("[]\n[]\nFalse <class 'view_model_client.ViewClosed'>\n", ""))

    def test_no_part_depends_on_one_that_depends_on_it(self):
        needs = {}
        for path in glob.glob(os.path.join(PACKAGE, "*.py")):
            with open(path, encoding="utf-8") as file:
                nodes = list(ast.walk(ast.parse(file.read())))
            name = os.path.splitext(os.path.basename(path))[0]
            needs[name] = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level}
        del needs["__init__"]
        while needs:
            lowest = {name for name, others in needs.items() if not others & set(needs)}
            self.assertTrue(lowest, f"they depend on each other: {needs}")
            needs = {name: others for name, others in needs.items() if name not in lowest}
