"""The product that the seller confirmed for the draft."""

from typing import Any

from server.agents import ToolFailure
from server.loopos.core import Core
from server.loopos.tools.drafts.draft import Draft


async def confirmed_product(draft: Draft) -> Any:
    """Return the product of the draft, as the catalog knows it now."""
    product_id = draft.product_id
    product = (
        await draft.run.resource(Core).product(product_id, language=draft.language) if product_id else None
    )
    if product is None:
        raise ToolFailure(
            "No product is confirmed yet: hand back to the identification agent.", code="no_product"
        )
    return product
