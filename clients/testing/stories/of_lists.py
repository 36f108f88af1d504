"""Lists of any length, of which an editor has the rows around those on screen.

For editors that show them, beside the stories of all: `editor.enter_list(terminal)` takes the cursor to the next list;
`editor.go_to_row(terminal, number)` goes to a row of the list in which the cursor is, by its number from 1.
"""

from terminal import Failure, wait
from .stage import Stage, command, last_key, said

MILLION = ':ViewModel numbers {"count": 1000000}'


def requests_of(relay):
    """What was asked for by session/rows."""
    return [message["params"] for message in relay.said() if message.get("method") == "session/rows"]


def send_with_row(editor, terminal, number):
    """Sends an event with the row under the cursor: chooses it from a list, by its number from 1."""
    terminal.press("Enter")
    terminal.shows("choose", "giveBack")
    editor.choose(terminal, number)


def lists(editor):
    """A million rows, some of which are chosen, and a connection that is cut."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, MILLION)
        terminal.shows("numbers", "1000000", '{"id": 3, "square": 9}', "chosen")
        editor.enter_list(terminal)
        editor.go_to_row(terminal, 500001)
        terminal.shows('{"id": 500000, "square": 250000000000}')
        terminal.shows_no('"id": 3,')
        editor.go_to_row(terminal, 1000000)
        terminal.shows('{"id": 999999, "square": 999998000001}')
        editor.go_to_row(terminal, 1)
        terminal.shows('{"id": 0, "square": 0}')
        asked = sum(params["count"] for params in requests_of(relay))
        if asked > 1000:
            raise Failure(f"expected: some hundred rows are asked for\nseen: {asked} in {requests_of(relay)}")
        said("the middle and the end of a million rows are as near as the beginning")

        editor.go_to_row(terminal, 500001)
        terminal.shows('{"id": 500000, "square": 250000000000}')
        send_with_row(editor, terminal, 1)
        terminal.shows_line("sum  250000000000")
        editor.go_to_row(terminal, 8)
        terminal.shows('{"id": 8, "square": 64}')
        send_with_row(editor, terminal, 1)
        terminal.shows_line("sum  250000000049")
        editor.enter_list(terminal)
        terminal.shows('{"id": 500000, "square": 250000000000}')
        editor.go_to_row(terminal, 2)
        send_with_row(editor, terminal, 2)
        terminal.shows_line("sum  250000000000")
        said("an event has the index of the row that it was chosen for")

        relay.is_refusing = True
        relay.cut()
        terminal.shows("trying again", '{"id": 500000, "square": 250000000000}')
        peer = stage.peer(editor.address)
        view = peer.request("session/attach", key=last_key(relay))["session"]
        peer.request("view/event", session=view, event={"kind": "choose", "index": 11})
        relay.is_refusing = False
        terminal.shows_no("trying again")
        terminal.shows_line("sum  250000000121")
        wait("number 11 twice", lambda: terminal.screen().count('"id": 11,') == 2, terminal.screen)
        editor.enter_list(terminal)
        editor.go_to_row(terminal, 700001)
        terminal.shows('{"id": 700000, "square": 490000000000}')
        said("after a cut the rows are there that came meanwhile, and it goes on from there")


def described(**members):
    """A contract with a list, and an event `open` with these members."""
    row = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    open_ = {"type": "object", "required": ["kind", *members], "properties": {"kind": {"const": "open"}, **members}}
    other = {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "other"}}}
    return {"arguments": {}, "viewEvent": {"oneOf": [open_, other]}, "viewModelEvent": {},
            "lists": {"mail": {"row": row, "id": "id"}}}


def rows(first, last):
    """Rows with these identities."""
    return [{"id": number} for number in range(first, last)]


def opened(fake, editor, terminal):
    """The event that is sent for the row under the cursor."""
    count = len(fake.received)
    terminal.press("Enter")
    wait("an event", lambda: len(fake.received) == count + 1, terminal.screen)
    return fake.received[-1][1]


def list_while_asked(editor):
    """Rows that come and go while the user is asked for the members of an event."""
    with Stage(editor) as stage:
        contract = described(index={"type": "integer"}, note={"type": "string"})
        fake = stage.fake(contract, {"post": [{"kind": "mail", "count": 3, "first": 0, "rows": rows(10, 13)}]})
        fake.lists = {"mail": rows(10, 13)}
        terminal = stage.start(address=fake.address)

        command(terminal, ":ViewModel post")
        terminal.shows('{"id": 12}')
        editor.enter_list(terminal)
        editor.go_to_row(terminal, 2)
        terminal.press("Enter")
        terminal.shows("note (text):")
        terminal.type("x")
        fake.lists = {"mail": rows(8, 13)}
        inserted = [{"at": 0, "removed": 0, "inserted": 2}]
        fake.tell("viewModel/event", 1, event={"kind": "mail", "count": 5, "changes": inserted})
        wait("a request", lambda: "session/rows" in fake.methods, terminal.screen)
        terminal.press("Enter")
        wait("an event", lambda: fake.received, terminal.screen)
        if fake.received[0][1] != {"kind": "open", "index": 3, "note": "x"}:
            raise Failure(f"expected: index 3\nseen: {fake.received}")
        said("an event has the index that its row has when it is sent")


def list_changes(editor):
    """Rows that come and go, above and below those on screen."""
    with Stage(editor) as stage:
        fake = stage.fake(described(id={"type": "integer"}), {"post": [{"kind": "mail", "count": 300}]})
        fake.lists = {"mail": rows(1000, 1300)}
        terminal = stage.start(address=fake.address)

        def tell(new, **change):
            fake.lists = {"mail": new}
            fake.tell("viewModel/event", 1, event=dict(change, kind="mail", count=len(new)))

        def expect(number):
            event = opened(fake, editor, terminal)
            if event != {"kind": "open", "id": number}:
                raise Failure(f"expected: the row {number}\nseen: {event}")

        command(terminal, ":ViewModel post")
        terminal.shows('{"id": 1000}')
        editor.enter_list(terminal)
        editor.go_to_row(terminal, 101)
        terminal.shows('{"id": 1100}')
        expect(1100)
        said("an event with an id is filled with that of the row")

        tell(rows(0, 50) + rows(1000, 1300), changes=[{"at": 0, "removed": 0, "inserted": 50}])
        terminal.shows("of 350", '{"id": 1100}')
        expect(1100)
        tell(rows(900, 903) + rows(0, 50) + rows(1000, 1300))
        terminal.shows("of 353", '{"id": 1100}')
        expect(1100)
        said("the cursor stays with its row when others come above, told as changes or not")

        fake.hold("session/rows")
        editor.go_to_row(terminal, 10)
        wait("a request", lambda: len(fake.kept) == 1, lambda: str(fake.methods))
        editor.go_to_row(terminal, 200)
        wait("its end", lambda: "$/cancelRequest" in fake.methods, lambda: str(fake.methods))
        if len(fake.kept) != 1:
            raise Failure(f"expected: one request at a time\nseen: {fake.kept}")
        fake.release()
        terminal.shows('{"id": 1146}')
        said("rows that aren't wanted any more are cancelled, before others are asked for")

        tell([])
        terminal.shows_no('{"id": 1146}')
        tell(rows(7, 9), changes=[{"at": 0, "removed": 0, "inserted": 2}], first=0, rows=rows(7, 9))
        terminal.shows('{"id": 7}', '{"id": 8}')
        said("a list may be empty, and not be any more")
