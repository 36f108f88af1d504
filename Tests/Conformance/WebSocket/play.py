"""Plays one case to a server and judges what came back, by the rules of the Autobahn test suite."""

from dataclasses import dataclass

from cases import FAILED, INFORMATIONAL, NON_STRICT, OK, SERVER, US, Await, Closing, Quiet, Send
from frames import CLOSE, close_payload, frame
from wire import Refused, WebSocket

# How long nothing may happen before it is believed that nothing will.
QUIET = 0.3
# How long a server may take that has to close at once.
AT_ONCE = 20.0


@dataclass
class Result:
    verdict: str
    # What was expected and seen, in words; empty where all is well.
    detail: str = ""
    close_code: int = None


class Matcher:
    """Follows the messages as they come, so that a case ends when they can't become what is expected any more."""

    def __init__(self, case):
        self.wanted = [one for one in (case.expect, case.non_strict) if one is not None]
        self.alive, self.count, self.judges = list(self.wanted), 0, not case.informational

    def is_hopeless(self, messages):
        while self.count < len(messages):
            at, new = self.count, messages[self.count]
            self.alive = [one for one in self.alive if at < len(one) and one[at] == new]
            self.count += 1
        return self.judges and not self.alive


class Play:
    """One case on one connection."""

    def __init__(self, case, socket):
        self.case, self.socket = case, socket
        self.matcher = Matcher(case)
        self.patience = case.seconds or socket.patience
        self.closer = None

    def run(self, path):
        steps = self.case.steps
        early = b"".join(step.data for step in steps) if self.case.early else b""
        self.socket.upgrade(path, first=early)
        went_on = all(self._perform(step) for step in ([] if early else steps))
        if went_on and self.case.closer == US and self.closer is None:
            went_on = self._wait(lambda: len(self.socket.messages) >= len(self.case.expect))
            if self.socket.messages == self.case.expect:
                self._close(close_payload(self.case.codes[0]))
        # What never came is not waited for a second time.
        if went_on or self._is_over():
            self._wait(lambda: False)
        if self.socket.close_came and not self.socket.close_sent:
            # The other half of the handshake, in which the code comes back.
            self.socket.send_close(self.socket.close_code)
        if self.socket.close_came and not self._is_hopeless():
            self.socket.read_until(lambda: False)

    def _perform(self, step):
        """False where the case is over."""
        socket = self.socket
        if isinstance(step, Send):
            socket.send(step.data, step.chop)
        elif isinstance(step, Closing):
            self._close(step.payload)
        elif isinstance(step, Await):
            return self._wait(lambda: len(socket.messages) >= step.count)
        elif isinstance(step, Quiet):
            if self._wait(lambda: False, AT_ONCE if step.is_too_late else QUIET, ends=True):
                return False
            socket.messages.append(("quiet", step.name.encode()))
        return not self._is_hopeless()

    def _close(self, payload):
        if not self._is_over():
            self.closer = US
        self.socket.close_sent = True
        self.socket.send(frame(CLOSE, payload))

    def _wait(self, condition, seconds=None, ends=False):
        """Reads until the condition holds or nothing more is to be expected; true for the former, or with `ends` the latter."""
        self.socket.read_until(
            lambda: condition() or self._is_over() or self._is_hopeless(), seconds or self.patience)
        if self._is_over() and self.closer is None:
            self.closer = SERVER
        return (self._is_over() or self._is_hopeless()) if ends else condition()

    def _is_over(self):
        return self.socket.close_came or self.socket.ended is not None

    def _is_hopeless(self):
        return self.matcher.is_hopeless(self.socket.messages)


def play(case, host, port, path, patience, strict=False):
    """The result of one case."""
    try:
        # Before there is a connection: a server waits 10 s for a request, and megabytes take longer on a busy machine.
        made = case.made()
        with WebSocket(host, port, patience) as socket:
            one = Play(made, socket)
            one.run(path)
            return judge(one, strict)
    except Refused as refused:
        return Result(FAILED, str(refused))
    except OSError as error:
        return Result(FAILED, f"can't connect: {error}")


def judge(one, strict=False):
    case, socket = one.case, one.socket
    code = socket.close_code
    if socket.faults:
        return Result(FAILED, "; ".join(socket.faults), code)
    if case.informational:
        return Result(INFORMATIONAL, f"came {show(socket.messages)}, then {closing_of(one)}", code)
    if socket.messages not in one.matcher.wanted:
        wanted = " or ".join(show(messages) for messages in one.matcher.wanted)
        return Result(FAILED, f"expected {wanted}, came {show(socket.messages)}, then {closing_of(one)}", code)
    wrong = wrong_closing(case, one)
    if wrong:
        return Result(FAILED, wrong, code)
    if socket.messages != case.expect:
        return Result(
            NON_STRICT, f"best would be {show(case.expect)}; came {show(socket.messages)}, then {closing_of(one)}", code)
    if strict and case.codes != (1000,) and code is None:
        return Result(NON_STRICT, f"best would be close code {codes(case)}; came {closing_of(one)}", code)
    return Result(OK, "", code)


def wrong_closing(case, one):
    """What is wrong with the way in which the connection ended, or nothing."""
    socket = one.socket
    if one.closer != case.closer:
        return f"{case.closer} had to close, with {codes(case)}; seen was {closing_of(one)}"
    if case.clean and not socket.close_came:
        return f"a close frame had to come before the end; seen was {closing_of(one)}"
    if socket.close_code is not None and socket.close_code not in case.codes:
        return f"the close code had to be {codes(case)}, and was {socket.close_code}"
    if socket.ended is None:
        return "the server left the TCP connection open after the closing handshake"
    return None


def codes(case):
    return " or ".join(str(code) for code in case.codes)


def closing_of(one):
    socket = one.socket
    if not socket.close_came:
        return "the end of the TCP connection" if socket.ended else "nothing more, in time"
    code = "no code" if socket.close_code is None else f"code {socket.close_code}"
    reason = f" ({socket.close_reason})" if socket.close_reason else ""
    return f"a close frame with {code}{reason}" + ("" if socket.ended else ", and no end of the TCP connection")


def show(messages):
    if not messages:
        return "nothing"
    shown = [f"{kind} {show_payload(payload)}" for kind, payload in messages[:4]]
    return ", ".join(shown) + (f" and {len(messages) - 4} more" if len(messages) > 4 else "")


def show_payload(payload):
    return repr(payload) if len(payload) <= 40 else f"{payload[:20]!r}… ({len(payload)} bytes)"
