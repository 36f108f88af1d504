"""Views on and over each other, and buffers that the user takes away."""

from terminal import wait
from .stage import ORDERS, Stage, command, last_key, said


def leaving(editor):
    """Buffers that the user takes away."""
    with Stage(editor) as stage:
        relay = stage.relay(editor.address)
        terminal = stage.start(address=relay.address)
        command(terminal, ORDERS)
        terminal.shows_line("Orders: 100")
        key = last_key(relay)
        terminal.press("G", "Enter")
        terminal.shows_line("Details of Order #99")
        terminal.press("e")
        terminal.type("x")
        terminal.press("Enter")
        terminal.shows("(not saved)")
        command(terminal, ":edit")
        terminal.shows_line("Details of Order #99")
        said("editing a buffer anew changes nothing")
        command(terminal, ":bdelete")
        terminal.shows_line("can't go back: the note isn't saved", "Details of Order #99")
        terminal.press("s")
        terminal.shows_no("(not saved)")
        command(terminal, ":bwipeout")
        peer = stage.peer(editor.address)
        attached = lambda: peer.request("session/attach", key=key)
        wait("only the list", lambda: "navigation" not in attached(), lambda: str(attached().get("navigation")))
        terminal.shows_line("Order #99")
        said("wiping the details is a way back, which may be refused")
        command(terminal, ":bwipeout")
        terminal.shows_no("Order #99")
        attached()
        said("wiping the list leaves its session, which goes on")


SIDES = {"viewEvent": {"oneOf": [{"type": "object", "properties": {"kind": {"enum": ["left", "right"]}}}]}}


def towers(editor):
    """View models on and over each other."""
    with Stage(editor) as stage:
        names = ("ground", "upstairs", "ask", "askMore", "overIt")
        fake = stage.fake(SIDES, {name: [{"kind": name + "Says"}] for name in names})
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel ground")
        terminal.shows("groundSays")
        upstairs = fake.show("navigation/push", 1, "upstairs")
        terminal.shows("upstairsSays")
        terminal.shows_no("groundSays")
        fake.show("navigation/present", 2, "ask")
        terminal.shows("upstairsSays", "askSays")
        more = fake.show("navigation/push", 3, "askMore")
        terminal.shows("upstairsSays", "askMoreSays")
        terminal.shows_no("askSays")
        over = fake.show("navigation/present", 4, "overIt")
        terminal.shows("overItSays")
        terminal.press("s")
        terminal.shows("left", "right")
        editor.choose(terminal, 1)
        wait("an event", lambda: fake.received == [(5, {"kind": "left"})], lambda: str(fake.received))
        said("a stack, a view over it, a stack on that, and a view over that, which has the keys")
        fake.tell("navigation/dismiss", 4, key=over)
        terminal.shows_no("overItSays")
        terminal.shows("askMoreSays")
        fake.tell("navigation/pop", 3, key=more)
        terminal.shows_no("askMoreSays")
        terminal.shows("askSays", "upstairsSays")
        terminal.press("s")
        terminal.shows("left", "right")
        editor.choose(terminal, 2)
        wait("an event", lambda: fake.received[1:] == [(3, {"kind": "right"})], lambda: str(fake.received))
        fake.tell("navigation/pop", 1, key=upstairs)
        terminal.shows("groundSays")
        terminal.shows_no("askSays")
        terminal.shows_no("upstairsSays")
        said("each that goes uncovers what is below; all that stands on one goes with it")


def lost_floors(editor):
    """View models on and over another whose sessions are gone, of which their host hasn't told yet."""
    with Stage(editor) as stage:
        for way in ("navigation/push", "navigation/present"):
            fake = stage.fake(SIDES, {name: [{"kind": name + "Says"}] for name in ("ground", "upstairs")})
            terminal = stage.start(address=fake.address)
            command(terminal, ":ViewModel ground")
            terminal.shows("groundSays")
            fake.hold("session/attach")
            key = fake.show(way, 1, "upstairs")
            wait("an attach", lambda: fake.kept, terminal.screen)
            terminal.shows("q back")
            fake.gone.add(key)
            fake.release()
            terminal.shows_no("q back")
            terminal.shows("groundSays")
            terminal.press("s")
            terminal.shows("left", "right")
            editor.choose(terminal, 1)
            wait("an event", lambda: fake.received == [(1, {"kind": "left"})], lambda: str(fake.received))
            fake.tell(way.replace("push", "pop").replace("present", "dismiss"), 1, key=key)
            fake.tell("viewModel/event", 1, event={"kind": "after"})
            terminal.shows("groundSays", "after")
            terminal.close()
            said(f"{way}: what is below is shown, and has the keys")
