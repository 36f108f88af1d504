"""The picker of the finder: what is typed, what is shown of it, and what is opened."""

import socket
import subprocess
import time

import stories
from scene import Scene, SlowRelay
from stories.of_leaving import views
from terminal import Failure, wait


def picking(editor):
    """Files by what is typed of their paths."""
    with stories.Stage(editor) as stage:
        scene = Scene(stage)
        scene.find()
        scene.shows("6 of 6 files")
        scene.has_results("> README.md", "data.bin", "docs/übersicht.md", "src/app/main.swift", "src/app/model.swift",
                          "src/lib.swift")
        scene.shows("1  line 1")
        scene.terminal.type("swi")
        scene.shows("> swi", "3 of 6 files")
        scene.terminal.type("x")
        scene.shows("0 of 6 files")
        scene.press("BSpace")
        scene.shows("3 of 6 files")
        scene.press("C-u")
        scene.terminal.type("main übersicht")
        scene.shows("0 of 6 files")
        scene.press("C-w")
        scene.has_results("> src/app/main.swift")
        scene.press("Home")
        scene.terminal.type("!")
        scene.shows("> !main", "5 of 6 files")
        scene.press("Right", "Right", "C-u", "C-e", "C-h", "C-h", "Left", "DC")
        scene.shows("6 of 6 files")
        stories.said("what is typed is edited as on the command line, and its files are shown")

        scene.terminal.type("über")
        scene.has_results("> docs/übersicht.md")
        plain = scene.terminal.style("> docs/")
        wait("a highlight", lambda: scene.terminal.style("> docs/über") not in (None, plain), scene.terminal.screen)
        if scene.terminal.style("> docs/übers") != plain:
            raise Failure("more than what matches is highlighted")
        stories.said("what matches is highlighted, to the byte")

        scene.press("C-u")
        scene.terminal.type("'src")
        scene.shows("3 of 6 files")
        rows = [row.strip("> ") for row in scene.results()]
        for key, index in (("C-n", 1), ("Down", 2), ("C-n", 0), ("C-p", 2), ("Up", 1), ("C-j", 2), ("C-k", 1)):
            scene.press(key)
            scene.shows("> " + rows[index])
        scene.press("Enter")
        scene.closes()
        scene.asks("expand('%')", f"'{rows[1]}'")
        stories.said("the keys move, and Enter opens the file in the window")

        before = scene.count("session/open")
        scene.find()
        scene.shows("6 of 6 files", "> README.md")
        if scene.count("session/open") != before or before != 1:
            raise Failure(f"expected: one session\nseen: {scene.count('session/open')}")
        scene.terminal.type("lib")
        scene.has_results("> src/lib.swift")
        scene.press("Escape")
        scene.closes()
        scene.asks("expand('%')", f"'{rows[1]}'")
        scene.find("model")
        scene.has_results("> src/app/model.swift")
        scene.press("C-c")
        scene.closes()
        scene.asks("[expand('%'), winnr('$'), popup_list()]", f"['{rows[1]}', 1, []]")
        stories.said("Escape and Ctrl-C change nothing, and the session is kept")

        for key, name, expected in (
            ("C-x", "lib", "[winlayout()[0], tabpagenr('$')]|['col', 1]"),
            ("C-v", "README", "[winlayout()[1][0][0], tabpagenr('$')]|['row', 1]"),
            ("C-t", "main", "[winlayout()[0], tabpagenr('$')]|['leaf', 2]"),
        ):
            scene.find(name)
            scene.press(key)
            scene.closes()
            scene.asks(*expected.split("|"))
        scene.asks("expand('%')", "'src/app/main.swift'")
        stories.said("Ctrl-X, Ctrl-V and Ctrl-T open it in a split, beside, and in a tab page")
        scene.asks("v:errmsg", "''")


