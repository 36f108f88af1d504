"""Somebody at a terminal who finds files with `view-model-server connect`. Python's standard library and tmux.

    python3 find.py EXECUTABLE

Makes a tree of files, and starts the server there. Prints a line for each thing that was seen.
"""

import os
import signal
import sys
import tempfile

from terminal import Failed, Terminal, wait

EXECUTABLE = sys.argv[1]

EDITOR = """#!/bin/sh
# Says what it was called with, and what is typed.
stty -g > "$FOLDER/editor-settings"
printf '%s\\n' "$@" > "$FOLDER/arguments"
printf 'editor> '
read line
printf '%s' "$line" > "$FOLDER/typed"
"""


def make_tree(folder):
    root = f"{folder}/tree"
    os.makedirs(f"{root}/src/deep")
    for number in range(1, 4):
        with open(f"{root}/src/file{number}.swift", "w") as file:
            file.write(f"one\n\tlet needle = {number}\nlast\n")
    with open(f"{root}/src/deep/numbers.txt", "w") as file:
        file.writelines(f"number {number}\n" for number in range(1, 501))
    with open(f"{root}/日本語.md", "w") as file:
        file.write("wide\n")
    return root


def contents(path):
    wait(lambda: os.path.exists(path), path)
    with open(path) as file:
        return file.read()


def start(terminal, *variables):
    command = " ".join(["env", "-u", "VISUAL", "-u", "EDITOR", *variables, EXECUTABLE, "connect", "--", EXECUTABLE, "--stdio"])
    return terminal.run(command, lambda lines: lines[-1] == ">")


def rows(lines):
    """Those of the list, without the preview."""
    return [line.split("│")[0].rstrip() for line in lines[2:] if line.split("│")[0].strip()]


def see_rows(terminal, text, *expected):
    terminal.see(
        lambda lines: lines[0] == text and rows(lines) == list(expected), f"{list(expected)} below {text}")


def find(terminal):
    terminal.enter("find")
    files = ["src/deep/numbers.txt", "src/file1.swift", "src/file2.swift", "src/file3.swift", "日本語.md"]
    terminal.see(
        lambda lines: lines[0] == "files>" and sorted(row[2:] for row in rows(lines)) == files, "all files")
    if not terminal.lines()[2].startswith("> ") or terminal.cursor() != (len("files> "), 0):
        raise Failed("the first row isn't selected")
    terminal.see(lambda lines: lines[1].startswith("  5 of 5 files"), "how many there are")
    terminal.type("fl2")
    see_rows(terminal, "files> fl2", "> src/file2.swift")
    terminal.see(lambda lines: lines[1].startswith("  1 of 5 files"), "how many match")
    terminal.key("C-u")
    terminal.type("日")
    see_rows(terminal, "files> 日", "> 日本語.md")
    print("files are found as one types")
    terminal.key("C-u")
    terminal.type("swift$")
    see_rows(terminal, "files> swift$", "> src/file1.swift", "  src/file2.swift", "  src/file3.swift")
    terminal.key("Down", "C-n")
    see_rows(terminal, "files> swift$", "  src/file1.swift", "  src/file2.swift", "> src/file3.swift")
    terminal.key("C-p")
    see_rows(terminal, "files> swift$", "  src/file1.swift", "> src/file2.swift", "  src/file3.swift")
    print("the selection moves")


def edit(terminal, root):
    typed, arguments = f"{terminal.folder}/typed", f"{terminal.folder}/arguments"
    terminal.key("Enter")
    terminal.see_end("> find", "editor>")
    if contents(arguments) != f"{root}/src/file2.swift\n":
        raise Failed(f"the editor got {contents(arguments)!r}")
    # Keys are the editor's alone, and Ctrl-C isn't `connect`'s.
    terminal.type("typed into the editor")
    terminal.see_end("> find", "editor> typed into the editor")
    terminal.key("Enter")
    terminal.see_end("editor> typed into the editor", ">")
    if contents(typed) != "typed into the editor":
        raise Failed(f"the editor read {contents(typed)!r}")
    os.remove(arguments)
    print("Enter opens the file in the editor, and comes back")
    terminal.enter("find needle mode=text")
    see_rows(
        terminal, "text> needle", "> src/file1.swift:2: let needle = 1", "  src/file2.swift:2: let needle = 2",
        "  src/file3.swift:2: let needle = 3")
    terminal.key("BTab")
    terminal.see(lambda lines: lines[0] == "files> needle" and not rows(lines), "no such file")
    terminal.key("Tab", "Tab")
    terminal.see(lambda lines: lines[0] == "regex> needle", "the regular expression")
    terminal.type(" = [2]")
    see_rows(terminal, "regex> needle = [2]", "> src/file2.swift:2: let needle = 2")
    # At once: it waits for the rows of what was typed.
    terminal.tmux("send-keys", "BSpace", "BSpace", "BSpace", "3", "Enter")
    terminal.see(lambda lines: lines[-1] == "editor>", "the editor")
    if contents(arguments) != f"+2\n{root}/src/file3.swift\n":
        raise Failed(f"the editor got {contents(arguments)!r}")
    terminal.key("C-c")
    terminal.see(lambda lines: lines[-1] == ">" and lines[-2].endswith("was ended by signal 2"), "the editor's end")
    print("lines are found, and opened at their numbers")


