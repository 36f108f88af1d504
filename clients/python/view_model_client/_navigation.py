"""What a session shows: children that stand on it, the bottom first, and the one that is presented over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Tuple


@dataclass(frozen=True)
class Shown:
    """A session that a View shows for another one; `Client.attach` takes its key."""

    view_model: str
    key: str


@dataclass(frozen=True)
class Navigation:
    """A session comes on screen (`kind` is push or present) or is taken off (pop or dismiss)."""

    seq: int
    kind: str
    view_model: str
    key: str


@dataclass(frozen=True)
class Screen:
    """The children of this session at number `seq`, where they may differ from those known before."""

    seq: int
    stack: Tuple[Shown, ...]
    presented: Optional[Shown]


class Children:
    """Those of one session, as the server has told them last."""

    # The kinds by the methods that tell them.
    KINDS = {f"navigation/{kind}": kind for kind in ("push", "present", "pop", "dismiss")}

    def __init__(self) -> None:
        self.stack: Tuple[Shown, ...] = ()
        self.presented: Optional[Shown] = None

    def navigate(self, method: str, params: Dict[str, Any]) -> Navigation:
        kind, key = self.KINDS[method], params["key"]
        child = Shown(params.get("viewModel", ""), key)
        if kind == "push":
            self.stack += (child,)
        elif kind == "present":
            self.presented = child
        elif kind == "pop":
            child = next((one for one in self.stack if one.key == key), child)
            self.stack = tuple(one for one in self.stack if one.key != key)
        elif self.presented is not None and self.presented.key == key:
            child, self.presented = self.presented, None
        return Navigation(params["seq"], kind, child.view_model, key)

    def restore(self, seq: int, told: Optional[Dict[str, Any]]) -> Optional[Screen]:
        """As an attachment says; None where that is known."""
        told = told or {"stack": [], "presented": None}
        stack = tuple(map(self._shown, told["stack"]))
        presented = self._shown(told["presented"]) if told["presented"] else None
        if (stack, presented) == (self.stack, self.presented):
            return None
        self.stack, self.presented = stack, presented
        return Screen(seq, stack, presented)

    @staticmethod
    def _shown(child: Mapping[str, str]) -> Shown:
        return Shown(child["viewModel"], child["key"])
