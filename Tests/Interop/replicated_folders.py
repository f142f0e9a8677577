#!/usr/bin/env python3
"""Lets devices that run the real notebook meet through a folder replicator, and checks that they agree in the end.

Each device has its own copy of the remote. What changes in one copy reaches the others file by file, in any order, through
temporary names or as a part first, and two versions of one name leave a conflict copy, as Syncthing and its kind do. Several
devices found the remote before any of them has heard of another. At the end all devices show the same notes, all copies hold
the same files, and the inspector finds nothing.

    replicated_folders.py --programs FOLDER [--seed N] [--runs N] [--encrypted | --plain]

Exits 0 if every run agreed. What differs is printed with the seed that shows it again; --keep leaves its folders.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

PASSWORD = "correct horse battery"
# Exit codes of the tools by which a device says that storage has not delivered everything, or that another device is not readable yet.
NOT_YET = {3, 4, 5, 9, 13}


class Difference(Exception):
    """Something that must not be."""


class Replica:
    """One device's copy of the folder, with what the replicator knows of it: a version and a content for each path."""

    FOLDER = b"\0folder"

    def __init__(self, number, root, rng):
        self.number = number
        self.root = root
        self.rng = rng
        self.known = {}
        # Paths that are being delivered in part: a scan must not take a part for news.
        self.arriving = set()
        root.mkdir(parents=True)

    def place(self, path):
        return self.root / path

    def scan(self):
        """Notices what the device has written or removed since."""
        found = {}
        for folder, folders, files in os.walk(self.root):
            for name in folders:
                found[str(pathlib.Path(folder, name).relative_to(self.root))] = self.FOLDER
            for name in files:
                if name.startswith(".syncthing.") or name.startswith(".ticds-"):
                    continue
                place = pathlib.Path(folder, name)
                try:
                    found[str(place.relative_to(self.root))] = place.read_bytes()
                except FileNotFoundError:
                    continue
        for path in set(found) | set(self.known):
            content = found.get(path)
            version, before = self.known.get(path, ({}, None))
            if path in self.arriving or content == before:
                continue
            version = dict(version)
            version[self.number] = version.get(self.number, 0) + 1
            self.known[path] = (version, content)


def is_newer(version, other):
    return all(version.get(key, 0) >= count for key, count in other.items())


class Replicator:
    """Carries changes from copy to copy."""

    def __init__(self, replicas, rng):
        self.replicas = replicas
        self.rng = rng
        self.conflicts = 0

    def pending(self):
        """Which path one copy has a version of that another has not."""
        found = []
        for source in self.replicas:
            for path, (version, content) in source.known.items():
                if path in source.arriving:
                    continue
                for target in self.replicas:
                    if target is not source and not is_newer(target.known.get(path, ({}, None))[0], version):
                        found.append((source, target, path))
        return found

    def deliver(self, share):
        """Carries some of what is pending, in any order.

        - share: how much of it, from 0 to 1.
        """
        for replica in self.replicas:
            replica.scan()
        pending = self.pending()
        self.rng.shuffle(pending)
        for source, target, path in pending[: round(len(pending) * share + 0.5)]:
            self.carry(source, target, path)
        return len(pending)

    def carry(self, source, target, path):
        version, content = source.known[path]
        own, present = target.known.get(path, ({}, None))
        if is_newer(own, version) or path in source.arriving:
            return
        place = target.place(path)
        merged = {key: max(version.get(key, 0), own.get(key, 0)) for key in set(version) | set(own)}
        is_conflict = present is not None and not is_newer(version, own) and present != content
        if is_conflict:
            if content is None or present == Replica.FOLDER:
                # What was changed outlives what was removed.
                merged[target.number] = merged.get(target.number, 0) + 1
                target.known[path] = (merged, present)
                return
            if content < present:
                content, present = present, content
            self.set_aside(target, path, present)
            merged[target.number] = merged.get(target.number, 0) + 1
        if self.write(target, place, path, content):
            target.known[path] = (merged, content)
            target.arriving.discard(path)

    def set_aside(self, target, path, content):
        self.conflicts += 1
        place = target.place(path)
        letters = "".join(self.rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for _ in range(7))
        name = f"{place.stem}.sync-conflict-20260102-{self.rng.randrange(10**6):06}-{letters}{place.suffix}"
        place.with_name(name).write_bytes(content)

    def write(self, target, place, path, content):
        """Returns whether the content has arrived in full."""
        if content is None:
            if place.is_dir():
                try:
                    place.rmdir()
                except OSError:
                    return False
            else:
                place.unlink(missing_ok=True)
            return True
        if content == Replica.FOLDER:
            if place.is_file():
                return False
            place.mkdir(parents=True, exist_ok=True)
            return True
        if place.is_dir():
            return False
        place.parent.mkdir(parents=True, exist_ok=True)
        way = self.rng.random()
        if way < 0.15 and path not in target.arriving and not place.exists():
            # As a part first, under the name that it will have.
            target.arriving.add(path)
            place.write_bytes(content[: self.rng.randrange(len(content) + 1)])
            return False
        temporary = place.with_name(f".syncthing.{place.name}.tmp")
        if way < 0.3 and path not in target.arriving:
            temporary.write_bytes(content[: self.rng.randrange(len(content) + 1)])
            return False
        temporary.write_bytes(content)
        temporary.rename(place)
        return True


