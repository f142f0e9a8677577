"""One library's part of the comparison: prints its figures as one line of JSON.

100,000 objects of six fields are built, two fields of each are edited, and another replica loads the objects and
applies the edits; everything stays in memory, which is these libraries' way.
"""
import json
import random
import resource
import sys
import time

BODY = "lorem ipsum dolor sit amet " * 6


class Loro:
    def __init__(self):
        import loro

        self.loro = loro
        self.document = loro.LoroDoc()

    def build(self, identifiers):
        objects = self.document.get_map("notes")
        for number, identifier in enumerate(identifiers):
            fields = objects.insert_container(identifier, self.loro.LoroMap())
            for name, value in fields_of(number).items():
                fields.insert(name, value)
        self.document.commit()

    def export(self):
        self.before = self.document.oplog_vv
        return self.document.export(self.loro.ExportMode.Snapshot())

    def edit(self, identifiers):
        objects = self.document.get_map("notes")
        for number, identifier in enumerate(identifiers):
            fields = objects.get(identifier)
            fields = getattr(fields, "container", fields)
            for name, value in edits_of(number).items():
                fields.insert(name, value)
        self.document.commit()

    def export_edits(self):
        return self.document.export(self.loro.ExportMode.Updates(self.before))

    def apply(self, change):
        self.document.import_(change)

    def read(self):
        return sum(len(fields["title"]) for fields in self.document.get_map("notes").get_deep_value().values())


class Pycrdt:
    def __init__(self):
        import pycrdt

        self.pycrdt = pycrdt
        self.document = pycrdt.Doc()
        self.objects = self.document.get("notes", type=pycrdt.Map)

    def build(self, identifiers):
        with self.document.transaction():
            for number, identifier in enumerate(identifiers):
                self.objects[identifier] = self.pycrdt.Map(fields_of(number))

    def export(self):
        self.before = self.document.get_state()
        return self.document.get_update()

    def edit(self, identifiers):
        with self.document.transaction():
            for number, identifier in enumerate(identifiers):
                fields = self.objects[identifier]
                for name, value in edits_of(number).items():
                    fields[name] = value

    def export_edits(self):
        return self.document.get_update(self.before)

    def apply(self, change):
        self.document.apply_update(change)

    def read(self):
        return sum(len(fields["title"]) for fields in self.objects.values())


def fields_of(number):
    return {
        "title": f"Note title number {number}",
        "body": BODY,
        "number": float(number),
        "isDone": bool(number & 1),
        "created": 7e8 + number,
        "updated": 7e8 + number,
    }


def edits_of(number):
    return {"title": f"Edited title {number}", "updated": 8e8 + number}


def timed(measures, name, count, work):
    start = time.perf_counter()
    result = work()
    measures[name] = count / (time.perf_counter() - start)
    return result


def main():
    library, count = {"loro": Loro, "pycrdt": Pycrdt}[sys.argv[1]], int(sys.argv[2])
    random.seed(1)
    identifiers = [f"{random.getrandbits(128):032x}" for _ in range(count)]
    sender, receiver, measures = library(), library(), {}
    timed(measures, "build", count, lambda: sender.build(identifiers))
    objects = timed(measures, "export", count, sender.export)
    timed(measures, "edit", count, lambda: sender.edit(identifiers))
    edits = timed(measures, "export_edits", count, sender.export_edits)
    timed(measures, "load", count, lambda: receiver.apply(objects))
    # A library may put off its work until somebody looks.
    timed(measures, "read", count, receiver.read)
    measures["load_read"] = 1 / (1 / measures["load"] + 1 / measures["read"])
    timed(measures, "apply", count, lambda: receiver.apply(edits))
    measures["object_bytes"] = len(objects) / count
    measures["edit_bytes"] = len(edits) / count
    measures["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(json.dumps(measures))


if __name__ == "__main__":
    main()
