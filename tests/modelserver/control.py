"""The control port of a server in another process: scripts, faults and the record of requests.

`POST /_control/script  {"steps": [{"text": "hi"}, {"call": "lookup", "arguments": {}}]}`
`POST /_control/faults  {"faults": [{"name": "stall", "after": 3}], "times": 1, "says": "boat"}`
`GET /_control/requests`, `DELETE /_control/faults`, `DELETE /_control/requests`
`says` limits the faults to requests whose newest user message contains that text.
"""

import json
from collections import deque
from dataclasses import asdict
from typing import Any

from tests.modelserver.brains import Brain, Scripted, reply_from_json
from tests.modelserver.connection import HttpRequest
from tests.modelserver.fault_queue import FaultQueue, named
from tests.modelserver.request import ModelRequest, bad_request

_PREFIX = "/_control/"


class Control:
    """Reaches the parts of a server that tests in the same process touch directly."""

    def __init__(self, brain: Brain, faults: FaultQueue, requests: deque[ModelRequest]) -> None:
        """Take the parts."""
        self._brain = brain
        self._faults = faults
        self._requests = requests

    def reply(self, http: HttpRequest) -> Any:
        """Return the answer to a control request; None when it is none."""
        if not http.path.startswith(_PREFIX):
            return None
        action = (http.method, http.path.removeprefix(_PREFIX))
        body = json.loads(http.body) if http.body else {}
        if action == ("POST", "script"):
            return self._script(body)
        if action == ("POST", "faults"):
            return self._add_faults(body)
        if action == ("DELETE", "faults"):
            self._faults.clear()
            return {"waiting": 0}
        if action == ("DELETE", "requests"):
            self._requests.clear()
            return {"requests": []}
        if action == ("GET", "requests"):
            return {"requests": [_without_secrets(request) for request in self._requests]}
        raise bad_request(f"No control action {action}")

    def _script(self, body: dict[str, Any]) -> Any:
        if not isinstance(self._brain, Scripted):
            raise bad_request("Only `--brain scripted` takes a script.")
        self._brain.extend([reply_from_json(step) for step in body["steps"]])
        return {"left": self._brain.left}

    def _add_faults(self, body: dict[str, Any]) -> Any:
        together = [named(**fault) for fault in body["faults"]]
        says = body.get("says")
        when = (lambda request: says in request.last_user_text) if says else None
        self._faults.add(*together, times=body.get("times", 1), when=when)
        return {"waiting": len(self._faults)}


def _without_secrets(request: ModelRequest) -> dict[str, Any]:
    """Return a request without its raw body and without headers, which carry the key."""
    return asdict(request) | {"body": None, "headers": {}}
