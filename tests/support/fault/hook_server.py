"""Takes what webhooks are sent, on loopback: every request becomes a line of JSON in the file
"hooks", and is answered as the file "answer-NAME" says, NAME being the first part of the path:
{"status": 429, "body": "slow down", "headers": {"Retry-After": "7"}, "delay": 0.1, "times": 1}.
Without such a file, or when it was answered so that often, it is 200 and "ok". "kill": 3 kills the
group of processes whose number is in the file "victim" when the third request from now on is there."""

import http.server
import json
import os
import signal
import sys
import threading
import time

lock = threading.Lock()


def answer_of(name):
    path = "answer-" + name
    try:
        with open(path) as f:
            answer = json.load(f)
    except FileNotFoundError:
        return {}
    if "times" in answer:
        answer["times"] -= 1
        if answer["times"] < 1:
            os.remove(path)
        else:
            keep(path, answer)
    if "kill" in answer:
        answer["kill"] -= 1
        if not answer["kill"]:
            with open("victim") as f:
                os.killpg(int(f.read()), signal.SIGKILL)
        keep(path, answer)
    return answer


def keep(path, answer):
    with open(path + ".new", "w") as f:
        json.dump(answer, f)
    os.rename(path + ".new", path)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def take(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        name = self.path.split("/")[1]
        line = {"name": name, "method": self.command, "path": self.path, "time": time.time(), "body": body}
        with lock:
            with open("hooks", "a") as f:
                f.write(json.dumps(line) + "\n")
            answer = answer_of(name)
        time.sleep(answer.get("delay", 0))
        text = answer.get("body", "ok").encode()
        self.send_response(answer.get("status", 200))
        for key, value in answer.get("headers", {}).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = take

    def log_message(self, *args):
        pass


http.server.ThreadingHTTPServer.daemon_threads = True
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("hook_port.new", "w") as f:
    f.write(str(server.server_port))
os.rename("hook_port.new", "hook_port")
try:
    server.serve_forever()
except (KeyboardInterrupt, BrokenPipeError):
    sys.exit(0)
