"""A random program of checkpoints, as its seed says, and who looks at the store at each moment.

newest.py program SEED CAPTURE RECORD RANKS FILES KEEP  writes checkpoints by RANKS processes
newest.py rank                                   is one of them
newest.py look STORE RECORD PID                  until PID has ended: what the newest has been never gets older
newest.py last STORE RECORD                      the newest is what the program closed last

Each checkpoint has a number of bytes of its own. So the manifest tells which of the program's it is, and that it is
whole. RECORD has a line for each before its first file is opened, and another once all are closed.
"""
import glob
import json
import os
import random
import subprocess
import sys
import time


def write(path, length, first, synced):
    name = {'same': path, 'part': path + '.part', 'outside': path.replace('ckpt-', 'part.')}[first]
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    while length > 0:
        length -= os.write(descriptor, b'x' * min(length, 1 << 16))
    if synced:
        os.fsync(descriptor)
    os.close(descriptor)
    if name != path:
        os.rename(name, path)


def rank():
    for line in sys.stdin:
        what, *rest = line.split()
        if what == 'write':
            path, length, first, synced = rest
            write(path, int(length), first, synced == 'True')
        elif what == 'read':
            try:
                open(rest[0], 'rb').read()
            except OSError:
                pass  # it is not kept any more
        elif what == 'remove':
            try:
                os.unlink(rest[0])
            except OSError:
                pass
        elif what == 'done':
            print('done', flush=True)


class Program:
    def __init__(self, seed, capture, record, ranks, files, keep):
        self.dice = random.Random(seed)
        self.capture = capture
        self.record = open(record, 'a', buffering=1)
        self.files = files
        self.keep = keep
        self.begun = 0
        self.written = set()
        self.overwrites = random.Random(f'overwrites {seed}').random() < 0.5
        self.ranks = [subprocess.Popen(
            [sys.executable, __file__, 'rank'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, 'SLUICE_RANK': str(rank), 'SLUICE_RANKS': str(ranks)}) for rank in range(ranks)]

    def tell(self, rank, *words):
        rank.stdin.write(' '.join(map(str, words)) + '\n')

    def all_done(self):
        for rank in self.ranks:
            self.tell(rank, 'done')
            rank.stdin.flush()
        for rank in self.ranks:
            assert rank.stdout.readline() == 'done\n'

    def path(self, number, rank, file):
        return f'{self.capture}/ckpt-{number}.{rank}.{file}'

    def checkpoint(self, number):
        self.begun += 1
        lengths = [[self.dice.choice((0, 1, 3, 40)) * 1000 for _ in range(self.files)] for _ in self.ranks]
        lengths[0][0] += self.begun  # no other has as many bytes, modulo 1000
        if self.overwrites:  # no empty ones: to write such a file once more is no sign of another round
            lengths = [[length or 2000 for length in its] for its in lengths]
        total = sum(map(sum, lengths))
        self.record.write(f'begun {number} {total}\n')
        if number in self.written and not self.overwrites:  # what it gave up goes first, so that no file of before is left among the new ones
            for index, rank in enumerate(self.ranks):
                for file in range(self.files):
                    self.tell(rank, 'remove', self.path(number, index, file))
            self.all_done()
        self.written.add(number)
        renamed, synced = self.dice.random() < 0.2, self.dice.random() < 0.1
        # Beside the files of before a name in the group would join those.
        first = 'same' if not renamed else 'outside' if self.overwrites else 'part'
        for index, rank in enumerate(self.ranks):
            for file, length in enumerate(lengths[index]):
                self.tell(rank, 'write', self.path(number, index, file), length, first, synced)
        self.all_done()
        self.record.write(f'whole {number} {total}\n')

    def disturb(self, number):
        """Reads or removes an older one, or pauses."""
        what = self.dice.random()
        older = number - self.dice.randint(1, 4)
        for index, rank in enumerate(self.ranks):
            if what < 0.15:
                self.tell(rank, 'read', self.path(older, index, 0))
            elif what < 0.25 and older < number - self.keep:
                for file in range(self.files):
                    self.tell(rank, 'remove', self.path(older, index, file))
        if what > 0.8:
            time.sleep(self.dice.random() * 0.03)

    def run(self):
        number = 1
        for _ in range(self.dice.randint(4, 16)):
            self.checkpoint(number)
            self.disturb(number)
            # Now and then it goes on from an older one, as a job does that is run again.
            number = max(1, number - self.dice.randint(1, 3)) if self.dice.random() < 0.1 else number + 1
        for rank in self.ranks:
            rank.stdin.close()
        assert all(rank.wait() == 0 for rank in self.ranks)


def newest(store):
    """Number and bytes of the checkpoint that was committed last; None for none."""
    while True:
        try:
            manifests = [json.load(open(path)) for path in glob.glob(f'{store}/checkpoints/*/manifest.json')]
        except (OSError, ValueError):
            continue  # one was removed just now, and newer ones than the list has may be there
        found = [(it['sequence'], it['number'], it['bytes']) for it in manifests]
        return max(found)[1:] if found else None


def recorded(record, what):
    return [tuple(map(int, line.split()[1:])) for line in open(record) if line.startswith(what)]


def look(store, record, pid):
    last = -1
    while os.path.exists(f'/proc/{pid}'):
        seen = newest(store)
        if seen:
            begun = recorded(record, 'begun')
            if seen not in begun:
                sys.exit(f'checkpoint {seen[0]} of {seen[1]} bytes is newest, which never was: {begun}')
            if begun.index(seen) < last:
                sys.exit(f'checkpoint {seen[0]} is newest again, behind {begun[last]}')
            last = begun.index(seen)
        time.sleep(0.001)


def is_last(store, record):
    seen, whole = newest(store), recorded(record, 'whole')
    if seen != whole[-1]:
        sys.exit(f'the newest is {seen}, and the last one that was closed {whole[-1]}')


if __name__ == '__main__':
    command, arguments = sys.argv[1], sys.argv[2:]
    if command == 'rank':
        rank()
    elif command == 'program':
        Program(int(arguments[0]), *arguments[1:3], *map(int, arguments[3:])).run()
    elif command == 'look':
        look(*arguments)
    else:
        is_last(*arguments)
