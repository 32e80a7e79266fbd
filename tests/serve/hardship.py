#!/usr/bin/env python3
"""What a server has to bear, on loopback and bounded: slow clients, requests that are none, kill -9, releases that are
replaced under load, and (with wrk) ten minutes at half of what it can do.

    hardship.py STOPOVER slow                     1,000 clients that never finish their request; others are served
    hardship.py STOPOVER malformed [REQUESTS]     requests that are none, or whose question is none (20,000)
    hardship.py STOPOVER kill [TIMES]             kill -9 under load, start again on the same port (3)
    hardship.py STOPOVER swap [TIMES]             releases that change places under load (6)
    hardship.py STOPOVER tiles [TIMES]            a basemap that is replaced or written over under load (6)
    hardship.py STOPOVER soak [SECONDS] [RATE]    needs wrk; RATE answers per second (half of what a short run reaches)

Several names may follow each other. Each part prints what it saw and ends with exit code 1 where a promise is broken.
"""
import collections
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 600  # seconds: as long as a very busy machine may take for anything
QUESTION = json.dumps({"where": {"origin": {"box": [[0, 400], [100, 900]]},
                                 "destination": {"box": [[300, 700], [0, 1000]]}}})


def check(holds, words):
    if not holds:
        print("BROKEN: " + words, flush=True)
        sys.exit(1)


def wait_until(holds, words):
    limit = time.monotonic() + PATIENCE
    while not holds():
        check(time.monotonic() < limit, words)
        time.sleep(0.01)


class Server:
    """`stopover serve` on a free port, or on one it had before."""

    started = []

    def __init__(self, program, releases, port=0):
        self.process = subprocess.Popen([program, "serve", *releases, "--port", str(port), "--json", "--log", "none",
                                         "--threads", "2"],
                                        stdout=subprocess.PIPE, text=True)
        Server.started.append(self.process)
        line = self.process.stdout.readline()
        check(line.startswith("{"), "the server does not start")
        self.url = json.loads(line)["url"]
        self.port = int(self.url.rstrip("/").rsplit(":", 1)[1])

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024

    def alive(self):
        return self.process.poll() is None

    def healthy(self):
        status, _ = self.get("/health")
        return status == 200

    def get(self, path):
        return self.request("GET", path)

    def request(self, method, path, body=None, headers={}):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