def picking_lines(editor):
    """Lines by what is in them, and the file around them."""
    with stories.Stage(editor) as stage:
        scene = Scene(stage)
        scene.find("needle")
        scene.shows("0 of 6 files")
        scene.press("Tab")
        scene.shows("3 lines")
        scene.has_results("> README.md:301: the needle at the end", "docs/übersicht.md:2: der needle Grüße needle",
                          'src/app/main.swift:4: print("a needle")')
        scene.shows("301  the needle at the end", "290  line 290")
        scene.press("Down")
        scene.shows("1  # Übersicht", "2  der needle Grüße needle")
        wait("a highlight", lambda: scene.terminal.style("2: der needle") != scene.terminal.style("2: der "),
             scene.terminal.screen)
        if scene.terminal.style("2: der needle Grüße needle") != scene.terminal.style("2: der needle"):
            raise Failure("the second match isn't highlighted")
        scene.press("Down")
        scene.shows('4          print("a needle")')
        scene.press("Enter")
        scene.closes()
        scene.asks("[expand('%'), line('.'), col('.')]", "['src/app/main.swift', 4, 11]")
        stories.said("the preview is at the line, and Enter opens the file there, at the match")

        scene.find("^import|^struct", "ViewModelGrep src")
        scene.shows("Find in src", "0 lines")
        scene.press("C-f")
        scene.has_results("> app/main.swift:1: import Foundation", "app/model.swift:1: struct Model {}")
        scene.terminal.type("(")
        scene.shows("Unmatched (")
        scene.press("BSpace")
        scene.terminal.shows_no("Unmatched (")
        scene.press("BTab")
        scene.shows("0 lines")
        scene.press("BTab", "C-u")
        scene.terminal.type("model")
        scene.has_results("> app/model.swift")
        scene.press("Enter")
        scene.closes()
        scene.asks("expand('%')", "'src/app/model.swift'")
        stories.said("a folder below can be searched, by expressions too, and what is wrong with one is said")

        scene.find("data")
        scene.shows("The file is binary.")
        scene.press("C-u")
        scene.terminal.type("README")
        scene.shows("10  line 10")
        scene.press("S-Down", "S-Down")
        scene.shows("30  line 30")
        scene.terminal.shows_no("1  line 1 ")
        scene.press("S-Up", "S-Up", "S-Up")
        scene.shows("1  line 1 ")
        scene.press("Escape")
        scene.closes()
        asked = [message["params"] for message in scene.relay.said() if message.get("method") == "session/rows"]
        if max(params["count"] for params in asked) > 100:
            raise Failure(f"too much was asked for: {asked}")
        stories.said("the preview scrolls, and asks for the lines that it shows")
        scene.asks("v:errmsg", "''")


def slow_picking(editor):
    """Keys that are faster than the link."""
    with stories.Stage(editor) as stage:
        files = {f"{letter}/{word}.txt": word for letter in "abcdefgh" for word in ("wonderful", "world", "word")}
        scene = Scene(stage, relay=SlowRelay, files=files)
        scene.find()
        scene.shows("24 of 24 files", "> a/wonderful.txt")
        plain = scene.terminal.style("> a/won")
        with scene.relay.held():
            scene.terminal.type("hwonderful")
            scene.shows("> hwonderful")
        scene.has_results("> h/wonderful.txt")
        time.sleep(3 * SlowRelay.delay)
        scene.has_results("> h/wonderful.txt")
        stories.said("the text is there at once, and the rows of the last key come last")
        with scene.relay.held():
            scene.press("C-u")
            scene.terminal.type("gwor")
            wait("dimmed rows", lambda: scene.terminal.style("> h/") not in (None, plain), scene.terminal.screen)
        stories.said("rows of something else are dimmed")
        scene.press("BSpace", "BSpace", "BSpace", "BSpace")
        scene.terminal.type("cworld")
        scene.press("Enter")
        scene.closes()
        scene.asks("expand('%')", "'c/world.txt'")
        stories.said("Enter waits for the rows of what was typed before it")
        scene.find("bwo")
        scene.press("C-n", "C-n", "Enter")
        scene.closes()
        scene.find("bwo")
        # The count comes before the rows.
        wait("three rows", lambda: all("b/" in row for row in scene.results()) and len(scene.results()) == 3,
             scene.terminal.screen)
        third = scene.results()[2]
        scene.press("Escape")
        scene.closes()
        scene.asks("expand('%')", f"'{third}'")
        stories.said("and so does the selection")
        scene.asks("[v:errmsg, execute('messages')->stridx('stopped')]", "['', -1]")


