"""A mail server on loopback from Debian's aiosmtpd, for tests/cli/notify/t0060-smtp.sh.

smtp_server.py DIRECTORY [CERTIFICATE KEY]

With a certificate it wants STARTTLS and then a log-in as "me", password "correct horse". It
writes its port to DIRECTORY/smtp-port, every mail to DIRECTORY/mail.N and how it came, a line of
JSON each, to DIRECTORY/mails. It ends when its standard input does."""
import json
import os
import socket
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword


class Keep:
    def __init__(self, directory):
        self.directory = directory
        self.n = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 5.1.1 no such user"
        envelope.rcpt_tos.append(address)
        return "250 fine"

    async def handle_DATA(self, server, session, envelope):
        self.n += 1
        with open(f"{self.directory}/mail.{self.n}", "wb") as f:
            f.write(envelope.content)
        with open(f"{self.directory}/mails", "a") as f:
            f.write(json.dumps({
                "from": envelope.mail_from, "to": envelope.rcpt_tos,
                "tls": session.ssl is not None, "login": bool(session.authenticated),
                "hello": session.host_name}) + "\n")
        return f"250 kept as {self.n}"


def let_in(server, session, envelope, mechanism, data):
    ok = isinstance(data, LoginPassword) and data.login == b"me" and data.password == b"correct horse"
    return AuthResult(success=ok, handled=False)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def main():
    directory, more = sys.argv[1], {}
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        more = {"tls_context": context, "require_starttls": True, "auth_required": True,
                "authenticator": let_in}
    port = free_port()
    controller = Controller(Keep(directory), hostname="127.0.0.1", port=port, **more)
    controller.start()
    with open(f"{directory}/port.new", "w") as f:
        f.write(str(port))
    os.rename(f"{directory}/port.new", f"{directory}/smtp-port")
    sys.stdin.read()
    controller.stop()


main()