def preview(terminal):
    terminal.resize(120)
    terminal.enter("find number.250 mode=regex")
    right = lambda lines: [line.split("│", 1)[1].rstrip() for line in lines[1:] if "│" in line]
    terminal.see(
        lambda lines: right(lines)[:1] == [" src/deep/numbers.txt"] and ">250 number 250" in right(lines)
        and " 257 number 257" in right(lines), "the file around the line")
    terminal.key("C-u")
    terminal.type("needle = 1")
    terminal.see(
        lambda lines: right(lines)[:4] == [" src/file1.swift", " 1 one", ">2     let needle = 1", " 3 last"], "another file")
    terminal.resize(80)
    terminal.see(lambda lines: lines[0] == "regex> needle = 1" and not right(lines), "no preview where it is narrow")
    terminal.resize(120)
    terminal.see(lambda lines: right(lines)[:1] == [" src/file1.swift"], "the preview again")
    terminal.resize(80)
    print("the file is previewed where there is room")


def leave(terminal, before):
    terminal.key("Escape")
    terminal.see(lambda lines: lines[-1] == ">" and "> find" in lines, "the screen before")
    for key in ("C-g", "C-c"):
        terminal.enter("find swift")
        terminal.see(lambda lines: lines[0] == "files> swift", "a picker")
        terminal.key(key)
        terminal.see_end("> find swift", ">")
    print("Escape, Ctrl-G and Ctrl-C close it, and the screen is as it was")
    terminal.enter("find swift")
    terminal.see(lambda lines: lines[0] == "files> swift", "a picker")
    terminal.key("C-z")
    terminal.see_end("sh$")
    if terminal.settings() != before:
        raise Failed("the terminal isn't as it was while the client is stopped")
    terminal.enter("fg")
    terminal.see(lambda lines: lines[0] == "files> swift" and len(rows(lines)) == 3, "the picker again")
    terminal.key("C-g")
    terminal.see_end(">")
    terminal.leave()
    print("it stops and goes on")


def restored(terminal, before):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        process = start(terminal)
        terminal.enter("find swift")
        terminal.see(lambda lines: lines[0] == "files> swift", "a picker")
        os.kill(process, number)
        terminal.see_end("sh$")
        terminal.enter("echo status $?")
        terminal.see_end(f"status {128 + number}", "sh$")
        if terminal.settings() != before:
            raise Failed(f"the terminal isn't as it was after {number.name}")
    print("the terminal is as it was, however it ends")


def without_editor(terminal, root):
    start(terminal)
    terminal.enter("find last mode=text")
    terminal.see(lambda lines: lines[0] == "text> last" and len(rows(lines)) == 3, "a picker")
    terminal.key("Enter")
    terminal.see_end(f"{root}/src/file1.swift:3", ">")
    terminal.leave()
    print("without an editor the place is printed")


def main():
    with tempfile.TemporaryDirectory(prefix="vms-") as folder:
        folder = os.path.realpath(folder)
        root = make_tree(folder)
        with open(f"{folder}/editor", "w") as file:
            file.write(EDITOR)
        os.chmod(f"{folder}/editor", 0o700)
        terminal = Terminal(folder)
        try:
            terminal.see(lambda lines: lines == ["sh$"], "a shell")
            terminal.enter(f"cd {root}")
            before = terminal.settings()
            start(terminal, f"FOLDER={folder}", f"EDITOR={folder}/editor")
            find(terminal)
            edit(terminal, root)
            preview(terminal)
            leave(terminal, before)
            restored(terminal, before)
            without_editor(terminal, root)
        except Failed as failure:
            print(f"failed: {failure}")
            sys.exit(1)
        finally:
            terminal.end()


main()
