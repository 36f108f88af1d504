"""Stories of a user at the finder's picker. The server of each shows a small folder, made for the story."""

import os
import pathlib
import time

import stories
from relay import Relay
from server import Server
from terminal import Failure, wait

FIND = ":ViewModelFind"


class Slow(Relay):
    """A relay that keeps what passes for a while."""

    delay = 0.1

    def _write(self, sink, data, is_sliced):
        time.sleep(self.delay)
        super()._write(sink, data, is_sliced)


def tree(stage, **files):
    """A folder with files of these names and texts."""
    folder = pathlib.Path(stage.folder) / "tree"
    for name, text in {**SMALL, **files}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


SMALL = {
    "README.md": "# A small project\n\nIt has a picture of a herring.\n",
    "src/apple.lua": "local apple = {}\nlocal seeds = 5\nreturn apple\n",
    "src/banana.lua": "local banana = {}\n\tlocal herring = 'red'\nreturn banana\n",
    "src/deep/cherry.lua": "-- nothing here but a Herring\n",
    "words/Grüße.txt": "viele Grüße und Küsse\n",
}


def server(stage, folder):
    """A server that shows a folder."""
    own = Server("sh", "-c", 'cd "$0" && exec "$@"', str(folder), stage.editor.server, "--tcp", "0")
    stage.closing.append(own.end)
    return own


def relay(stage, folder, kind=Relay):
    """A relay to a server that shows a folder."""
    own = kind(server(stage, folder).address)
    stage.closing.append(own.close)
    return own


def shows_selected(terminal, text):
    """Waits until the row that is selected has this text."""
    terminal.shows("│> " + text)


def shows_without(terminal, text, other):
    """Waits until one text is on the screen, and another one isn't."""
    wait(f"{text!r}, and no {other!r}", lambda: text in (seen := terminal.screen()) and other not in seen,
         terminal.screen)


def resize(terminal, columns, rows):
    """Gives the terminal another size."""
    terminal._run("resize-window", "-x", str(columns), "-y", str(rows))
    wait(f"{columns} columns", lambda: max(map(len, terminal.screen().split("\n"))) <= columns, terminal.screen)


def has_ended(terminal):
    """Waits until there is no picker."""
    terminal.shows_no("╭─ files")


def sent(relay_, kind):
    """The view events of a kind that were sent."""
    events = [message["params"]["event"] for message in relay_.said() if message.get("method") == "view/event"]
    return [event for event in events if event["kind"] == kind]


def says(terminal, expression, value):
    """Waits until an expression has a value."""
    def is_so():
        stories.command(terminal, f":echo '<' . {expression} . '>'")
        time.sleep(0.05)
        return f"<{value}>" in terminal.screen()
    wait(f"{expression} is {value}", is_so, terminal.screen)