class Device:
    """One device: a store, and the program that works on it as a process of its own."""

    def __init__(self, number, run):
        self.name = f"device-{number}"
        self.run = run
        self.store = run.folder / self.name / "store"
        self.replica = Replica(number, run.folder / self.name / "remote", run.rng)
        self.is_ready = False
        self.own = {}

    def call(self, verb, *words):
        command = [self.run.notebook, verb, "--store", str(self.store), *words]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def finish(self, process, permitted=()):
        output, errors = (text.decode("utf-8", "replace") for text in process.communicate(timeout=120))
        words = " ".join(map(str, process.args[1:]))[:200]
        self.run.log(f"{self.name} {words}: {process.returncode} {output.strip()[:160]!r} {errors.strip()[:300]}")
        if process.returncode != 0 and process.returncode not in permitted:
            raise Difference(f"{self.name} {process.args[1:]} ended with {process.returncode}: {errors}")
        return process.returncode, output

    def do(self, verb, *words, permitted=()):
        return self.finish(self.call(verb, *words), permitted)

    def init(self):
        words = ["--password-file", str(self.run.password)] if self.run.is_encrypted else ["--no-encryption"]
        code, _ = self.do(
            "init", "--remote", str(self.replica.root), "--client", self.name, *words, permitted=NOT_YET)
        self.is_ready = code == 0

    def notes(self):
        return json.loads(self.do("list", "--json")[1])

    def edit(self, rng):
        """What a person does in a moment."""
        deed = rng.random()
        notes = self.notes() if deed >= 0.5 else []
        if not notes:
            text = rng.choice(["short", "long " * 5_000])
            _, output = self.do("add", "--title", f"{self.name} {rng.randrange(10**6)}", "--content", text)
            self.run.added.add(output.strip())
            return
        note = rng.choice(notes)["syncID"]
        if deed < 0.7:
            self.do("edit", note, "--title", f"{self.name} again {rng.randrange(10**6)}")
        elif deed < 0.85:
            self.do("tag", note, rng.choice(["red", "green", "blue"]))
        else:
            self.do("delete", note)
            self.run.deleted.add(note)


