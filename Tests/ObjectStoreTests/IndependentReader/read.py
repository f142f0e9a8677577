#!/usr/bin/env python3
"""Reads Core Data's SQLite stores with their models alone, and prints what is not as expected.

    read.py FOLDER

Reads every store NAME.sqlite in the folder, and compares it with NAME.json: the model and what every object holds.
Exits with 1 if there is any difference.
"""
import base64
import json
import math
import pathlib
import plistlib
import sqlite3
import struct
import sys
import unicodedata
import uuid
from decimal import Decimal

from layout import Model

INTEGERS, DECIMAL, REALS, TEXTS, BOOLEAN = (100, 200, 300), 400, (500, 600, 900), (700, 1200), 800
BINARY, UUID, TRANSFORMABLE = 1000, 1100, 1800
COLUMN_TYPES = {400: "DECIMAL", 500: "FLOAT", 600: "FLOAT", 700: "VARCHAR", 900: "TIMESTAMP", 1000: "BLOB", 1100: "BLOB",
                1200: "VARCHAR", 1800: "BLOB"}


def expected_value(value):
    """What a value of the JSON stands for."""
    if not isinstance(value, dict):
        return value
    ((tag, text),) = value.items()
    if tag == "bits":
        return struct.unpack(">d", int(text, 16).to_bytes(8, "big"))[0]
    if tag == "decimal":
        return Decimal(text)
    return base64.b64decode(text) if tag == "data" else uuid.UUID(text).bytes