def finding(editor):
    """Files by their names, from the first key to the open file."""
    with stories.Stage(editor) as stage:
        way = relay(stage, tree(stage))
        terminal = stage.start(address=way.address)
        stories.command(terminal, ":put ='one two'")
        terminal.shows("one two")
        terminal.type("0w")
        stories.command(terminal, FIND)
        terminal.shows("5 of 5 files", "src/apple.lua", "words/Grüße.txt", "# A small project")
        shows_selected(terminal, "README.md")
        stories.said("all files are there at once, and the first one's text beside them")

        terminal.type("anl")
        shows_selected(terminal, "src/banana.lua")
        terminal.shows("1 of 5 files", "local banana")
        stories.said("the text is searched for as it is typed")
        wait("matches in another colour",
             lambda: terminal.style("> src/banana.lu") != terminal.style("> src/banana.l"), terminal.screen)
        terminal.press("C-w")
        terminal.shows("5 of 5 files")
        terminal.type("rüß")
        shows_selected(terminal, "words/Grüße.txt")
        styles = lambda: [terminal.style(text) for text in ("> words/" + "Grüße"[:end] for end in range(1, 6))]
        wait("r, ü and ß in one colour, and G and e in another",
             lambda: (seen := styles())[1:4] == seen[1:2] * 3 and seen[0] == seen[4] != seen[1], lambda: str(styles()))
        stories.said("what matches is highlighted, by bytes")

        terminal.press("Escape")
        has_ended(terminal)
        says(terminal, "getline('.')[col('.') - 1:]", "two")
        says(terminal, "bufname()", "")
        stories.said("Escape changes nothing, not even where the cursor is")

        stories.command(terminal, FIND)
        terminal.shows("5 of 5 files")
        terminal.press("C-n", "C-n", "C-p", "Down", "Down", "Up")
        shows_selected(terminal, "src/banana.lua")
        terminal.press("C-p", "C-p", "C-p")
        shows_selected(terminal, "words/Grüße.txt")
        terminal.press("C-n", "PageDown")
        shows_selected(terminal, "words/Grüße.txt")
        terminal.press("PageUp")
        shows_selected(terminal, "README.md")
        terminal.press("C-n", "Enter")
        has_ended(terminal)
        terminal.shows("local seeds = 5")
        says(terminal, "bufname()", "tree/src/apple.lua" if os.getcwd() == stage.folder else
             str(pathlib.Path(stage.folder) / "tree/src/apple.lua"))
        says(terminal, "mode()", "n")
        opened = [message for message in way.said() if message.get("method") == "session/open"]
        if len(opened) != 1:
            raise Failure(f"expected: one session for both times\nseen: {opened}")
        stories.said("Enter opens the selected file; the second picker had the session of the first")

        for key, windows, tabs in (("C-x", 2, 1), ("C-v", 3, 1), ("C-t", 1, 2)):
            stories.command(terminal, FIND)
            terminal.shows("of 5 files")
            terminal.type("cherry")
            terminal.press(key)
            has_ended(terminal)
            terminal.shows("nothing here but a Herring")
            says(terminal, "winnr('$') . ' ' . tabpagenr('$')", f"{windows} {tabs}")
        stories.said("C-x, C-v and C-t open it in a split, a vertical split and a tab page")


def finding_lines(editor):
    """Lines with a text, and those that match a regular expression."""
    with stories.Stage(editor) as stage:
        way = relay(stage, tree(stage))
        terminal = stage.start(address=way.address)
        stories.command(terminal, FIND)
        terminal.shows("5 of 5 files")
        terminal.press("C-f")
        terminal.shows("0 lines")
        terminal.type("herring")
        terminal.shows("3 lines", "banana.lua:2: local herring = 'red'", "cherry.lua:1: -- nothing here but a Herring")
        stories.said("lines are shown with their files and numbers, without their indentation")
        terminal.press("C-w")
        terminal.shows("0 lines")
        terminal.type("h.rring = ")
        terminal.shows("0 lines")
        terminal.press("C-f")
        terminal.shows("1 line")
        shows_selected(terminal, "src/banana.lua:2: local herring")
        wait("matches in another colour",
             lambda: terminal.style(": local herring =") != terminal.style(": local "), terminal.screen)
        terminal.press("Enter")
        has_ended(terminal)
        says(terminal, "line('.') . ' ' . getline('.')[col('.') - 1:]", "2 herring = 'red'")
        stories.said("a regular expression leads to its line, and to where it matches")

        settings = "lua require('view_model').find({ mode = 'regex', text = 'se(ed' })"
        stories.command(terminal, ":" + settings)
        terminal.shows("> se(ed", "nmatched", "0 lines")
        terminal.type(")s")
        shows_selected(terminal, "src/apple.lua:2: local seeds = 5")
        terminal.shows_no("nmatched")
        stories.said("a picker may begin with a text; an expression that isn't well-formed says so until it is")
        terminal.press("C-o")
        stories.command(terminal, FIND)
        shows_selected(terminal, "README.md")
        terminal.press("C-c")
        has_ended(terminal)
        says(terminal, "winnr('$') . mode()", "1n")
        stories.said("another picker takes its place")


