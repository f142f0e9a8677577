#!/usr/bin/env python3
"""Five devices with a notebook each, in processes of their own: they found one remote at once, write, synchronise and are killed at
random moments. In the end all of them must show the same, and everything that was written and not overwritten.

  chaos.py --programs FOLDER [--over STORAGE] [--seed N] [--seeds N] [--rounds N] [--devices N] [--keep]

STORAGE is folder, apache, lighttpd, nginx, rclone, wsgidav, ubiquity or syncthing. FOLDER holds the programs notebook and
ticds-inspect. A seed gives the same edits and the same moments; what processes do in between is theirs. A line of JSON tells of
each run.

Exit codes: 0 all runs ended well; 1 one did not, and its folder is kept; 69 what the storage needs is not installed.
"""
import argparse, json, pathlib, random, shutil, signal, sys, tempfile, time

from devices import Device, Finding
from expectation import Expectation
from storage import NotInstalled, open_storage

LONG_TEXT = 20_000
PASSES = 25


class Run:
    def __init__(self, options, seed, folder):
        self.random = random.Random(seed)
        self.seed, self.rounds, self.folder = seed, options.rounds, folder
        self.encrypted = self.random.random() < 0.5
        # With other answers than the latest anything that was ever written may remain.
        self.answers = self.random.random() < 0.25
        self.expected = Expectation(strict=not self.answers)
        self.storage = open_storage(options.over, folder, seed, options.devices)
        self.password = folder / "password"
        self.password.write_text("correct horse\n")
        self.devices = [
            Device(f"device{number}", folder / f"device{number}", self.storage.remote(number),
                   pathlib.Path(options.programs), self.password if self.encrypted else None, self.storage.tolerated)
            for number in range(options.devices)]
        self.serial = 0

    def moment(self, usual):
        """When a program is killed, in seconds; None if it is not."""
        return self.random.uniform(0, usual) if self.random.random() < 0.35 else None

    # Founding

    def found(self):
        """All at once; who is killed, or finds half of another's work, tries again."""
        open_devices = list(self.devices)
        for attempt in range(60):
            for device in open_devices:
                device.start_founding(self.moment(0.4) if attempt < 3 else None)
            for device in open_devices:
                device.finish_founding()
            open_devices = [device for device in open_devices if not device.exists]
            if not open_devices:
                return
            self.storage.settle()
        raise Finding(f"{open_devices[0].name} could not join: {open_devices[0].last_error}")

    # Writing

    def text(self, kind):
        self.serial += 1
        return f"{kind} {self.serial} of seed {self.seed}"

    def edit(self, device):
        # What a synchronisation changes between the look and the edit is not known.
        is_calm = not device.is_synchronising
        shown = device.list()
        self.expected.adopt(shown)
        choice = self.random.random()
        if not shown or choice < 0.35:
            self.add(device)
        elif choice < 0.4:
            self.import_folder(device)
        else:
            self.change(device, self.random.choice(shown), choice, is_calm)

    def add(self, device):
        title, content = self.text("title"), self.content()
        tags = self.random.sample(["red", "green", "blue", "käse"], self.random.randint(0, 2))
        words = ["add", "--title", title, "--content", content]
        for tag in tags:
            words += ["--tag", tag]
        done = device.edit(words, self.moment(0.15))
        self.expected.added(title, content, tags, done)

    def import_folder(self, device):
        place = self.folder / f"texts{self.serial}" / "yellow"
        place.mkdir(parents=True)
        notes = [(self.text("file"), self.text("content")) for _ in range(self.random.randint(1, 60))]
        for title, content in notes:
            (place / f"{title}.txt").write_text(content)
        done = device.edit(["import", str(place)], self.moment(0.3))
        for title, content in notes:
            self.expected.added(title, content, ["yellow"], done)

    def content(self):
        return self.text("content") + "." * (LONG_TEXT if self.random.random() < 0.1 else 0)

    def change(self, device, note, choice, is_calm):
        identifier = note["syncID"]
        if choice < 0.55:
            title = self.text("title")
            done = device.edit(["edit", identifier, "--title", title], self.moment(0.15))
            self.expected.wrote(identifier, "title", title, done)
        elif choice < 0.7:
            content = self.content()
            done = device.edit(["edit", identifier, "--content", content], self.moment(0.15))
            self.expected.wrote(identifier, "content", content, done)
        elif choice < 0.92:
            tag = self.random.choice(["red", "green", "blue", "käse"])
            has = tag in note["tags"]
            done = device.edit(["untag" if has else "tag", identifier, tag], self.moment(0.15))
            self.expected.tagged(identifier, tag, not has, done if is_calm else done and None)
        else:
            self.expected.deleted(identifier, device.edit(["delete", identifier], self.moment(0.15)))

    # Synchronising

    def synchronise(self, device):
        words = ["sync", "--json"]
        if self.answers:
            words += ["--on-conflict", self.random.choice(["latest", "local", "remote"])]
        device.start_sync(words, self.moment(0.2))

    def play(self):
        for _ in range(self.rounds):
            order = self.devices * 2
            self.random.shuffle(order)
            for device in order:
                if self.random.random() < 0.6:
                    self.edit(device)
                if self.random.random() < 0.6:
                    self.synchronise(device)
            if self.random.random() < 0.3:
                for device in self.devices:
                    device.finish_sync()
        for device in self.devices:
            device.finish_sync()

    # Coming to rest

    def rest(self):
        """Synchronises in turn until nobody has anything to do, not even to read what others have said of themselves last."""
        for _ in range(PASSES):
            self.storage.settle()
            reports = [device.sync() for device in self.devices]
            if all(self.is_idle(report) for report in reports):
                return reports
        raise Finding(f"devices are not at rest after {PASSES} rounds: {reports}")

    def is_idle(self, report):
        moved = report["pushed"] or report["pulled"] or report["applied"]
        return not moved and (report["requests"] == 1 or not self.storage.counts_requests)

    def check(self, reports):
        for device, report in zip(self.devices, reports):
            blocked = report["details"]["blocked"]
            if blocked:
                raise Finding(f"{device.name} is blocked at rest: {report}")
        lists = [device.list() for device in self.devices]
        for device, notes in zip(self.devices[1:], lists[1:]):
            if notes != lists[0]:
                differences = [note for note in notes if note not in lists[0]][:3]
                raise Finding(f"{device.name} differs from device0: {differences} {len(notes)} {len(lists[0])}")
        self.expected.check(lists[0])
        statuses = [device.status() for device in self.devices]
        authors = {entry["author"] for status in statuses for entry in status["devices"] if entry["isThisDevice"]}
        if len(authors) != len(self.devices):
            raise Finding(f"{len(authors)} of {len(self.devices)} devices have a head")
        for device, status in zip(self.devices, statuses):
            known = {entry["author"] for entry in status["devices"] if entry["hasSeenEverything"]}
            if status["pending"] or not authors <= known or status["blocked"] or status["asking"]:
                raise Finding(f"the status of {device.name} is {status}")
        for number in self.storage.copies(len(self.devices)):
            self.devices[number].verify()

    def run(self):
        started = time.monotonic()
        try:
            self.found()
            self.play()
            played = time.monotonic()
            self.check(self.rest())
        finally:
            for device in self.devices:
                device.stop()
            self.storage.stop()
        outcomes = {}
        for device in self.devices:
            for word, count in device.outcomes.items():
                outcomes[word] = outcomes.get(word, 0) + count
        return {"seed": self.seed, "encrypted": self.encrypted, "answers": self.answers,
                "notes": len(self.devices[0].list()), "seconds": round(time.monotonic() - started, 1),
                "rest": round(time.monotonic() - played, 1), "outcomes": dict(sorted(outcomes.items()))}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--over", default="folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--devices", type=int, default=5)
    parser.add_argument("--keep", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    # Whoever starts this may block signals, and programs inherit that.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    failures = 0
    for seed in range(options.seed, options.seed + options.seeds):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="ticds-chaos-"))
        folder.chmod(0o755)
        run = None
        try:
            run = Run(options, seed, folder)
            print(json.dumps({"over": options.over, "rounds": options.rounds, **run.run()}), flush=True)
        except NotInstalled as reason:
            print(f"chaos: {reason}", file=sys.stderr)
            shutil.rmtree(folder, ignore_errors=True)
            return 69
        except Finding as finding:
            failures += 1
            outcomes = [device.outcomes for device in run.devices] if run else []
            print(json.dumps({"over": options.over, "rounds": options.rounds, "seed": seed, "finding": str(finding)[:4_000],
                              "outcomes": outcomes, "folder": str(folder)}, ensure_ascii=False), flush=True)
            continue
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
