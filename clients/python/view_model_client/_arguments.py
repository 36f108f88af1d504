"""The command's words: its options, the events of its input, and values as the contract of a view model takes them."""

from __future__ import annotations

import argparse
import collections
import json
import math
import os
import re
import sys
from typing import Any, Deque, Dict, NoReturn, Sequence, Set

_HELP = """\
A client of view model servers, for shell scripts.

Standard output has nothing but JSON, one value a line (names for list, one value on many lines for describe): events
and rows as they are, {"key":…,"viewModel":…} for a session that was opened, and
{"navigation":"push","viewModel":…,"key":…} (or present, pop, dismiss, screen) for what is shown over it. Errors go to
standard error, in words.

View events that send took and the view model didn't answer come back as {"dropped":EVENT,"wasSent":BOOLEAN}: those that
weren't sent can be sent again, with send KEY -; one that was may have been handled.

Status: 0, or 1 when the server or the view model refused, 64 for wrong arguments, 66 for a token file that can't be
read, 69 when the server can't be reached or the connection is lost, 74 when standard output can't be written, 75 when
view events came back, whatever the reason, 77 for a wrong token. Ctrl-C and a reader that goes away end it as the
signals do, without a word, after what send - gives back.
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(os.EX_USAGE, f"view_model_client: {message}\n")


class WrongArguments(Exception):
    """The command line makes no sense, in words."""


# The first character of a word that begins with a dash and is no option: no command line can hold it.
_NO_OPTION = "\0"


def _marked(word: str) -> str:
    """A key is base64url, and so one in 64 begins with a dash; no option is as long and without `=`."""
    return _NO_OPTION + word if re.fullmatch(r"-[\w-]{21,}", word, re.ASCII) else word


def _unmarked(word: str) -> str:
    return word.lstrip(_NO_OPTION)


def _parser() -> argparse.ArgumentParser:
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    place = common.add_mutually_exclusive_group()
    place.add_argument("--tcp", metavar="HOST:PORT", help="where the server listens (127.0.0.1:7351)")
    place.add_argument("--unix", metavar="PATH", help="the Unix socket on which it listens")
    place.add_argument("--command", metavar="COMMAND", help="starts a server: --command 'view-model-server --stdio'")
    common.add_argument(
        "--token-file", metavar="PATH", help="has the server's token; or the variable VIEW_MODEL_SERVER_TOKEN"
    )
    common.add_argument(
        "--patience",
        metavar="SECONDS",
        type=_seconds,
        help="how long open, watch, rows and send - try to make a lost connection again (180)",
    )
    shape = argparse.RawDescriptionHelpFormatter
    parser = _Parser(prog="view_model_client", description=_HELP, formatter_class=shape, parents=[common])
    commands = parser.add_subparsers(dest="subcommand", metavar="ACTION", required=True)

    def add(name: str, help: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help, description=help, parents=[common])

    add("list", "prints the names of the view models")
    add("describe", "prints what a view model takes and says, as JSON Schemas").add_argument("name", metavar="NAME")
    opening = add("open", "opens a session and prints its key and its events, until Ctrl-C leaves it")
    opening.add_argument("name", metavar="NAME")
    opening.add_argument("--arguments", metavar="JSON", type=json_value, help="what the view model is opened with")
    opening.add_argument("--keep", action="store_true", help="prints the key, and leaves the session at once, to send and watch")
    sending = add("send", "sends an event, waits until it is handled, and prints what the view model said meanwhile")
    target = sending.add_argument("target", metavar="KEY|NAME", type=_unmarked)
    target.help = "a session, or a view model for a session of its own, or for the one of its scope"
    sending.add_argument("kind", metavar="KIND|-", help="or the events of standard input, a JSON object a line")
    sending.add_argument("members", metavar="MEMBER=VALUE|JSON", nargs="*", help="by=2, or an object with all of them")
    sending.add_argument("--arguments", metavar="JSON", type=json_value, help="what NAME is opened with")
    listing = add("rows", "prints rows of a session's list: all there are, or some")
    listing.add_argument("key", metavar="KEY", type=_unmarked)
    listing.add_argument("list", metavar="LIST", help="its name, which is the kind of its events, too")
    listing.add_argument("first", metavar="FIRST", type=_index, nargs="?", help="the place of the first one, from 0")
    listing.add_argument("count", metavar="COUNT", type=_index, nargs="?", default=1, help="how many from there (1)")
    for name, help in (
        ("watch", "prints a session's events, those first that make up its state, until Ctrl-C"),
        ("back", "leaves a session that a view model has shown, if that lets go"),
        ("close", "ends a session, and removes what is stored of it; one of the scope everyone stays for the others"),
    ):
        add(name, help).add_argument("key", metavar="KEY", type=_unmarked)
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Ends the process where the words make no sense by themselves."""
    return _parser().parse_args([_marked(word) for word in words])