class Store:
    def __init__(self, path):
        self.path = path
        expectation = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        self.model = Model(expectation["entities"])
        self.now = expected_value(expectation["now"])
        self.objects = {}
        for each in expectation["objects"]:
            self.objects[self.model.by_name[each["entity"]].table, each["key"]] = each
        self.connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.differences = []

    def differ(self, place, message):
        self.differences.append(f"{self.path.stem}: {place}: {message}")

    def compare(self):
        self.compare_bookkeeping()
        self.compare_columns()
        for entity in self.model.entities:
            self.compare_rows(entity)
        self.connection.close()

    def rows(self, table):
        quoted = table.replace('"', '""')
        cursor = self.connection.execute(f'SELECT * FROM "{quoted}"')
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor]

    # --- what the store says of itself

    def compare_bookkeeping(self):
        wanted = {e.number: (e.name, e.parent.number if e.parent else 0) for e in self.model.entities}
        found = {r["Z_ENT"]: (r["Z_NAME"], r["Z_SUPER"]) for r in self.rows("Z_PRIMARYKEY")}
        if found != wanted:
            self.differ("Z_PRIMARYKEY", f"{found}, not {wanted}")
        greatest = {r["Z_ENT"]: r["Z_MAX"] for r in self.rows("Z_PRIMARYKEY")}
        for entity in self.model.entities:
            keys = [key for table, key in self.objects if table == entity.table and entity is entity.root]
            if (greatest.get(entity.number) or 0) < max(keys, default=0) or (entity.parent and greatest[entity.number]):
                self.differ("Z_PRIMARYKEY", f"{entity.name} has handed out {greatest.get(entity.number)}, not {max(keys, default=0)}")
        (metadata,) = self.rows("Z_METADATA")
        plist = plistlib.loads(metadata["Z_PLIST"])
        hashes = {e.name: e.version_hash() for e in self.model.entities}
        for name in sorted(set(hashes) | set(plist["NSStoreModelVersionHashes"])):
            if plist["NSStoreModelVersionHashes"].get(name) != hashes.get(name):
                self.differ(name, "its version hash is another")
        if plist["NSStoreType"] != "SQLite" or plist["NSStoreModelVersionHashesVersion"] != 3:
            self.differ("Z_METADATA", f"{plist}")

    def compare_columns(self):
        tables = {}
        for entity in self.model.entities:
            columns = tables.setdefault(entity.table, {"Z_PK": "INTEGER", "Z_ENT": "INTEGER", "Z_OPT": "INTEGER"})
            for attribute in entity.own_attributes:
                if attribute.column:
                    columns[attribute.column] = COLUMN_TYPES.get(attribute.type, "INTEGER")
        for entity in self.model.entities:
            for one in entity.own_relationships:
                if one.join:
                    self.compare_join_columns(one, tables)
                    continue
                columns = tables[one.target.table if one.isToMany else entity.table]
                for column in (one.column, one.entity_column, one.order_column):
                    if column:
                        columns[column] = "INTEGER"
        for table, columns in tables.items():
            found = {name: kind for name, kind in self.columns(table)}
            if found != columns:
                self.differ(table, f"has {sorted(found.items())}, not {sorted(columns.items())}")
        names = {name for (name,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        unknown = {name for name in names if not name.startswith(("TICDS_", "Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"))}
        if unknown != set(tables):
            self.differ("tables", f"{sorted(unknown)}, not {sorted(tables)}")

    def compare_join_columns(self, one, tables):
        """From the side that names the table, whose columns come first: both keys, then both orders, as published stores have them."""
        if one.join != f"Z_{one.owner.number}{one.name.upper()}":
            return
        back = None if one.opposite is one else one.opposite.join_order
        names = [name for name in (one.join_owner, one.join_member, back, one.join_order) if name]
        tables[one.join] = dict.fromkeys(names, "INTEGER")
        found = [name for name, _ in self.columns(one.join)]
        if found != names:
            self.differ(one.join, f"has the columns {found}, not {names}")

    def columns(self, table):
        return [(row[1], row[2]) for row in self.connection.execute(f"SELECT * FROM pragma_table_info(?)", (table,))]

    # --- objects

    def compare_rows(self, entity):
        if entity is not entity.root:
            return
        rows = {row["Z_PK"]: row for row in self.rows(entity.table)}
        for key in sorted(set(rows) ^ {key for table, key in self.objects if table == entity.table}):
            self.differ(f"{entity.name} {key}", "is there and should not be" if key in rows else "is missing")
        for key, row in rows.items():
            wanted = self.objects.get((entity.table, key))
            if wanted:
                self.compare_object(f"{wanted['entity']} {key}", row, wanted)

    def compare_object(self, place, row, wanted):
        entity = self.model.by_name[wanted["entity"]]
        if row["Z_ENT"] != entity.number or not row["Z_OPT"]:
            self.differ(place, f"Z_ENT is {row['Z_ENT']}, not {entity.number}; Z_OPT is {row['Z_OPT']}")
        for attribute in entity.stored():
            found = row.get(attribute.column, "no column")
            value = self.value(attribute, found)
            if attribute.derivation:
                should = self.derived(attribute, wanted)
            else:
                should = [expected_value(wanted["values"].get(attribute.name))]
            if not any(same(value, one) for one in should):
                self.differ(f"{place}.{attribute.name}", f"{attribute.column} is {short(found)}, not {' or '.join(map(short, should))}"
                            + (f", derived from {attribute.derivation}" if attribute.derivation else ""))
        for one in entity.relationships():
            keys = wanted["related"].get(one.name, [])
            found = self.related(one, row)
            ordered = one.isToMany and one.isOrdered
            if found != keys if ordered else sorted(found) != sorted(keys):
                self.differ(f"{place}.{one.name}", f"leads to {found}, not {keys}")

    def value(self, attribute, found):
        if found is None:
            return None
        if attribute.type == DECIMAL:
            return Decimal(repr(found) if isinstance(found, float) else str(found))
        if attribute.type == BOOLEAN:
            return {0: False, 1: True}.get(found, found)
        if attribute.allowsExternalStorage:
            if found[:1] == b"\1":
                return found[1:]
            if found[:1] == b"\2" and len(found) == 38 and found[-1] == 0:
                folder = self.path.parent / f".{self.path.stem}_SUPPORT" / "_EXTERNAL_DATA"
                return (folder / found[1:37].decode("ascii")).read_bytes()
            return f"neither a value nor a name: {short(found)}"
        return found

    def related(self, one, row):
        key = row["Z_PK"]
        if not one.isToMany:
            target = row[one.column]
            if target is None:
                return []
            if one.entity_column:
                actual = self.objects.get((one.target.table, target))
                number = actual and self.model.by_name[actual["entity"]].number
                if row[one.entity_column] != number:
                    return [target, f"of entity {row[one.entity_column]} and not {number}"]
            return [target]
        if one.join:
            return self.joined(one, key)
        # One to many: the other side has the key, and there may be rows of other entities beside.
        column, order = (one.opposite or one).column, (one.opposite or one).order_column
        members = [r for r in self.rows(one.target.table) if r[column] == key]
        if order and one.isOrdered:
            members.sort(key=lambda r: r[order])
        return [r["Z_PK"] for r in members]

    def joined(self, one, key):
        links = self.rows(one.join)
        if one.opposite is one:
            # Who is related to whom is said in either direction.
            pairs = {(r[one.join_owner], r[one.join_member]) for r in links}
            return sorted({b for a, b in pairs if a == key} | {a for a, b in pairs if b == key})
        members = [r for r in links if r[one.join_owner] == key]
        if one.join_order:
            members.sort(key=lambda r: r[one.join_order])
        return [r[one.join_member] for r in members]

    # --- derived attributes

    def derived(self, attribute, wanted):
        """The values that an attribute may have that is derived from what the objects should hold."""
        derivation = attribute.derivation
        if derivation == "now:()":
            return [self.now]
        function, path = derivation.rstrip(")").split(":(") if "(" in derivation else (None, derivation)
        *names, last = path.split(".")
        operator = names.pop() if names and names[-1].startswith("@") else None
        if last == "@count":
            operator, last = last, None
        related = [wanted]
        for name in names:
            related = [each for owner in related for each in self.related_objects(owner, name)]
        if operator == "@count":
            return [len(related)]
        values = [v for v in (self.content(each, last) for each in related) if v is not None]
        if operator is None:
            return [self.copied(attribute, function, values[0] if values else None)]
        if operator in ("@min", "@max"):
            bound = (min if operator == "@min" else max)(values, key=order, default=None)
            return [self.copied(attribute, None, bound)]
        total = sum(map(plain, values))
        if operator == "@sum":
            return [Near(total, values)] if values else [0, None]
        return [Near(total / len(values), values)] if values else [None]

    def content(self, owner, name):
        """What an object has, be it derived or not."""
        attribute = next(a for a in self.model.by_name[owner["entity"]].stored() if a.name == name)
        if attribute.derivation:
            return self.derived(attribute, owner)[0]
        return expected_value(owner["values"].get(name))

    def related_objects(self, owner, name):
        one = next(r for r in self.model.by_name[owner["entity"]].relationships() if r.name == name)
        return [self.objects[one.target.table, key] for key in owner["related"].get(name, [])]

    @staticmethod
    def copied(attribute, function, value):
        if value is None or isinstance(value, Near):
            return value
        if function:
            return FUNCTIONS[function](value)
        if attribute.type in REALS and not isinstance(value, str):
            return float(value)
        return int(value) if isinstance(value, bool) and attribute.type != BOOLEAN else value


class Near:
    """A number of which the last digits depend on the order in which it was computed."""

    def __init__(self, number, parts):
        self.number, self.size = number, max((abs(plain(part)) for part in parts), default=0)

    def holds(self, found):
        """Nothing, too, where the parts have no sum: one is without end, or they are too great together."""
        if not math.isfinite(self.number):
            return found is None or not math.isfinite(found)
        return found is not None and abs(float(found) - self.number) <= 1e-6 * self.size

    def __repr__(self):
        return f"about {self.number!r}"


def plain(value):
    return value.number if isinstance(value, Near) else float(value)


def order(value):
    """What SQLite compares texts by."""
    return value.encode() if isinstance(value, str) else plain(value) if isinstance(value, Near) else value


def canonical(text):
    """Without marks and case."""
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", bare.lower())


FUNCTIONS = {"canonical": canonical, "lowercase": str.lower, "uppercase": str.upper}


def same(found, wanted):
    if isinstance(wanted, Near):
        return wanted.holds(found)
    if isinstance(wanted, (bool, bytes, str)) or wanted is None:
        return type(found) is type(wanted) and found == wanted
    return not isinstance(found, (str, bytes)) and found is not None and found == wanted


def short(value):
    text = repr(value)
    return text if len(text) < 200 else f"{text[:200]}... ({len(text)})"


def main(folder):
    stores = sorted(pathlib.Path(folder).glob("*.sqlite"))
    differences = []
    for path in stores:
        store = Store(path)
        store.compare()
        differences += store.differences
    for line in differences:
        print(line)
    print(f"{len(stores)} stores read")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
