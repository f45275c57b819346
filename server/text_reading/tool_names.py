"""The tools of the services that the demo model's agents call in a sale."""

CATALOG, CONFIRM = "get_catalog", "confirm_product"
OPTIONS, SELECT, CHANGE = "get_product_options", "select_option", "change_item"
CREATE, PROTOCOL, VALIDATE = "create_item", "get_product_protocol", "validate_protocol_answer"
REOPEN = "reopen_item"
ALL = frozenset({CATALOG, CONFIRM, OPTIONS, SELECT, CHANGE, CREATE, PROTOCOL, VALIDATE, REOPEN})
