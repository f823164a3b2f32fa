"""Keeps a Jupyter in a job: on a UNIX socket, with a token in a file, until nobody has used it for a while."""

import fcntl
import http.client
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PLACE, SERVER, IDLE = sys.argv[1], sys.argv[2], float(sys.argv[3])
# Seconds.
START, LOOK, GRACE = 300, min(30.0, max(1.0, IDLE / 10)), 10
MOST_FILES = 20000
TOKEN = secrets.token_hex(24)
# Paths of sockets have 107 bytes.
SHORT = tempfile.mkdtemp(prefix="notebook-", dir="/tmp")
SOCKET = SHORT + "/server"
FOLDER = os.getcwd()


class Local(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(SOCKET)


def write(name, text):
    """A file for its user alone, whole or not there."""
    path = os.path.join(PLACE, name)
    with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    os.rename(path + ".new", path)
    return path


def ask(path):
    line = Local("localhost", timeout=10)
    try:
        line.request("GET", path, headers={"Authorization": "token " + TOKEN})
        answer = line.getresponse()
        body = answer.read()
        return json.loads(body.decode()) if answer.status == 200 else None
    finally:
        line.close()


def newest():
    """Number of files and the latest change among them, hidden ones apart."""
    count, latest, folders = 0, 0.0, [FOLDER]
    while folders and count < MOST_FILES:
        try:
            with os.scandir(folders.pop()) as found:
                for each in found:
                    if each.name.startswith("."):
                        continue
                    count += 1
                    latest = max(latest, each.stat(follow_symlinks=False).st_ctime)
                    if each.is_dir(follow_symlinks=False):
                        folders.append(each.path)
        except OSError:
            continue
    return count, latest


def signs():
    """Whatever somebody does changes this; None while a cell runs, or nobody knows."""
    try:
        kernels = ask("/api/kernels?no_track_activity=1")
        terminals = ask("/api/terminals?no_track_activity=1") or []
    except (OSError, http.client.HTTPException, ValueError):
        return None
    if kernels is None or any(each.get("execution_state") == "busy" for each in kernels):
        return None
    return (
        sorted((each["id"], each.get("last_activity")) for each in kernels),
        sorted((each["name"], each.get("last_activity") or "") for each in terminals),
        newest(),
    )


def last_lines():
    with open(os.path.join(PLACE, "log"), errors="replace") as log:
        return log.read()[-4000:].replace(TOKEN, "...")


def start(token):
    command = [
        SERVER,
        "--no-browser",
        "--sock=" + SOCKET,
        "--sock-mode=0600",
        "--KernelManager.transport=ipc",
        "--FileCheckpoints.checkpoint_dir=" + SHORT + "/checkpoints",
    ]
    if os.getuid() == 0:
        command.append("--allow-root")
    environment = dict(os.environ, JUPYTER_TOKEN_FILE=token, JUPYTER_RUNTIME_DIR=SHORT)
    environment.pop("JUPYTER_TOKEN", None)
    log = os.open(os.path.join(PLACE, "log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
    os.close(log)
    return server


def answers(server):
    end = time.monotonic() + START
    while server.poll() is None and time.monotonic() < end:
        try:
            if os.path.exists(SOCKET) and ask("/api") is not None:
                return True
        except (OSError, http.client.HTTPException, ValueError):
            pass
        time.sleep(0.1)
    return False


def stop(server):
    server.terminate()
    try:
        server.wait(GRACE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def keep(server):
    """Until it ends, or is idle. The exit code, and why."""
    before, since = None, time.monotonic()
    while True:
        try:
            code = server.wait(LOOK)
            return (code, "Jupyter was shut down") if code == 0 else (code, "Jupyter ended with %d" % code)
        except subprocess.TimeoutExpired:
            now = signs()
        if now is None or now != before:
            before, since = now, time.monotonic()
        elif time.monotonic() - since > IDLE:
            stop(server)
            return 0, "nobody used it for %d s" % IDLE


def main():
    lock = open(os.path.join(PLACE, "lock"), "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    server = start(write("token", TOKEN))

    def ended(number, frame):
        stop(server)
        shutil.rmtree(SHORT, ignore_errors=True)
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, ended)
    try:
        if not answers(server):
            stop(server)
            sys.stderr.write("%s does not answer on a UNIX socket, which Jupyter Notebook from 6.2 on and Jupyter Server do\n%s"
                             % (SERVER, last_lines()))
            return 1
        write("link", "%s\n%s\n%d\n" % (SOCKET, TOKEN, IDLE))
        code, why = keep(server)
        write("end", why + "\n")
        sys.stderr.write("spillway: " + why + "\n" + ("" if code == 0 else last_lines()))
        return code if 0 <= code < 256 else 1
    finally:
        shutil.rmtree(SHORT, ignore_errors=True)


sys.exit(main())
