"""Which addresses a model may be called at.

The key and the paper are sent to this address, so it is checked by whoever
configures it, before it is stored. What the check cannot do: a name that
resolves to a public address now may resolve to a private one later (DNS
rebinding), and nothing looks again when a connection is made. What then
stands in the way is the certificate: without `allow_local` only https is
taken, and a service inside the network cannot prove the outside name. With
`allow_local` that guard is gone for plain http, and the one who allows it
trusts their own name server.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from ingather.engine.errors import UsageError
from ingather.notice import notice

Resolve = Callable[[str], Iterable[str]]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Where clouds hand out credentials, apart from 169.254.0.0/16, which is link-local.
_METADATA = frozenset(
    ipaddress.ip_address(address) for address in ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254")
)
_METADATA_NAMES = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})
_LOCAL_SUFFIXES = (".localhost", ".local", ".lan", ".internal", ".intranet", ".home.arpa")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_LONGEST = 500  # characters; longer ones are no addresses of an API


class AddressRefused(UsageError):
    """A model may not be called there. The message says why and what to give instead."""


def system_resolve(host: str) -> list[str]:
    """Every address that this machine finds for a name now. It asks the network, so it is not the default."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise AddressRefused(
            notice(
                "provider.name_cannot_found_check_spelling",
                "The name {host} cannot be found. Check its spelling and the network.",
                host=f"{host!r}",
            )
        ) from None
    return sorted({str(entry[4][0]) for entry in found})


def check_base_url(url: str, *, allow_local: bool, resolve: Resolve | None = None) -> str:
    """The address in one spelling, without a slash at its end, or `AddressRefused`.

    Pure unless `resolve` is given; then every address of a name is checked
    as if it had been written out.
    """
    if len(url) > _LONGEST or not url.isascii() or not url.isprintable() or re.search(r"[\s\\<>\"^`{|}]", url):
        raise AddressRefused(
            "The address of a model is at most 500 plain ASCII characters, such as https://api.example.com/v1. "
            "Write an international name in its xn-- form."
        )
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise AddressRefused(
            f"{_shown_url(url)!r} is not an address. Give one such as https://api.example.com/v1."
        ) from None
    if parts.scheme not in {"https", "http"}:
        raise AddressRefused(f"A model is called by https, not by {parts.scheme or 'a bare name'!r}.")
    if parts.username is not None or parts.password is not None:
        raise AddressRefused("The address holds a user name or password. Leave it out; the key has its own place.")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise AddressRefused("The address of a model has no part after ? or #. Leave it out.")
    if not host or port == 0:
        raise AddressRefused("The address names no host, or port 0. Give one such as https://api.example.com/v1.")

    literal = _literal_address(host)
    addresses = [literal] if literal is not None else _named_host(host, allow_local=allow_local, resolve=resolve)
    is_local = [_is_local(address, host, allow_local=allow_local) for address in addresses]
    if parts.scheme == "http":
        if not allow_local:
            raise AddressRefused("A model is called by https only: plain http would show the key to the network.")
        inside = all(is_local) if is_local else _is_local_name(host)
        if not inside:
            raise AddressRefused(f"{host} is not in the local network, so it is called by https only.")
    shown = f"[{literal}]" if isinstance(literal, ipaddress.IPv6Address) else str(literal or host)
    return f"{parts.scheme}://{shown}{'' if port is None else f':{port}'}{parts.path.rstrip('/')}"


def _literal_address(host: str) -> Address | None:
    """The address that a host stands for, in every spelling that a C library takes: 0x7f.1, 2130706433."""
    if "%" in host:
        raise AddressRefused("The host of an address may hold no %: neither an encoded character nor a zone.")
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    if ":" in host:
        raise AddressRefused(f"{host} is not an address. Check its spelling.")
    if not re.fullmatch(r"(0x[0-9a-f]*|\d+)", host.rsplit(".", 1)[-1]):
        return None
    # A name never ends in a number, so this is an IPv4 address in an old spelling or nothing.
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        raise AddressRefused(f"{host} is not an address. Check its spelling.") from None


def _named_host(host: str, *, allow_local: bool, resolve: Resolve | None) -> list[Address]:
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise AddressRefused(f"{host[:80]!r} is not the name of a host. Check its spelling.")
    if host in _METADATA_NAMES:
        raise AddressRefused(f"{host} hands out credentials of the machine. A model is never called there.")
    if _is_local_name(host) and not allow_local:
        raise AddressRefused(f"{host} is a local name. Allow local models first, if that is what you want.")
    return [] if resolve is None else [ipaddress.ip_address(found.partition("%")[0]) for found in resolve(host)]


def _is_local_name(host: str) -> bool:
    return "." not in host or host.endswith(_LOCAL_SUFFIXES)


def _is_local(address: Address, host: str, *, allow_local: bool) -> bool:
    """Whether the address lies in the local network. Refuses it where that, or the address itself, is not allowed."""
    is_local = False
    for meant in _meanings(address):
        if meant.is_link_local or meant in _METADATA:
            raise AddressRefused(f"{host} lies where clouds hand out credentials. A model is never called there.")
        if meant.is_unspecified or meant.is_multicast or (meant.is_reserved and not meant.is_loopback):
            raise AddressRefused(f"{host} is the address of no machine. For this machine write 127.0.0.1.")
        if not meant.is_global:
            if not allow_local:
                raise AddressRefused(
                    f"{host} is an address inside the network. Allow local models first, if that is what you want."
                )
            is_local = True
    return is_local


def _meanings(address: Address) -> list[Address]:
    """The address and, for IPv6, the IPv4 addresses that it wraps: each of them may be where a packet ends."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.is_loopback or address.is_unspecified:
        return [address]
    inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _NAT64 or int(address) >> 32 == 0:
        return [inner]
    wrapped: list[Address] = [address]
    if address.sixtofour is not None:
        wrapped.append(address.sixtofour)
    if address.teredo is not None:
        wrapped.extend(address.teredo)
    return wrapped


def _shown_url(url: str) -> str:
    return url[:80]
