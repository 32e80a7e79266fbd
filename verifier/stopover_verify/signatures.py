"""Signatures and public keys in files, as minisign has them."""
import base64
import hashlib
from pathlib import Path

from stopover_verify.broken import Broken, require
from stopover_verify.ed25519 import is_signed

UNTRUSTED, TRUSTED = "untrusted comment: ", "trusted comment: "


def bytes_of(text, size):
    """Base64 that can be written in one way only; None for anything else."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if len(data) == size and base64.b64encode(data).decode() == text else None


def key_of(text):
    """A public key, 42 bytes ("Ed", id, key): a file as minisign has them, or its second line. ValueError for others."""
    if Path(text).is_file():
        text = Path(text).read_text(encoding="utf-8").strip().split("\n")[-1]
    key = bytes_of(text, 42)
    if key is None or key[:2] != b"Ed":
        raise ValueError(f"{text} is not a public key")
    return key


def name_of(key_id):
    return key_id[::-1].hex().upper()


class Signature:
    """"ED", the key's id and the signature of the message's BLAKE2b hash; a comment, signed together with that."""

    def __init__(self, path):
        what = f"{path.parent.name}/{path.name}"
        try:
            lines = path.read_bytes().decode().split("\n")
        except UnicodeError:
            raise Broken(f"{what} is not a signature as minisign writes them") from None
        first, second = (bytes_of(lines[i], size) if len(lines) == 5 else None for i, size in ((1, 74), (3, 64)))
        require(first and second and first[:2] == b"ED" and lines[0].startswith(UNTRUSTED)
                and lines[2].startswith(TRUSTED) and not lines[4], f"{what} is not a signature as minisign writes them")
        self.id, self.bytes, self.comment_bytes = first[2:10], first[10:], second
        self.comment = lines[2][len(TRUSTED):].encode()
        require(name_of(self.id) == path.stem, f"{what} is of another key than its name says")

    def is_of(self, key, message):
        return (self.id == key[2:10] and is_signed(key[10:], hashlib.blake2b(message).digest(), self.bytes)
                and is_signed(key[10:], self.bytes + self.comment, self.comment_bytes))


def read_signatures(folder):
    return [Signature(path) for path in sorted(folder.glob("*.minisig"))]


def check_signed(signatures, key, message, what):
    name = name_of(key[2:10])
    for signature in signatures:
        if signature.id == key[2:10]:
            require(signature.is_of(key, message), f"the signature of its {what} by key {name} is forged or damaged")
            return
    require(False, f"its {what} is not signed by key {name}")
