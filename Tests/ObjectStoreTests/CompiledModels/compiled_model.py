#!/usr/bin/env python3
"""Reads compiled models with nothing but the facts of property lists and keyed archives, and compares two of them.

  compiled_model.py FIRST SECOND      each a .mom, or an SQLite store with a table Z_MODELCACHE

Prints a line for each difference in what both can hold: entities, properties, indexes and constraints with all keys that they
bear, and the bits of `_P`. Left out are fetched properties, configurations, classes of transformable values, partial indexes, and
validation that is no bound, which a model of ours does not hold. Exit codes: 0 alike; 1 different; 2 not readable.
"""
import plistlib, sqlite3, sys, zlib

TRANSFORMABLE = 1800
STORED_IN_TRUTH = 0x200
VALIDATION = 0x30
# What one side says in a way that the other does not have.
UNKNOWN = "unknown"


def load(path):
    with open(path, "rb") as file:
        content = file.read()
    if content.startswith(b"SQLite format 3"):
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        (cache,) = database.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()
        content = zlib.decompress(cache, -15)
    return Archive(plistlib.loads(content))


class Archive:
    def __init__(self, content):
        assert content["$archiver"] == "NSKeyedArchiver" and content["$version"] == 100_000
        self.objects = content["$objects"]
        self.root = self.object(content["$top"]["root"])
        assert self.name(self.root) == "NSManagedObjectModel"

    def object(self, reference):
        found = self.objects[reference.data]
        return None if reference.data == 0 else found

    def name(self, thing):
        return self.objects[thing["$class"].data]["$classname"] if isinstance(thing, dict) else None

    def classes(self, thing):
        return self.objects[thing["$class"].data]["$classes"]

    def get(self, thing, key):
        value = thing.get(key)
        return self.plain(self.object(value)) if isinstance(value, plistlib.UID) else value

    def plain(self, value):
        if not isinstance(value, dict):
            return value
        name = self.name(value)
        if name in ("NSString", "NSMutableString"):
            return value["NS.string"]
        if name in ("NSArray", "NSMutableArray", "NSSet", "NSMutableSet"):
            return [self.plain(self.object(element)) for element in value["NS.objects"]]
        if name in ("NSDictionary", "NSMutableDictionary"):
            keys = [self.plain(self.object(key)) for key in value["NS.keys"]]
            return dict(zip(keys, [self.plain(self.object(element)) for element in value["NS.objects"]]))
        if name == "NSKnownKeysDictionary1":
            strategy = self.get(value, "searchMapping")
            keys, values = self.get(strategy, "keys"), self.get(value, "values")
            assert len(keys) == len(values) == strategy["length"] and value["version"] == strategy["version"] == 1
            return dict(zip(keys, values))
        return value

    # What stands in the model

    def model(self):
        entities = self.get(self.root, "NSEntities")
        described = {name: self.entity(entity) for name, entity in entities.items()}
        for name, entity in entities.items():
            assert described[name]["NSEntityName"] == name
            assert self.get(entity, "NSManagedObjectModel") is self.root
        return {"versions": sorted(self.get(self.root, "NSVersionIdentifiers") or []), "entities": described}

    def entity(self, entity):
        parent = self.get(entity, "NSSuperentity")
        found = {key: self.get(entity, key) for key in
                 ("NSEntityName", "NSClassNameForEntity", "NSVersionHashModifier", "NSRenamingIdentifier")}
        found["isAbstract"] = bool(entity.get("NSIsAbstract"))
        found["parent"] = parent and self.get(parent, "NSEntityName")
        found["children"] = sorted(self.get(entity, "NSSubentities") or {})
        found["userInfo"] = self.get(entity, "NSUserInfo") or {}
        found["constraints"] = sorted(
            [self.property_name(part) for part in tuple] for tuple in self.get(entity, "NSUniqueTuples") or [])
        properties = self.get(entity, "NSProperties") or {}
        found["properties"] = {}
        for name, property in properties.items():
            if self.name(property) == "_NSPropertyDescriptionProxy":
                property = self.get(property, "NSUnderlyingProperty")
            elif self.get(property, "NSEntity") is not entity:
                found["properties"][name] = "is of another entity"
                continue
            described = self.property(property)
            if described:
                assert described["NSPropertyName"] == name
                found["properties"][name] = described
        indexes = self.get(entity, "NSFetchIndexDescriptions")
        found["indexes"] = sorted(filter(None, (self.index(index, properties) for index in indexes or [])))
        if not any("NSFetchIndexDescriptions" in thing for thing in self.objects if isinstance(thing, dict)):
            found["indexes"] = UNKNOWN  # Of an older framework, where indexes have no names.
        return found

    def property_name(self, part):
        return part if isinstance(part, str) else self.get(part, "NSPropertyName")

    def property(self, property):
        found = {key: self.get(property, key) for key in
                 ("NSPropertyName", "NSVersionHashModifier", "NSRenamingIdentifier", "NSFlagsKey")}
        for key in ("NSIsOptional", "NSIsTransient", "NSIsIndexed", "NSIsReadOnly"):
            found[key] = bool(property.get(key))
        found["userInfo"] = self.get(property, "NSUserInfo") or {}
        ignored = STORED_IN_TRUTH
        classes = self.classes(property)
        found["classes"] = classes
        if "NSAttributeDescription" in classes:
            kind = found["type"] = property["NSAttributeType"]
            if kind != TRANSFORMABLE:
                found["NSAttributeValueClassName"] = self.get(property, "NSAttributeValueClassName")
                found["default"] = self.value(self.get(property, "NSDefaultValue"))
            found["NSValueTransformerName"] = self.get(property, "NSValueTransformerName")
            found["derivation"] = self.expression(self.get(property, "NSDerivationExpression"))
            predicates = self.get(property, "NSValidationPredicates") or []
            bounds = [self.bound(predicate) for predicate in predicates]
            found["validation"] = sorted(bounds) if all(bounds) else UNKNOWN
            found["isValidated"] = property["_P"] & VALIDATION == 0
            ignored |= VALIDATION
            assert len(predicates) == len(self.get(property, "NSValidationWarnings") or [])
        elif "NSRelationshipDescription" in classes:
            for key in ("NSDeleteRule", "NSMinCount", "NSMaxCount", "_NSDestinationEntityName", "_NSInverseRelationshipName"):
                found[key] = self.get(property, key)
            found["isOrdered"] = bool(property.get("NSIsOrdered"))
            destination, inverse = self.get(property, "NSDestinationEntity"), self.get(property, "NSInverseRelationship")
            found["destination"] = self.get(destination, "NSEntityName")
            found["inverse"] = inverse and (
                self.get(self.get(inverse, "NSEntity"), "NSEntityName"), self.get(inverse, "NSPropertyName"))
        else:
            return None
        found["bits"] = property["_P"] & ~ignored
        return found

    def index(self, index, properties):
        elements = self.get(index, "NSIndexElements")
        names = [(self.get(element, "NSPropertyName"), bool(element.get("NSAscending")), element.get("NSFetchIndexElementType"))
                 for element in elements]
        first = properties.get(names[0][0])
        if len(names) == 1 and first and "NSRelationshipDescription" in self.classes(first):
            return None  # Older frameworks list those that every relationship has.
        return [self.get(index, "NSIndexName"), names]

    def value(self, value):
        if isinstance(value, dict):
            return {key: self.value(self.object(part)) if isinstance(part, plistlib.UID) else part
                    for key, part in value.items() if key != "$class"}
        # Whether a number was written as 0, 0.0 or false tells nothing.
        return float(value) if isinstance(value, (bool, int)) else value

    # Predicates and expressions

    def bound(self, predicate):
        if self.name(predicate) != "NSComparisonPredicate":
            return None
        operator = self.get(predicate, "NSPredicateOperator")
        if operator["NSOperatorType"] not in (1, 3, 6):
            return None
        right = self.get(predicate, "NSRightExpression")
        constant = self.value(self.get(right, "NSConstantValue"))
        fields = {key: value for key, value in operator.items() if key != "$class"}
        return str((self.expression(self.get(predicate, "NSLeftExpression")), self.classes(operator), sorted(fields.items()),
                    right["NSExpressionType"], constant))

    def expression(self, expression):
        if expression is None:
            return None
        kind = expression["NSExpressionType"]
        parts = [self.name(expression), self.classes(expression), kind]
        for key in ("NSSelectorName", "NSKeyPath", "NSConstantValueClassName"):
            parts.append(self.get(expression, key))
        if "NSOperand" in expression:
            parts.append(self.expression(self.get(expression, "NSOperand")))
            parts.append([self.expression(argument) for argument in self.get(expression, "NSArguments")])
        return parts


def differences(first, second, place="model"):
    if isinstance(first, dict) and isinstance(second, dict):
        for key in sorted(first.keys() | second.keys(), key=str):
            if key not in first or key not in second:
                yield f"{place}.{key}: only in the {'second' if key not in first else 'first'}"
            else:
                yield from differences(first[key], second[key], f"{place}.{key}")
    elif first != second and UNKNOWN not in (first, second):
        yield f"{place}: {first!r} / {second!r}"


def main():
    first, second = (load(path).model() for path in sys.argv[1:3])
    found = list(differences(first, second))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
