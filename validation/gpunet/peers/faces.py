#!/usr/bin/env python3
"""Clients of the face server, and memcached, as ordinary programs; the server's answers held against a CPU.

usage: faces.py PROGRAM [--requests N] [--pictures N] [--memcached FILE] [-- OPTION ...]

PROGRAM is peerpath-gpunet; the options after -- go to it. Photographs are made from seeds and put into memcached. Two
clients at a time send pictures: the claimed person's with noise, another's, and those of unknown people. On the way one
further client is killed in mid-message, and memcached is restarted. Exit 1 if an answer differs or is missing, 77 if
there is no memcached.
"""

import argparse
import multiprocessing
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

import local_binary_patterns as lbp

PEOPLE = 12


def face(seed, noise=0):
    """Smooth blobs that differ from person to person."""
    rng = random.Random(seed)
    blobs = [(rng.randrange(64), rng.randrange(64), rng.randrange(6, 24), rng.randrange(40, 160)) for _ in range(9)]
    own = random.Random(noise)
    picture = bytearray()
    for y in range(64):
        for x in range(64):
            light = 40 + sum(max(0, power - power * ((x - bx) ** 2 + (y - by) ** 2) // (size * size))
                             for bx, by, size, power in blobs) // 3
            picture.append(min(255, max(0, light + (own.randrange(-1, 2) if noise else 0))))
    return bytes(picture)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def connect(port, seconds=20):
    end = time.time() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            if time.time() > end:
                raise
            time.sleep(0.05)


def receive(connection, size):
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise ConnectionError("closed")
        data += more
    return data


def start_memcached(program, port, photographs):
    user = ["-u", "nobody"] if os.geteuid() == 0 else []
    process = subprocess.Popen([program, "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-m", "64", *user])
    with connect(port) as c:
        for person, photograph in enumerate(photographs):
            c.sendall(b"set face%08x 0 0 %d\r\n" % (person, len(photograph)) + photograph + b"\r\n")
            assert receive(c, 8) == b"STORED\r\n"
    return process


def client(port, requests, seed, results):
    """Knows nothing of GPUs: a connection, pictures there, answers back."""
    rng, wrong, done = random.Random(seed), 0, 0
    with connect(port) as c:
        for _ in range(requests):
            person, picture, expected = rng.choice(CASES)
            c.sendall(struct.pack("<I", person) + picture)
            done += 1
            wrong += struct.unpack("<II", receive(c, 8)) != expected
    results.put((done, wrong))


def make_cases(photographs, pictures):
    known = [lbp.histogram(p) for p in photographs]
    rng, cases = random.Random(0), []
    for n in range(pictures):
        shown = rng.randrange(PEOPLE)
        picture = face(shown, noise=n + 1)
        claimed = shown if n % 2 else rng.randrange(PEOPLE + 2)
        if claimed >= PEOPLE:
            cases.append((claimed, picture, (2, 0)))
            continue
        distance = lbp.distance(lbp.histogram(picture), known[claimed])
        cases.append((claimed, picture, (int(distance <= lbp.THRESHOLD), distance)))
    return cases


def main():
    global CASES
    own, given = sys.argv[1:], []
    if "--" in own:
        own, given = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--pictures", type=int, default=48)
    parser.add_argument("--memcached", default="memcached")
    options = parser.parse_args(own)
    if not shutil.which(options.memcached):
        print(f"waived: no {options.memcached}")
        return 77
    photographs = [face(person) for person in range(PEOPLE)]
    CASES = make_cases(photographs, options.pictures)
    database_port, port = free_port(), free_port()
    database = start_memcached(options.memcached, database_port, photographs)
    server = subprocess.Popen([options.program, *given, "--blocks", "4", "--tcp", str(port), "--memcached",
                               str(database_port), "--seconds", "300", "serve-faces"])
    results = multiprocessing.Queue()
    done = wrong = 0
    start = time.time()
    try:
        for half in range(2):
            clients = [multiprocessing.Process(target=client, args=(port, options.requests // 4, 10 * half + n, results))
                       for n in range(2)]
            for c in clients:
                c.start()
            with connect(port) as killed:
                killed.sendall(b"\0" * 1000)  # and no more of its request
            for c in clients:
                c.join(60)
                if c.is_alive():
                    print("the server answers no more")
                    return 1
            for _ in clients:
                answered, differ = results.get(timeout=10)
                done, wrong = done + answered, wrong + differ
            if half == 0:
                database.send_signal(signal.SIGKILL)
                database.wait()
                database = start_memcached(options.memcached, database_port, photographs)
    finally:
        for client_left in multiprocessing.active_children():
            client_left.kill()
        for child in (server, database):
            child.kill()
            child.wait()
    kinds = sorted({expected[0] for _, _, expected in CASES})
    print(f"{done} answers, {wrong} differ, {time.time() - start:.1f} s, verdicts seen: {kinds}")
    return 0 if done == options.requests // 4 * 4 and wrong == 0 and kinds == [0, 1, 2] else 1


if __name__ == "__main__":
    sys.exit(main())
