"""What the devices must show in the end, known from what programs acknowledged alone.

Edits follow one another in time and all devices have one clock, so of two edits the later one shows. `done` is True for what was
acknowledged, False for what was refused, and None for what may or may not have happened.
"""
from devices import Finding


class Register:
    """Values in the order in which they were written."""

    def __init__(self, strict):
        self.strict = strict
        self.writes = []

    def write(self, value, done):
        if done is not False:
            self.writes.append((value, done))

    def possible(self):
        values = []
        for value, done in reversed(self.writes):
            values.append(value)
            if done and self.strict:
                break
        return values


class Note:
    def __init__(self, strict, title, content, tags, done):
        self.strict = strict
        self.existence = done
        self.deletion = False
        self.registers = {"title": Register(strict), "content": Register(strict)}
        self.registers["title"].write(title, True)
        self.registers["content"].write(content, True)
        self.tags = {tag: self._tag(True) for tag in tags}

    def _tag(self, shown):
        register = Register(self.strict)
        register.write(shown, True)
        return register

    def tag(self, name, shown, done):
        self.tags.setdefault(name, self._tag(False)).write(shown, done)


class Expectation:
    def __init__(self, strict):
        self.strict = strict
        # By title, as long as no device has shown the note; then by identifier.
        self.unseen, self.notes = {}, {}

    def added(self, title, content, tags, done):
        if done is not False:
            self.unseen[title] = Note(self.strict, title, content, tags, done)

    def adopt(self, shown):
        for entry in shown:
            if entry["syncID"] not in self.notes:
                note = self.unseen.pop(entry["title"], None)
                if note is None:
                    raise Finding(f"nobody wrote the note {entry}")
                note.existence = True
                self.notes[entry["syncID"]] = note

    def wrote(self, identifier, key, value, done):
        self.notes[identifier].registers[key].write(value, done)

    def tagged(self, identifier, tag, shown, done):
        self.notes[identifier].tag(tag, shown, done)

    def deleted(self, identifier, done):
        note = self.notes[identifier]
        if done is not False and note.deletion is not True:
            note.deletion = done

    def check(self, shown):
        self.adopt(shown)
        entries = {entry["syncID"]: entry for entry in shown}
        lost = [title for title, note in self.unseen.items() if note.existence]
        lost += [identifier for identifier, note in self.notes.items()
                 if note.deletion is False and identifier not in entries]
        if lost:
            raise Finding(f"lost: {lost[:5]}")
        for identifier, entry in entries.items():
            note = self.notes[identifier]
            if note.deletion is True:
                raise Finding(f"shown, although it was deleted: {entry}")
            for key, register in note.registers.items():
                if entry[key] not in register.possible():
                    raise Finding(f"{identifier}: {key} is {entry[key][:80]!r}, not one of "
                                  f"{[value[:80] for value in register.possible()]}")
            for tag in set(entry["tags"]) | set(note.tags):
                register = note.tags.get(tag)
                if register is None or (tag in entry["tags"]) not in register.possible():
                    raise Finding(f"{identifier}: the tag {tag} is {'' if tag in entry['tags'] else 'not '}shown: "
                                  f"{register and register.writes}")