class Asking(threading.Thread):
    """One question over and over on a connection that is kept; every body that came, and how often."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.done = port, threading.Event()
        self.bodies, self.statuses, self.broken = {}, {}, 0

    def run(self):
        connection = None
        while not self.done.is_set():
            try:
                if connection is None:
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
                connection.request("POST", "/api/query", QUESTION, {"Content-Type": "application/json"})
                reply = connection.getresponse()
                body = reply.read()
                self.statuses[reply.status] = self.statuses.get(reply.status, 0) + 1
                self.bodies[body] = self.bodies.get(body, 0) + 1
            except (OSError, http.client.HTTPException):
                self.broken += 1
                if connection:
                    connection.close()
                connection = None
                time.sleep(0.01)


def ask_all(port, clients=4):
    threads = [Asking(port) for _ in range(clients)]
    for thread in threads:
        thread.start()
    return threads


def some_answers(threads):
    """Waits until every thread has two more: the second was asked for after this call."""
    for thread in threads:
        enough = sum(thread.statuses.values()) + 2
        wait_until(lambda: sum(list(thread.statuses.values())) >= enough, "the server answers no more")


def end(threads):
    bodies, statuses = {}, {}
    for thread in threads:
        thread.done.set()
    for thread in threads:
        thread.join()
        for body, n in thread.bodies.items():
            bodies[body] = bodies.get(body, 0) + n
        for status, n in thread.statuses.items():
            statuses[status] = statuses.get(status, 0) + n
    return bodies, statuses


def publish(program, folder, name, trips, seed):
    run = lambda *a: subprocess.run([program, *a], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
    run("generate", "city", "--stops", "2", "--n", str(trips), "--grid", "1000", "--seed", str(seed), "-o",
        f"{name}.parquet")
    run("publish", "--matrix", f"{name}.parquet", "--shape", "1000x1000x1000x1000", "--stops", "origin,destination",
        "--bbox=-0.1,-0.1,0.1,0.1",
        "--epsilon", "0.35", "--mechanism", "anchor", "--ledger", f"{name}.ledger", "--budget", "1", "-o",
        f"{name}.odr")
    return os.path.join(folder, f"{name}.odr")


def hangs(client):
    """Whether the server still waits for this client."""
    client.setblocking(False)
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        client.settimeout(PATIENCE)


def slow(program, folder, release):
    server = Server(program, [release])
    clients = []
    for i in range(1000):
        client = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        client.sendall(b"POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 400\r\n" + (b"\r\n{" if i % 2 else b""))
        clients.append(client)
    took = []
    for _ in range(50):
        for client in random.sample(clients, 50):  # a byte now and then
            try:
                client.send(b" ")
            except OSError:
                pass
        at = time.monotonic()
        check(server.get("/health")[0] == 200, "health beside slow clients")
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("POST", "/api/query", QUESTION, {"Content-Type": "application/json"})
        check(connection.getresponse().status == 200, "an answer beside slow clients")
        connection.close()
        took.append((time.monotonic() - at) / 2)
        if len(took) == 1:
            check(any(hangs(client) for client in clients), "others wait until the slow clients are let go")
    took.sort()
    print(f"slow: 1,000 clients hang; {2 * len(took)} others were served, median {1e3 * took[len(took) // 2]:.1f} ms, slowest {1e3 * took[-1]:.0f} ms")
    for client in clients:
        client.close()
    check(server.kill(signal.SIGTERM) == 0, "the server does not stop when told to")


def broken_requests(random_, count):
    """Requests that are framed well and ask nonsense, one after the other, and last one that is not framed at all."""
    noise = lambda n: bytes(random_.getrandbits(8) for _ in range(n))
    out = []
    for _ in range(count - 1):
        kind = random_.randrange(6)
        body = bytearray(QUESTION.encode())
        if kind == 0:
            for _ in range(1 + random_.randrange(4)):
                body[random_.randrange(len(body))] = random_.getrandbits(8)
        elif kind == 1:
            body = bytearray(noise(random_.randrange(200)))
        elif kind == 2:
            body = body[: random_.randrange(len(body))]
        elif kind == 3:
            body = bytearray(b"[" * random_.randrange(2000))
        elif kind == 4:
            body = bytearray(b'{"where":{"origin":{"circle":[1e999,-0,%d]}}}' % random_.randrange(10**9))
        target = random_.choice([b"/api/query", b"/api/query?release=%00", b"/api/query?x", b"/../../etc/passwd",
                                 b"/%2e%2e/", b"/health", b"/api/releases", b"//"])
        method = random_.choice([b"POST", b"POST", b"POST", b"GET"])
        kind_of = random_.choice([b"application/json", b"application/json", b"text/plain",
                                  noise(8).replace(b"\r", b"").replace(b"\n", b"")])
        if method == b"GET":
            body = bytearray()
        out.append(method + b" " + target + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + kind_of +
                   b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n" + bytes(body))
    last = random_.choice([
        noise(60) + b"\r\n\r\n", b"POST /api/query HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: " + b"x" * 20000 + b"\r\n\r\n",
        b"POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST /api/query HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        b"POST /api/query HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"BREW / HTTP/1.1\r\n\r\n", b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n: \r\n \r\n\r\n",
        b"POST /api/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{",
    ])
    return out + [last]


def malformed(program, folder, release, requests="20000"):
    server = Server(program, [release])
    total, each = int(requests), 20
    sent, replies, server_errors = [0, 0], [0, 0], [0, 0]
    before = server.memory()

    def storm(number):
        random_ = random.Random(number)
        while sum(sent) < total:
            data = b"".join(broken_requests(random_, each))
            try:
                with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as client:
                    client.sendall(data)
                    text = b""
                    # What is not framed may have no reply: whoever sent it hangs up.
                    while text.count(b"HTTP/1.1 ") < each - 1 and (part := client.recv(1 << 16)):
                        text += part
            except OSError:
                text = b""
            sent[number] += each
            replies[number] += text.count(b"HTTP/1.1 ")
            server_errors[number] += len(re.findall(rb"HTTP/1\.1 5(?!01)", text))

    begin = time.monotonic()
    threads = [threading.Thread(target=storm, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"malformed: {sum(sent):,} requests in {time.monotonic() - begin:.0f} s, {sum(replies):,} replies, {sum(server_errors)} server errors, "
          f"memory {before:.0f} to {server.memory():.0f} MB")
    check(server.alive() and server.healthy(), "malformed requests end the server")
    check(sum(server_errors) == 0, "a malformed request is no error of the server")
    check(sum(replies) > sum(sent) / 2, "requests that are framed well are replied to")
    check(server.memory() < before + 60, "malformed requests leave memory behind")
    check(server.kill(signal.SIGTERM) == 0, "the server does not stop when told to")


def kill(program, folder, release, times="3"):
    server = Server(program, [release])
    port, slowest = server.port, 0.0
    threads = ask_all(port)
    for _ in range(int(times)):
        some_answers(threads)
        check(server.alive(), "the server ends by itself")
        server.kill()
        begin = time.monotonic()
        server = Server(program, [release], port)
        check(server.healthy(), "the server is well after kill -9")
        slowest = max(slowest, time.monotonic() - begin)
    some_answers(threads)
    bodies, statuses = end(threads)
    print(f"kill: {times} times kill -9 under load; at most {slowest:.2f} s from the kill to the next reply; {sum(bodies.values()):,} answers, {len(bodies)} different")
    check(len(bodies) == 1 and set(statuses) == {200}, "the same question has the same answer after every start")
    check(server.kill(signal.SIGTERM) == 0, "the server does not stop when told to")


def swap(program, folder, release, times="6"):
    other = publish(program, folder, "other", 100000, 8)
    shown = os.path.join(folder, "shown.odr")
    shutil.copytree(release, shown)
    server = Server(program, [shown])
    spec = os.path.join(folder, "question.json")
    with open(spec, "w") as file:
        file.write(QUESTION)
    wanted = {source: json.loads(subprocess.run([program, "query", source, "--spec", spec, "--json"],
                                                capture_output=True, text=True, check=True).stdout)["estimate"]
              for source in (release, other)}

    def taken_up(source):
        """Waits for the release: under load, and slowed down by a sanitizer, reading it takes its time."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            if json.loads(server.request("POST", "/api/query", QUESTION,
                                         {"Content-Type": "application/json"})[1])["answer"]["estimate"] == wanted[source]:
                return True
            time.sleep(0.05)
        return False

    threads = ask_all(server.port)
    for turn in range(int(times)):
        time.sleep(1.7)
        some_answers(threads)
        source = other if turn % 2 == 0 else release
        fresh = os.path.join(folder, f"fresh{turn}.odr")
        shutil.copytree(source, fresh)
        os.rename(shown, os.path.join(folder, f"old{turn}.odr"))
        os.rename(fresh, shown)
        # Those between may be replaced before they are read.
        check(turn not in (0, int(times) - 1) or taken_up(source), "a release that was put in place is served")
    some_answers(threads)
    bodies, statuses = end(threads)
    answers = sorted(json.loads(body)["answer"]["estimate"] for body in bodies)
    print(f"swap: {times} times replaced under load; {sum(bodies.values()):,} answers, {len(bodies)} different: {', '.join(f'{n:,}' for n in bodies.values())}")
    check(set(statuses) == {200}, "every question is answered while releases change")
    check(len(bodies) == 2 and answers == sorted(wanted.values()),
          "every answer belongs wholly to the old release or the new one")
    check(len({json.loads(body)["content_sha256"] for body in bodies}) == 2,
          "every answer says which release it is from")
    check(server.kill(signal.SIGTERM) == 0, "the server does not stop when told to")


