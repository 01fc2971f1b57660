"""Measures OpenAI's tiktoken for Python: peer.py [first ENCODING]. The protocol is that of package line."""

import array
import struct
import sys
import time

import tiktoken

SAMPLE = "Hello, world! How many tokens is this?"
opened = {}
texts = {}


def measure(run, text, millis):
    if millis > 0:
        run(text)
    start = time.process_time_ns()
    passes = 0
    while True:
        tokens = len(run(text))
        passes += 1
        used = time.process_time_ns() - start
        if used >= millis * 1_000_000:
            return ["ok", tokens, used // passes, passes]


def open_encoding(name):
    opened[name] = tiktoken.get_encoding(name)
    opened[name].encode_ordinary(SAMPLE)
    return ["ok"]


def load(name, path):
    with open(path, encoding="utf-8", newline="") as f:
        texts[name] = f.read()
    return ["ok"]


def count(encoding, name, millis):
    return measure(opened[encoding].encode_ordinary, texts[name], int(millis))


def ids(encoding, source, target):
    with open(source, "rb") as f:
        batch = f.read()
    at, n = 0, 0
    with open(target, "wb") as out:
        while at < len(batch):
            (size,) = struct.unpack_from("<I", batch, at)
            found = opened[encoding].encode_ordinary(batch[at + 4 : at + 4 + size].decode("utf-8"))
            out.write(struct.pack("<I", len(found)) + array.array("I", found).tobytes())
            at, n = at + 4 + size, n + 1
    return ["ok", n]


COMMANDS = {"open": open_encoding, "load": load, "count": count, "encode": count, "ids": ids}


def main():
    if sys.argv[1:2] == ["first"]:
        tokens = len(tiktoken.get_encoding(sys.argv[2]).encode_ordinary(SAMPLE))
        print("ok", tokens, time.process_time_ns(), sep="\t", flush=True)
        return
    for line in sys.stdin:
        command, *args = line.rstrip("\n").split("\t")
        try:
            answer = COMMANDS[command](*args)
        except Exception as error:
            answer = ["error", repr(error)]
        print(*answer, sep="\t", flush=True)


main()
