"""Who has a view of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple


@dataclass(frozen=True)
class Viewer:
    """One view of a session, this client's own or another's. All may be None where the server knows nothing."""

    is_self: bool
    principal: Optional[str] = None
    """The name of the person, by their token."""
    program: Optional[str] = None
    """The name of the program, as it says."""
    client: Optional[str] = None
    """The name by which the session knows its events."""
    access: Optional[str] = None
    """`read` for one who may only look."""


def viewers(params: Dict[str, Any]) -> Tuple[Viewer, ...]:
    return tuple(
        Viewer(view["you"], view.get("principal"), view.get("program"), view.get("client"), view.get("access"))
        for view in params["views"]
    )
