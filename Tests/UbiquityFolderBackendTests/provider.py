"""A provider like iCloud Drive, for tests: provider.py FOLDER LOCK REQUESTS CLOUD SEED

Takes the content of files in FOLDER elsewhere (CLOUD) at random and leaves placeholders; brings it back for files that are named in
REQUESTS, one request per file there, after a while. Touches nothing without holding LOCK. Ends on
SIGTERM, or when whoever started it does.
"""
import fcntl, os, plistlib, random, shutil, sys, time

folder, lock, requests, cloud, seed = sys.argv[1:6]
chance = random.Random(int(seed))
# What somebody asked for stays for a while.
kept = {}


def placeholder(path):
    return os.path.join(os.path.dirname(path), "." + os.path.basename(path) + ".icloud")


def evict(path):
    size, inode = os.path.getsize(path), os.stat(path).st_ino
    # An item stays the same wherever its placeholder is moved.
    item = f"{chance.getrandbits(64):016x}"
    shutil.copyfile(path, os.path.join(cloud, item))
    content = {"NSURLFileResourceTypeKey": "NSURLFileResourceTypeRegular", "NSURLFileSizeKey": size,
               "NSURLNameKey": os.path.basename(path), "item": item}
    with open(cloud + "/placeholder", "wb") as file:
        plistlib.dump(content, file, fmt=plistlib.FMT_BINARY)
    os.rename(cloud + "/placeholder", placeholder(path))
    os.rename(path, cloud + "/evicted")
    if os.stat(cloud + "/evicted").st_ino == inode:
        os.unlink(cloud + "/evicted")
    else:
        # Replaced meanwhile: what is new stays.
        if not os.path.exists(path):
            os.rename(cloud + "/evicted", path)
        os.unlink(placeholder(path))


def fetch(path):
    # What was written here meanwhile is newer.
    if os.path.exists(placeholder(path)) and not os.path.exists(path):
        with open(placeholder(path), "rb") as file:
            stored = os.path.join(cloud, plistlib.load(file)["item"])
        shutil.copyfile(stored, stored + ".part")
        os.rename(stored + ".part", path)
        os.unlink(placeholder(path))
        kept[path] = time.monotonic() + 5


def evictable():
    for place, _, names in os.walk(folder):
        for name in names:
            # What is hidden is being written. For the name of a placeholder that of the file may be too long.
            path = os.path.join(place, name)
            hasRoom = len(os.fsencode(os.path.basename(placeholder(path)))) <= 255
            if hasRoom and not name.startswith(".") and kept.get(path, 0) < time.monotonic():
                yield path


parent = os.getppid()
with open(lock, "w") as held:
    print("ready", flush=True)
    while os.getppid() == parent:
        fcntl.flock(held, fcntl.LOCK_EX)
        try:
            for name in os.listdir(requests):
                with open(os.path.join(requests, name)) as file:
                    path = file.read()
                if path and chance.random() < 0.6:
                    os.unlink(os.path.join(requests, name))
                    fetch(path)
            for path in evictable():
                if chance.random() < 0.3:
                    evict(path)
        except (FileNotFoundError, NotADirectoryError):
            pass
        finally:
            fcntl.flock(held, fcntl.LOCK_UN)
        # Whoever waits for the lock looks now and then only.
        time.sleep(0.01)