def lost_picking(editor):
    """A connection that is lost, and a server that is started anew."""
    with stories.Stage(editor) as stage:
        scene = Scene(stage)
        scene.find("main")
        scene.has_results("> src/app/main.swift")
        scene.relay.is_refusing = True
        scene.relay.cut()
        scene.shows("trying again", "> src/app/main.swift")
        scene.press("BSpace", "BSpace", "BSpace", "BSpace")
        scene.terminal.type("lib")
        scene.shows("> lib", "trying again")
        scene.press("Enter")
        scene.relay.mend()
        scene.closes()
        scene.asks("expand('%')", "'src/lib.swift'")
        stories.said("what was typed meanwhile is searched when the connection is back")
        scene.find("model")
        scene.has_results("> src/app/model.swift")
        port = scene.address.rsplit(":")[-1]
        scene.server.end()
        scene.shows("trying again")
        scene.write("src/models.swift", "")
        scene.serve("--tcp", port)
        scene.has_results("> src/models.swift", "src/app/model.swift")
        scene.terminal.shows_no("trying again")
        stories.said("where its session is gone, another takes its place by itself")
        scene.press("Escape")
        scene.closes()
        connections = scene.relay.connections
        scene.server.end()
        scene.asks("1", "1")
        time.sleep(0.5)
        seen = scene.relay.connections
        if seen > connections + 2:
            raise Failure(f"it comes back {seen - connections} times though nobody looks")
        scene.serve("--tcp", port)
        scene.find("model")
        scene.has_results("> src/models.swift", "src/app/model.swift")
        stories.said("while it isn't on screen nothing is tried, and it comes back when it is opened")


def shared_picking(editor):
    """Files that come and go, and another user of the same session."""
    with stories.Stage(editor) as stage:
        scene = Scene(stage)
        scene.find("'src")
        scene.shows("3 of 6 files")
        scene.press("Down")
        scene.shows("> src/app/main.swift")
        scene.write("src.txt", "")
        scene.press("F5")
        scene.shows("4 of 7 files", "  src.txt", "> src/app/main.swift")
        stories.said("the selection stays with its file when others come")
        peer = stage.peer(scene.address)
        key = scene.relay.from_server.decode().split('"key":"', 1)[1].split('"')[0]
        view = peer.request("session/attach", key=key)["session"]
        peer.request("view/event", session=view, event={"kind": "query", "text": "README"})
        scene.shows("> README")
        scene.has_results("> README.md")
        peer.request("view/event", session=view, event={"kind": "accept", "index": 0})
        peer.request("view/event", session=view, event={"kind": "query", "text": "model"})
        scene.has_results("> src/app/model.swift")
        stories.said("what another searches is taken over, what another chooses isn't opened")
        scene.press("BSpace", "BSpace", "Enter")
        scene.closes()
        scene.asks("expand('%')", "'src/app/model.swift'")
        wait("no preview", lambda: not peer.request("session/attach", key=key).get("navigation", {}).get("stack"),
             scene.terminal.screen)
        stories.said("the preview is taken off the screen with the picker")
        peer.stream.shutdown(socket.SHUT_RDWR)
        scene.find("lib")
        scene.shows("1  // nothing")
        scene.press("Escape")
        scene.closes()
        stories.command(scene.terminal, ":qall!")
        scene.terminal.ends()
        peer = stage.peer(scene.address)
        found = peer.request("session/open", viewModel="finder")
        if (found["key"], found["isNew"]) != (key, False):
            raise Failure(f"expected: the session {key}\nseen: {found}")
        wait("the end of the view", lambda: views(peer, key) == 1, lambda: str(peer.request("session/list")))
        stories.said("the session stays when Vim ends, without a view of Vim's")


