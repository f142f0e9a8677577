"""A proxy before a WebDAV server that breaks what goes through it.

  python3 faults.py SERVER_PORT PORT_FILE

Passes requests on to the server at SERVER_PORT. POST /faults sets what happens to the next requests: lines of
"METHOD FAULT [COUNT]". Faults: 503, 503-after (Retry-After: 1), 401, 423, 429-date, reset (before the effect), lost (the effect,
and no answer), cut (half of the body), double (the body twice under the length of one), endless, slow (a byte now and then),
compressed, portal (a page with status 200), entities and deep (hostile XML), foreign (references to another host).
"""
import gzip, http.client, http.server, os, socket, struct, sys, threading, time

server_port = int(sys.argv[1])
plan, lock, seen = [], threading.Lock(), []


def fault_of(method):
    with lock:
        for entry in plan:
            if entry[0] in (method, "*") and entry[2] > 0:
                entry[2] -= 1
                return entry[1]
    return None


MULTISTATUS = {
    "entities": b'<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&c;</a>',
    "deep": b'<D:multistatus xmlns:D="DAV:">' + b"<D:a>" * 100_000,
    "foreign": b'<D:multistatus xmlns:D="DAV:"><D:response><D:href>http://evil.example/a</D:href><D:propstat><D:prop>'
    b"<D:resourcetype/></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>",
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def answer(self, status, headers, body, length=None):
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/faults":
            with lock:
                plan[:] = [[a, b, int((c or ["1"])[0])] for a, b, *c in (l.split() for l in body.decode().splitlines())]
            return self.answer(204, [], b"")
        fault = fault_of(self.command)
        simple = {"503": (503, []), "503-after": (503, [("Retry-After", "1")]), "423": (423, []),
                  "401": (401, [("WWW-Authenticate", 'Basic realm="dav"')]),
                  "429-date": (429, [("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Retry-After", "Sun, 06 Nov 1994 08:49:44 GMT")])}
        if fault in simple:
            return self.answer(*simple[fault], b"")
        if fault == "reset":
            return self.reset()
        if fault == "portal":
            return self.answer(200, [("Content-Type", "text/html")], b"<html><body>Log in</body></html>")
        if fault in MULTISTATUS:
            return self.answer(207, [("Content-Type", "application/xml")], MULTISTATUS[fault])
        if fault == "endless":
            self.send_response_only(207 if self.command == "PROPFIND" else 200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            block = b"<x>" + b"x" * 65530 + b"</x>"
            while True:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(block), block))
        if fault == "slow":
            self.send_response_only(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            for _ in range(1000):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.5)
            return
        upstream = http.client.HTTPConnection("127.0.0.1", server_port, timeout=60)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "expect")}
        headers["Host"] = f"127.0.0.1:{server_port}"
        if "Destination" in headers:
            headers["Destination"] = headers["Destination"].replace(self.headers["Host"], headers["Host"])
        upstream.request(self.command, self.path, body, headers)
        reply = upstream.getresponse()
        content = reply.read()
        upstream.close()
        if fault == "lost":
            return self.reset()
        kept = [(k, v) for k, v in reply.getheaders()
                if k.lower() not in ("content-length", "transfer-encoding", "connection", "keep-alive")]
        if fault == "cut":
            self.answer(reply.status, kept, content[: len(content) // 2], len(content))
            self.wfile.flush()
            return self.reset()
        if fault == "double":
            self.answer(reply.status, kept, content + content, len(content))
            self.close_connection = True
            return
        if fault == "compressed":
            return self.answer(reply.status, kept + [("Content-Encoding", "gzip")], gzip.compress(content))
        self.answer(reply.status, kept, content)

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


parent = os.getppid()
server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open(sys.argv[2] + ".partial", "w") as file:
    file.write(str(server.server_port))
os.rename(sys.argv[2] + ".partial", sys.argv[2])
while os.getppid() == parent:
    time.sleep(0.2)
