"""A view model that can't go on for a while, though its session is kept."""

from terminal import Failure, wait
from .stage import Stage, command, said

KEPT = "if the session is kept, R or :ViewModelAttach key-root goes back to it; :ViewModel form opens another"
REFUSAL = "the session can't go on"


def failed(editor):
    """A durable session that fails, and goes on later or is gone."""
    description = {"arguments": {
        "type": "object", "required": ["count"], "properties": {"count": {"type": "integer"}}}}
    with Stage(editor) as stage:
        fake = stage.fake(description, {"form": [{"kind": "bare"}]})
        fake.durable = True
        terminal = stage.start(address=fake.address, stays=True)

        def fail():
            """Ends the newest view."""
            fake.tell("session/closed", fake.last_session, reason="failed")
            terminal.shows(f"ended: the view model failed; {KEPT}")

        def goes_on(attachments, opens):
            """Sees the session live again, and that it was come back to in this way."""
            wait("as many attachments", lambda: len(fake.attached) == attachments, lambda: str(fake.methods))
            terminal.shows_no("ended:")
            terminal.shows_line("bare")
            if len(fake.opened) != opens:
                raise Failure(f"expected: {opens} opened\nseen: {fake.opened}")

        command(terminal, ':ViewModel form {"count": 1}')
        terminal.shows_line("bare")
        fail()
        command(terminal, ":ViewModelKey")
        terminal.shows("form: key-root")
        terminal.type(":ViewModelAttach fo")
        terminal.press("Tab")
        terminal.shows_line(":ViewModelAttach key-root")
        terminal.press("C-c")
        # Vim drops the keys that come together with this one.
        terminal.shows_no_line(":ViewModelAttach key-root")
        said("the key of a session that may be kept is said, and completed")

        fake.refusals["session/attach"] = {"code": -32014, "message": REFUSAL}
        terminal.press("R")
        terminal.shows(f"ended: {REFUSAL}; {KEPT}")
        terminal.shows_line("bare")
        fake.refusals.clear()
        terminal.press("R")
        goes_on(attachments=1, opens=1)
        if fake.attached[0].get("since") != 1:
            raise Failure(f"expected: what came since is asked for\nseen: {fake.attached}")
        said("R tries the same session, as often as one likes, and what it showed stays")

        fail()
        fake.gone.add("key-root")
        terminal.press("R")
        terminal.shows("ended: its session is gone; R opens it again")
        fake.gone.clear()
        terminal.press("R")
        goes_on(attachments=1, opens=2)
        said("where it is gone, that is said, and R opens another")

        fail()
        terminal.press("q")
        terminal.shows("form may be kept; :ViewModelAttach key-root goes back to it")
        command(terminal, ":ViewModelAttach key-root")
        goes_on(attachments=2, opens=2)
        fail()
        terminal.press("R")
        goes_on(attachments=3, opens=2)
        said("who closes its buffer is told the way back, and isn't asked for arguments there")

        fail()
        command(terminal, ":qall")
        terminal.shows("the editor has ended")
        terminal.shows("form is kept if it is durable; :ViewModelAttach key-root finds it")
        said("and so is who ends the editor")
