"""A provider like iCloud Drive for several devices, for tests: provider.py SEED FOLDER...

Keeps the folders alike. Every file comes on its own, late and in any order, as a placeholder (`.name.icloud`) or with its content;
content goes elsewhere again, and comes back for a placeholder whose date is set. Who writes a name that another device has written
with other bytes finds his version beside it (`name 2`). The line "settle" on standard input has everything delivered, which the line
"settled" then says. Ends with standard input.
"""
import os, pathlib, plistlib, random, select, sys

SEED, FOLDERS = int(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
random.seed(SEED)


def placeholder(path):
    return path.with_name(f".{path.name}.icloud")


class Cloud:
    def __init__(self):
        self.files = {}
        self.folders = set()


class Copy:
    """One device's folder."""

    def __init__(self, cloud, folder):
        self.cloud, self.folder = cloud, folder
        # What this device has or had, and the dates of the placeholders that were made here.
        self.known, self.folders, self.dates = {}, set(), {}

    def look(self):
        """Files with content, files without, folders; what is hidden otherwise is being written."""
        here, elsewhere, folders = set(), set(), set()
        for place, names, files in os.walk(self.folder):
            base = pathlib.Path(place).relative_to(self.folder)
            folders |= {str(base / name) for name in names}
            for name in files:
                if not name.startswith("."):
                    here.add(str(base / name))
                elif name.endswith(".icloud"):
                    elsewhere.add(str(base / name[1:-len(".icloud")]))
        return here, elsewhere, folders

    def step(self, settling):
        """Returns whether something waits."""
        here, elsewhere, folders = self.look()
        self.fetch(elsewhere)
        waits = self.take(here, elsewhere, folders, 1 if settling else 0.3)
        waits = self.give(1 if settling else 0.1) or waits
        if not settling:
            self.evict(here - elsewhere)
        return waits

    def take(self, here, elsewhere, folders, chance):
        """Brings to the cloud what was written and removed here."""
        waits = False
        self.cloud.folders |= folders
        self.folders |= folders
        for name in sorted(here):
            if name in elsewhere:
                # Written over a placeholder: the same file, for nothing is written twice.
                placeholder(self.folder / name).unlink(missing_ok=True)
            if name in self.known:
                continue
            waits = True
            if random.random() < chance:
                self.upload(name)
        for name in sorted(set(self.known) - here - elsewhere):
            waits = True
            if random.random() < chance:
                if self.cloud.files.get(name) == self.known.pop(name):
                    del self.cloud.files[name]
        return waits

    def upload(self, name):
        content = (self.folder / name).read_bytes()
        other = self.cloud.files.get(name)
        if other is not None and other != content:
            path = pathlib.Path(name)
            copy = str(path.with_name(f"{path.stem} 2{path.suffix}"))
            self.cloud.files.setdefault(copy, content)
            content = other
            self.write(name, other)
        self.cloud.files[name] = content
        self.known[name] = content

    def give(self, chance):
        """Brings here what others have written and removed."""
        waits = False
        for name in sorted(self.cloud.folders - self.folders):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
            self.folders.add(name)
        for name in sorted(set(self.cloud.files) - set(self.known)):
            if (self.folder / name).exists():
                continue
            waits = True
            if random.random() < chance:
                if random.random() < 0.5:
                    self.put_placeholder(name)
                else:
                    self.write(name, self.cloud.files[name])
                self.known[name] = self.cloud.files[name]
        for name in sorted(set(self.known) - set(self.cloud.files)):
            waits = True
            if random.random() < chance:
                del self.known[name]
                for path in (self.folder / name, placeholder(self.folder / name)):
                    path.unlink(missing_ok=True)
        return waits

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.with_name(".arriving")
        hidden.write_bytes(content)
        hidden.rename(path)

    def put_placeholder(self, name):
        path = placeholder(self.folder / name)
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.with_name(".arriving")
        hidden.write_bytes(plistlib.dumps(
            {"NSURLFileResourceTypeKey": "NSURLFileResourceTypeRegular", "NSURLNameKey": path.name,
             "NSURLFileSizeKey": len(self.cloud.files[name])}, fmt=plistlib.FMT_BINARY))
        os.utime(hidden, (1_000_000_000, 1_000_000_000))
        hidden.rename(path)

    def evict(self, names):
        for name in sorted(names):
            content = self.known.get(name)
            if content is not None and self.cloud.files.get(name) == content and random.random() < 0.02:
                self.put_placeholder(name)
                (self.folder / name).unlink()

    def fetch(self, names):
        """Content that somebody asked for."""
        for name in sorted(names):
            path = placeholder(self.folder / name)
            if path.stat().st_mtime > 1_000_000_000 and name in self.known and random.random() < 0.5:
                if not (self.folder / name).exists():
                    self.write(name, self.known[name])
                path.unlink(missing_ok=True)


def main():
    cloud = Cloud()
    copies = [Copy(cloud, folder) for folder in FOLDERS]
    settling = False
    while True:
        if select.select([sys.stdin], [], [], 0.01)[0]:
            if not sys.stdin.readline():
                return
            settling = True
        waiting = False
        for copy in copies:
            try:
                waiting = copy.step(settling) or waiting
            except FileNotFoundError:
                # A device has removed it meanwhile.
                waiting = True
        if settling and not waiting:
            settling = False
            print("settled", flush=True)


main()
