"""Runs all libraries in turns and prints the medians side by side."""
import json
import os
import statistics
import subprocess
import sys

COUNT = 100_000
UNITS = {"memory": "MB", "object_bytes": "bytes/object", "edit_bytes": "bytes/edit"}


def ours(bench):
    report = json.loads(subprocess.check_output([bench, "peers", "--json"]))
    return {measure["id"]: measure["value"] for measure in report["measures"]}


def theirs(library):
    script = os.path.join(os.path.dirname(__file__), "peer.py")
    return json.loads(subprocess.check_output([sys.executable, script, library, str(COUNT)]))


def main():
    bench, rounds = sys.argv[1], int(sys.argv[2])
    runs = {"ticds": [], "loro": [], "pycrdt": []}
    for _ in range(rounds):
        runs["ticds"].append(ours(bench))
        for library in ("loro", "pycrdt"):
            runs[library].append(theirs(library))
    print(f"{'':14}" + "".join(f"{name:>14}" for name in runs))
    for measure in runs["ticds"][0]:
        figures = [statistics.median(run[measure] for run in runs[name]) for name in runs]
        unit = UNITS.get(measure, "objects/s")
        print(f"{measure:14}" + "".join(f"{figure:14,.1f}" for figure in figures) + "  " + unit)


if __name__ == "__main__":
    main()
