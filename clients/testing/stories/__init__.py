"""Stories of a user at an editor: keys are pressed, and the screen is read.

The editors' plugins look and act alike, so these are the tests of each. `editor.start(folder, **config)` runs the
editor in a Terminal, with an empty home in `folder` and the plugin set up with a `command` (a list), an `address`, a
`token`; the terminal is there after the editor's end where it `stays`; `settings` is the text of the editor's settings
instead. `editor.example(address)` is such a text, that of the README's example of an own view;
`editor.failing(address)` is one with a view of the counter that fails.
"""

import shutil
import signal
import sys
import traceback

from terminal import Failure

from .of_absence import contracts, cut_opens, gone, left_opens, refused_events, waiting
from .of_any_view_model import completion, forms, generic
from .of_connections import long_absence, lost_connection, odd_messages, once
from .of_leaving import epochs, keys, quitting, replaced
from .of_lists import list_changes, list_while_asked, lists
from .of_orders import many_orders, orders, slow_and_failing
from .of_own_views import failing_views, other_servers, own_views, unknown_kinds
from .of_servers import listening_server, started_server
from .of_silence import silence
from .of_stores import refused_attachments, stalled, told_stalls
from .of_the_screen import leaving, lost_floors, towers
from .of_unanswered import taken, unanswered
from .stage import ORDERS, Stage, command, said

ALL = [
    orders, slow_and_failing, many_orders, lost_connection, once, long_absence, odd_messages, generic, completion,
    forms, towers, lost_floors, leaving, started_server, listening_server, waiting, gone, cut_opens, contracts,
    refused_events, left_opens, quitting, unanswered, taken, keys, replaced, epochs, silence,
    stalled, told_stalls, refused_attachments,
    own_views, failing_views, other_servers, unknown_kinds,
]

# For the editors that show lists; `stories.of_lists` says what else these need of an editor.
LISTS = [lists, list_changes, list_while_asked]


def run(editor, *own):
    """Runs all stories and the editor's own, or those that are arguments, and ends the process with their status."""
    for needed in (editor.program, "tmux"):
        if not shutil.which(needed):
            print(f"{needed} isn't installed")
            sys.exit(77)
    if not editor.server or not editor.address:
        sys.exit("VIEW_MODEL_SERVER and VIEW_MODEL_ADDRESS must say which server to use")
    # So that what a story has started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    failed = False
    for story in [*ALL, *own]:
        if sys.argv[1:] and story.__name__ not in sys.argv[1:]:
            continue
        print(f"{story.__name__}: {story.__doc__}", flush=True)
        try:
            story(editor)
        except Failure as failure:
            failed = True
            print(f"FAILED  {story.__name__}\n{failure}", flush=True)
        except Exception:
            failed = True
            print(f"FAILED  {story.__name__}\n{traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)
