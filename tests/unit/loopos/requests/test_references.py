"""The lists of references that callers send: read as far as the contract says, beside the work of others."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest
from rapidfuzz import process

from server.agents import RunContext
from server.loopos.requests.references import MOST_NEAR, MOST_ROWS, read_references
from server.services.c2c_validation import ValidationFields, ValidationRequest, service

LONGEST_LIST = 200_000


async def test_long_lists_are_compared_in_parts_and_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of 20,000 rows was compared at once, in half a second in which nobody else was answered."""
    compared: list[tuple[int, int]] = []
    extract = process.extract

    def noting(near: str, names: list[str], **more: Any) -> Any:
        compared.append((threading.get_ident(), len(names)))
        return extract(near, names, **more)

    monkeypatch.setattr(process, "extract", noting)
    rows = "".join(f"{each},abcd\n" for each in range(100_000))[:LONGEST_LIST]
    known = ValidationFields(
        brand_name="n" * 300, reference_brands=rows, product_name="Sofa", reference_products=rows
    )
    assert service.contract is not None
    facts = await service.contract.prepare(cast(RunContext, None), ValidationRequest(agent_specific=known))
    assert [len(facts[name]) for name in ("brands", "products")] == [MOST_NEAR, MOST_NEAR]
    assert max(each for _, each in compared) <= 500
    assert threading.get_ident() not in {thread for thread, _ in compared}


@pytest.mark.parametrize("place", [0, 499, 500, 4_999, MOST_ROWS - 1])
def test_the_nearest_is_found_in_each_part(place: int) -> None:
    rows = [f"{each},x" for each in range(1, MOST_ROWS + 1)]
    rows[place] = "77777,Samsung Galaxy"
    assert read_references("\n".join(rows), near="samsung galaxy")[0].id == 77777


def test_equally_near_names_come_in_the_order_of_the_list() -> None:
    rows = "\n".join(f"{each},Sofa" for each in range(2_000))
    assert [each.id for each in read_references(rows, near="sofa")] == list(range(MOST_NEAR))


def test_rows_beyond_the_most_are_not_looked_at_and_the_contract_says_so() -> None:
    rows = [*(f"{each},x" for each in range(MOST_ROWS)), "77777,Samsung Galaxy"]
    assert 77777 not in {each.id for each in read_references("\n".join(rows), near="samsung galaxy")}
    assert service.contract is not None
    assert any(f"first {MOST_ROWS:,} rows" in each for each in service.contract.notes)


def test_a_comma_in_a_name_without_quotes_parts_no_name_under_a_header_of_two_columns() -> None:
    text = 'id,name\n1,Dolce, Gabbana\n2,"Marks, Spencer"\n3,Nike'
    found = {each.id: each.name for each in read_references(text, near="Dolce, Gabbana")}
    assert found == {1: "Dolce, Gabbana", 2: "Marks, Spencer", 3: "Nike"}
    wide = {each.id: each.name for each in read_references("id,name,kind\n1,Dolce,shoes", near="Dolce")}
    assert wide == {1: "Dolce"}