class Run:
    """Some devices, from the founding to the end."""

    def __init__(self, arguments, seed):
        self.rng = random.Random(seed)
        self.seed = seed
        self.notebook = os.path.join(arguments.programs, "notebook")
        self.inspect = os.path.join(arguments.programs, "ticds-inspect")
        self.is_encrypted = arguments.encrypted or (not arguments.plain and self.rng.random() < 0.5)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"replicated-{seed}-"))
        self.password = self.folder / "password"
        self.password.write_text(PASSWORD + "\n")
        self.added, self.deleted = set(), set()
        self.lines = []
        self.devices = [Device(number, self) for number in range(self.rng.randint(3, 7))]
        self.replicator = Replicator([device.replica for device in self.devices], self.rng)
        # The first two found at once, each in a folder that is empty still.
        self.founders = self.devices[: self.rng.randint(2, min(3, len(self.devices)))]

    def log(self, line):
        self.lines.append(line)

    def go(self):
        for device in self.founders:
            device.init()
        for _ in range(self.rng.randint(25, 50)):
            self.step()
        self.settle()
        self.check()

    def step(self):
        deed = self.rng.random()
        device = self.rng.choice(self.devices)
        if deed < 0.35:
            self.replicator.deliver(self.rng.random())
        elif not device.is_ready:
            # A newcomer looks as soon as something is there; nobody founds a third time.
            if any(device.replica.root.iterdir()):
                device.init()
        elif deed < 0.65:
            device.edit(self.rng)
        else:
            process = device.call("sync")
            if deed > 0.95:
                process.send_signal(signal.SIGKILL)
            elif deed > 0.8:
                self.replicator.deliver(self.rng.random())
            device.finish(process, NOT_YET | {-signal.SIGKILL})

    def settle(self):
        """Everything is delivered, and everybody synchronises, until nothing changes any more."""
        for number in range(60):
            while self.replicator.deliver(1):
                pass
            before = [dict(device.replica.known) for device in self.devices]
            for device in self.devices:
                if device.is_ready:
                    _, output = device.do("sync", permitted=NOT_YET)
                    if "with a key of their own" in output:
                        # What a person does who reads that.
                        device.do("sync", "--password-file", str(self.password), permitted=NOT_YET)
                else:
                    device.init()
                for replica in self.replicator.replicas:
                    replica.scan()
            is_quiet = before == [device.replica.known for device in self.devices]
            if is_quiet and not self.replicator.pending() and all(device.is_ready for device in self.devices):
                self.log(f"quiet after {number} rounds")
                return
        raise Difference("the devices do not come to rest")

    def check(self):
        lists = {device.name: device.notes() for device in self.devices}
        first = lists[self.devices[0].name]
        for name, notes in lists.items():
            if notes != first:
                titles = [sorted(note["title"] for note in one if note not in other) for one, other in
                          ((first, notes), (notes, first))]
                raise Difference(f"{self.devices[0].name} and {name} differ: {titles}")
        missing = self.added - self.deleted - {note["syncID"] for note in first}
        if missing:
            raise Difference(f"{len(missing)} notes are nowhere: {sorted(missing)}")
        for device in self.devices:
            code, output = device.do("sync")
            if "blocked" in output:
                raise Difference(f"{device.name} is blocked at the end: {output}")
        self.verify()

    def verify(self):
        for device in self.devices:
            # What the replicator leaves behind is no file of ours.
            for pattern in ("*.sync-conflict-*", ".syncthing.*.tmp"):
                for place in device.replica.root.rglob(pattern):
                    place.unlink()
            words = ["--password-file", str(self.password)] if self.is_encrypted else []
            result = subprocess.run(
                [self.inspect, "verify", str(device.replica.root), "--json", *words], capture_output=True, timeout=120)
            findings = [
                f"{one['path']}: {one['message']}" for one in json.loads(result.stdout or "{}").get("findings", [])
                # That several founded at once is no fault.
                if one["kind"] != "rivalCreation" and one["kind"] != "unusedValue"]
            if result.returncode != 0 or findings:
                raise Difference(f"verify of {device.name} ends with {result.returncode}: {findings} {result.stderr}")


def one(arguments, seed):
    run = Run(arguments, seed)
    try:
        run.go()
    except Exception as difference:  # Whatever stops a run is told with its seed.
        text = f"seed {seed} ({len(run.devices)} devices, {'encrypted' if run.is_encrypted else 'plain'}): {difference!r}"
        if arguments.keep:
            (run.folder / "log").write_text("\n".join(run.lines))
            return f"{text}\n  kept in {run.folder}"
        return text + "".join(f"\n  {line}" for line in run.lines[-30:])
    finally:
        if not arguments.keep:
            shutil.rmtree(run.folder, ignore_errors=True)
    print(
        f"seed {seed}: {len(run.devices)} devices, {len(run.founders)} founders, "
        f"{'encrypted' if run.is_encrypted else 'plain'}, {len(run.added)} notes, "
        f"{run.replicator.conflicts} conflict copies", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", required=True, help="the folder of notebook and ticds-inspect")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    protection = parser.add_mutually_exclusive_group()
    protection.add_argument("--encrypted", action="store_true")
    protection.add_argument("--plain", action="store_true")
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.runs)
    with concurrent.futures.ThreadPoolExecutor(arguments.parallel) as pool:
        failures = [text for text in pool.map(lambda seed: one(arguments, seed), seeds) if text]
    for text in failures:
        print(text, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
