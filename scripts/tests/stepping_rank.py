"""
A rank of a job without MPI: DIRECTORY WORD STEP... writes the rank's file of each checkpoint as soon as all ranks have
written the one before. A STEP that is no number is the name of a file to wait for. Rank 0 closes that of a STEP+ only at
the end, for which all wait until there is a file ./go. Without a launcher's variables it writes the files of all ranks of
a job of four, as they ought to be.
"""
import os
import random
import sys
import time

directory, word, *steps = sys.argv[1:]


def wait_for(condition, pause=0.05):
    while not condition():
        time.sleep(pause)


def write(step, rank):
    """Small pieces, larger ones, and a large one."""
    path = f'{directory}/ckpt-{step:06d}'
    os.makedirs(path, exist_ok=True)
    data = random.Random(f'{word} {step} {rank}').randbytes(100000)
    file = open(f'{path}/rank-{rank}.ckpt', 'wb', buffering=0)
    for begin, end, piece in (0, 64, 8), (64, 40000, 2048), (40000, len(data), len(data)):
        for at in range(begin, end, piece):
            file.write(data[at:min(at + piece, end)])
    return file


def run(rank, ranks, meeting):
    held = []
    os.makedirs(meeting, exist_ok=True)
    for step in steps:
        if not step[0].isdigit():
            wait_for(lambda: os.path.exists(step), pause=0.2)
            continue
        file = write(int(step.rstrip('+')), rank)
        if rank == 0 and step.endswith('+'):
            held.append(file)
        else:
            file.close()
        open(f'{meeting}/{step}-{rank}', 'x').close()
        wait_for(lambda: all(os.path.exists(f'{meeting}/{step}-{other}') for other in range(ranks)))
    if steps[-1].endswith('+'):
        wait_for(lambda: os.path.exists('go'), pause=0.2)
    for file in held:
        file.close()


if 'OMPI_COMM_WORLD_RANK' in os.environ:
    rank, ranks = (int(os.environ['OMPI_COMM_WORLD_' + name]) for name in ('RANK', 'SIZE'))
    run(rank, ranks, 'meeting-' + os.environ['SLUICE_RUN'])
else:
    for step in steps:
        for rank in range(4):
            write(int(step), rank).close()
