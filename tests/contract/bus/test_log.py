"""The scripts of the log: one holder, one order, no entry twice, and a true answer to each caller."""

from __future__ import annotations

import secrets

import pytest

from server.bus.log.log import KEPT_FENCES, NOWHERE, AppendOutcome, Batch, Log, log_key, meta_key
from server.bus.redis.client import connect_link
from server.bus.redis.client import connect_subscriber as connect
from server.errors import Fenced
from tests.contract.bus.conftest import PROMISED_EVENTS, PROMISED_S
from tests.parts.sampled import later


@pytest.fixture
async def log(any_url):
    link = connect_link(any_url)
    yield Log(link)
    await link.aclose()


def batch(stored, claimed, first, *lines, birth=False, fence=None, touch=False):
    """Make a batch; a birth is where its fence starts."""
    return Batch(
        (log_key(stored.session_id), meta_key(stored.session_id)),
        claimed.incarnation,
        claimed.fence if fence is None else fence,
        2 if birth else claimed.start,
        claimed.holder,
        first,
        [each.encode() for each in lines],
        claimed.covers,
        birth,
        touch,
    )


async def claim(log, stored, fence, floor=0, reaches=0):
    return await log.claim(
        stored.session_id,
        fence=fence,
        floor=floor,
        reaches=reaches,
        fresh=f"log{fence}",
        holder=secrets.token_hex(4),
    )


async def test_a_first_claim_begins_after_the_floor_and_a_second_one_with_the_same_fence_changes_nothing(
    log, stored
):
    first = await claim(log, stored, 3, floor=40)
    assert (first.last, first.start, first.covers, first.born) == (40, 41, 40, True)
    again = await claim(log, stored, 3, floor=40)
    assert (again.incarnation, again.last, again.start, again.born) == (first.incarnation, 40, 41, False)


async def test_a_written_batch_is_read_back_and_a_retry_of_it_does_nothing(log, stored):
    mine = await claim(log, stored, 1)
    for _ in range(3):
        assert await log.append([batch(stored, mine, 1, '"a"', '"b"', '"c"')]) == [AppendOutcome("OK", 3)]
    view = await log.read(stored.session_id, 0)
    assert [(each.seq, each.json) for each in view.entries] == [(1, b'"a"'), (2, b'"b"'), (3, b'"c"')]
    assert [each.seq for each in view.after(1)] == [2, 3]
    assert view.position.seq == 3


async def test_a_log_that_lacks_a_told_end_begins_anew_after_that_end(log, stored):
    mine = await claim(log, stored, 1)
    await log.append([batch(stored, mine, 1, '"a"', '"b"')])
    same = await claim(log, stored, 2, floor=1, reaches=2)
    assert (same.incarnation, same.last, same.born) == (mine.incarnation, 2, False)
    new = await claim(log, stored, 3, floor=2, reaches=3)
    assert (new.incarnation != mine.incarnation, new.last, new.start, new.covers, new.born) == (
        True,
        3,
        4,
        2,
        True,
    )
    assert await log.append([batch(stored, new, 4, '"c"')]) == [AppendOutcome("OK", 4)]
    view = await log.read(stored.session_id, 2)
    assert [each.seq for each in view.after(2)] == [each.seq for each in view.after(3)] == [4]
    assert view.after(1) is None


async def test_a_jump_is_refused_with_where_the_log_ends(log, stored):
    mine = await claim(log, stored, 1)
    assert await log.append([batch(stored, mine, 1, '"a"')]) == [AppendOutcome("OK", 1)]
    assert await log.append([batch(stored, mine, 3, '"c"')]) == [AppendOutcome("GAP", 1)]
    assert await log.append([batch(stored, mine, 1, '"a"', '"b"')]) == [AppendOutcome("GAP", 1)]
    assert (await log.read(stored.session_id, 0)).last == 1


async def test_a_smaller_fence_neither_claims_nor_writes(log, stored):
    old = await claim(log, stored, 1)
    new = await claim(log, stored, 2)
    assert await log.append([batch(stored, old, 1, '"zombie"')]) == [AppendOutcome("FENCED", 2)]
    with pytest.raises(Fenced):
        await claim(log, stored, 1)
    assert await log.append([batch(stored, new, 1, '"good"')]) == [AppendOutcome("OK", 1)]
    assert [each.json for each in (await log.read(stored.session_id, 0)).entries] == [b'"good"']


async def test_one_append_script_answers_each_session_separately(log, stored):
    a, b, c = (type(stored)(stored.session_id + each) for each in "abc")
    ours = [await claim(log, each, 1) for each in (a, b, c)]
    await claim(log, b, 2)
    answers = await log.append(
        [batch(a, ours[0], 1, '"1"'), batch(b, ours[1], 1, '"1"'), batch(c, ours[2], 2, '"2"')]
    )
    assert answers == [AppendOutcome("OK", 1), AppendOutcome("FENCED", 2), AppendOutcome("GAP", 0)]


