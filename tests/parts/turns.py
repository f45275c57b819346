"""The order of the test files: waiting ones run beside computing ones, and no long one is last."""

from __future__ import annotations

import random
from collections.abc import Iterable

STORM = "chaos/test_storm.py"
"""Its promises are measured in seconds: it begins at once, beside files that wait most of their time."""

BROWSERS = ("e2e/",)
WAITING = ("integration/", "promises/", "chaos/", "attacks/")

LONG = (
    "integration/crash/test_kill.py",
    "integration/degradation/test_drain.py",
    "integration/sdk/test_identities.py",
    "integration/crash/test_stopped_in_a_tool.py",
    "integration/runs/test_refused.py",
    "integration/bus/test_redis_faults.py",
    "attacks/test_attacks.py",
    "integration/conversation/test_over_http.py",
    "integration/api/test_shared_rates.py",
    "integration/agui/test_interrupted_answers.py",
    "integration/bus/test_backlog.py",
    "integration/api/test_identify.py",
    "integration/runs/test_take_over.py",
    "integration/degradation/test_redis_away.py",
    "integration/runs/test_operators.py",
    "integration/runs/test_interrupt_hardship.py",
    "integration/runs/test_interrupts.py",
    "integration/test_backup.py",
    "integration/callbacks/test_sending.py",
    "integration/sdk/test_testing.py",
    "integration/mcp/test_agents.py",
    "integration/crash/test_requests.py",
    "integration/crash/test_workers.py",
    "integration/crash/test_kill_around_question.py",
    "integration/crash/test_redis_loss.py",
    "integration/degradation/test_starts.py",
    "integration/degradation/test_sqlite_away.py",
    "integration/degradation/test_postgres_away.py",
    "integration/ws/test_bad_wire.py",
    "integration/test_doctor.py",
    "integration/mcp/test_documented.py",
    "integration/conversation/test_changes.py",
    "integration/crash/test_take_over.py",
    "integration/conversation/test_joining.py",
    "integration/test_serving.py",
    "integration/growth/test_growth.py",
    "integration/conversation/test_submission.py",
    "e2e/conversation/test_approval.py",
    "e2e/page/test_states.py",
    "e2e/conversation/test_submission.py",
    "e2e/page/test_stream.py",
    "e2e/page/test_input.py",
    "e2e/conversation/test_access.py",
    "e2e/conversation/test_reload.py",
    "e2e/conversation/test_changed_mind.py",
    "unit/test_extending.py",
    "contract/store/test_core.py",
    "unit/demo/test_strangers.py",
    "contract/store/test_open.py",
    "unit/test_house_style.py",
    "unit/demo/test_conversations.py",
    "unit/demo/test_utterances.py",
    "contract/store/test_messages.py",
    "contract/store/test_claims.py",
)
"""What takes longest, as measured: first what waits, at last what computes, so that no long file ends alone."""

BESIDE_THE_STORM = 6


def in_turn(files: list[str]) -> list[str]:
    """Order files (paths below tests/).

    The storm comes first and with it files that hardly compute; then browsers are spread evenly among all that waits
    for something, so that as many compute at any time as there are cores; what only computes comes last.
    """
    ranked = sorted(files, key=lambda file: LONG.index(file) if file in LONG else len(LONG))
    storm = [file for file in ranked if file == STORM]
    browsers = [file for file in ranked if file.startswith(BROWSERS)]
    waiting = [file for file in ranked if file.startswith(WAITING) and file != STORM]
    beside, waiting = waiting[:BESIDE_THE_STORM], waiting[BESIDE_THE_STORM:]
    rest = [file for file in ranked if not file.startswith((*BROWSERS, *WAITING))]
    return [
        *storm,
        *(beside if storm else []),
        *spread(browsers, waiting if storm else beside + waiting),
        *rest,
    ]


def shuffled(files: Iterable[str], seed: str) -> list[str]:
    """Order files at random, the same way each time for the same seed and the same files."""
    return random.Random(seed).sample(ordered := sorted(files), len(ordered))


def spread(*kinds: Iterable[str]) -> list[str]:
    """Merge lists so that each is spread evenly over the whole, in its own order."""
    placed = [
        ((number + 0.5) / len(names), kind, name)
        for kind, names in enumerate(map(list, kinds))
        for number, name in enumerate(names)
    ]
    return [name for _, _, name in sorted(placed)]
