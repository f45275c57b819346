"""The guard of callbacks: only public addresses at port 443 pass, judged at the moment of connecting."""

import asyncio
import socket

import httpcore2
import pytest

from server.callbacks import Guard
from server.callbacks.guard import public
from server.errors import UrlNotAllowed

INSIDE = [
    *("http://127.0.0.1", "https://127.0.0.1", "https://localhost", "https://[::1]", "https://0"),
    *("https://127.1", "https://2130706433", "https://0x7f000001", "https://0177.0.0.1"),
    *("https://①②⑦.0.0.1", "https://169.254.169.254/latest", "https://[fd00:ec2::254]", "https://10.1.2.3"),
    *("https://192.168.1.1", "https://100.64.0.1", "https://198.18.0.1", "https://224.0.0.1"),
]
MALFORMED = [
    *("file:///etc/passwd", "gopher://a.example", "ftp://a.example", "https://user:pw@a.example"),
    *("https://a.example:22/", "https://a.example:6379", "http://a.example", "https://evil\\@a.example"),
    *(
        "https://a.example/\r\nx",
        "https://a.example/" + "x" * 3000,
        "https://",
        "",
        "a.example",
        "https://é.example",
    ),
    "https://a.example/a b",
    "http://a.example:443/",
    "https:///hook",
    *("https://xn--..b/", "https://_xn--a/", "https://$xn--a/", "https://1xn--/"),
]
LONGEST = "https://a.example/" + "x" * 2030
PRIVATE = [
    *("127.0.0.1", "::1", "::127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fec0::1"),
    *(
        "fe80::1%eth0",
        "100.64.0.1",
        "192.0.0.8",
        "192.88.99.1",
        "224.0.0.1",
        "0.0.0.0",
        "240.0.0.1",
        "fd00::1",
    ),
    *("2001:0:4136:e378:8000:63bf:80ff:fffe", "64:ff9b:1::1", "ff02::1", "::", "4000::1"),
    *("::8.8.8.8", "::1:808:808", "2002:808:808::", "2001:0:4136:e378:8000:63bf:f7f7:f7f7"),
]
PUBLIC = ["8.8.8.8", "2001:4860:4860::8888", "64:ff9b::808:808", "::ffff:8.8.8.8"]


def answering(*answers):
    """Return a resolver that gives one answer after the other, the last one for ever."""
    rest = list(answers)

    async def resolve(_host, _caller):
        return rest.pop(0) if len(rest) > 1 else rest[0]

    return resolve


async def resolve_shop(host, _caller):
    """Know one name."""
    return ["8.8.8.8", "8.8.4.4"] if host == "shop.example" else []


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_recognised_in_every_notation(address):
    assert not public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address):
    assert public(address)


@pytest.mark.parametrize("url", INSIDE)
async def test_an_address_inside_is_refused(url):
    with pytest.raises(UrlNotAllowed):
        await Guard().judge(url)


@pytest.mark.parametrize("url", MALFORMED)
async def test_an_address_of_another_form_is_refused_though_its_host_is_public(url):
    with pytest.raises(UrlNotAllowed):
        await Guard(resolve=answering(["8.8.8.8"])).judge(url)


async def test_an_address_has_2048_characters_at_most():
    guard = Guard(resolve=answering(["8.8.8.8"]))
    assert len(LONGEST) == 2048
    assert (await guard.judge(LONGEST)).host == b"a.example"
    with pytest.raises(UrlNotAllowed):
        await guard.judge(f"{LONGEST}x")


async def test_the_name_that_an_address_has_is_the_one_that_is_judged():
    guard = Guard(resolve=resolve_shop)
    judged = await guard.judge("https://shop.example/hook?x=1")
    assert judged == httpcore2.URL(scheme=b"https", host=b"shop.example", port=None, target=b"/hook?x=1")
    with pytest.raises(UrlNotAllowed):
        await guard.judge("https://elsewhere.example/hook")


@pytest.mark.parametrize("fault", [socket.gaierror(), TimeoutError(), UnicodeError()])
async def test_a_name_that_cannot_be_resolved_is_refused(fault):
    async def failing(_host, _caller):
        raise fault

    with pytest.raises(UrlNotAllowed):
        await Guard(resolve=failing).judge("https://shop.example/hook")


async def test_a_name_with_one_private_address_among_public_ones_is_refused():
    with pytest.raises(UrlNotAllowed):
        await Guard(resolve=answering(["8.8.8.8", "10.0.0.1"])).judge("https://shop.example/hook")
    with pytest.raises(UrlNotAllowed):
        await Guard(resolve=answering([])).judge("https://shop.example/hook")


async def test_a_name_that_leads_inside_the_second_time_is_not_connected_to():
    came = []
    server = await asyncio.start_server(lambda _, writer: came.append(writer), "127.0.0.1", 0)
    guard = Guard(resolve=answering(["8.8.8.8"], ["127.0.0.1"]))
    assert (await guard.judge("https://rebound.example/hook")).target == b"/hook"
    with pytest.raises(UrlNotAllowed):
        await guard.connect_tcp("rebound.example", 443)
    with pytest.raises(UrlNotAllowed):
        await guard.connect_tcp("rebound.example", server.sockets[0].getsockname()[1])
    server.close()
    assert came == []


class Network(httpcore2.AsyncNetworkBackend):
    """A network on which nobody answers: it notes where connections were to go."""

    def __init__(self):
        self.asked = []

    async def connect_tcp(self, *values):
        self.asked.append(values)
        raise httpcore2.ConnectError


async def test_the_connection_goes_to_the_address_that_was_judged_and_not_to_the_name(monkeypatch):
    guard, network = Guard(["trusted.example:8080"], resolve=resolve_shop), Network()
    monkeypatch.setattr(guard, "network", network)
    rest = (2.0, "192.0.2.1", [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)])
    for host, port in (("shop.example", 443), ("trusted.example", 8080)):
        with pytest.raises(httpcore2.ConnectError):
            await guard.connect_tcp(host, port, *rest)
    assert network.asked == [("8.8.8.8", 443, *rest), ("trusted.example", 8080, *rest)]


async def test_a_host_that_the_operator_named_may_be_anywhere_at_this_port_only():
    guard = Guard(["127.0.0.1:8080", "[::1]:8080"])
    assert (await guard.judge("http://127.0.0.1:8080/hook?x=1#f")).target == b"/hook?x=1"
    await guard.judge("http://[::1]:8080/")
    with pytest.raises(UrlNotAllowed):
        await guard.judge("http://127.0.0.1:8081/hook")


async def test_a_host_that_the_operator_named_has_the_port_of_its_scheme_and_no_other_scheme():
    guard = Guard(["127.0.0.1:80", "127.0.0.2:443"])
    assert (await guard.judge("http://127.0.0.1/")).scheme == b"http"
    assert (await guard.judge("https://127.0.0.2/")).scheme == b"https"
    for url in ("http://127.0.0.2/", "https://127.0.0.1/", "gopher://127.0.0.1/", "http://u@127.0.0.1/"):
        with pytest.raises(UrlNotAllowed):
            await guard.judge(url)
