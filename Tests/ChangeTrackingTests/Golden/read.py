#!/usr/bin/env python3
"""Prints a compact change set as JSON: an independent reader, written from Docs/Formats/CompactChangeSet.md alone."""
import json
import struct
import sys
import zlib

ACTIONS = [
    "insert", "update", "delete", "link", "unlink", "place target", "place source", "contribute", "contribute",
    "clear"
]
OF_FORMER_SELF = 8
WITH_NUMBER = {3, 5, 7, 8, 10, 11, 13, 14, 15}


class Reader:
    def __init__(self, data):
        self.data, self.position = data, 0

    def take(self, count):
        if count > len(self.data) - self.position:
            raise ValueError(f"{count} more bytes expected at {self.position}")
        self.position += count
        return self.data[self.position - count : self.position]

    def byte(self):
        return self.take(1)[0]

    def big_endian(self, count):
        return int.from_bytes(self.take(count), "big")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        if value >= 1 << 64:
            raise ValueError("a varint of more than 64 bits")
        return value

    def zigzag(self):
        return unzigzag(self.varint())

    def text(self):
        return self.take(self.varint()).decode()


def unzigzag(value):
    return (value >> 1) ^ -(value & 1)


def signed(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def identifiers(reader):
    uuids, texts = reader.varint(), reader.varint()
    widths = reader.take(uuids)
    highs, high = [], 0
    for width in widths:
        if width > 17:
            raise ValueError("a width above 17")
        if width <= 8:
            high = (high + reader.big_endian(width)) % (1 << 64)
        highs.append(high)
    found, low = [], 0
    for high, width in zip(highs, widths):
        low = reader.big_endian(8) if width <= 8 else (low + reader.big_endian(width - 9)) % (1 << 64)
        digits = f"{high:016X}{low:016X}"
        found.append("-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]]))
    return found + [reader.text() for _ in range(texts)]


def values(reader, count):
    tags = reader.take(count)
    numbers = [reader.varint() if tag in WITH_NUMBER else None for tag in tags]
    column, microseconds = [], 0
    for tag, number in zip(tags, numbers):
        if tag == 0:
            column.append(None)
        elif tag in (1, 2):
            column.append({"boolean": tag == 2})
        elif tag == 3:
            column.append({"integer": unzigzag(number)})
        elif tag == 4:
            column.append({"double": reader.take(8).hex()})
        elif tag == 5:
            column.append({"double": struct.pack(">d", unzigzag(number)).hex()})
        elif tag == 6:
            column.append({"float": reader.take(4).hex()})
        elif tag == 7:
            column.append({"decimal": reader.take(number).decode()})
        elif tag == 8:
            column.append({"string": reader.take(number).decode()})
        elif tag == 9:
            column.append({"date": reader.take(8).hex()})
        elif tag == 10:
            microseconds = signed(microseconds + unzigzag(number))
            column.append({"date": struct.pack(">d", microseconds / 1e6).hex()})
        elif tag == 11:
            column.append({"data": reader.take(number).hex()})
        elif tag == 12:
            column.append({"uuid": reader.take(16).hex()})
        elif tag == 13:
            column.append({"uri": reader.take(number).decode()})
        elif tag in (14, 15):
            if not 16384 < number <= 1 << 30:
                raise ValueError(f"a long value of {number} bytes")
            kind = "long string" if tag == 14 else "long data"
            column.append({kind: reader.take(16).hex(), "length": number})
        else:
            raise ValueError(f"tag {tag}")
    return column


def former_names(reader):
    count = reader.varint()
    if count > 32:
        raise ValueError("too many former names")
    return [reader.text() for _ in range(count)]


def names(reader):
    entities = []
    for _ in range(reader.varint()):
        entity = {
            "name": reader.text(),
            "former": former_names(reader),
            "root": reader.text(),
            "properties": [],
        }
        for _ in range(reader.varint()):
            name, former, kind = reader.text(), former_names(reader), reader.byte()
            destination = reader.text() if kind else None
            entity["properties"].append(
                {"name": name, "former": former, "kind": kind, "destination": destination}
            )
        entities.append(entity)
    return entities


def times(reader, count):
    milliseconds, all_milliseconds = 0, []
    for _ in range(count):
        milliseconds += reader.zigzag()
        all_milliseconds.append(milliseconds)
    return [(value, reader.varint()) for value in all_milliseconds]


def group(reader, entities, targets):
    entity = entities[reader.varint()]
    code = reader.byte()
    action = ACTIONS[code]
    keys = [reader.varint() for _ in range(reader.varint())]
    objects = identifiers(reader)
    stamps = times(reader, len(objects))
    changes = [
        {"entity": entity["name"], "action": action, "object": object, "time": list(stamp)}
        for object, stamp in zip(objects, stamps)
    ]
    for key in keys:
        name = entity["properties"][key >> 1]["name"]
        if action in ("link", "unlink"):
            column = [{"target": targets[reader.varint()]} for _ in objects]
        elif action in ("place target", "place source"):
            members = [targets[reader.varint()] for _ in objects]
            lengths = [reader.varint() for _ in objects]
            if max(lengths, default=0) > 512:
                raise ValueError("a place of more than 512 bytes")
            column = [
                {"target": member, "place": reader.take(length).hex()}
                for member, length in zip(members, lengths)
            ]
        elif action == "contribute":
            origins = [f"{reader.big_endian(8):016x}" if code == OF_FORMER_SELF else None for _ in objects]
            column = [
                {"origin": origin, "value": value}
                for origin, value in zip(origins, values(reader, len(objects)))
            ]
        elif key & 1:
            numbers = [reader.varint() for _ in objects]
            column = [{"target": targets[number - 1] if number else None} for number in numbers]
        else:
            column = values(reader, len(objects))
        for change, content in zip(changes, column):
            change.setdefault("properties", []).append([name, content])
    return changes


def read(data):
    if data[:8] != b"TICDSset":
        raise ValueError("no compact change set")
    if data[8] != 3:
        raise ValueError(f"version {data[8]}")
    header = Reader(data)
    header.take(9)
    length = header.varint()
    stream = zlib.decompressobj(-15)
    body = stream.decompress(data[header.position :], length + 1)
    if len(body) != length or not stream.eof or stream.unused_data:
        raise ValueError("the deflate stream does not hold what the header says")
    reader = Reader(body)
    result = {
        "author": f"{reader.big_endian(8):016x}",
        "client": reader.text(),
        "sequence": reader.varint(),
        "previous": reader.take(16).hex() if reader.byte() else None,
        "model": reader.text(),
        "entities": names(reader),
    }
    targets = identifiers(reader)
    result["changes"] = [
        change for _ in range(reader.varint()) for change in group(reader, result["entities"], targets)
    ]
    if reader.position != len(body):
        raise ValueError("bytes after the body")
    return result


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        json.dump(read(file.read()), sys.stdout, indent=1, sort_keys=True, ensure_ascii=False)
        print()
