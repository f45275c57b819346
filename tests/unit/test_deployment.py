"""Dockerfile, compose.yaml and the pre-commit hooks agree with the Procfile, the settings and the Makefile."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from server.settings import Settings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", "")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
OURS = ("web", "worker")


def procfile() -> dict[str, str]:
    """Return the command of each process type."""
    lines = (ROOT / "Procfile").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line)


def instructions(name: str) -> list[str]:
    """Return the arguments of each such instruction of the Dockerfile."""
    return re.findall(rf"^{name} +(.+)$", DOCKERFILE, re.MULTILINE)


def copied() -> list[str]:
    """Return what the image takes from this tree."""
    return [words.split()[0] for words in instructions("COPY") if not words.startswith("--from")]


@pytest.mark.parametrize("service", OURS)
def test_a_service_of_compose_runs_the_command_of_the_procfile(service: str) -> None:
    assert COMPOSE["services"][service]["command"] == procfile()[service].split()


def test_the_image_starts_as_the_web_process_of_the_procfile() -> None:
    assert json.loads(instructions("CMD")[-1]) == procfile()["web"].split()


def test_the_processes_of_the_procfile_are_those_of_compose() -> None:
    assert set(procfile()) == set(OURS)
    assert set(COMPOSE["services"]) == {*OURS, "valkey", "postgresql"}


def test_paths_that_the_image_copies_exist_and_are_in_dockerignore() -> None:
    """`.dockerignore` leaves out everything but what it names."""
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert set(copied()) == allowed
    assert [path for path in copied() if not (ROOT / path).exists()] == []


def test_compose_and_the_image_set_only_what_a_setting_reads() -> None:
    known = {field.alias for field in Settings.model_fields.values()}
    image = re.findall(r"\b(HOST|PORT|LOOPWIRE_\w+)=", " ".join(instructions("ENV")))
    for service in OURS:
        assert set(COMPOSE["services"][service]["environment"]) - known == set()
    assert image
    assert set(image) - known == set()


def test_both_processes_share_one_environment_that_names_the_other_services() -> None:
    web, worker = (COMPOSE["services"][each]["environment"] for each in OURS)
    assert web == worker
    assert "@postgresql:5432/" in web["DATABASE_URL"]
    assert web["REDIS_URL"].startswith("redis://valkey:")
    assert set(COMPOSE["services"]["web"]["depends_on"]) == {"postgresql", "valkey"}


def test_a_container_may_take_as_long_to_stop_as_a_drain_does() -> None:
    """25 s for running answers and 4.5 s to close (docs/operations.md)."""
    drain = Settings.model_fields["drain_seconds"].default
    for service in OURS:
        assert int(COMPOSE["services"][service]["stop_grace_period"].removesuffix("s")) > drain + 4.5


def test_valkey_refuses_writes_when_it_is_full() -> None:
    command = COMPOSE["services"]["valkey"]["command"]
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


def test_each_hook_is_a_target_of_make_check() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    (check,) = re.findall(r"^check: (.+?) ##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert [hook["entry"].split()[-1] for hook in hooks] == check.split()