def found_picking(editor):
    """A session that another client has left: what it searched, and its preview."""
    with stories.Stage(editor) as stage:
        scene = Scene(stage)
        peer = stage.peer(scene.address)
        other = peer.request("session/open", viewModel="finder")
        send = lambda **event: peer.request("view/event", session=other["session"], event=event)
        shown = lambda: peer.request("session/attach", key=other["key"])
        searched = lambda: [event for event in shown()["snapshot"] if event["kind"] == "query"]
        send(kind="mode", value="text")
        send(kind="query", text="needle")
        send(kind="preview", index=0)
        scene.find()
        scene.shows("6 of 6 files", "> README.md", "1  line 1")
        scene.terminal.shows_no("needle")
        if searched() != [{"kind": "query", "text": "", "mode": "files"}]:
            raise Failure(f"expected: all files are searched\nseen: {searched()}")
        stories.said("a picker begins anew in a session in which another client has searched")
        scene.press("Escape")
        scene.closes()
        wait("no preview", lambda: not shown().get("navigation", {}).get("stack"), scene.terminal.screen)
        send(kind="query", text="lib")
        send(kind="preview", index=0)
        for text in ("model", "main", "lib"):
            send(kind="query", text=text)
        time.sleep(0.2)
        if not shown().get("navigation", {}).get("stack"):
            raise Failure("expected: the other client's preview stays")
        stories.said("a picker that is closed leaves another client's preview alone")
        scene.find("main")
        scene.has_results("> src/app/main.swift")
        scene.press("Escape")
        stories.said("and begins anew when it is opened again")


def picking_anywhere(editor):
    """Windows, screens and servers of all kinds."""
    with stories.Stage(editor) as stage:
        scene = Scene(stage)
        stories.command(scene.terminal, ":edit new")
        scene.terminal.type("iwritten")
        scene.press("Escape")
        scene.find("lib")
        scene.press("Enter")
        scene.closes()
        scene.asks("[expand('%'), bufname(winbufnr(2)), &modified]", "['src/lib.swift', 'new', 0]")
        stories.said("a window with something that isn't saved is split")
        stories.command(scene.terminal, ":let @a = 'model' | let @/ = 'x' | normal! gg")
        scene.find()
        scene.press("C-r", "a")
        scene.has_results("> src/app/model.swift")
        scene.press("C-u", "C-r", "C-w")
        scene.shows("> nothing")
        scene.press("C-u")
        subprocess.run([*scene.terminal.tmux, "set-buffer", "main\nswift"], check=True)
        subprocess.run([*scene.terminal.tmux, "paste-buffer", "-p"], check=True)
        scene.shows("> main swift")
        scene.has_results("> src/app/main.swift")
        stories.said("registers and what is pasted are put in")
        resize = lambda width: subprocess.run(
            [*scene.terminal.tmux, "resize-window", "-x", str(width), "-y", "24"], check=True)
        resize(80)
        scene.terminal.shows_no("import Foundation")
        scene.has_results("> src/app/main.swift")
        resize(140)
        scene.shows("1  import Foundation")
        scene.press("Escape")
        scene.closes()
        stories.said("a narrow screen has no preview")
        stories.command(scene.terminal, ':ViewModel finder {"hidden": true}')
        scene.shows("6 of 6 files")
        scene.press("Escape")
        scene.closes()
        stories.command(scene.terminal, ":ViewModelFind nowhere")
        scene.shows("nowhere can't be read")
        scene.press("Escape")
        scene.closes()
        scene.asks("v:errmsg", "''")
        stories.said(":ViewModel finder takes its arguments, and a folder that isn't there is said")

    with stories.Stage(editor) as stage:
        fake = stage.fake({}, {"finder": [{"kind": "bare"}]}, {"finder": "Lost.FinderViewModel"})
        terminal = stage.start(address=fake.address)
        stories.command(terminal, ":ViewModelFind")
        terminal.shows("the server's finder is no finder of files")
        terminal.press("a", "Enter", "Escape")
        terminal.shows_no("files text regex")
        if fake.received:
            raise Failure(f"it was sent {fake.received}")
        stories.said("another view model of this name isn't taken for one")

    with stories.Stage(editor) as stage:
        terminal = stage.start(command=["/nonexistent/server", "--stdio"])
        stories.command(terminal, ":ViewModelFind")
        terminal.shows("could not be started; F5 opens", "it again")
        terminal.press("F5", "Escape")
        terminal.shows_no("files text regex")
        stories.said("a server that can't be started is said")


PICKING = [picking, picking_lines, slow_picking, lost_picking, shared_picking, found_picking, picking_anywhere]
