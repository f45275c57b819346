"""Snippets that call a service: curl, Python and JavaScript; tests execute each of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LANGUAGES = ("curl", "python", "javascript")


@dataclass(frozen=True, slots=True)
class ExampleRequest:
    """A path with the example that is posted there."""

    path: str
    example: Any


def snippets(request: ExampleRequest, server: str, *, keyed: bool) -> Mapping[str, str]:
    """Return a program for each language that posts the example to this server, and prints the answer.

    Where requests need the key of an app, the programs read it from LOOPWIRE_KEY.
    """
    url = f"{server}{request.path}"
    return {
        "curl": _curl(url, request.example, keyed=keyed),
        "python": _python(url, request.example, keyed=keyed),
        "javascript": _javascript(url, request.example, keyed=keyed),
    }


def _json(example: Any) -> str:
    return json.dumps(example, ensure_ascii=False, indent=2)


def _curl(url: str, example: Any, *, keyed: bool) -> str:
    body = _json(example).replace("'", "'\\''")
    lines = [f"curl --silent --show-error {url}", "--header 'Content-Type: application/json'"]
    lines += ['--header "Authorization: Bearer $LOOPWIRE_KEY"'] if keyed else []
    return " \\\n  ".join([*lines, f"--data '{body}'"])


def _python(url: str, example: Any, *, keyed: bool) -> str:
    headers = '{"Content-Type": "application/json"}'
    if keyed:
        headers = (
            '{"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["LOOPWIRE_KEY"]}'
        )
    imported = "\nimport os" if keyed else ""
    return f'''import json{imported}
import urllib.request

body = json.loads(r"""
{_json(example)}
""")
request = urllib.request.Request(
    "{url}",
    data=json.dumps(body).encode(),
    headers={headers},
)
with urllib.request.urlopen(request, timeout=130) as response:
    print(json.dumps(json.load(response)))'''


def _javascript(url: str, example: Any, *, keyed: bool) -> str:
    key = ", Authorization: `Bearer ${process.env.LOOPWIRE_KEY}`" if keyed else ""
    return f"""const response = await fetch("{url}", {{
  method: "POST",
  headers: {{ "Content-Type": "application/json"{key} }},
  body: JSON.stringify({_json(example)}),
}});
console.log(JSON.stringify(await response.json()));"""
