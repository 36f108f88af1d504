"""The sessions that a person may come back to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional


@dataclass(frozen=True)
class KeptSession:
    """A session that this client's person may come back to, by `Client.attach` with its key."""

    key: str
    view_model: str
    last_used: str
    """When somebody last had a view of it (RFC 3339, UTC): now, where somebody has."""
    arguments: Any = None
    """Those that it was opened with; None where there were none."""
    title: Optional[str] = None
    """What it is about, in a few words, where its view model says so."""
    views: Optional[int] = None
    """How many views it has; None where another server has it."""
    server: Optional[str] = None
    """The server that has it, in words, where several share a store."""


def kept_sessions(result: Dict[str, Any]) -> List[KeptSession]:
    """Of an answer to `session/list`. That of an older server has the sessions that are open here, and none of these."""
    return [
        KeptSession(
            session["key"], session["viewModel"], session["lastUsed"], session.get("arguments"), session.get("title"),
            session.get("views"), session.get("server"),
        )
        for session in result["sessions"]
        if "lastUsed" in session
    ]
