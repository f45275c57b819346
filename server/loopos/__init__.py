"""LoopOS, the product: its catalog and items, the judge of answers, and the tools that sell an item."""
