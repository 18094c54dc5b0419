"""
A rank of a job without MPI: DIRECTORY WORD STEP... writes the rank's file of each checkpoint as soon as all ranks have
written the one before. Rank 0 closes that of a STEP+ only at the end, once there is a file ./go. Without a launcher's
variables it writes the files of all ranks of a job of seven, as they ought to be.
"""
import os
import random
import sys
import time

directory, word, *steps = sys.argv[1:]


def wait_for(condition):
    while not condition():
        time.sleep(0.02)


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
        file = write(int(step.rstrip('+')), rank)
        if rank == 0 and step.endswith('+'):
            held.append(file)
        else:
            file.close()
        open(f'{meeting}/{step}-{rank}', 'x').close()
        wait_for(lambda: all(os.path.exists(f'{meeting}/{step}-{other}') for other in range(ranks)))
    if held:
        wait_for(lambda: os.path.exists('go'))
    for file in held:
        file.close()


if 'OMPI_COMM_WORLD_RANK' in os.environ:
    rank, ranks = (int(os.environ['OMPI_COMM_WORLD_' + name]) for name in ('RANK', 'SIZE'))
    run(rank, ranks, 'meeting-' + os.environ['SLUICE_RUN'])
else:
    for step in steps:
        for rank in range(7):
            write(int(step), rank).close()
