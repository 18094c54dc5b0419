"""Damages bytes and files of a store, and says whatever commands make of that which verify does not tell.

each_byte.py STORE BYTES RUNS [SERIES...]: BYTES flips of each file at most, and each cut and deletion; a session follows
RUNS of all, and one flip of each entry of a log. `rehearse` is a function of the shell's. Nobody is silent: where a
command refuses, or answers otherwise than with the intact store, verify has named the file. The status is 1, with a line
for each case, where it has not. With EACH it lists what verify said. With BUCKET, a URI, the store's files are the objects
there, and sessions have a stage of their own."""

import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys

AT_A_TIME = 40
# Who deletes such a directory removes what is in it. A log of waves that is cut or gone looks as a crash leaves it, and no
# restart needs it. So docs/format.md says.
REMOVED = r'delete (checkpoints/[^/]*|default|other)|(cut|delete) (.*/)?waves\.log'
SLUICE = os.environ['sluice']
BUCKET = os.environ.get('BUCKET')


def damages(store, most):
    """What is done to which file, and where."""
    for folder, folders, files in os.walk(store):
        for name in sorted(folders):
            yield 'delete', os.path.relpath(os.path.join(folder, name), store), 0
        for name in sorted(files):
            path = os.path.join(folder, name)
            size = os.path.getsize(path)
            path = os.path.relpath(path, store)
            for at in sorted(random.sample(range(size), min(size, most))):
                yield 'flip', path, at
            for at in sorted({0, size // 2, size - 1} & set(range(size))):
                yield 'cut', path, at
            yield 'delete', path, 0


def do(damage, copy):
    what, path, at = damage
    path = os.path.join(copy, path)
    times = os.stat(path)
    if what == 'delete':
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        return
    if what == 'cut':
        os.truncate(path, at)
    else:
        with open(path, 'r+b') as file:
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << at % 8]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def called(copy, store):
    """What commands call it."""
    return BUCKET + copy[len(store):] if BUCKET else copy


def tree(path):
    content = {}
    for folder, _, files in os.walk(path):
        for name in files:
            with open(os.path.join(folder, name), 'rb') as file:
                content[os.path.relpath(os.path.join(folder, name), path)] = file.read()
    return content


def commands(copy, series, place):
    """Verify of each series first. What comes back is put beside a place."""
    of = ['--series ' + name for name in series] or ['']
    all = ['verify --store %s %s' % (copy, one) for one in of]
    all += ['ls --store %s --images --json' % copy, 'ls --store ' + copy, 'check --json --store ' + copy]
    all += ['restore --store %s --to %s.restored%d %s' % (copy, place, n, one) for n, one in enumerate(of)]
    all += ['restore --store %s --to %s.first --checkpoint 1 %s' % (copy, place, of[0])]
    all += ['mpi status --store %s %s' % (copy, one) for one in of]
    all += ['rm --dry-run --store %s %s --keep 1' % (copy, of[0])]
    return [command.strip() for command in all]


class Said:
    def __init__(self, copy, number, place):
        read = lambda end: open('rehearsal/%d.%s' % (number, end), errors='replace').read().replace(
            copy, 'STORE').replace(place, 'STORE')
        self.status, self.out, self.err = int(read('status')), read('out'), read('err')
        self.out = re.sub(r'.*("free_bytes"|"more_checkpoints"|room for ).*', '', self.out)
        if '"findings"' in self.out: # of which most are measured
            found = json.loads(self.out)
            self.out = str([(one['about'], one['name'], one['result']) for one in found['findings']])

    def same(self, other):
        return (self.status, self.out, self.err) == (other.status, other.out, other.err)

    def against(self, other):
        """The first thing that is not the same."""
        for one, before in zip(*[[str(which.status)] + (which.err + which.out).splitlines() for which in (self, other)]):
            if one != before:
                return '%s, not %s' % (one.strip(), before.strip())
        return 'longer or shorter'


def session(copy, series, place):
    """What a run that commits checkpoint 9 says, and what is there behind it."""
    capture = place + '.capture'
    os.makedirs(capture)
    command = [SLUICE, 'run', '--store', copy, '--capture', capture, '--layout', 'container', '--group', r'ckpt-(\d+)',
               '--writers', '1', '--keep', 'all'] + ['--series=' + one for one in series[:1]]
    command += ['--stage', place + '.stage'] if BUCKET else []
    ran = subprocess.run(command + ['--', 'sh', '-c', 'mkdir %s/ckpt-9; seq 9999 >%s/ckpt-9/x' % (capture, capture)],
                         capture_output=True, text=True, env=dict(os.environ, SLUICE_RUN=os.path.basename(place)))
    listed = subprocess.run([SLUICE, 'ls', '--json', '--store', copy] + ['--series=' + one for one in series[:1]],
                            capture_output=True, text=True)
    numbers = [one['number'] for one in json.loads(listed.stdout or '{}').get('checkpoints', [])]
    says = [line.replace(copy, 'STORE').replace(place, 'STORE') for line in ran.stderr.splitlines()
            if 'went through the buffer' not in line and 'waiting for the I/O process' not in line]
    return ran.returncode, numbers, says


def names(verified, path):
    """Whether verify tells of a file: of itself, or of what was below a directory, or of one that is there instead."""
    return any(one.status != 0 and 'STORE/' + path in one.out + one.err for one in verified)


class Trial:
    def __init__(self, store, series, runs):
        self.store, self.series, self.runs = store, series, runs
        self.sound = self.try_all([None])[0]
        self.counts, self.silent, self.harmless, self.mends = collections.Counter(), [], set(), set()

    def try_all(self, some):
        copies = []
        for n, damage in enumerate(some):
            copies.append('%s.copy%d' % (self.store, n))
            subprocess.run(['cp', '-a', self.store, copies[-1]], check=True)
            if damage:
                do(damage, copies[-1])
        names = [called(copy, self.store) for copy in copies]
        places = [os.path.abspath(os.path.basename(copy)) if BUCKET else copy for copy in copies]
        all = [commands(name, self.series, place) for name, place in zip(names, places)]
        subprocess.run(['bash', '-c', 'rehearse "$@"', 'bash', *sum(all, [])], stdout=subprocess.DEVNULL)
        tried = []
        for n, (name, place) in enumerate(zip(names, places)):
            said = [Said(name, n * len(all[n]) + m + 1, place) for m in range(len(all[n]))]
            trees = [tree(place + end) for end in
                     ['.restored%d' % one for one in range(max(1, len(self.series)))] + ['.first']]
            ran = session(name, self.series, place) if some[n] is None or some[n] in self.runs else None
            tried.append((all[n], said, trees, ran))
        for copy in set(copies + places):
            for path in os.listdir(os.path.dirname(copy)):
                if path.startswith(os.path.basename(copy)):
                    shutil.rmtree(os.path.join(os.path.dirname(copy), path))
        return tried

    def judge(self, damage, tried):
        what, path, at = damage
        all, said, trees, ran = tried
        verified = max(1, len(self.series))
        kind = re.sub('[0-9a-f]{16}', 'ID', path)
        changed = [command.split()[0] + ': ' + one.against(before) for command, one, before in zip(all, said, self.sound[1])
                   if not one.same(before)]
        changed += ['restored otherwise'] * (trees != self.sound[2])
        changed += ['run: %s' % (ran,)] * (ran is not None and ran != self.sound[3])
        wrong = [one for one, before, by in zip(trees, self.sound[2], (one for command, one in zip(all, said)
                                                                                   if command.startswith('restore')))
                 if by.status == 0 and one != before]
        named = names(said[:verified], path)
        if named:
            self.mends.update((kind, line) for one in said[:verified] for line in (one.out + one.err).splitlines()
                              if 'STORE/' + path in line)
        removed = re.fullmatch(REMOVED, what + ' ' + path)
        result = 'named' if named else 'removed' if removed else 'silent' if changed else 'harmless'
        self.counts[result + ('' if ran is None else ', with a session')] += 1
        if result == 'harmless':
            self.harmless.add(what + ' ' + kind)
        if result == 'silent' or wrong and not named and not removed:
            self.silent.append('%s %s at %d: %s' % (what, kind, at, '; '.join(changed)))


def main():
    random.seed(int(os.environ.get('SEED', '1')))
    store, most, runs, series = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    all = list(damages(store, most))
    entries = {path: (what, path, at) for what, path, at in all if what == 'flip' and '/log/' in '/' + path}
    trial = Trial(store, series, set(random.sample(all, min(runs, len(all)))) | set(entries.values()))
    assert trial.sound[1][0].status == 0, trial.sound[1][0].err
    assert trial.sound[3][0] == 0 and 9 in trial.sound[3][1], trial.sound[3]
    for n in range(0, len(all), AT_A_TIME):
        some = all[n:n + AT_A_TIME]
        for damage, tried in zip(some, trial.try_all(some)):
            trial.judge(damage, tried)
    print('%d damages: %s' % (len(all), dict(trial.counts)))
    print('harmless:', *sorted(trial.harmless), sep='\n  ')
    if os.environ.get('EACH'):
        print('verify says:', *sorted({re.sub('[0-9a-f]{16}', 'ID', re.sub('offset [0-9]+', 'offset N', line))
                                      for _, line in trial.mends}), sep='\n  ')
    print(*trial.silent, sep='\n')
    sys.exit(1 if trial.silent else 0)


main()
