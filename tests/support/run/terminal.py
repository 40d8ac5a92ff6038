"""Runs a program in a terminal of a given size and plays a person before it.

    terminal.py COLUMNSxLINES COMMAND... [< STEPS]

Standard output gets all that the terminal was sent, with lines that end in a newline alone; the exit
status is the program's, or 128 and the number of the signal that ended it. Each line of STEPS is one of
    expect TEXT        wait until TEXT was shown after what was expected before
    send TEXT          type it; \\n, \\x03 and so on as in Python
    signal NAME        INT, TERM, TSTP, CONT ... to the program
    stopped            wait until it is suspended
    resize CxL         the window gets another size
    run COMMAND        a shell command beside it
    modes NAME         write "NAME: echo lines" of the terminal as it is set now, to standard error
Without steps it is left alone until it ends. After two minutes without what is waited for, it fails.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

PATIENCE = 120


def set_size(fd, text):
    columns, lines = (int(n) for n in text.split("x"))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


class Terminal:
    def __init__(self, size, argv):
        self.shown, self.seen = b"", 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            set_size(0, size)
            os.execvp(argv[0], argv)
        set_size(self.fd, size)

    def read(self, seconds):
        """False at the end of what the program writes."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.shown += data
        return bool(data)

    def expect(self, text):
        end = time.monotonic() + PATIENCE
        while True:
            at = self.shown.find(text, self.seen)
            if at >= 0:
                self.seen = at + len(text)
                return
            if time.monotonic() > end or not self.read(0.2):
                self.fail("never shown: %r" % text)

    def fail(self, why):
        sys.stdout.buffer.write(self.shown.replace(b"\r\n", b"\n"))
        sys.stderr.write("terminal.py: %s\n" % why)
        os.kill(self.pid, signal.SIGKILL)
        sys.exit(99)

    def finish(self):
        end = time.monotonic() + PATIENCE
        while self.read(0.2):
            if time.monotonic() > end:
                self.fail("does not end")
        status = os.waitpid(self.pid, 0)[1]
        sys.stdout.buffer.write(self.shown.replace(b"\r\n", b"\n"))
        return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)

    def step(self, word, rest):
        if word == "expect":
            self.expect(rest.encode().decode("unicode_escape").encode("latin-1"))
        elif word == "send":
            os.write(self.fd, rest.encode().decode("unicode_escape").encode("latin-1"))
        elif word == "signal":
            os.kill(self.pid, getattr(signal, "SIG" + rest))
        elif word == "stopped":
            os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT)
        elif word == "resize":
            set_size(self.fd, rest)
        elif word == "run":
            subprocess.run(rest, shell=True, check=True)
        elif word == "modes":
            flags = termios.tcgetattr(self.fd)[3]
            sys.stderr.write("%s: %s %s\n" % (rest, bool(flags & termios.ECHO), bool(flags & termios.ICANON)))
        else:
            self.fail("unknown step: %s" % word)


def main():
    terminal = Terminal(sys.argv[1], sys.argv[2:])
    if not sys.stdin.isatty():
        for line in sys.stdin:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word:
                terminal.step(word, rest)
    sys.exit(terminal.finish())


if __name__ == "__main__":
    main()
