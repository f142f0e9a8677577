"""Writes founding records, wrapped keys and names with codes from Docs/Formats/RemoteHierarchy.md alone, sharing no code
with the module. The files are kept: every later version must read them. Needs the Python package "cryptography".
"""

import hashlib
import hmac
import pathlib
import struct

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FIRST, SECOND = bytes(range(32)), bytes(range(32, 64))
FOLDER = pathlib.Path(__file__).parent
APPLICATION, DOCUMENT = "com.example.notes", "notes"


def hkdf(key, salt, info, length):
    return HKDF(hashes.SHA256(), length, salt, info).derive(key)


def key_identifier(key):
    return hkdf(key, b"", b"TICDS key identifier v1", 8)


def code(parts, key):
    message = "/".join(parts).encode()
    if key is None:
        return hashlib.sha256(b"TICDS name code v1/" + message).hexdigest()[:20]
    return hmac.digest(hkdf(key, b"", b"TICDS name code v1", 32), message, "sha256").hex()[:20]


def text(words):
    return struct.pack(">H", len(words.encode())) + words.encode()


def founding(document, key):
    """The name and the bytes of a founding record."""
    body = b"TICDSFR\x01" + bytes([key is not None]) + (key_identifier(key) if key else bytes(8))
    body += bytes(range(0x40, 0x50)) + struct.pack(">Q", 1_700_000_000_000) + text(APPLICATION) + text(document)
    body += text("compact" if document else "") + struct.pack(">H", 1 if document else 0) + text("device-a")
    integrity = hashlib.sha256(body).hexdigest()[:32]
    if key is None:
        end = hashlib.sha256(body).digest()
    else:
        end = hmac.digest(hkdf(key, b"", b"TICDS founding record v1", 32), body, "sha256")
    word = key_identifier(key).hex() if key else "plain"
    parts = ["founding", APPLICATION] + ([document] if document else []) + [integrity, word]
    return integrity, f"{integrity}.{word}.{code(parts, key)}.founding", body + end


def wrapped(inside, key):
    """A master key sealed with another: its name and a sealed container."""
    name = key_identifier(inside).hex()
    header = b"\x89TISEAL\n" + bytes([1, 1, 16, 0]) + key_identifier(key) + bytes(range(0x60, 0x80))
    role, identity = b"wrapped-key", f"{APPLICATION}/Encryption/{name}".encode()
    bound = header + bytes([len(role)]) + role + struct.pack(">H", len(identity)) + identity
    material = hkdf(key, header[20:], b"TICDS sealed container v1", 39)
    nonce = material[32:] + struct.pack(">IB", 0, 1)
    content = header + AESGCM(material[:32]).encrypt(nonce, inside, bound)
    return f"{name}.{key_identifier(key).hex()}.wrapped", content


AUTHOR, FORMER = "0123456789abcdef", "00112233445566ff"
SET = hashlib.sha256(b"set").hexdigest()[:32]
# Of each kind of name among the heads: what its code is for, how the name ends, and what it says.
CODED = {
    "head": ("head", "head", f"{AUTHOR}.0000000002.0000000007.{SET}"),
    "request": ("resend", "resend", f"{AUTHOR}.{FORMER}.0000000003.0001"),
    "request-of-value": ("resend", "resend-value", f"{AUTHOR}.{SET}.0012"),
    "mention": ("mention", "mention", f"{FORMER}.0000000003.{SET}"),
    "absence": ("absent", "absent", FORMER),
    "floor": ("floor", "floor", f"{AUTHOR}.1.0000000009.{SET}"),
    "removal": ("removed", "removed", FORMER),
    "renaming": ("name", "name", f"{AUTHOR}.1700000000"),
    "supersession": ("supersedes", "supersedes", f"{AUTHOR}.0000000002.{FORMER}.0000000003"),
    "whole-store": ("whole-store", "copy", f"{AUTHOR}.0000000002.0000000007.{SET}.21"),
}


def coded(kind, integrity, key):
    purpose, suffix, statement = CODED[kind]
    return f"{statement}.{code([purpose, APPLICATION, DOCUMENT, integrity, statement], key)}.{suffix}"


def acceptance(integrity, other, key):
    parts = ["accepted", APPLICATION, DOCUMENT, integrity, other]
    return f"{integrity}.{other}.{code(parts, key)}.accepted"


def deletion(integrity, key):
    return f"{integrity}.{code(['deleted', APPLICATION, DOCUMENT, integrity], key)}.deleted"


if __name__ == "__main__":
    lines = []
    foundings = {}
    for place, document in [("application", ""), ("document", DOCUMENT)]:
        for protection, key in [("sealed", FIRST), ("plain", None)]:
            integrity, name, content = founding(document, key)
            foundings[place, protection] = integrity
            (FOLDER / f"{place}-{protection}.founding").write_bytes(content)
            lines.append(f"{place}-{protection} {name}")
    name, content = wrapped(SECOND, FIRST)
    (FOLDER / "second.wrapped").write_bytes(content)
    lines.append(f"wrapped {name}")
    for protection, key in [("sealed", FIRST), ("plain", None)]:
        integrity, other = foundings["document", protection], foundings["application", protection]
        lines += [f"{kind}-{protection} {coded(kind, integrity, key)}" for kind in CODED]
        lines.append(f"acceptance-{protection} {acceptance(integrity, other, key)}")
        lines.append(f"deletion-{protection} {deletion(integrity, key)}")
    (FOLDER / "names.txt").write_text("\n".join(lines) + "\n")
