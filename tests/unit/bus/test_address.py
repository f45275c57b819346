"""Addresses of Redis: which are refused at the start, and that no sentence quotes one."""

import pytest

from server.bus import require_address
from server.errors import CannotStart

PASSWORD = "not-to-be-printed"


@pytest.mark.parametrize(
    "url",
    [
        "foo",
        "http://h:6379",
        f"redis://:{PASSWORD}@h:many/0",
        f"redis://h:{PASSWORD}",
        f"redis://:{PASSWORD}@h?no_such_option=1",
        f"redis://:{PASSWORD}@h?socket_timeout=soon",
        "redis://[::1",
        f"redis://:a@,{PASSWORD}@h:many/0",
    ],
)
def test_a_malformed_redis_url_is_refused_and_not_quoted(url: str) -> None:
    with pytest.raises(CannotStart, match=r"^REDIS_URL is not an address such as redis://") as refused:
        require_address(url)
    assert PASSWORD not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        f"redis+sentinel://:{PASSWORD}@h:1/x",
        "sentinel://h:1",
        "redis+cluster://h:1",
        f"redis://:{PASSWORD}@a:1,b:2/0",
    ],
)
def test_sentinel_cluster_and_several_addresses_are_refused_with_a_reason(url: str) -> None:
    with pytest.raises(CannotStart, match=r"is one address.* Sentinel or Cluster are not taken") as refused:
        require_address(url)
    assert PASSWORD not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [f"redis://:{PASSWORD}@h:1/0", "rediss://user:a,b@h", "redis://h", "unix:///run/redis.sock", "fake://x"],
)
def test_a_single_redis_url_is_accepted(url: str) -> None:
    require_address(url)
