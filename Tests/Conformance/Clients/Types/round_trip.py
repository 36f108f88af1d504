"""Reads events with the types of a folder's `view_models.py` and prints for each what is written of it.

Each line of standard input is `{"viewModel":"orders","part":"viewEvent","event":{…}}`, and each line of standard output
is `same`, or what is written where that is something else, or what is wrong with the event.
"""

import json
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True

import view_models  # noqa: E402


def outcome(message):
    # The class that holds the view model's types.
    reader = view_models.VIEW_MODEL_EVENTS[message["viewModel"]]
    if message["part"] == "viewEvent":
        reader = getattr(view_models, reader.__qualname__.split(".")[0]).read_view_event
    try:
        event = reader(message["event"])
    except view_models.UnexpectedJSON as error:
        return f"{type(error).__name__}: {error}"
    assert event == reader(message["event"]) and event.kind == message["event"]["kind"]
    # Texts, as 1 is not true there.
    texts = [json.dumps(value, sort_keys=True) for value in (event.to_json(), message["event"])]
    return "same" if texts[0] == texts[1] else texts[0]


for line in sys.stdin.buffer:
    print(outcome(json.loads(line)), flush=True)
