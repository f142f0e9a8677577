"""A proxy before a WebDAV server that breaks what goes through it.

  python3 faults.py SERVER_PORT [CREDENTIALS]

Passes requests on to the server at SERVER_PORT, and prints its own port. POST /faults sets what happens to the next requests:
lines of "METHOD FAULT [COUNT]"; * is any method, and the fault none is none. GET /faults tells how many have not happened yet.
With a file CREDENTIALS, of lines like those of a credentials file, one of them must come with each request; GET /leaks tells how
often one came anywhere else. GET /held returns when a request is held (the fault hold), and POST /faults lets it go on.
GET /strangers tells how often somebody connected to the port that hostile answers name. Faults:

  before the effect   503, 503-after (Retry-After: 1), 429-date, 423, 401, reset, half-read (reset in the middle of the request),
                      405, 501, late (after 60 seconds), slow-head (a byte of the head now and then), endless-head, long-head (a line of
                      150 KB), interim (answers 100
                      without end), slow (a byte of the body now and then), endless, 503-endless, portal (a page with status 200)
                      stale (closed, unless the connection is a new one)
  without effect      hollow (201, and nothing is done), hollow-ours (the same, but for the files of a server's test)
  held                hold (until something else is planned), and then no fault
  after the effect    delay (half a second), tardy (six seconds), lost (no answer), cut (half of the body, then reset), short (half of a chunked body,
                      then the end), double (the body twice under the length of one), twice (the whole answer twice), compressed
  hostile listings    entities, deep, wide (elements without end), responses (without end), bomb (compressed, 200 MB),
                      crowd (the folder and 60,000 entries),
                      foreign (nothing but another host), stranger (references to other hosts and to nothing beside the right ones)
"""
import base64, functools, gzip, http.client, http.server, os, re, socket, struct, sys, threading, time, zlib

server_port = int(sys.argv[1])
strangers = leaks = 0
is_held, may_go_on = threading.Event(), threading.Event()
accepted, secrets = set(), set()
if len(sys.argv) > 2:
    for line in open(sys.argv[2], "rb").read().splitlines():
        encoded = base64.b64encode(line)
        accepted.add((b"Bearer " + line[7:] if line.lower().startswith(b"bearer ") else b"Basic " + encoded).decode())
        # What follows the user's name or “bearer”, and the whole as Basic writes it.
        secrets.update([re.split(b"[: ]", line, maxsplit=1)[1], encoded])
plan, lock, seen = [], threading.Lock(), []


def fault_of(method):
    with lock:
        for entry in plan:
            if entry[0] in (method, "*") and entry[2] > 0:
                entry[2] -= 1
                return entry[1]
    return None


HEAD = b'<D:multistatus xmlns:D="DAV:">'


def reference(href):
    return (b"<D:response><D:href>" + href + b"</D:href><D:propstat><D:prop><D:resourcetype/></D:prop>"
            b"<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>")


def listing(fault):
    """Pieces of a hostile listing, without end."""
    yield HEAD
    for number in range(1 << 40):
        if fault == "responses":
            yield b"".join(reference(b"/%d" % (number << 10 | inner)) for inner in range(1 << 10))
        else:
            yield b"<D:a/>" * (1 << 13)


@functools.cache
def crowd(path):
    """A folder with very many entries, in a listing that is right."""
    folder = reference(path.encode()).replace(b"<D:resourcetype/>", b"<D:resourcetype><D:collection/></D:resourcetype>")
    entries = b"".join(reference(path.encode() + b"x%d" % number) for number in range(60_000))
    return HEAD + folder + entries + b"</D:multistatus>"


@functools.cache
def bomb():
    """Two hundred megabytes of elements, compressed."""
    compressor = zlib.compressobj(1, zlib.DEFLATED, 31)
    block = b"<D:a/>" * (1 << 20)
    return compressor.compress(HEAD) + b"".join(compressor.compress(block) for _ in range(33)) + compressor.flush()


