"""Numbers, names and version hashes that Core Data gives to a model, from a description of its files alone.

Shares nothing with the implementation that it is to check: it must not be made to agree with it, but with Core Data.
"""
import hashlib
from dataclasses import dataclass, field

MASK = 0xFFFFFFFF
SIZES = [(4, 5), (8, 11), (17, 23), (29, 41), (47, 67), (76, 113), (123, 199), (199, 317), (322, 521), (521, 839),
         (843, 1361), (1364, 2207)]
RESERVED = set("and or in not all any some none like caseinsensitive ci matches contains beginswith endswith between null "
               "nil self true yes false no first last size anykey subquery fetch cast truepredicate falsepredicate".split())


# --- the old hash table


def units(text):
    data = text.encode("utf-16-le")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]


def roll(value, chars):
    whole = len(chars) // 4 * 4
    for i in range(0, whole, 4):
        a, b, c, d = chars[i : i + 4]
        value = (value * 67503105 + a * 16974593 + b * 66049 + c * 257 + d) & MASK
    for char in chars[whole:]:
        value = (value * 257 + char) & MASK
    return value


def table_hash(text):
    chars = units(text)
    n = len(chars)
    value = roll(n, chars) if n <= 23 else roll(roll(n, chars[:8]), chars[-16:])
    return (value + (value << (n % 32))) & MASK


def list_hash(text):
    chars = units(text)
    n = len(chars)
    if n <= 96:
        value = roll(n, chars)
    else:
        middle = n // 2 - 16
        value = roll(roll(roll(n, chars[:32]), chars[middle : middle + 32]), chars[-32:])
    return (value + (value << (n % 32))) & MASK


def mix(key):
    a, b, c = (key + 0x4B616E65) & MASK, 0x4B616E65, 1
    for right, left, last in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
        a = ((a - b - c) & MASK) ^ c >> right
        b = ((b - c - a) & MASK) ^ (a << left & MASK)
        c = ((c - a - b) & MASK) ^ b >> last
    return c


def put(buckets, place, key):
    while buckets[place] is not None:
        place = (place + 1) % len(buckets)
    buckets[place] = key


