#!/usr/bin/env python3
"""A rank that computes and checkpoints as LU.C.64 does.

Usage: rank.py RANK CHECKPOINTS BYTES BEGIN EVERY
It computes up to BEGIN, by the monotonic clock, and again for each checkpoint EVERY seconds later. A line for each one:
how long it took from when it was due to the last close, and how much the rank computed before.
"""

import os
import sys
import time

# So many writes, which are so many KiB together.
WRITES = [(496, 9), (100, 360), (356, 2670), (7, 180), (5, 890), (2, 840), (6, 4165), (2, 14383)]


def lengths(total):
    """LU's writes, again and again."""
    left = total
    while True:
        for count, kib in WRITES:
            for _ in range(count):
                length = min(left, (kib << 10) // count)
                if not length:
                    return
                yield length
                left -= length


def main():
    rank, checkpoints, total = (int(word) for word in sys.argv[1:4])
    begin, every = (float(word) for word in sys.argv[4:6])
    content = memoryview(os.urandom(1 << 20) * (total // (1 << 20) + 1))
    writes = list(lengths(total))
    for number in range(1, checkpoints + 1):
        due = begin + (number - 1) * every
        computed = 0
        while time.monotonic() < due:
            computed += 1
        file = os.open("ckpt-%d.%d" % (number, rank), os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o666)
        at = 0
        for length in writes:
            os.write(file, content[at:at + length])
            at += length
        os.close(file)
        print(time.monotonic() - due, computed, flush=True)


main()
