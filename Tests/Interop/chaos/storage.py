"""The storage of a run: one place for all devices, or a copy for each that somebody keeps alike."""
import json, pathlib, subprocess, sys, time

from devices import Finding

ROOT = pathlib.Path(__file__).resolve().parents[3]
SERVERS = ["apache", "lighttpd", "nginx", "rclone", "wsgidav"]
LIMIT = 120
UNAVAILABLE, BLOCKED = 3, 13


class NotInstalled(Exception):
    pass


def open_storage(name, folder, seed, devices):
    if name == "folder":
        return Folder(folder)
    if name in SERVERS:
        return Server(name, folder)
    if name == "ubiquity":
        return Ubiquity(folder, seed, devices)
    if name == "syncthing":
        return Syncthing(folder, devices)
    raise NotInstalled(f"there is no storage “{name}”")


class Folder:
    tolerated = set()
    counts_requests = True

    def __init__(self, folder):
        self.place = folder / "remote"
        self.place.mkdir()

    def remote(self, number):
        return str(self.place)

    def copies(self, devices):
        return [0]

    def settle(self):
        pass

    def stop(self):
        pass


def start_server(words, folder):
    """Runs Tools/servers until it says where the server is."""
    state = folder / "server.json"
    process = subprocess.Popen(
        [str(ROOT / "Tools" / "servers"), "run", *words, "--state", str(state)], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not state.exists():
        if process.poll() is not None:
            reason = process.stderr.read().strip()
            raise NotInstalled(reason) if process.returncode == 69 else Finding(reason)
        time.sleep(0.02)
    return process, json.loads(state.read_text())


class Server(Folder):
    def __init__(self, name, folder):
        self.process, facts = start_server([name], folder)
        self.address = facts["remote"]

    def remote(self, number):
        return self.address

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Ubiquity(Folder):
    """Copies that a provider like iCloud Drive keeps alike, in a process of its own."""
    tolerated = {UNAVAILABLE, BLOCKED}

    def __init__(self, folder, seed, devices):
        self.places = [folder / f"container{number}" for number in range(devices)]
        for place in self.places:
            place.mkdir()
        program = pathlib.Path(__file__).with_name("provider.py")
        self.process = subprocess.Popen(
            [sys.executable, str(program), str(seed), *map(str, self.places)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def remote(self, number):
        return f"ubiquity:{self.places[number]}"

    def copies(self, devices):
        return range(devices)

    def settle(self):
        self.process.stdin.write("settle\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "settled\n":
            raise Finding("the provider does not come to rest")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Syncthing(Ubiquity):
    """Copies that real daemons keep alike; every second device looks at its copy as at a folder of a provider."""

    def __init__(self, folder, devices):
        self.process, self.facts = start_server(["syncthing", "--daemons", str(devices)], folder)

    def remote(self, number):
        place = self.facts["folders"][number]
        return place if number % 2 else f"ubiquity:{place}"

    def settle(self):
        words = [str(ROOT / "Tools" / "servers"), "settle", "--state", self.facts["state"]]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
        if done.returncode != 0:
            raise Finding(f"Syncthing does not come to rest: {done.stderr}")

    def stop(self):
        self.process.terminate()
        self.process.wait()
