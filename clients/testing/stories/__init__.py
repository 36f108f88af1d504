"""Stories of a user at an editor: keys are pressed, and the screen is read.

The editors' plugins look and act alike, so these are the tests of each. `editor.start(folder, **config)` runs the
editor in a Terminal, with an empty home in `folder` and the plugin set up with a `command` (a list), an `address`, a
`token`; the terminal is there after the editor's end where it `stays`; `settings` is the text of the editor's settings
instead. `editor.example(address)` is such a text, that of the README's example of an own view;
`editor.failing(address)` is one with a view of the counter that fails.
"""

import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from terminal import Failure

from .of_absence import contracts, gone, left_opens, refused_events, waiting
from .of_any_view_model import completion, forms, generic
from .of_connections import lost_connection, odd_messages
from .of_failures import failed
from .of_leaving import keys, left_by_its_server, quitting, replaced, without_its_store
from .of_lists import list_changes, list_while_asked, lists
from .of_orders import many_orders, orders, slow_and_failing
from .of_own_views import failing_views, other_servers, own_views, unknown_kinds
from .of_people import people, readers
from .of_scopes import own_lists_found, scopes
from .of_servers import listening_server, started_server
from .of_silence import silence
from .of_stores import stalled, told_stalls
from .of_the_screen import leaving, lost_floors, towers
from .of_unanswered import taken, unanswered
from .stage import ORDERS, Stage, command, said

ALL = [
    orders, slow_and_failing, many_orders, lost_connection, odd_messages, generic, completion,
    forms, towers, lost_floors, leaving, started_server, listening_server, waiting, gone, contracts,
    refused_events, left_opens, quitting, left_by_its_server, without_its_store, unanswered, taken, keys, scopes,
    own_lists_found, people, readers, replaced, silence, stalled, told_stalls, own_views, failing_views,
    other_servers, unknown_kinds,
]

# These wait for the deadlines of the clients, of many seconds, and do nothing meanwhile. So they run beside the others.
PATIENT = [silence, taken, told_stalls, unanswered, stalled]

# For the editors that try again what has failed.
RETRIES = [failed]

# For the editors that show lists; `stories.of_lists` says what else these need of an editor.
LISTS = [lists, list_changes, list_while_asked]


def run(editor, *own, shared=ALL, patient=PATIENT):
    """Runs the stories that editors share and the editor's own, or those that are arguments, and ends the process with
    their status. Those that are patient run beside the others."""
    for needed in (editor.program, "tmux"):
        if not shutil.which(needed):
            print(f"{needed} isn't installed")
            sys.exit(77)
    if not editor.server or not editor.address:
        sys.exit("VIEW_MODEL_SERVER and VIEW_MODEL_ADDRESS must say which server to use")
    # So that what a story has started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    chosen = [story for story in [*shared, *own] if not sys.argv[1:] or story.__name__ in sys.argv[1:]]
    aside = [story for story in chosen if story in patient] if len(chosen) > 1 else []
    beside = []
    try:
        beside = [Beside(story) for story in aside]
        passed = [tell(story, editor) for story in chosen if story not in aside]
        passed += [one.ends_well() for one in beside]
    finally:
        for one in beside:
            one.close()
    sys.exit(0 if passed and all(passed) else 1)


def tell(story, editor):
    """Runs a story, says how long it took, and gives back whether it passed."""
    print(f"{story.__name__}: {story.__doc__}", flush=True)
    start = time.monotonic()
    try:
        story(editor)
    except Failure as failure:
        print(f"FAILED  {story.__name__}\n{failure}", flush=True)
        return False
    except Exception:
        print(f"FAILED  {story.__name__}\n{traceback.format_exc()}", flush=True)
        return False
    print(f"    {time.monotonic() - start:.1f} s", flush=True)
    return True


class Beside:
    """A story in a process of its own."""

    def __init__(self, story):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, *sys.argv[:1], story.__name__], stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=subprocess.STDOUT)

    def ends_well(self):
        """Waits for its end, shows what it said, and gives back whether it passed."""
        status = self.process.wait()
        self.log.seek(0)
        print(self.log.read(), end="", flush=True)
        return status == 0

    def close(self):
        """Ends it, and what it has started."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()
        self.log.close()
