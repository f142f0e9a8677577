"""Writes the golden files from the pages in Docs/Formats alone, sharing no code with the module.

The files are kept: every later version must read them. Needs the Python package "cryptography".
"""

import hashlib
import hmac
import pathlib
import struct

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MASTER = bytes(range(32))
FOLDER = pathlib.Path(__file__).parent


def hkdf(key, salt, info, length):
    return HKDF(hashes.SHA256(), length, salt, info).derive(key)


def key_identifier(key):
    return hkdf(key, b"", b"TICDS key identifier v1", 8)


def sealed(plaintext, logarithm, role, identity, key=MASTER, salt=bytes(range(0x20, 0x40))):
    header = b"\x89TISEAL\n" + bytes([1, 1, logarithm, 0]) + key_identifier(key) + salt
    role, identity = role.encode(), identity.encode()
    bound = header + bytes([len(role)]) + role + struct.pack(">H", len(identity)) + identity
    material = hkdf(key, salt, b"TICDS sealed container v1", 39)
    size = 1 << logarithm
    segments = [plaintext[at : at + size] for at in range(0, len(plaintext), size)] or [b""]
    output = header
    for index, segment in enumerate(segments):
        nonce = material[32:] + struct.pack(">IB", index, index == len(segments) - 1)
        output += AESGCM(material[:32]).encrypt(nonce, segment, bound)
    return output


def slot(identifier, kind, secret, salt, label, cost, r, p):
    label = label.encode()
    descriptor = identifier + bytes([kind, cost, r, p]) + salt + bytes([len(label)]) + label
    key = hashlib.scrypt(secret, salt=salt, n=1 << cost, r=r, p=p, maxmem=1 << 28, dklen=32)
    return descriptor + AESGCM(key).encrypt(bytes(12), MASTER, descriptor)


def key_file(*slots):
    content = b"\x89TIKEYS\n" + bytes([1, len(slots)]) + key_identifier(MASTER) + b"".join(slots)
    content += hmac.digest(hkdf(MASTER, b"", b"TICDS key file integrity v1", 32), content, "sha256")
    return content + hashlib.sha256(content).digest()


def recovery_code(secret):
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    check = int.from_bytes(hashlib.sha256(secret).digest()[:2], "big") >> 4
    bits = int.from_bytes(secret, "big") << 12 | check
    digits = "".join(alphabet[bits >> 5 * place & 31] for place in reversed(range(28)))
    return "-".join(digits[at : at + 4] for at in range(0, 28, 4))


def classic(plaintext, password, salt):
    key = password.encode("utf-16-le") + salt
    for _ in range(7500):
        key = hashlib.sha256(key).digest()
    vector, file_key, file_vector = bytes(range(0x10, 0x20)), bytes(range(0x20, 0x40)), bytes(range(0x40, 0x50))

    def encrypt(key, vector, bytes_):
        encryptor = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
        return encryptor.update(bytes_) + encryptor.finalize()

    padding = 16 - len(plaintext) % 16
    content = vector + encrypt(key, vector, file_key + file_vector)
    content += encrypt(file_key, file_vector, plaintext + bytes([padding]) * padding)
    return content + hmac.digest(key, content, "sha256")


PATTERN = bytes(index * 7 & 0xFF for index in range(600))
SECRET = bytes(range(0x80, 0x90))
DESK = slot(bytes(range(0x40, 0x50)), 1, b"correct horse", bytes(range(0x50, 0x70)), "desk", 1, 1, 1)
STANDARD = slot(bytes(range(1, 17)), 1, "päss".encode(), bytes(range(0x70, 0x90)), "Büro", 15, 8, 1)
PAPER = slot(bytes(range(2, 18)), 2, SECRET, bytes(range(0x90, 0xB0)), "", 4, 2, 3)

FILES = {
    "example.sealed": sealed(b"TICDS", 8, "example", "documents/1"),
    "empty.sealed": sealed(b"", 16, "head", "ä/ö"),
    "three-segments.sealed": sealed(PATTERN, 8, "change-set", "a"),
    "full-segments.sealed": sealed(PATTERN[:512], 8, "change-set", "a"),
    "example.keys": key_file(DESK),
    "three-slots.keys": key_file(DESK, STANDARD, PAPER),
    "hello.classic": classic(b"Hello TICDS", "correct horse", bytes(range(16))),
}

if __name__ == "__main__":
    for name, content in FILES.items():
        (FOLDER / name).write_bytes(content)
    print("recovery code of three-slots.keys:", recovery_code(SECRET))