def tiles(program, folder, release, times="6"):
    """A basemap that is replaced, in turn by another file and by writing over it: all bytes of file number n are n."""
    size, path = 3_000_000, os.path.join(folder, "map.pmtiles")

    def archive(number):
        parts = b"".join(struct.pack("<QQ", *part) for part in ((127, 20), (147, 10), (157, 0), (157, size - 157)))
        return b"PMTiles\x03" + parts + bytes(24) + bytes([1, 2, 2, 1, 0,
                                                           14]) + bytes(25) + bytes([number]) * (size - 127)

    def write(number, where):
        with open(where, "wb") as file:
            file.write(archive(number))

    write(1, path)
    server = Server(program, [release, "--basemap", path])
    done, seen, mixed, statuses = threading.Event(), {}, [], collections.Counter()

    def ask(first):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        while not done.is_set():
            connection.request("GET", "/basemap.pmtiles", headers={"Range": f"bytes={first}-{first + 999_999}"})
            reply = connection.getresponse()
            body, tag = reply.read(), reply.headers["ETag"]
            statuses[reply.status] += 1
            if reply.status == 206:
                seen.setdefault(tag, set()).add(body[0])
                if body != body[:1] * 1_000_000:
                    mixed.append(tag)

    threads = [threading.Thread(target=ask, args=(first,)) for first in (127, 1_000_000, 2_000_000)]
    for thread in threads:
        thread.start()

    def handed_out(number):
        """Waits for the file: the server takes one up once it has been left alone for a while."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit and not any(number in numbers for numbers in list(seen.values())):
            time.sleep(0.05)

    for turn in range(int(times)):
        handed_out(turn + 1)
        time.sleep(0.3)
        if turn % 2 == 0:
            write(turn + 2, path + ".new")
            os.rename(path + ".new", path)
        else:
            write(turn + 2, path)
    handed_out(int(times) + 1)
    done.set()
    for thread in threads:
        thread.join()
    print(f"tiles: {times} times replaced under load; {statuses[206]:,} parts of {len(seen)} files, {statuses[412]:,} refused while one was written over")
    check(not mixed and all(len(numbers) == 1 for numbers in seen.values()),
          "every part belongs wholly to the file that its tag names")
    check(set(statuses) <= {206, 412} and len({n for numbers in seen.values() for n in numbers}) == int(times) + 1,
          "every file is handed out")
    check(server.healthy() and server.kill(signal.SIGTERM) == 0, "the server does not stop when told to")


def soak(program, folder, release, seconds="600", rate="0"):
    server = Server(program, [release])
    script = os.path.join(HERE, "..", "..", "bench", "serve.lua")

    def wrk(length, connections, delay):
        out = subprocess.run(["wrk", "-t", "2", "-c", str(connections), "-d", f"{length}s", "--timeout", "200s", "-s",
                              script, server.url, "--", "20000", "1000", str(delay)],
                             capture_output=True, text=True, check=True).stdout
        line = next(text for text in out.splitlines() if text.startswith("serve:"))
        return line, float(re.search(r"([\d.]+) answers/s", line).group(1)), [int(n)
                                                                              for n in re.search(r"(\d+) not 2xx, (\d+) connections lost", line).groups()]

    goal = float(rate) or wrk(10, 16, 0)[1] / 2
    memories, pauses, done = [], [], threading.Event()

    def watch():
        # A machine that sleeps, or a terminal that stops its jobs, outlasts the server's patience with idle
        # connections.
        step, last = float(seconds) / 60, time.monotonic()
        while not done.wait(step):
            memories.append(server.memory())
            if time.monotonic() - last > step + 10:
                pauses.append(time.monotonic() - last - step)
            last = time.monotonic()

    watcher = threading.Thread(target=watch)
    watcher.start()
    # 64 connections, each of which waits between its questions.
    line, reached, (refused, lost) = wrk(int(seconds), 64, 64e3 / goal)
    done.set()
    watcher.join()
    first, last = memories[len(memories) // 6], max(memories[len(memories) // 2:])
    print(f"soak: {seconds} s, wanted {goal:.0f}/s; {line[7:]}; memory {first:.1f} MB after a sixth, at most {last:.1f} MB in the second half"
          + (f"; stopped {len(pauses)} times from outside, {max(pauses):.0f} s at most" if pauses else ""))
    check(refused == 0, "a question of the soak was not answered")
    check(lost <= 64 * len(pauses), "the server gave up connections in the soak")
    check(reached > 0.3 * goal, "the soak is far from its rate")
    check(last < first + 8, "memory grows")
    check(server.kill(signal.SIGTERM) == 0, "the server does not stop when told to")


PARTS = {"slow": slow, "malformed": malformed, "kill": kill, "swap": swap, "tiles": tiles, "soak": soak}


def main():
    program, rest = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="stopover-serve-") as folder:
        release = publish(program, folder, "city", 300000, 7)
        while rest:
            name, rest = rest[0], rest[1:]
            arguments = []
            while rest and rest[0] not in PARTS:
                arguments, rest = arguments + [rest[0]], rest[1:]
            try:
                PARTS[name](program, folder, release, *arguments)
            finally:
                for process in Server.started:
                    if process.poll() is None:
                        process.kill()
    print("serve: everything held")


if __name__ == "__main__":
    main()
