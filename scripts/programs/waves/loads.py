# MPI by ctypes alone: loads.py STEPS RESULT LIBRARY. It hurries once there is ./hurry.
import ctypes
import os
import sys
import time

import sluice_mpi

mpi = ctypes.CDLL(sys.argv[3])
steps = int(sys.argv[1])
if "mpich" in sys.argv[3]:
    world, INT, SUM = ctypes.c_int(0x44000000), ctypes.c_int(0x4c000405), ctypes.c_int(0x58000003)
else:
    world, INT, SUM = [ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, name)))
                       for name in ("ompi_mpi_comm_world", "ompi_mpi_int", "ompi_mpi_op_sum")]
provided = ctypes.c_int()
mpi.MPI_Init_thread(None, None, 3, ctypes.byref(provided))
rank = ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
state = (ctypes.c_int * 2)()
sluice_mpi.protect(0, state)
while state[0] < steps:
    sluice_mpi.potential_checkpoint()
    mine, total = ctypes.c_int(state[0] + rank.value), ctypes.c_int()
    mpi.MPI_Allreduce(ctypes.byref(mine), ctypes.byref(total), 1, INT, SUM, world)
    state[1] = (state[1] * 31 + total.value) & 0xffffff
    state[0] += 1
    if not os.path.exists("hurry"):
        time.sleep(0.02)
if rank.value == 0:
    with open(sys.argv[2], "w") as result:
        result.write(str(state[1]))
mpi.MPI_Finalize()
