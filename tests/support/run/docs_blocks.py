#!/usr/bin/env python3
"""Takes the code blocks of a markdown page apart, for the test that runs them.

usage: docs_blocks.py OUT ROOT PAGE...

For each block of each page below ROOT: OUT/PAGE/NNN.run (sh or console: a line per command, "STATUS<TAB>COMMAND",
STATUS "-" for what is only parsed) or OUT/PAGE/NNN.conf (yaml that is a configuration). A comment
before a block changes what is expected:
  <!-- test: skip REASON -->            the block is parsed, not run
  <!-- test: exit 3 COMMAND... -->      lines that begin so end with that status
"""
import os
import re
import sys

NOT_OURS = ("gcloud", "bq", "sudo", "make", "podman", "systemctl", "curl", "apt", "git", "export", "cd", "mkdir",
            "install", "cp", "ln", "journalctl", "loginctl", "crontab",
            "MAILTO=me@example.org")


def logical_lines(text):
    text = re.sub(r"\\\n\s*", "", text)
    for line in text.splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            yield line


def commands(lang, text, notes):
    """(status, command) of each line of a block"""
    skip = any(n.startswith("skip ") for n in notes)
    exits = [n.split(None, 2)[1:] for n in notes if n.startswith("exit ")]
    for line in logical_lines(text):
        if lang == "":  # what a terminal shows
            if not line.startswith("$ "):
                continue
            line = line[2:]
        line = re.sub(r"^(\S+ ){5} *(?=tpucost )", "", line) if line[0] in "*0123456789" else line
        if skip or not re.search(r"\btpucost\b", line) or line.split()[0] in NOT_OURS:
            yield "-", line
            continue
        status = "0"
        for want, prefix in exits:
            if line.startswith(prefix):
                status = want
        yield status, line


def take(out, page):
    os.makedirs(out, exist_ok=True)
    notes, block, indent, lang, n = [], None, 0, "", 0
    for line in open(page, encoding="utf-8"):
        fence = re.match(r"^( *)```(\w*)", line)
        if block is None and fence:
            block, indent, lang = [], len(fence.group(1)), fence.group(2)
        elif block is None:
            note = re.match(r"^ *<!-- test: (.*) -->$", line)
            if note:
                notes.append(note.group(1))
            elif line.strip():
                notes = []
                if re.match(r"^    +(sudo|systemctl|gcloud|make|tpucost) ", line):
                    sys.exit(f"{page}: a command that is not fenced: {line}")
        elif fence:
            n += 1
            text = "".join(block)
            if lang in ("sh", ""):
                with open(f"{out}/{n:03}.run", "w", encoding="utf-8") as f:
                    for status, command in commands(lang, text, notes):
                        f.write(f"{status}\t{command}\n")
            elif lang == "yaml" and not re.search(r"^(steps|start):", text, re.M) \
                    and not any(x.startswith("skip ") for x in notes):
                with open(f"{out}/{n:03}.conf", "w", encoding="utf-8") as f:
                    f.write(text)
            block, notes = None, []
        else:
            block.append(line[indent:] if line.strip() else line)
    if block is not None:
        sys.exit(f"{page}: a block does not end")


def main():
    out, root = sys.argv[1:3]
    for page in sys.argv[3:]:
        take(f"{out}/{page}", f"{root}/{page}")


main()
