"""The tables of MCP servers in the file of apps: what they may say, and the sentence for what they may not."""

from pathlib import Path

import pytest

from server import apps
from server.mcp_servers import McpTool, model_name
from server.services import require_known, services

HEAD = '[demo.mcp.shop]\nservices = ["chat"]\n'
PROGRAM = f'{HEAD}command = "shop"\n'
ADDRESS = f'{HEAD}url = "https://shop.example/mcp"\n'
TOOL = "[demo.mcp.shop.tools.find]\n"


def load(folder: Path, text: str) -> None:
    """Read a file as a start does."""
    file = folder / "apps.toml"
    file.write_text(text)
    require_known(apps.load(file), services())


def test_unless_told_otherwise_a_call_happens_once_after_a_yes_and_shows_nothing():
    silent = McpTool()
    assert (silent.effect, silent.asks, silent.args, silent.result) == ("once", True, None, False)
    assert McpTool(effect="idempotent").asks and not McpTool(effect="read").asks
    assert McpTool(effect="read", approval=True).asks and not McpTool(approval=False).asks


def test_models_call_a_tool_by_a_name_that_they_can_write():
    assert model_name("shop", "orders.find/all") == "shop_orders_find_all"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            f"{PROGRAM}comand = 1\n{TOOL}",
            r"\[demo\] mcp\.shop\.comand: there is no such key; .*command, args",
        ),
        (
            f"{PROGRAM}{TOOL}efect = 1\n",
            r"mcp\.shop\.tools\.find\.efect: there is no such key; there are effect",
        ),
        (
            f'{PROGRAM}{TOOL}effect = "twice"\n',
            r"mcp\.shop\.tools\.find\.effect: Input should be 'read', 'idem",
        ),
        (PROGRAM, r"mcp\.shop\.tools: Field required"),
        (f"{HEAD}{TOOL}", r"mcp\.shop: it needs either command or url"),
        (f'{PROGRAM}url = "https://a.example"\n{TOOL}', r"mcp\.shop: it needs either command or url"),
        (f'{PROGRAM}headers = {{a = "B"}}\n{TOOL}', r"headers and private belong to a url"),
        (f'{ADDRESS}env = ["A"]\n{TOOL}', r"args and env belong to a command"),
        (f'{PROGRAM}env = ["A=secret"]\n{TOOL}', r"is not the name of a variable"),
        (f'{ADDRESS}headers = {{authorization = "Bearer s3cret"}}\n{TOOL}', r"names the variable that holds"),
        (f'{ADDRESS}headers = {{Host = "A"}}\n{TOOL}', r"'Host' is no header that can be set here"),
        (
            f'{HEAD}url = "http://10.0.0.1/mcp"\n{TOOL}',
            r"public address is https at port 443; private = true",
        ),
        (f'{HEAD}url = "https://me:pw@shop.example"\n{TOOL}', r"a password stands in a header"),
        (f'{HEAD}url = "ftp://shop.example"\n{TOOL}', r"it has to be an address such as https"),
        (f"{PROGRAM}timeout_s = 0\n{TOOL}", r"mcp\.shop\.timeout_s: Input should be greater than 0"),
        (f'[demo.mcp.Shop]\nservices = ["chat"]\ncommand = "a"\n{TOOL}', r"mcp\.Shop.*should match pattern"),
        (
            f'{PROGRAM}{TOOL}[demo.mcp.shop.tools."f{"i" * 70}nd"]\n',
            r"has more than 64 characters",
        ),
        (
            f'{PROGRAM}{TOOL}[demo.mcp.shop.tools."a.b"]\n[demo.mcp.shop.tools.a_b]\n',
            r"shop\.tools\.a_b and shop\.tools\.a\.b would both be called 'shop_a_b'; rename a server",
        ),
        (
            f'[demo]\nservice = "chat"\nservices = ["chat"]\n{PROGRAM}{TOOL}'.replace(
                '["chat"]\nc', '["submission"]\nc'
            ),
            r"mcp\.shop: service submission has to be one of its services",
        ),
        (
            f"{PROGRAM}{TOOL}".replace('"chat"', '"chatt"'),
            r"App 'demo': mcp\.shop: there is no service 'chatt'",
        ),
        (
            f"{PROGRAM}[demo.mcp.shop.tools.find]\n".replace("shop", "list").replace("find", "my_items"),
            r"mcp\.list\.tools\.my_items: service 'chat' has a tool or a handoff 'list_my_items'; rename",
        ),
        (
            f"{PROGRAM}{TOOL}".replace("shop", "transfer").replace("find", "to_anybody"),
            r"service 'chat' has a tool or a handoff 'transfer_to_anybody'",
        ),
        (
            f'{PROGRAM}{TOOL}effect = "idempotent"\n'.replace('"chat"', '"decision"'),
            r"mcp\.shop\.tools\.find: service 'decision' answers requests, where nobody can be asked",
        ),
    ],
)
def test_a_wrong_mcp_table_ends_the_start_with_a_sentence(tmp_path, text, sentence):
    with pytest.raises(apps.AppsError, match=sentence) as refused:
        load(tmp_path, text)
    assert "s3cret" not in str(refused.value) and "pw@" not in str(refused.value)


def test_a_valid_mcp_table_is_accepted_and_its_tools_may_need_approval(tmp_path):
    load(tmp_path, f'[demo]\napprovals = ["shop_find"]\n{PROGRAM}{TOOL}effect = "read"\nargs = ["word"]\n')
    load(tmp_path, f'{ADDRESS}headers = {{authorization = "SHOP_TOKEN"}}\n{TOOL}')
    load(tmp_path, f'{HEAD}url = "http://10.0.0.1:8080/mcp"\nprivate = true\n{TOOL}')
    load(tmp_path, f'{PROGRAM}{TOOL}effect = "read"\n'.replace('"chat"', '"decision"'))