class KeyList:
    """Table L: decides in which order keys enter the table that gives the order."""

    def __init__(self, keys=()):
        self.capacity, self.buckets, self.used = 3, [], set()
        for key in keys:
            self.add(key)

    def add(self, key):
        if key in self.used:
            return
        if not self.buckets or len(self.used) == self.capacity:
            old = self.keys()
            self.capacity = 3 << (len(self.used) // 3).bit_length()
            self.buckets = [None] * (4 << ((self.capacity - 1) // 3).bit_length())
            for former in old:
                put(self.buckets, mix(list_hash(former)) % len(self.buckets), former)
        self.used.add(key)
        put(self.buckets, mix(list_hash(key)) % len(self.buckets), key)

    def keys(self):
        return [key for key in self.buckets if key is not None]

    def ordered(self):
        """The keys in the order of table T, made anew."""
        keys = self.keys()
        count = next(buckets for capacity, buckets in SIZES if capacity >= len(keys))
        table = [None] * count
        for key in keys:
            put(table, table_hash(key) % count, key)
        return [key for key in table if key is not None]


class NamePool:
    def __init__(self):
        self.counters = {}

    def take(self, base):
        if base not in self.counters:
            self.counters[base] = 0
            return base
        number = self.counters[base] + 1
        while base + str(number) in self.counters:
            number += 1
        self.counters[base] = number
        return base + str(number)


# --- the model


@dataclass
class Attribute:
    description: dict
    owner: "Entity"
    column: str = None

    def __getattr__(self, name):
        return self.description[name]


@dataclass
class Relationship:
    description: dict
    owner: "Entity"
    target: "Entity" = None
    opposite: "Relationship" = None
    # of one object: key, entity and order; of many without inverse: key and order, in the destination's table
    column: str = None
    entity_column: str = None
    order_column: str = None
    # of many to many: the table, and the columns for the owner, the members and the members' order
    join: str = None
    join_owner: str = None
    join_member: str = None
    join_order: str = None

    def __getattr__(self, name):
        return self.description[name]


@dataclass
class Entity:
    name: str
    is_abstract: bool
    parent: "Entity" = None
    children: list = field(default_factory=list)
    own_attributes: list = field(default_factory=list)
    own_relationships: list = field(default_factory=list)
    number: int = 0
    pool: NamePool = None
    keys: KeyList = None

    @property
    def root(self):
        return self.parent.root if self.parent else self

    @property
    def table(self):
        return "Z" + self.root.name.upper()

    def family(self):
        """The entity and all that inherit from it, by number."""
        return [self] + [one for child in self.children for one in child.family()]

    def flattened(self, own, group):
        inherited = self.parent.flattened(own, group) if self.parent else []
        return inherited + sorted((p for p in getattr(self, own) if group(p)), key=lambda p: p.name)

    def attributes(self):
        """Persistent ones first, then those in memory."""
        return self.flattened("own_attributes", lambda a: not a.isTransient) + self.flattened(
            "own_attributes", lambda a: a.isTransient)

    def relationships(self):
        groups = [lambda r: not r.isToMany, lambda r: r.isToMany and not r.isOrdered, lambda r: r.isToMany and r.isOrdered]
        return [r for group in groups for r in self.flattened("own_relationships", group)]

    def stored(self):
        return [a for a in self.attributes() if not a.isTransient]

    def version_hash(self):
        data = self.name.encode() + bytes([self.is_abstract]) + (self.parent.version_hash() if self.parent else b"")
        for each in sorted(self.stored() + self.relationships(), key=lambda p: p.name.encode()):
            data += property_hash(each)
        return hashlib.sha256(data).digest()


def property_hash(each):
    flags = 1 if each.isOptional else 0
    base = hashlib.sha256(each.name.encode() + flags.to_bytes(2, "little") + (each.modifier or "").encode()).digest()
    if isinstance(each, Attribute):
        if each.derivation:
            return hashlib.sha256(predicate_format(each.derivation).encode()).digest()
        external = b"\1" if each.allowsExternalStorage else b""
        return hashlib.sha256(base + each.type.to_bytes(4, "little") + external).digest()
    inverse = each.inverse if each.opposite is not each and each.inverse else ""
    counts = each.maximumCount.to_bytes(4, "little") + each.minimumCount.to_bytes(4, "little")
    ordered = b"\1\0" if each.isOrdered else b""
    return hashlib.sha256(base + each.destination.encode() + inverse.encode() + counts + ordered).digest()


def predicate_format(derivation):
    def path(names):
        return ".".join("#" + name if name.lower() in RESERVED else name for name in names)

    if derivation == "now:()":
        return "now()"
    if "(" in derivation:
        function, names = derivation.rstrip(")").split(":(")
        return f"{function}:({path(names.split('.'))})"
    names = derivation.split(".")
    operator = next((name for name in names if name.startswith("@")), None)
    if operator:
        names.remove(operator)
        return f"{'average' if operator == '@avg' else operator[1:]}:({path(names)})"
    return path(names)


def unitwise_upper(name):
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in name)


class Model:
    def __init__(self, descriptions):
        by_name = {d["name"]: Entity(d["name"], d["isAbstract"]) for d in descriptions}
        for description in descriptions:
            entity = by_name[description["name"]]
            entity.own_attributes = [Attribute(fill(a), entity) for a in description["attributes"]]
            entity.own_relationships = [Relationship(fill(r), entity) for r in description["relationships"]]
            if description.get("parent"):
                entity.parent = by_name[description["parent"]]
                entity.parent.children.append(entity)
        self.by_name = by_name
        roots = sorted((e for e in by_name.values() if not e.parent), key=lambda e: e.name.lower())
        for entity in by_name.values():
            entity.children.sort(key=lambda e: e.name.lower())
        self.entities = [one for root in roots for one in root.family()]
        for number, entity in enumerate(self.entities, 1):
            entity.number = number
            entity.pool = NamePool() if entity is entity.root else entity.root.pool
            for relationship in entity.own_relationships:
                self.resolve(relationship)
        self.name_first()
        for entity in self.entities:
            entity.keys = self.key_list(entity)
        for entity in sorted(self.entities, key=lambda e: e.name.lower()):
            self.name_rest(entity)

    def resolve(self, relationship):
        relationship.target = self.by_name[relationship.destination]
        owner = relationship.target if relationship.inverse else None
        while owner:
            for other in owner.own_relationships:
                if other.name == relationship.inverse:
                    relationship.opposite = other
            owner = owner.parent

    # --- first pass

    def name_first(self):
        for entity in self.entities:
            for attribute in sorted((a for a in entity.own_attributes if not a.isTransient), key=lambda a: a.name):
                attribute.column = entity.pool.take("Z" + unitwise_upper(attribute.name))
            for one in sorted((r for r in entity.own_relationships if not r.isToMany), key=lambda r: r.name):
                one.column = entity.pool.take("Z" + one.name.upper())
                if one.target.children:
                    one.entity_column = entity.pool.take(f"Z{one.target.number}_{one.name.upper()}")

    def key_list(self, entity):
        keys = KeyList(entity.parent.keys.keys() if entity.parent else ["_ent", "_pk", "_opt"])
        own = {a.name for a in entity.own_attributes if not a.isTransient}
        for name in KeyList(a.name for a in entity.attributes()).keys():
            if name in own:
                keys.add(name)
        own = {r.name: r for r in entity.own_relationships}
        for name in KeyList(r.name for r in entity.relationships()).keys():
            if name in own:
                for column in (own[name].column, own[name].entity_column):
                    if column:
                        keys.add("_" + column)
                keys.add(name)
        return keys

    # --- second pass

    def name_rest(self, entity):
        relationships = {r.name: r for r in entity.relationships()}
        for key in entity.keys.ordered():
            one = relationships.get(key)
            if not one:
                continue
            other = one.opposite
            if not one.isToMany:
                if other and other.isToMany and other.isOrdered and not one.order_column:
                    one.order_column = one.owner.pool.take("Z_FOK_" + one.name.upper())
                    self.enter(one.owner, ["_" + one.order_column])
            elif not other:
                if not one.column:
                    self.name_owner_column(one)
            elif other.isToMany and not one.join:
                self.name_join(one, other)

    def enter(self, entity, keys):
        for each in entity.family():
            for key in keys:
                each.keys.add(key)

    def name_owner_column(self, one):
        number, name = one.owner.number, one.name.upper()
        one.column = one.target.pool.take(f"Z{number}{name}")
        keys = ["_" + one.column]
        if one.isOrdered:
            one.order_column = one.target.pool.take(f"Z_FOK_{number}{name}")
            keys.append("_" + one.order_column)
        self.enter(one.target, keys + [f"{number}{one.name}"])

    def name_join(self, one, other):
        a, b = one.owner, other.owner
        one.join = other.join = f"Z_{a.number}{one.name.upper()}"
        member = b.pool.take(f"Z_{b.number}{one.name.upper()}")
        if one is other:
            one.join_owner, one.join_member = member, "REFLEXIVE"
            one.join_order = "FOK_REFLEXIVE" if one.isOrdered else None
            return
        one.join_member = other.join_owner = member
        if one.isOrdered:
            one.join_order = b.pool.take(f"Z_FOK_{b.number}{one.name.upper()}")
        one.join_owner = other.join_member = a.pool.take(f"Z_{a.number}{other.name.upper()}")
        if other.isOrdered:
            other.join_order = a.pool.take(f"Z_FOK_{a.number}{other.name.upper()}")


def fill(description):
    """Puts in what JSON leaves out because it is null."""
    return {"inverse": None, "modifier": None, "derivation": None, "isTransient": False, **description}
