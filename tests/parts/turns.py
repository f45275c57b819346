"""The order of the test files: waiting ones run beside computing ones, and no long one is last."""

from __future__ import annotations

import random
from collections.abc import Iterable

STORM = "chaos/test_storm.py"
"""It takes longest: it begins at once."""

BROWSERS = ("e2e/",)
WAITING = ("integration/", "promises/", "chaos/", "attacks/")

LONG = (
    "integration/crash/test_kill.py",
    "integration/degradation/test_drain.py",
    "unit/demo/test_strangers.py",
    "integration/sdk/test_identities.py",
    "attacks/test_attacks.py",
    "integration/crash/test_stopped_in_a_tool.py",
    "e2e/embed/test_frame_failures.py",
    "integration/bus/test_redis_faults.py",
    "integration/runs/test_refused.py",
    "integration/bus/test_backlog.py",
    "unit/test_extending.py",
    "integration/runs/test_take_over.py",
    "integration/agui/test_interrupted_answers.py",
    "integration/api/test_identify.py",
    "integration/sdk/test_testing.py",
    "integration/degradation/test_redis_away.py",
    "unit/services/requests/test_golden.py",
    "integration/api/test_shared_rates.py",
    "e2e/conversation/test_services.py",
    "integration/mcp/test_agents.py",
    "integration/conversation/test_over_http.py",
    "integration/test_doctor.py",
    "e2e/page/test_input.py",
    "contract/store/test_open.py",
    "e2e/embed/test_mcp_app.py",
    "integration/runs/test_operators.py",
    "integration/runs/test_interrupt_hardship.py",
    "e2e/page/test_stream.py",
    "e2e/conversation/test_typing.py",
    "integration/crash/test_requests.py",
    "integration/callbacks/test_sending.py",
    "integration/runs/test_failing_runs.py",
    "integration/test_backup.py",
    "e2e/conversation/test_installed.py",
    "integration/degradation/test_starts.py",
    "e2e/conversation/test_gateway.py",
    "e2e/embed/test_widget.py",
    "integration/wire/test_frames.py",
    "integration/degradation/test_sqlite_away.py",
    "integration/crash/test_workers.py",
    "unit/demo/test_passing_prices.py",
    "e2e/conversation/test_docs_forms.py",
    "integration/ws/test_bad_wire.py",
    "e2e/embed/test_page_messages.py",
    "unit/test_garbage_collection.py",
    "integration/clients/test_openai.py",
    "integration/runs/test_versions.py",
    "integration/crash/test_kill_around_question.py",
    "unit/test_patterns.py",
    "unit/demo/test_said_prices.py",
    "e2e/conversation/test_several_conversations.py",
    "e2e/conversation/test_lost_connection.py",
    "integration/api/test_operators.py",
    "integration/runs/test_interrupts.py",
    "integration/crash/test_take_over.py",
    "unit/images/test_memory_of_pictures.py",
    "promises/test_callbacks.py",
    "integration/core/test_core_faults.py",
    "unit/demo/test_choosing_product.py",
    "integration/api/test_stream.py",
    "unit/loopos/test_judging.py",
    "integration/test_limit_settings.py",
    "integration/requests/test_chat_socket.py",
    "integration/crash/test_redis_loss.py",
    "unit/demo/test_conversations.py",
    "integration/api/test_app_keys.py",
)
"""What takes longest, the longest first, as measured."""


def in_turn(files: list[str]) -> list[str]:
    """Order files (paths below tests/).

    The storm comes first. What drives browsers, what waits for servers and what only computes are each spread evenly
    over the rest, so that some compute at any time while others wait; the long files of each kind come first.
    """
    ranked = sorted(files, key=lambda file: LONG.index(file) if file in LONG else len(LONG))
    storm = [file for file in ranked if file == STORM]
    browsers = [file for file in ranked if file.startswith(BROWSERS)]
    waiting = [file for file in ranked if file.startswith(WAITING) and file != STORM]
    computing = [file for file in ranked if not file.startswith((*BROWSERS, *WAITING))]
    return [*storm, *spread(browsers, waiting, computing)]


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
