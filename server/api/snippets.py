"""Snippets that call a service: curl, Python and JavaScript; tests execute each of them."""

import json
from collections.abc import Mapping
from typing import Any

from server.agents.contract import RequestContract

LANGUAGES = ("curl", "python", "javascript")


def snippets(contract: RequestContract, server: str) -> Mapping[str, str]:
    """Return a program for each language that posts the contract's example to this server, and prints the answer."""
    url = f"{server}{contract.path}"
    return {
        "curl": _curl(url, contract.example),
        "python": _python(url, contract.example),
        "javascript": _javascript(url, contract.example),
    }


def _json(example: Any) -> str:
    return json.dumps(example, ensure_ascii=False, indent=2)


def _curl(url: str, example: Any) -> str:
    body = _json(example).replace("'", "'\\''")
    return f"curl --silent --show-error {url} \\\n  --header 'Content-Type: application/json' \\\n  --data '{body}'"


def _python(url: str, example: Any) -> str:
    return f'''import json
import urllib.request

body = json.loads(r"""
{_json(example)}
""")
request = urllib.request.Request(
    "{url}",
    data=json.dumps(body).encode(),
    headers={{"Content-Type": "application/json"}},
)
with urllib.request.urlopen(request, timeout=130) as response:
    print(json.dumps(json.load(response)))'''


def _javascript(url: str, example: Any) -> str:
    return f"""const response = await fetch("{url}", {{
  method: "POST",
  headers: {{ "Content-Type": "application/json" }},
  body: JSON.stringify({_json(example)}),
}});
console.log(JSON.stringify(await response.json()));"""
