"""A name server on 127.0.0.1:53 that has one name, and TLS at its address that passes on to a port here.

front.py NAME ADDRESS CERTIFICATE KEY PORT READY: for a network namespace of its own; writes the port of TLS
to the file READY.
"""
import os
import socket
import ssl
import struct
import sys
import threading

name, address, certificate, key, port, ready = sys.argv[1:]


def answer(query):
    end = query.index(b"\0", 12)
    labels, at = [], 12
    while at < end:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    kind = struct.unpack("!H", query[end + 1:end + 3])[0]
    known = ".".join(labels) == name
    found = known and kind == 1
    head = query[:2] + struct.pack("!HHHHH", 0x8580 if known else 0x8583, 1, found, 0, 0)
    record = struct.pack("!HHHIH", 0xC00C, 1, 1, 60, 4) + socket.inet_aton(address) if found else b""
    return head + query[12:end + 5] + record


def names():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 53))
    bound.set()
    while True:
        query, who = s.recvfrom(512)
        s.sendto(answer(query), who)


def pump(a, b):
    try:
        while data := a.recv(65536):
            b.sendall(data)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client):
    try:
        tls = context.wrap_socket(client, server_side=True)
    except OSError:
        return
    server = socket.create_connection(("127.0.0.1", int(port)))
    threading.Thread(target=pump, args=(tls, server), daemon=True).start()
    pump(server, tls)
    tls.close()


bound = threading.Event()
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
listener = socket.create_server((address, 0))
threading.Thread(target=names, daemon=True).start()
bound.wait()
with open(ready + ".new", "w") as f:
    f.write(str(listener.getsockname()[1]))
os.rename(ready + ".new", ready)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
