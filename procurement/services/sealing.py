"""Seals: content that nobody can read from database, backup or disk without the secret of this installation.

A seal is authenticated encryption from the standard library alone: a key stream of SHAKE-256 over key and a fresh
nonce, then HMAC-SHA-256 over nonce and cipher text. Keys come from ``SECRET_KEY``, one pair a purpose, so that a seal
that is put in another's place does not open. Length tells nothing below the size of a block.
"""

import hashlib
import hmac
import secrets

from django.conf import settings
from django.utils.crypto import salted_hmac

MARK = b"seal1"
NONCE_BYTES = TAG_BYTES = 32
LENGTH_BYTES = 8
BLOCK_BYTES = 4096
_SALT = "procurement.sealing"


class SealBroken(Exception):
    """The content was changed, was sealed for another purpose, or with a secret that is not here any more."""


def seal(content: bytes, *, purpose: str) -> bytes:
    """Return the content so that only this installation can read it, and only for this purpose."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    cipher = _combined(_padded(content), nonce, _key(settings.SECRET_KEY, purpose, "encrypt"))
    return MARK + nonce + _tag(settings.SECRET_KEY, purpose, nonce + cipher) + cipher


def unseal(sealed: bytes, *, purpose: str) -> bytes:
    """Return what was sealed; an earlier secret in ``SECRET_KEY_FALLBACKS`` still opens its seals."""
    start = len(MARK)
    nonce = sealed[start : start + NONCE_BYTES]
    tag = sealed[start + NONCE_BYTES : start + NONCE_BYTES + TAG_BYTES]
    cipher = sealed[start + NONCE_BYTES + TAG_BYTES :]
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if sealed.startswith(MARK) and hmac.compare_digest(tag, _tag(secret, purpose, nonce + cipher)):
            plain = _combined(cipher, nonce, _key(secret, purpose, "encrypt"))
            length = int.from_bytes(plain[:LENGTH_BYTES], "big")
            return plain[LENGTH_BYTES : LENGTH_BYTES + length]
    raise SealBroken(purpose)


def _padded(content: bytes) -> bytes:
    framed = len(content).to_bytes(LENGTH_BYTES, "big") + content
    return framed + bytes(-len(framed) % BLOCK_BYTES)


def _combined(content: bytes, nonce: bytes, key: bytes) -> bytes:
    stream = hashlib.shake_256(key + nonce).digest(len(content))
    return (int.from_bytes(content, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(content), "big")


def _tag(secret: str, purpose: str, content: bytes) -> bytes:
    return hmac.digest(_key(secret, purpose, "authenticate"), content, "sha256")


def _key(secret: str, purpose: str, use: str) -> bytes:
    return salted_hmac(_SALT, f"{use}:{purpose}", secret=secret, algorithm="sha256").digest()
