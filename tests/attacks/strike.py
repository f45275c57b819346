"""`python -m tests.attacks.strike '{"name": …, "url": …, "seconds": …, "seed": …}'`: one attack, in its own process."""

from __future__ import annotations

import json
import sys
from random import Random

from tests.attacks.attack import Target, attack_named


def main() -> None:
    """Attack, and say on standard output what was seen."""
    asked = json.loads(sys.argv[1])
    target = Target(asked["url"], asked["seconds"], Random(asked["seed"]))
    attack = attack_named(asked["name"])()
    attack.strike(target)
    attack.check(target)
    json.dump({"statuses": target.statuses, "faults": target.faults[:20]}, sys.stdout)


if __name__ == "__main__":
    main()
