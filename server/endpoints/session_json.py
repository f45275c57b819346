"""A session and its cost as JSON, for its principal."""

from typing import Any

from server.prices import NANO
from server.store import Session, SessionCost, shown_operator


def cost_json(cost: SessionCost) -> dict[str, Any]:
    """Show what a session cost, in units of each currency; runs whose cost is unknown are counted apart."""
    amounts = {currency: nano / NANO for currency, nano in sorted(cost.nano.items())}
    return {"amounts": amounts, "unpriced_runs": cost.unpriced_runs}


def session_json(session: Session) -> dict[str, Any]:
    """Show a session to its principal: private state stays here."""
    return {
        "id": session.id,
        "service": session.service,
        "language": session.language,
        "title": session.title,
        "status": session.status,
        "agent": session.agent,
        "state": {key: value for key, value in session.state.items() if not key.startswith("_")},
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "operator": None if session.operator is None else shown_operator(session.operator),
    }
