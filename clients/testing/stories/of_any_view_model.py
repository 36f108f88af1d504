"""View models that the plugin knows nothing of, and its command."""

from terminal import Failure, wait
from .stage import Stage, command, said


def generic(editor):
    """A view model that the plugin knows nothing of."""
    with Stage(editor) as stage:
        # The list without a name is the same for all who open it at a server.
        terminal = stage.start(address=stage.server("--tcp", "0").address)
        command(terminal, ":ViewModel")
        terminal.shows("counter", "hello", "orders", "todos")
        editor.choose_named(terminal, "todos")
        terminal.shows_line("todos", 'changed  {"items": [], "remaining": 0}')
        said("without a name, a list to choose from")

        terminal.press("Enter")
        terminal.shows("add", "toggle", "removeDone")
        editor.choose(terminal, 1)
        terminal.shows("title (text):")
        terminal.type("Milk and bread, for all of us, from the shop around the corner")
        terminal.press("Enter")
        terminal.shows_line("changed", "items:", "- id: 1", "isDone: false", "remaining: 1", "Last events")
        terminal.shows('title: "Milk and bread', '"isDone": false')
        terminal.press("s")
        terminal.shows("removeDone")
        editor.choose(terminal, 2)
        terminal.shows("id (integer):")
        terminal.type("one")
        terminal.press("Enter")
        terminal.shows('id (integer, not "one"):')
        terminal.type("1")
        terminal.press("Enter")
        terminal.shows('"isDone": true', "remaining: 0")
        terminal.press("s")
        terminal.shows("removeDone")
        editor.choose(terminal, 2)
        terminal.shows_line("id (integer):")
        terminal.type("7")
        terminal.press("Enter")
        terminal.shows_line("there is nothing to do with id 7")
        said("events are chosen, their members asked for and checked, and errors said in words")
        terminal.press("s")
        terminal.shows("removeDone")
        editor.choose(terminal, 3)
        terminal.shows_line('changed  {"items": [], "remaining": 0}')
        said("an event without members is sent at once")


def completion(editor):
    """The command's completion."""
    with Stage(editor) as stage:
        terminal = stage.start(address=editor.address)
        terminal.type(":ViewModel stop")
        terminal.press("Tab")
        terminal.shows(":ViewModel stopwatch")
        terminal.press("Enter")
        terminal.shows("isRunning  false")
        said("names are completed")
        command(terminal, ":ViewModel nobody")
        terminal.shows("there is no view model")
        command(terminal, ":ViewModel orders {delay")
        terminal.shows("must be a JSON object")
        said("an unknown name and wrong arguments are said")


FORMS = {
    "arguments": {"type": "object"},
    "viewEvent": {"oneOf": [
        {"type": "object", "required": ["kind", "side", "isOn", "ratio", "where"], "properties": {
            "kind": {"const": "everything"}, "side": {"$ref": "#/$defs/Side"}, "isOn": {"type": "boolean"},
            "ratio": {"type": "number"}, "where": {"$ref": "#/$defs/Point"},
            "note": {"type": ["string", "null"]}, "size": {"anyOf": [{"$ref": "#/$defs/Int"}, {"type": "null"}]}}},
        {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["left", "right"]}}},
    ]},
    "viewModelEvent": {},
    "$defs": {
        "Side": {"enum": ["up", "down"]}, "Int": {"type": "integer"},
        "Point": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}},
    },
}


def forms(editor):
    """Events of every form, to send and to show."""
    odd = {"kind": "odd", "text": "a\nb \u20ac \U0001f600 </x>", "none": None, "list": [], "dictionary": {}}
    with Stage(editor) as stage:
        fake = stage.fake(FORMS, {"form": [odd, {"kind": "bare"}]})
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel form")
        terminal.shows("bare", '"text": "a\\nb € 😀 </x>"', '"list": []')
        said("values of every form are shown")

        def answer(question, text):
            terminal.shows(question)
            terminal.type(text)
            terminal.press("Enter")

        terminal.press("s")
        terminal.shows("everything", "left", "right")
        editor.choose(terminal, 1)
        answer("side (up, down):", "north")
        answer('side (up, down, not "north"):', "up")
        answer("isOn (true or false):", "false")
        answer("ratio (number):", "0.25")
        answer("where (JSON):", '{"x":')
        answer("where (JSON, not", '{"x":3}')
        answer("note (text, or nothing):", "")
        answer("size (integer, or nothing):", "7")
        wait("an event", lambda: fake.received, terminal.screen)
        expected = {"kind": "everything", "side": "up", "isOn": False, "ratio": 0.25, "where": {"x": 3}, "size": 7}
        if fake.received != [(1, expected)]:
            raise Failure(f"expected: {expected}\nseen: {fake.received}")
        said("members of every form are asked for")
        terminal.press("s")
        terminal.shows("everything", "left", "right")
        editor.choose(terminal, 1)
        terminal.shows("side (up, down):")
        terminal.press("Escape")
        terminal.shows_no("side (up, down):")
        terminal.press("s")
        terminal.shows("everything", "left", "right")
        editor.choose(terminal, 3)
        wait("an event", lambda: len(fake.received) == 2, terminal.screen)
        if fake.received[1] != (1, {"kind": "right"}):
            raise Failure(f"expected: right\nseen: {fake.received}")
        said("Escape sends nothing")
    with Stage(editor) as stage:
        fake = stage.fake({"viewEvent": True}, {"form": []})
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel form")
        terminal.shows_line("No events yet.")
        terminal.shows_no("opening…")
        terminal.press("s")
        terminal.shows("Event (JSON):")
        terminal.type('go","to":1}')
        terminal.press("Enter")
        wait("an event", lambda: fake.received == [(1, {"kind": "go", "to": 1})], lambda: str(fake.received))
        said("where nothing describes the events, one is written as JSON")
