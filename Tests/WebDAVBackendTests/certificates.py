"""Two servers over TLS that note whether a client has shown a certificate: the first redirects to the second, which answers.

  certificates.py FOLDER STATUS

FOLDER gets an authority, certificates of servers and client that it has signed, and `log`, with a line for each request: the
server's number, and 1 if the connection's other end has shown a certificate. Prints both ports.
"""
import http.server, pathlib, ssl, subprocess, sys, threading

folder, status = pathlib.Path(sys.argv[1]), int(sys.argv[2])
lock = threading.Lock()
LISTING = """<D:multistatus xmlns:D="DAV:"><D:response><D:href>%s</D:href><D:propstat><D:prop><D:resourcetype><D:collection/>
</D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>"""


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


def make_certificates():
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", 30, "-subj", "/CN=authority",
            "-keyout", folder / "authority.key", "-out", folder / "authority.pem")
    for name in ("server", "client"):
        (folder / f"{name}.ext").write_text("subjectAltName=IP:127.0.0.1\n")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}",
                "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr")
        openssl("x509", "-req", "-days", 30, "-in", folder / f"{name}.csr", "-CA", folder / "authority.pem",
                "-CAkey", folder / "authority.key", "-CAcreateserial", "-extfile", folder / f"{name}.ext",
                "-out", folder / f"{name}.pem")


def serve(number, answer):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    # Shown if there is one, and asked for by both.
    context.verify_mode = ssl.CERT_OPTIONAL
    context.load_verify_locations(folder / "authority.pem")

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_PROPFIND(self):
            self.rfile.read(int(self.headers.get("content-length", 0)))
            shown = 1 if self.connection.getpeercert(binary_form=True) else 0
            with lock, open(folder / "log", "a") as log:
                log.write(f"{number} {shown}\n")
            answer(self)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def listing(handler):
    body = (LISTING % handler.path).encode()
    handler.send_response(207)
    handler.send_header("Content-Type", "application/xml")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def redirection(handler):
    handler.send_response(status)
    handler.send_header("Location", f"https://127.0.0.1:{second}{handler.path}")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


make_certificates()
second = serve(2, listing)
print(serve(1, redirection), second, flush=True)
threading.Event().wait()