async def test_a_lost_log_is_reported_and_begun_again_by_its_holder_alone(log, stored, any_url):
    mine = await claim(log, stored, 2)
    await log.append([batch(stored, mine, 1, '"a"')])
    client = connect(any_url)
    await client.delete(log_key(stored.session_id), meta_key(stored.session_id))
    await client.aclose()
    assert await log.append([batch(stored, mine, 2, '"b"')]) == [AppendOutcome("LOST", 0)]
    assert await log.append([batch(stored, mine, 2, '"b"', birth=True)]) == [AppendOutcome("OK", 2)]
    assert await log.append([batch(stored, mine, 2, '"b"', birth=True)]) == [AppendOutcome("OK", 2)]
    assert await log.append([batch(stored, mine, 3, '"z"', birth=True, fence=1)]) == [
        AppendOutcome("FENCED", 2)
    ]
    view = await log.read(stored.session_id, 1)
    assert (view.base, view.under, [each.seq for each in view.entries]) == (1, 0, [2])


async def test_events_without_their_stream_are_a_lost_log(log, stored, any_url):
    mine = await claim(log, stored, 1)
    await log.append([batch(stored, mine, 1, '"a"')])
    client = connect(any_url)
    await client.delete(log_key(stored.session_id))
    for touch in (False, True):
        assert await log.append([batch(stored, mine, 2, '"b"', touch=touch)]) == [AppendOutcome("LOST", 0)]
    assert await log.append([batch(stored, mine, 2)]) == [AppendOutcome("LOST", 0)]
    assert not await client.exists(log_key(stored.session_id))
    await client.aclose()


async def test_a_log_that_is_born_without_an_event_expires(log, stored, any_url):
    mine = await claim(log, stored, 1)
    client = connect(any_url)
    await client.delete(meta_key(stored.session_id))
    assert await log.append([batch(stored, mine, 2, birth=True)]) == [AppendOutcome("OK", 1)]
    assert await client.ttl(meta_key(stored.session_id)) > 3600
    await client.aclose()


async def test_the_first_batch_of_a_holder_restores_a_claim_lost_in_a_failover(log, stored, any_url):
    old = await claim(log, stored, 1)
    await log.append([batch(stored, old, 1, '"a"')])
    client, meta = connect(any_url), meta_key(stored.session_id)
    before = await client.hgetall(meta)
    new = await claim(log, stored, 2)
    await client.delete(meta)
    await client.hset(meta, mapping=before)
    for last, line in ((2, '"b"'), (3, '"c"')):
        assert await log.append([batch(stored, new, last, line)]) == [AppendOutcome("OK", last)]
    assert await log.append([batch(stored, old, 4, '"z"')]) == [AppendOutcome("FENCED", 2)]
    assert (await client.hget(meta, "s")).split() == [b"1:1", b"2:2"]
    assert (await log.read(stored.session_id, 3)).position.epoch.endswith(".2")
    await client.aclose()


async def test_a_fence_that_wrote_no_event_is_not_listed(log, stored, any_url):
    for fence in (1, 2, 3):
        await claim(log, stored, fence)
    client = connect(any_url)
    assert await client.hget(meta_key(stored.session_id), "s") == b"3:1"
    await client.aclose()


async def test_an_append_without_events_reports_whether_the_log_is_still_ours(log, stored):
    mine = await claim(log, stored, 1)
    await log.append([batch(stored, mine, 1, '"a"')])
    assert await log.append([batch(stored, mine, 2)]) == [AppendOutcome("OK", 1)]
    assert await log.append([batch(stored, mine, 5)]) == [AppendOutcome("GAP", 1)]
    await claim(log, stored, 2)
    assert await log.append([batch(stored, mine, 2)]) == [AppendOutcome("FENCED", 2)]


async def test_claiming_a_fence_again_takes_the_log_from_its_earlier_holder(log, stored):
    old = await claim(log, stored, 1)
    new = await claim(log, stored, 1)
    assert await log.append([batch(stored, old, 1, '"old"')]) == [AppendOutcome("FENCED", 1)]
    assert await log.append([batch(stored, new, 1, '"new"')]) == [AppendOutcome("OK", 1)]


async def test_a_log_behind_the_floor_starts_over(log, stored):
    mine = await claim(log, stored, 1)
    await log.append([batch(stored, mine, 1, '"a"')])
    next_one = await claim(log, stored, 2, floor=9)
    assert (next_one.last, next_one.born) == (9, True)
    assert next_one.incarnation != mine.incarnation
    assert (await log.read(stored.session_id, 9)).after(9) == []
    assert (await log.read(stored.session_id, 0)).after(0) is None