def previews(editor):
    """The text beside the results."""
    with stories.Stage(editor) as stage:
        lines = "".join(f"line {number}\n" for number in range(1, 100001))
        folder = tree(stage, **{"big.txt": lines.replace("line 50000\n", "line 50000 is it\n")})
        (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\0\xff\xfe" * 20)
        way = relay(stage, folder)
        terminal = stage.start(address=way.address)
        stories.command(terminal, FIND)
        terminal.shows("7 of 7 files")
        terminal.type("big")
        terminal.shows("─ big.txt ─", "line 20")
        terminal.press("C-d", "C-d")
        terminal.shows("line 30", "line 40")
        terminal.shows_no("line 20 ")
        terminal.press("C-u")
        terminal.shows("line 20")
        stories.said("the preview is that of the selected file, and C-d and C-u scroll it")
        terminal.press("C-w")
        terminal.press("C-f")
        terminal.type("is it")
        terminal.shows("─ big.txt:50000 ─", "line 49995", "line 50005")
        wait("a mark at the line",
             lambda: terminal.style("line 50001") != terminal.style("│line 50000"), terminal.screen)
        asked = sum(message["params"]["count"] for message in way.said() if message.get("method") == "session/rows")
        if asked > 1500:
            raise Failure(f"expected: some hundred rows are asked for\nseen: {asked}")
        stories.said("it shows the line that was found, and asks for those on screen")
        terminal.press("C-w", "C-w", "C-f", "C-f")
        terminal.type("png")
        terminal.shows("─ picture.png ─", "binary")
        stories.said("of a binary file it says that it is one")
        terminal.press("Escape")
        has_ended(terminal)
        wait("its end", lambda: sent(way, "close"), lambda: str(way.said()))
        stories.said("it is closed with the picker")
    with stories.Stage(editor) as stage:
        way = relay(stage, tree(stage))
        terminal = stage.start(address=way.address)
        # One that is about to start would miss it.
        says(terminal, "&columns", "140")
        resize(terminal, 80, 20)
        says(terminal, "&columns", "80")
        stories.command(terminal, FIND)
        terminal.shows("5 of 5 files")
        terminal.press("C-n")
        shows_selected(terminal, "src/apple.lua")
        if sent(way, "preview"):
            raise Failure("expected: no preview\nseen: " + str(sent(way, "preview")))
        resize(terminal, 140, 30)
        terminal.shows("─ src/apple.lua ─", "local seeds")
        resize(terminal, 80, 20)
        terminal.shows_no("local seeds")
        wait("its end", lambda: sent(way, "close"), lambda: str(way.said()))
        stories.said("where there is no room, there is no preview")


def far_away(editor):
    """A connection on which everything takes a tenth of a second."""
    with stories.Stage(editor) as stage:
        files = {f"many/{name}{number}.txt": "text\n" for name in ("somewhere", "some") for number in range(100)}
        way = relay(stage, tree(stage, **files, **{"a/somewhereelse.txt": "this one\n"}), Slow)
        terminal = stage.start(address=way.address)
        stories.command(terminal, FIND)
        terminal.shows("of 206 files")
        for letter in "somewheree":
            terminal.type(letter)
        terminal.shows("> somewheree ", "1 of 206 files")
        shows_selected(terminal, "a/somewhereelse.txt")
        stories.said("fast keys end with the rows of the last")
        terminal.press("C-w")
        terminal.type("somewhereels")
        terminal.press("Enter")
        has_ended(terminal)
        terminal.shows("this one")
        stories.said("Enter waits for the rows of what was typed before it")

        way.delay = 1
        stories.command(terminal, FIND)
        terminal.shows("206 of 206 files")
        before = terminal.style("many/some1.txt")
        terminal.type("x")
        wait("dimmed rows", lambda: terminal.style("many/some1.txt") not in (before, None), terminal.screen)
        terminal.shows("> x ", "of 206 files")
        way.delay = 0
        wait("the right rows", lambda: terminal.style("many/some1.txt") in (before, None), terminal.screen)
        stories.said("rows that aren't those of the text are dimmed when that takes long")


def away(editor):
    """A connection that is cut, and a server that is started anew."""
    with stories.Stage(editor) as stage:
        folder = tree(stage)
        way = relay(stage, folder)
        terminal = stage.start(address=way.address)
        stories.command(terminal, FIND)
        terminal.shows("5 of 5 files")
        way.is_refusing = True
        way.cut()
        terminal.shows("trying again")
        terminal.type("che")
        terminal.type("rry")
        terminal.shows("> cherry")
        way.is_refusing = False
        shows_selected(terminal, "src/deep/cherry.lua")
        terminal.shows_no("trying again")
        texts = [event["text"] for event in sent(way, "query")]
        if texts != ["cherry"]:
            raise Failure(f"expected: only the newest text is sent\nseen: {texts}")
        stories.said("after a cut the rows are those of what was typed meanwhile")

        other = server(stage, folder)
        host, port = other.address.rsplit(":", 1)
        way.target = (host, int(port))
        way.cut()
        shows_selected(terminal, "src/deep/cherry.lua")
        wait("a second session", lambda: [message.get("method") for message in way.said()].count("session/open") == 2,
             terminal.screen)
        terminal.shows("1 of 5 files")
        terminal.press("Enter")
        has_ended(terminal)
        terminal.shows("nothing here but a Herring")
        stories.said("where the session is gone, there is another one with the same text")


def shared(editor):
    """Another view of the same session, and files that come."""
    with stories.Stage(editor) as stage:
        folder = tree(stage)
        way = relay(stage, folder)
        terminal = stage.start(address=way.address)
        stories.command(terminal, FIND)
        terminal.shows("5 of 5 files")
        peer = stage.peer(way.address)
        key = way.from_server.decode().split('"key":"', 1)[1].split('"')[0]
        view = peer.request("session/attach", key=key)["session"]
        peer.request("view/event", session=view, event={"kind": "query", "text": "banana"})
        terminal.shows("> banana")
        shows_selected(terminal, "src/banana.lua")
        terminal.type("x")
        terminal.shows("> bananax", "0 of 5 files")
        terminal.press("BSpace")
        shows_selected(terminal, "src/banana.lua")
        peer.request("view/event", session=view, event={"kind": "accept", "index": 0})
        shows_selected(terminal, "src/banana.lua")
        stories.said("what another view searches for is searched for here; what it opens isn't opened here")
        terminal.press("C-w")
        terminal.type(".lua")
        terminal.shows("3 of 5 files")
        shows_selected(terminal, "src/apple.lua")
        terminal.press("C-n")
        shows_selected(terminal, "src/banana.lua")
        (folder / "a.lua").write_text("new\n")
        terminal.shows("4 of 6 files", " a.lua")
        shows_selected(terminal, "src/banana.lua")
        stories.said("the selection stays with its row when a better one comes")
        terminal.press("Escape")
        has_ended(terminal)
        stories.command(terminal, FIND + " src/deep")
        terminal.shows("1 of 1 file in src/deep")
        shows_selected(terminal, "cherry.lua")
        stories.said("a folder below is found in by itself")
        stories.command(terminal, "")
        has_ended(terminal)
    with stories.Stage(editor) as stage:
        fake = stage.fake({}, {"finder": []}, {"finder": "Shop.FinderViewModel"})
        terminal = stage.start(address=fake.address)
        stories.command(terminal, FIND)
        terminal.shows("the server has no Examples.FinderViewModel")
        terminal.press("Escape")
        has_ended(terminal)
        if fake.opened:
            raise Failure(f"expected: nothing is opened\nseen: {fake.opened}")
        stories.said("a server without a finder is asked for nothing")


def found(editor):
    """A session that another client has left: what it searched, and its preview."""
    with stories.Stage(editor) as stage:
        own = server(stage, tree(stage))
        peer = stage.peer(own.address)
        other = peer.request("session/open", viewModel="finder")
        send = lambda **event: peer.request("view/event", session=other["session"], event=event)
        shown = lambda: peer.request("session/attach", key=other["key"])
        searched = lambda: [event for event in shown()["snapshot"] if event["kind"] == "query"]
        send(kind="mode", value="text")
        send(kind="query", text="herring")
        send(kind="preview", index=0)
        terminal = stage.start(address=own.address)
        stories.command(terminal, FIND)
        terminal.shows("5 of 5 files", "# A small project")
        shows_selected(terminal, "README.md")
        if "> herring" in terminal.screen() or searched() != [{"kind": "query", "text": "", "mode": "files"}]:
            raise Failure(f"expected: all files are searched\nseen: {searched()}\n{terminal.screen()}")
        stories.said("a picker begins anew in a session in which another client has searched")
        terminal.press("Escape")
        has_ended(terminal)
        wait("no preview", lambda: not shown().get("navigation", {}).get("stack"), terminal.screen)
        send(kind="query", text="apple")
        send(kind="preview", index=0)
        for text in ("banana", "cherry", "apple"):
            send(kind="query", text=text)
        time.sleep(0.2)
        if not shown().get("navigation", {}).get("stack"):
            raise Failure("expected: the other client's preview stays")
        stories.said("a picker that is closed leaves another client's preview alone")
        stories.command(terminal, FIND)
        terminal.shows("5 of 5 files")
        terminal.type("anl")
        shows_selected(terminal, "src/banana.lua")
        terminal.press("Escape")
        stories.said("and begins anew when it is opened again")


ALL = [finding, finding_lines, previews, far_away, away, shared, found]