def json_value(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError:
        raise argparse.ArgumentTypeError(f"is no JSON: {text}") from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"is no number of seconds: {text}")
    return seconds


def _index(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise argparse.ArgumentTypeError(f"is no number from 0 on: {text}")
    return int(text)


def events_of_input() -> Deque[Any]:
    """Reads all of standard input before anything is sent, so that a faulty line does no harm."""
    events: Deque[Any] = collections.deque()
    for number, line in enumerate(sys.stdin.buffer, 1):
        if line.strip():
            try:
                event = json_value(line.decode())
            except (argparse.ArgumentTypeError, UnicodeDecodeError):
                event = None
            if not isinstance(event, dict) or "kind" not in event:
                raise WrongArguments(f"line {number} of the input is no JSON object with a kind; nothing was sent")
            events.append(event)
    return events


class Schemas:
    """The answer to `viewModel/describe`, as far as it is needed to read a command line."""

    def __init__(self, description: Dict[str, Any]) -> None:
        self._definitions: Dict[str, Any] = description.get("$defs", {})
        event = self._resolved(description["viewEvent"])
        self.kinds: Dict[str, Dict[str, Any]] = {}
        for case in map(self._resolved, event.get("oneOf", [event])):
            members = case.get("properties", {})
            kind = self._resolved(members.get("kind", {}))
            for name in kind.get("enum", [kind.get("const")]):
                if name is not None:
                    self.kinds[name] = {key: value for key, value in members.items() if key != "kind"}

    def value(self, kind: str, name: str, text: str) -> Any:
        """The value of the text, by the schema of the member: `7` is a number, or a string of one digit."""
        members = self.kinds.get(kind, {name: {}})
        if name not in members:
            has = ", ".join(members) or "none"
            raise WrongArguments(f"{kind} has no member {name!r}; its members: {has}")
        types = self._types(members[name])
        try:
            value = json_value(text)
        except argparse.ArgumentTypeError:
            return text
        if "string" in types and (isinstance(value, str) or value is None or not types & self._types_of(value)):
            return text
        return value

    @staticmethod
    def _types_of(value: Any) -> Set[str]:
        if isinstance(value, bool):
            return {"boolean"}
        if isinstance(value, int):
            return {"integer", "number"}
        if isinstance(value, float):
            return {"number"}
        return {"null" if value is None else "string" if isinstance(value, str) else
                "array" if isinstance(value, list) else "object"}

    def _types(self, schema: Any) -> Set[str]:
        schema = self._resolved(schema)
        if "type" in schema:
            names = schema["type"]
            return {names} if isinstance(names, str) else set(names)
        if "const" in schema:
            return self._types_of(schema["const"])
        if "enum" in schema:
            return set().union(*map(self._types_of, schema["enum"]))
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return set().union(*map(self._types, schema[word]))
        return {"boolean", "integer", "number", "string", "array", "object", "null"}

    def _resolved(self, schema: Any) -> Dict[str, Any]:
        # Bounded, since a reference may lead to itself.
        for _ in range(64):
            if not isinstance(schema, dict):
                return {}
            if "$ref" not in schema:
                return schema
            schema = self._definitions.get(schema["$ref"].rpartition("/")[2], {})
        return {}
