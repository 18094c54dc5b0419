# A field of NumPy, of which ranks exchange the edges by mpi4py: jacobi.py STEPS RESULT. It hurries once there is ./hurry.
import os
import sys
import time

import numpy
from mpi4py import MPI

import sluice_mpi

comm = MPI.COMM_WORLD
steps, result = int(sys.argv[1]), sys.argv[2]
size, rank = comm.Get_size(), comm.Get_rank()
above, below = (rank - 1) % size, (rank + 1) % size
step = numpy.zeros(1, dtype="i8")
field = numpy.full((34, 40), float(rank), order="F" if rank % 2 else "C")
sums = numpy.zeros(steps)
sluice_mpi.protect(0, step)
sluice_mpi.protect(1, field)
sluice_mpi.protect(2, sums)
while step[0] < steps:
    if sluice_mpi.potential_checkpoint() and rank == 0:
        print("goes on", flush=True)
    top, bottom = numpy.empty(40), numpy.empty(40)
    requests = [comm.Irecv(top, above, 1), comm.Irecv(bottom, below, 2)]
    requests += [comm.Isend(field[32].copy(), below, 1), comm.Isend(field[1].copy(), above, 2)]
    MPI.Request.Waitall(requests)
    field[0], field[33] = top, bottom
    field[1:33] += 0.1 * (field[:32] + field[2:] - 2 * field[1:33])
    comm.Allreduce(field[1:33].sum() * (rank + 1), sums[step[0]:step[0] + 1])
    step[0] += 1
    if not os.path.exists("hurry"):
        time.sleep(0.02)
if rank == 0:
    sums.tofile(result)
