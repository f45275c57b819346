"""The pure functions of the bench: its counts, its search and its goals."""

from __future__ import annotations

import pytest
from websockets.frames import Frame, Opcode

from bench import requests
from bench.answers import ESTIMATED, TRANSLATED
from bench.capacity import Search, sessions, step_of
from bench.choice import chosen
from bench.figures import CAPACITY, FIGURES, PACED_CPU, Figures
from bench.page import View, row
from bench.report import summary, table
from bench.tokens import Judged
from bench.wire import frame_end
from server.services import translator, value_estimation


def test_answers_of_the_bench_model_fit_the_contracts_of_its_requests():
    for service, answer in ((translator.service, TRANSLATED), (value_estimation.service, ESTIMATED)):
        contract = service.contract
        request = contract.request.model_validate(contract.example)
        contract.check(request, service.start, answer)
        contract.response.model_validate(contract.complete(request, {}, answer))


def test_goals_of_requests_are_held_against_the_medians_of_the_rounds():
    cpu, moved = "translator: CPU of a request, ms", "the same, times that before"
    plain = {cpu: [10.0, 10.0, 10.0], moved: [1.0]}
    lines = requests.table({"plain": plain, "loopwire": {cpu: [10.5, 30.0, 10.9], moved: [2.5]}}).splitlines()
    assert lines[2].endswith("| 10.9 [10.5-30] | 1.09 [1.05-3] | <= 1.1 x: met |")
    assert lines[3].endswith("| 2.5 [2.5-2.5] | <= 2.0: missed |")


@pytest.mark.parametrize(
    ("files", "size", "seconds", "verdict"),
    [
        (10, 110_000, 1.2, "met"),
        (11, 110_000, 1.2, "missed"),
        (10, 110_010, 1.2, "missed"),
        (10, 110_000, 1.21, "missed"),
    ],
)
def test_the_first_view_of_the_page_is_held_against_its_goal(files, size, seconds, verdict):
    view = View({f"/{each}": size // files for each in range(files)}, seconds=seconds)
    assert row("/", "first", view).endswith(f" | <= 10 requests, 110 kB, 1.2 s: {verdict} |")
    assert row("/", "second", view).endswith(f"{seconds:.2f} | - |")
    assert row("/embed/demo", "first", view).endswith(f"{seconds:.2f} | - |")


SCENARIOS, SERVERS = ["memory", "paced", "runs"], ["floor", "plain", "loopwire"]


def judge(*frames: tuple[int, str], count: int) -> Judged:
    judged = Judged()
    judged.add([(at, text.encode()) for at, text in frames], bytes.decode, asked=0, count=count)
    return judged


def test_an_unnamed_kind_of_part_selects_all_of_its_kind():
    choice = chosen(["runs", "paced", "floor"], scenarios=SCENARIOS, servers=SERVERS)
    assert (choice.scenarios, choice.servers) == (["paced", "runs"], ["floor"])
    assert chosen(["runs"], scenarios=SCENARIOS, servers=SERVERS).servers == SERVERS
    with pytest.raises(SystemExit):
        chosen(["pacedd"], scenarios=SCENARIOS, servers=SERVERS)


def test_a_token_that_is_cut_between_frames_is_one_token():
    judged = judge((50, "10 2"), (60, "0 30 "), count=3)
    assert (judged.faults, judged.times) == (0, [(10, 50), (20, 60), (30, 60)])


def test_lost_doubled_and_misordered_tokens_are_counted():
    assert judge((50, "10 30 "), count=3).lost == 1
    assert judge((50, "10 20 20 30 "), count=3).doubled == 1
    assert judge((50, "20 10 30 "), count=3).misordered == 1


def test_steady_times_count_tokens_sent_while_every_answer_was_under_way():
    judged = judge((12, "10 "), (22, "20 "), (32, "30 "), (42, "40 "), count=4)
    judged.add([(26, b"25 "), (36, b"35 "), (46, b"45 ")], bytes.decode, asked=0, count=3)
    assert [round(each * 1e6) for each in judged.steady_ms()] == [2, 1]


@pytest.mark.parametrize("leap", [1, 4])
@pytest.mark.parametrize("limit", [0, 7, 31, 69])
@pytest.mark.parametrize("start", [0, 20, 70])
def test_the_search_finds_the_last_step_that_is_carried(start: int, limit: int, leap: int):
    search, tries = Search(start, leap), 0
    while (step := search.next()) is not None:
        search.tell(step, carried=step <= limit)
        tries += 1
    assert search.carried == limit
    assert tries <= 15


def test_a_step_stands_for_eight_per_cent_more_sessions():
    assert [step_of(sessions(each)) for each in (0, 20, 50, 70)] == [0, 20, 50, 70]


def test_goals_hold_for_the_medians_and_for_the_ratios_of_the_same_round():
    floor, ours = Figures(), Figures()
    floor.tell(PACED_CPU, 10)
    ours.tell(PACED_CPU, 39, 26)
    ours.tell(CAPACITY, 300, at_least=True)
    rounds = [{"floor": floor, "loopwire": ours}]
    assert "<= 4 x: met; Valkey <= 25: missed" in table(rounds)
    assert "at least 300" in table(rounds)
    assert summary(rounds) == "Goals met: 2 of 3."
    assert "nothing to compare with" in table([{"loopwire": ours}])


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_frame_is_taken_once_it_is_whole(size: int):
    frame = Frame(Opcode.TEXT, b"x" * size).serialize(mask=False)
    assert frame_end(frame + b"next") == (len(frame) - size, len(frame))
    assert [frame_end(frame[:cut]) for cut in {0, 1, len(frame) - 1}] == [None] * len({0, 1, len(frame) - 1})


def test_no_two_figures_have_one_name():
    assert len({each.name for each in FIGURES}) == len(FIGURES)
