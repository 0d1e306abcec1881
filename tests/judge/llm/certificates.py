"""Certificates made for a test, by an authority of its own that no system trusts."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
HERE = "IP:127.0.0.1,DNS:localhost"


class Authority:
    """Signs certificates into a folder. Needs the program ``openssl``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = str(folder / "ca.pem")
        named = ("-subj", "/CN=Test authority", "-addext", "keyUsage=critical,keyCertSign")
        self.run("req", "-x509", *CURVE, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", *named)

    def run(self, *arguments: str) -> bool:
        """Whether openssl did it."""
        done = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, check=False, timeout=60)
        return done.returncode == 0

    def server(self, names: str, *, expired: bool = False) -> ssl.SSLContext:
        """What a server of these names needs."""
        (self.folder / "names").write_text(f"subjectAltName={names}\n")
        assert self.run("req", *CURVE, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server")
        sign = ("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
        sign = (*sign, "-extfile", "names", "-out", "server.pem")
        if not expired:
            assert self.run(*sign, "-days", "2")
        else:  # newer releases refuse the first form, older ones do not know the second
            past = ("-not_before", "20200101000000Z", "-not_after", "20200102000000Z")
            assert self.run(*sign, "-days", "-1") or self.run(*sign, *past)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "server.pem", self.folder / "server.key")
        return context