MULTISTATUS = {
    "entities": b'<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&c;</a>',
    "deep": HEAD + b"<D:a>" * 100_000,
    "foreign": HEAD + reference(b"http://evil.example/a") + b"</D:multistatus>",
}
STATUSES = {
    "405": (405, []), "412": (412, []), "501": (501, []), "503": (503, []), "503-after": (503, [("Retry-After", "1")]), "423": (423, []),
    "401": (401, [("WWW-Authenticate", 'Basic realm="dav"')]),
    "429-date": (429, [("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Retry-After", "Sun, 06 Nov 1994 08:49:44 GMT")]),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Whether the connection has had a request already: there is a handler for each.
    is_kept = False

    def log_message(self, *_):
        pass

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def trickle(self, head, fault):
        """Sends a byte now and then, or lines without end."""
        self.wfile.write(head)
        for number in range(1 << 40):
            if fault.startswith("slow"):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.5)
            else:
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 500 if fault == "interim" else b"X-Endless: %d\r\n" % number * 500)

    def stream(self, pieces, status=None):
        """A chunked body; without its end if the pieces have one."""
        self.send_response_only(status or (207 if self.command == "PROPFIND" else 200))
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def answer(self, status, headers, body, length=None, times=1):
        # In one piece: what belongs to no answer may arrive together with one.
        lines = [f"HTTP/1.1 {status} {http.client.responses.get(status, '')}"]
        lines += [f"{name}: {value}" for name, value in headers]
        lines += [f"Content-Length: {len(body) if length is None else length}"]
        self.wfile.write(("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body) * times)

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        if self.path in ("/faults", "/strangers", "/leaks", "/held"):
            return self.control(self.rfile.read(length))
        if accepted and self.headers.get("Authorization") not in accepted:
            self.look_for_leaks(self.rfile.read(length))
            return self.answer(401, [("WWW-Authenticate", 'Basic realm="dav", Bearer')], b"")
        fault = fault_of(self.command)
        if fault == "half-read":
            self.rfile.read(length // 2)
            return self.reset()
        body = self.rfile.read(length)
        if accepted:
            self.look_for_leaks(body)
        is_kept, self.is_kept = self.is_kept, True
        if fault == "stale" and is_kept:
            return self.reset()
        if fault == "hold":
            is_held.set()
            may_go_on.wait()
        if fault in STATUSES:
            return self.answer(*STATUSES[fault], b"")
        if fault == "hollow" or fault == "hollow-ours" and "ticds-probe" not in self.path:
            return self.answer(201, [], b"")
        if fault == "reset":
            return self.reset()
        if fault == "late":
            time.sleep(60)
            return self.reset()
        if fault == "portal":
            return self.answer(200, [("Content-Type", "text/html")], b"<html><body>Log in</body></html>")
        if fault in MULTISTATUS:
            return self.answer(207, [("Content-Type", "application/xml")], MULTISTATUS[fault])
        if fault == "bomb":
            return self.answer(207, [("Content-Encoding", "gzip")], bomb())
        if fault in ("wide", "responses"):
            return self.stream(listing(fault))
        if fault in ("endless", "503-endless"):
            return self.stream((b"<x>" + b"x" * 65530 + b"</x>" for _ in iter(int, 1)), 503 if fault == "503-endless" else None)
        if fault == "crowd":
            return self.answer(207, [("Content-Type", "application/xml")], crowd(self.path))
        if fault == "slow":
            return self.trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", fault)
        if fault in ("slow-head", "endless-head", "interim"):
            return self.trickle(b"" if fault == "interim" else b"HTTP/1.1 200 OK\r\n", fault)
        reply, content = self.forward(body)
        if fault == "long-head":
            return self.answer(reply.status, [("X-Long", "x" * 150_000)], content, len(content))
        if fault == "lost":
            return self.reset()
        if fault in ("delay", "tardy"):
            time.sleep(0.5 if fault == "delay" else 6)
        kept = [(k, v) for k, v in reply.getheaders()
                if k.lower() not in ("content-length", "transfer-encoding", "connection", "keep-alive")]
        if fault == "cut":
            self.answer(reply.status, kept, content[: len(content) // 2], len(content))
            self.wfile.flush()
            return self.reset()
        if fault == "short":
            self.close_connection = True
            return self.stream([content[: len(content) // 2 or 1]])
        if fault == "double":
            self.answer(reply.status, kept, content + content, len(content))
            self.close_connection = True
            return
        if fault == "compressed":
            return self.answer(reply.status, kept + [("Content-Encoding", "gzip")], gzip.compress(content))
        if fault == "stranger":
            host = b"localhost:%d" % stranger_port
            hrefs = [b"http://%s/a" % host, b"//%s/b" % host, b"/outside", b"/%zz", self.path.encode() + b"%FF"]
            content = content.replace(b"</D:multistatus>", b"".join(map(reference, hrefs)) + b"</D:multistatus>")
        self.answer(reply.status, kept, content, times=2 if fault == "twice" else 1)

    def control(self, body):
        if self.path == "/held":
            return self.answer(204 if is_held.wait(60) else 504, [], b"")
        if self.path == "/faults" and self.command == "POST":
            with lock:
                plan[:] = [[a, b, int((c or ["1"])[0])] for a, b, *c in (l.split() for l in body.decode().splitlines())]
                is_held.clear()
            # Made before it is asked for: a client waits a short time only.
            if any(entry[1] == "bomb" for entry in plan):
                bomb()
            if not any(entry[1] == "hold" for entry in plan):
                may_go_on.set()
            else:
                may_go_on.clear()
            return self.answer(204, [], b"")
        left = sum(entry[2] for entry in plan)
        number = {"/faults": left, "/strangers": strangers, "/leaks": leaks}[self.path]
        self.answer(200, [], str(number).encode())

    def look_for_leaks(self, body):
        global leaks
        fields = [f"{name}: {value}" for name, value in self.headers.items() if name.lower() != "authorization"]
        seen = "\n".join([self.requestline] + fields).encode() + body
        leaks += any(secret in seen for secret in secrets)

    def forward(self, body):
        upstream = http.client.HTTPConnection("127.0.0.1", server_port, timeout=60)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "expect")}
        headers["Host"] = f"127.0.0.1:{server_port}"
        if "Destination" in headers:
            headers["Destination"] = headers["Destination"].replace(self.headers["Host"], headers["Host"])
        upstream.request(self.command, self.path, body, headers)
        reply = upstream.getresponse()
        content = reply.read()
        upstream.close()
        return reply, content

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.handle_guarded
        raise AttributeError(name)

    def handle_guarded(self):
        try:
            self.handle_any()
        except (BrokenPipeError, ConnectionResetError, ValueError):
            self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


def count_strangers(listener):
    global strangers
    while True:
        listener.accept()[0].close()
        strangers += 1


listener = socket.create_server(("127.0.0.1", 0))
stranger_port = listener.getsockname()[1]
threading.Thread(target=count_strangers, args=(listener,), daemon=True).start()
parent = os.getppid()
server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
while os.getppid() == parent:
    time.sleep(0.2)
