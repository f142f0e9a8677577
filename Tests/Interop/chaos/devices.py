"""One device: a store folder, and the program that works on it, as processes that may be killed."""
import json, os, signal, subprocess, tempfile, threading

# No program may take longer; one that does is stuck.
LIMIT = 120
SUCCESS, NOT_FOUND, BUSY, ALREADY_EXISTS = 0, 5, 8, 11


class Finding(Exception):
    """Something that must not be."""


class Program:
    """A running program with its output in files, so that no pipe can fill up and block it."""

    def __init__(self, words, deadline=None):
        self.words = words
        self.output, self.errors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        environment = dict(os.environ, HOME="/nonexistent", NETRC="/nonexistent")
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.errors, env=environment)
        if deadline is not None:
            timer = threading.Timer(deadline, self.process.kill)
            timer.daemon = True
            timer.start()

    def finish(self):
        """The exit code, negative if it was killed; what it wrote; what it complained of."""
        try:
            code = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Finding(f"does not end: {self.words}")
        texts = []
        for file in (self.output, self.errors):
            file.seek(0)
            texts.append(file.read().decode())
            file.close()
        return code, *texts


class Device:
    def __init__(self, name, store, remote, programs, password, tolerated):
        self.name, self.store, self.remote, self.programs = name, store, remote, programs
        self.protection = ["--password-file", str(password)] if password else ["--no-encryption"]
        self.password = password
        self.tolerated = {SUCCESS, BUSY} | tolerated
        self.founding = self.syncing = None
        self.outcomes = {}
        self.last_error = ""

    def _start(self, words, deadline=None):
        return Program([str(self.programs / "notebook"), words[0], "--store", str(self.store)] + words[1:], deadline)

    def _note(self, verb, code, errors=""):
        outcome = f"{verb} killed" if code == -signal.SIGKILL else f"{verb} {code}"
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        if code < 0 and code != -signal.SIGKILL:
            raise Finding(f"{self.name}: {verb} ended by signal {-code}: {errors}")
        if code > 0:
            self.last_error = errors

    # Founding

    @property
    def exists(self):
        return (self.store / "notebook.json").exists()

    def start_founding(self, deadline):
        words = ["init", "--remote", self.remote, "--client", self.name] + self.protection
        self.founding = self._start(words, deadline)

    def finish_founding(self):
        code, _, errors = self.founding.finish()
        self._note("init", code, errors)

    # Edits

    def edit(self, words, deadline):
        """True if it was acknowledged, False if it was refused, None if nobody knows."""
        code, _, errors = self._start(words, deadline).finish()
        self._note(words[0], code, errors)
        if code not in (SUCCESS, NOT_FOUND, BUSY, -signal.SIGKILL):
            raise Finding(f"{self.name}: {words[0]} ended with {code}: {errors}")
        return None if code < 0 else code == SUCCESS

    def _read(self, *words):
        code, output, errors = self._start(list(words)).finish()
        if code != SUCCESS:
            raise Finding(f"{self.name}: {words[0]} ended with {code}: {errors}")
        return json.loads(output)

    def list(self):
        return self._read("list", "--json")

    def status(self):
        return self._read("status", "--json")

    # Synchronising

    @property
    def is_synchronising(self):
        return self.syncing is not None and self.syncing.process.poll() is None

    def start_sync(self, words, deadline):
        """In the background; the former one goes on until its moment comes."""
        self.finish_sync()
        self.syncing = self._start(words, deadline)

    def finish_sync(self):
        if self.syncing is None:
            return
        code, _, errors = self.syncing.finish()
        self.syncing = None
        self._note("sync", code, errors)
        if code >= 0 and code not in self.tolerated:
            raise Finding(f"{self.name}: sync ended with {code}: {errors}")

    def sync(self):
        """In the end, when nothing disturbs any more."""
        code, output, errors = self._start(["sync", "--json"]).finish()
        if "with a key of their own" in output:
            # What a person does who reads that.
            code, output, errors = self._start(["sync", "--json", "--password-file", str(self.password)]).finish()
        if code not in self.tolerated | {13} or not output:
            raise Finding(f"{self.name}: the last sync ended with {code}: {errors}")
        return json.loads(output)

    def verify(self):
        words = [str(self.programs / "ticds-inspect"), "verify", self.remote, "--json"]
        words += ["--password-file", str(self.password)] if self.password else []
        code, output, errors = Program(words).finish()
        if code != SUCCESS:
            findings = [finding for finding in json.loads(output or '{"findings": []}')["findings"]
                        if finding["severity"] != "hint"]
            raise Finding(f"verify of {self.remote} ended with {code}: {errors} {findings}")

    def stop(self):
        for program in (self.founding, self.syncing):
            if program and program.process.poll() is None:
                program.process.kill()
                program.process.wait()
