"""Sluice: MPI programs in Python that survive kills. sluice_mpi.h says what the functions do and what a program must do.

    from mpi4py import MPI
    import numpy
    import sluice_mpi

    step = numpy.zeros(1, dtype=int)
    field = numpy.zeros((rows, width))
    sluice_mpi.protect(0, step)
    sluice_mpi.protect(1, field)
    while step[0] < steps:
        sluice_mpi.potential_checkpoint()
        exchange(field)
        step[0] += 1

`sluice mpi -- mpirun -n 64 python3 app.py` runs the program and takes checkpoints of the whole job at these places. Without
`sluice mpi` the functions do nothing. Put this one file beside the program, or its folder into PYTHONPATH.

Only arrays are protected, not the names that stand for them. Keep what changes in arrays, a counter in one of one element, and
change them in place (`field[:] = ...`). Dictionaries, lists and random numbers are what the program makes of them again.

Of mpi4py use the functions of arrays: comm.Send, comm.Allreduce. Objects that comm.send and comm.bcast pickle must give the
same bytes when they are sent again. comm.reduce, comm.allreduce, comm.scan and comm.exscan make a communicator when they are
first called, so call one before the first checkpoint. They number their messages where no checkpoint has it: `--protocol pcl`
alone carries them. Threads may call MPI one at a time: MPI_THREAD_SERIALIZED is provided.
"""
import ctypes
import sys
import zlib

__all__ = ["potential_checkpoint", "protect", "protected_bytes"]

_protected = {} # keeps memory that the layer reads from being freed


def _find():
    """The layer that `sluice mpi` has preloaded; None without it."""
    layer = ctypes.CDLL(None)
    try:
        if not ctypes.c_int.in_dll(layer, "sluice_mpi_layer").value:
            return None
    except ValueError:
        return None
    layer.sluice_protect.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
    layer.sluice_protected_bytes.argtypes = [ctypes.c_int]
    layer.sluice_protected_bytes.restype = ctypes.c_size_t
    layer.sluice_potential_checkpoint_at.argtypes = [ctypes.c_void_p]
    return layer


_layer = _find()


def _memory(array):
    """The address and the length of a writable buffer without gaps."""
    view = memoryview(array)
    if view.readonly or not view.contiguous:
        raise ValueError("sluice_mpi.protect() needs memory that is writable and has no gaps: protect the whole array")
    if view.nbytes == 0:
        return None, 0
    first = array if view.c_contiguous else array.T # the same memory in the order that ctypes takes
    return ctypes.addressof(ctypes.c_char.from_buffer(first)), view.nbytes


def protect(id, array):
    """Protects an array, or another writable buffer: it belongs to every checkpoint, by a number >= 0. None ends that.

    A later call with the same id replaces the array: call it again when an array is made anew.
    """
    address, length = (None, 0) if array is None else _memory(array)
    if id < 0:
        raise ValueError("sluice_mpi.protect() needs a number >= 0, not %d" % id)
    if _layer is not None and _layer.sluice_protect(id, address, length) != 0:
        raise ValueError("sluice_mpi.protect(%d, ...) was refused: the regions of different ids must not overlap" % id)
    _protected[id] = array


def protected_bytes(id):
    """Returns the bytes that the first potential_checkpoint() will put back into the memory of this id; 0 for none."""
    return _layer.sluice_protected_bytes(id) if _layer is not None else 0


def _place(frame):
    """A line of the program, as an address in the layer: images know a place by its distance from the layer's beginning."""
    code = frame.f_code
    name = "%s:%s:%d" % (code.co_filename.rpartition("/")[2], code.co_name, frame.f_lineno - code.co_firstlineno)
    first = ctypes.addressof(ctypes.c_int.in_dll(_layer, "sluice_mpi_layer"))
    return first + zlib.crc32(name.encode()) % 4096


def potential_checkpoint():
    """Marks a place where this rank can be checkpointed. Returns True when it has put the state of a checkpoint back."""
    if _layer is None:
        return False
    return _layer.sluice_potential_checkpoint_at(_place(sys._getframe(1))) == 1
