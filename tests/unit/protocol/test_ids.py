"""Ids name their kind and cannot be guessed."""

import re

from server.protocol.ids import new_id


def test_an_id_has_its_prefix_and_100_random_bits() -> None:
    ids = {new_id("ses") for _ in range(500)}
    assert len(ids) == 500
    assert all(re.fullmatch(r"ses_[a-z2-7]{20}", each) for each in ids)
