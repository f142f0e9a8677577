"""Syncthing daemons that keep a folder alike, on loopback alone: nobody is looked for, announced to or relayed through."""
import json, pathlib, subprocess, time, urllib.error, urllib.request
from xml.sax.saxutils import quoteattr

FOLDER = "ticds"
SETTLE_LIMIT = 120


class Daemon:
    """One daemon with a folder of its own."""

    def __init__(self, binary, place, ports):
        self.binary, self.home, self.folder = binary, place / "home", place / "folder"
        self.port, self.api_port = ports
        # Without the marker a folder counts as not mounted.
        (self.folder / ".stfolder").mkdir(parents=True)
        subprocess.run(
            [binary, "generate", f"--home={self.home}", "--no-default-folder", "--skip-port-probing"],
            check=True, capture_output=True, stdin=subprocess.DEVNULL)
        identify = [binary, "serve", f"--home={self.home}", "--device-id"]
        self.identifier = subprocess.run(
            identify, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout.strip()

    def configure(self, daemons):
        devices = "".join(
            f"<device id={quoteattr(other.identifier)} name=\"d\" compression=\"never\">"
            f"<address>tcp://127.0.0.1:{other.port}</address></device>" for other in daemons)
        members = "".join(f"<device id={quoteattr(other.identifier)}/>" for other in daemons)
        (self.home / "config.xml").write_text(
            f"""<configuration version="36">
              <folder id="{FOLDER}" label="" path={quoteattr(str(self.folder))} type="sendreceive"
                rescanIntervalS="60" fsWatcherEnabled="true" fsWatcherDelayS="1">
                {members}<minDiskFree unit="">0</minDiskFree><maxConflicts>10</maxConflicts>
              </folder>
              {devices}
              <gui enabled="true" tls="false"><address>127.0.0.1:{self.api_port}</address><apikey>loopback</apikey></gui>
              <options>
                <listenAddress>tcp://127.0.0.1:{self.port}</listenAddress>
                <globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
                <relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled>
                <stunKeepaliveStartS>0</stunKeepaliveStartS><reconnectionIntervalS>1</reconnectionIntervalS>
                <urAccepted>-1</urAccepted><autoUpgradeIntervalH>0</autoUpgradeIntervalH>
                <crashReportingEnabled>false</crashReportingEnabled><startBrowser>false</startBrowser>
              </options>
            </configuration>""")

    def command(self):
        return [self.binary, "serve", f"--home={self.home}", "--no-browser", "--no-restart", "--no-upgrade",
                "--logfile=-", "--log-max-old-files=0"]

    def facts(self):
        return {"folder": str(self.folder), "api": f"http://127.0.0.1:{self.api_port}", "identifier": self.identifier}


def request(daemon, path, method="GET"):
    asked = urllib.request.Request(
        f"{daemon['api']}/rest/{path}", method=method, headers={"X-API-Key": "loopback"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(asked, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def answers(daemon):
    try:
        request(daemon, "system/ping")
        return True
    except OSError:
        return False


def wait_until(condition, limit):
    deadline = time.monotonic() + limit
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def is_connected(daemons):
    for daemon in daemons:
        peers = request(daemon, "system/connections")["connections"]
        if any(not peers.get(other["identifier"], {}).get("connected") for other in daemons if other is not daemon):
            return False
    return True


def is_alike(daemons):
    """Whether nobody lacks anything, as all of them see it."""
    for daemon in daemons:
        status = request(daemon, f"db/status?folder={FOLDER}")
        if status["state"] != "idle" or status["needTotalItems"] or status["errors"]:
            return False
        for other in daemons:
            if other is not daemon:
                completion = request(daemon, f"db/completion?folder={FOLDER}&device={other['identifier']}")
                if completion["needItems"] or completion["needDeletes"] or completion["needBytes"]:
                    return False
    sequences = [request(daemon, f"db/status?folder={FOLDER}") for daemon in daemons]
    kinds = ("globalFiles", "globalDirectories", "globalBytes", "globalDeleted")
    return len({tuple(status[kind] for kind in kinds) for status in sequences}) == 1


def settle(daemons):
    """Has everything looked at and delivered; returns whether that was done in time."""
    if not wait_until(lambda: is_connected(daemons), SETTLE_LIMIT):
        return False
    for daemon in daemons:
        request(daemon, f"db/scan?folder={FOLDER}", "POST")
    return wait_until(lambda: is_alike(daemons), SETTLE_LIMIT)
