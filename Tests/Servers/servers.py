"""Redis, servers that share it, and HAProxy before them, on one machine. Python's standard library, on Linux.

`start`, `run` and `figures` are made of it, and `Tests/Kill/run` has its Redis from here.
"""
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 120.0  # s: only against hanging


class Broken(Exception):
    """Something that must not happen."""


def free_ports(count):
    """Below those that the system gives to outgoing connections, which could take that of a server that was ended."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        first = int(file.read().split()[0])
    ports = []
    while len(ports) < count:
        port = random.SystemRandom().randrange(max(first - 20_000, 1_100), first)
        with socket.socket() as attempt:
            try:
                attempt.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in ports:
            ports.append(port)
    return ports


class Process:
    """A program that writes to a log of its own."""

    def __init__(self, name, folder):
        self.name, self.folder, self.process = name, folder, None
        self.log = os.path.join(folder, name + ".log")

    def begin(self, *command):
        # What it wrote in earlier lives stays.
        self.start_of_log = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                # Daemons are not in every user's path.
                env=dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin", SWIFT_BACKTRACE="enable=no"))
        return self

    def words(self):
        """What it wrote in this life."""
        with open(self.log, "rb") as log:
            log.seek(self.start_of_log)
            return log.read().decode(errors="replace")

    def wait_ready(self, is_ready):
        deadline = time.monotonic() + LIMIT
        while not is_ready():
            if self.process.poll() is not None:
                raise Broken(f"{self.name} ended with {self.process.returncode}: {self.words()}")
            if time.monotonic() > deadline:
                raise Broken(f"{self.name} doesn't begin: {self.words()}")
            time.sleep(0.002)

    def send(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        """Returns its status."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.send(number)
            # A stopped one takes no signal but these.
            self.send(signal.SIGCONT)
        try:
            return self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Broken(f"{self.name} doesn't end: {self.words()}") from None


class Redis(Process):
    """A redis-server with an append-only file, on a Unix socket."""

    def __init__(self, folder):
        super().__init__("redis", folder)
        self.kills = 0
        self.socket = os.path.join(folder, "redis")
        try:
            self.begin()
        except BaseException:
            # Nobody has it yet who would end it.
            self.end()
            raise

    def begin(self):
        super().begin(
            "redis-server", "--port", "0", "--unixsocket", self.socket, "--dir", self.folder, "--save", "",
            "--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction")
        self.wait_ready(lambda: "eady to accept connections" in self.words())

    def kill(self):
        self.end(signal.SIGKILL)
        self.kills += 1


class Server(Process):
    """One of the servers. Another life of it has the same addresses."""

    def __init__(self, name, folder, program, redis, port, lease, more=()):
        super().__init__(name, folder)
        self.address = f"127.0.0.1:{port}"
        self.command = [program, "--tcp", self.address, "--store", "unix://" + redis.socket]
        help = subprocess.run([program, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
        if "--lease" in help:
            self.command += ["--lease", f"{lease:g}"]
        if "--advertise" in help:
            self.command += ["--advertise", self.address]
        self.command += more

    def begin(self):
        return super().begin(*self.command)

    def wait_ready(self):
        super().wait_ready(lambda: "listening on" in self.words())
        return self


class HAProxy(Process):
    """The balancer, with the configuration of the article at these addresses."""

    def __init__(self, folder, servers):
        super().__init__("haproxy", folder)
        web, tcp = free_ports(2)
        self.web, self.tcp = f"127.0.0.1:{web}", f"127.0.0.1:{tcp}"
        names = [server.name for server in servers]
        places = {
            "/run/haproxy/admin.sock": os.path.join(folder, "haproxy"), "127.0.0.1:8080": self.web, "127.0.0.1:7350": self.tcp,
            **{f"127.0.0.1:{7351 + index}": server.address for index, server in enumerate(servers)}}
        with open(os.path.join(HERE, "haproxy.cfg"), encoding="utf-8") as file:
            # Where there are fewer servers than it names.
            lines = [line for line in file if not line.startswith("    server ") or line.split()[1] in names]
        text = re.sub("|".join(map(re.escape, places)), lambda found: places[found[0]], "".join(lines))
        with open(os.path.join(folder, "haproxy.cfg"), "w", encoding="utf-8") as file:
            file.write(text)

    def begin(self):
        super().begin("haproxy", "-W", "-f", os.path.join(self.folder, "haproxy.cfg"))
        self.wait_ready(lambda: self._listens(self.web) and self._listens(self.tcp))
        return self

    @staticmethod
    def _listens(address):
        host, port = address.split(":")
        with socket.socket() as attempt:
            return attempt.connect_ex((host, int(port))) == 0

    def reload(self):
        """As `systemctl reload haproxy` does."""
        self.send(signal.SIGUSR2)


class Servers:
    """All of them, or without a balancer. In a `with`, at whose end they are ended."""

    def __init__(self, program, count=3, lease=10.0, more=(), balanced=True):
        self.program, self.count, self.lease, self.more, self.balanced = program, count, lease, more, balanced
        self.folder = tempfile.mkdtemp(prefix="vms-servers-")
        self.redis, self.servers, self.haproxy = None, [], None

    def __enter__(self):
        try:
            self.redis = Redis(self.folder)
            for name, port in zip("abc", free_ports(self.count)):
                server = Server(name, self.folder, self.program, self.redis, port, self.lease, self.more)
                self.servers.append(server)
                server.begin()
            for server in self.servers:
                server.wait_ready()
            if self.balanced:
                self.haproxy = HAProxy(self.folder, self.servers).begin()
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        # The servers first: they store what is left, and tell their clients.
        for server in self.servers:
            if server.process:
                server.send(signal.SIGTERM)
        for process in [*self.servers, self.haproxy, self.redis]:
            if process:
                process.end()
        shutil.rmtree(self.folder, ignore_errors=True)