async def test_trimming_keeps_the_active_run_and_what_is_promised_before_it(log, stored):
    mine = await claim(log, stored, 1)
    total = PROMISED_EVENTS + 512
    for first in range(1, total, 32):
        await log.append([batch(stored, mine, first, *(f'"{each}"' for each in range(first, first + 32)))])
    await claim(log, stored, 2, floor=0)
    assert (await log.read(stored.session_id, 0)).after(0) is not None, "the active run began at 1"
    await claim(log, stored, 3, floor=total)
    view = await log.read(stored.session_id, 0)
    kept_from = view.entries[0].seq
    assert total - PROMISED_EVENTS - 32 < kept_from <= total + 1 - PROMISED_EVENTS
    assert view.after(0) is None
    assert len(view.after(total - PROMISED_EVENTS)) == PROMISED_EVENTS


async def short_runs(log, stored, fences):
    """Let each of these fences write two events, in one batch."""
    for fence in fences:
        mine, first = await claim(log, stored, fence), 2 * fence - 1
        await log.append([batch(stored, mine, first, f'"{first}"', f'"{first + 1}"')])


async def under(log, stored, seqs):
    return [(await log.read(stored.session_id, each)).under for each in seqs]


@pytest.mark.parametrize("any_url", ["valkey", later("redis"), later("fake")], indirect=True)
async def test_the_log_names_the_fence_that_wrote_each_event(log, stored, any_url):
    await short_runs(log, stored, range(1, 201))
    everything = [0, *(fence for fence in range(1, 201) for _ in "12")]
    assert await under(log, stored, range(401)) == everything
    client = connect(any_url)
    starts = (await client.hget(meta_key(stored.session_id), "s")).split()
    assert len(starts) == KEPT_FENCES, "what is kept beside the log does not grow"
    # As the version before left it, and worse.
    for old in ({"s": " ".join(f"{each}:{2 * each - 1}" for each in range(169, 201)), "p": 168}, {"s": "?"}):
        await client.hset(meta_key(stored.session_id), mapping=old)
        assert await under(log, stored, (1, 2, 99, 399, 400)) == [1, 1, 50, 200, 200]
    await client.aclose()


async def test_the_log_names_the_fence_of_its_last_event_after_it_expired(log, stored, any_url):
    await short_runs(log, stored, range(1, 51))
    client = connect(any_url)
    await client.delete(log_key(stored.session_id))
    assert await under(log, stored, (99, 100)) == [50, 50]
    for fence in range(51, 55):
        await claim(log, stored, fence)  # They write nothing.
    assert await under(log, stored, (99, 100)) == [50, 50]
    mine = await claim(log, stored, 55)
    await log.append([batch(stored, mine, 101, '"101"')])
    for fence in range(56, 120):
        mine = await claim(log, stored, fence)
        await log.append([batch(stored, mine, fence + 46, f'"{fence}"')])
    assert await under(log, stored, (100, 101, 102, 165)) == [50, 55, 56, 119]
    await client.aclose()


async def test_the_fence_named_for_an_expired_event_is_never_too_old(log, stored, any_url):
    await short_runs(log, stored, range(1, 81))
    client = connect(any_url)
    await client.delete(log_key(stored.session_id))
    for found, wrote in zip(await under(log, stored, range(1, 161)), range(2, 162), strict=True):
        assert wrote // 2 <= found <= 80
    await client.aclose()


async def test_a_log_takes_its_first_event_after_an_append_without_events(log, stored):
    mine = await claim(log, stored, 1)
    for _ in range(2):
        assert await log.append([batch(stored, mine, 1)]) == [AppendOutcome("OK", 0)]
    assert await log.append([batch(stored, mine, 1, '"a"')]) == [AppendOutcome("OK", 1)]
    for _ in range(2):
        assert await log.append([batch(stored, mine, 2)]) == [AppendOutcome("OK", 1)]
    assert await log.append([batch(stored, mine, 2, '"b"')]) == [AppendOutcome("OK", 2)]
    assert [each.json for each in (await log.read(stored.session_id, 0)).entries] == [b'"a"', b'"b"']


async def test_the_position_alone_is_read_without_any_event(log, stored):
    await short_runs(log, stored, range(1, 101))
    view = await log.read(stored.session_id, NOWHERE)
    assert (view.last, view.entries, view.under) == (200, [], 0)


async def test_both_keys_of_a_log_expire(log, stored, any_url):
    mine = await claim(log, stored, 1)
    client = connect(any_url)
    assert 3600 < await client.ttl(meta_key(stored.session_id)) <= 86_400
    await log.append([batch(stored, mine, 1, '"a"')])
    log_s = await client.ttl(log_key(stored.session_id))
    assert PROMISED_S < log_s < await client.ttl(meta_key(stored.session_id))
    for key in (log_key(stored.session_id), meta_key(stored.session_id)):
        await client.expire(key, 100)
    await log.append([batch(stored, mine, 2, '"b"')])
    assert await client.ttl(log_key(stored.session_id)) <= 100
    await log.append([batch(stored, mine, 3, '"c"', touch=True)])
    assert 100 < await client.ttl(log_key(stored.session_id)) < await client.ttl(meta_key(stored.session_id))
    await client.aclose()
