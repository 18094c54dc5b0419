"""Sluice: checkpoints of a program in Python. sluice.h says what the functions of libsluice.so do.

    import sluice

    with sluice.checkpoint(step):
        torch.save(model.state_dict(), f"{output}/model-{step}.pt")
        numpy.save(f"{output}/state-{step}.npy", state)

Under `sluice run` the files that the program creates or empties in the capture directory within the `with` belong to the
checkpoint, whatever they are called. It is committed as a whole behind the `with`, while the program goes on; an exception
gives it up. `checkpoint.add(path)` adds a file that a thread or another process writes, `checkpoint.wait()` waits for the
commit, and `sluice.newest()` is the number of the last one. Without `sluice run` all of that does nothing, which is said once.

Put this one file beside the program, or its folder into PYTHONPATH. It needs nothing but libsluice.so.
"""
import ctypes
import os
import sys

__all__ = ["Checkpoint", "Error", "checkpoint", "newest"]


class Error(OSError):
    """A failed call, with its errno and the sentence of sluice_message()."""


def _load():
    """libsluice.so beside the installation that `sluice run` is of, or where the system finds it."""
    here = os.path.dirname(os.path.realpath(__file__))
    names = [os.environ.get("SLUICE_LIBRARY"), os.path.join(here, "libsluice.so"), "libsluice.so.0"]
    names += [path[: -len("_preload.so")] + ".so" for path in os.environ.get("LD_PRELOAD", "").replace(":", " ").split()
              if path.endswith("libsluice_preload.so")]
    failure = None
    for name in filter(None, names):
        try:
            library = ctypes.CDLL(name)
            library.sluice_message.restype = ctypes.c_char_p
            return library
        except OSError as error:
            failure = error
    raise failure


_library = None
_session = None


def _call(name, *arguments):
    status = getattr(_library, "sluice_" + name)(_session, *arguments)
    if status < 0:
        raise Error(-status, _library.sluice_message().decode(errors="replace"))
    return status


def _open():
    """The session of this process; None where there is no I/O process."""
    global _library, _session
    if _session is None and "SLUICE_DIRECTORY" in os.environ:
        _library = _load()
        session = ctypes.c_void_p()
        status = _library.sluice_session_open(None, -1, 0, ctypes.byref(session))
        if status < 0:
            raise Error(-status, _library.sluice_message().decode(errors="replace"))
        _session = session
    elif _session is None and not _open.__dict__.get("said"):
        _open.said = True
        print("sluice: no checkpoints: run the program under `sluice run`", file=sys.stderr)
    return _session


class Checkpoint:
    """A checkpoint that the process begins and completes. Use it by `with sluice.checkpoint(number):`."""

    def __init__(self, number):
        self.number = int(number)
        self._c = ctypes.c_int64(self.number)
        self._on = _open() is not None

    def __enter__(self):
        if self._on:
            _call("checkpoint_begin", self._c)
        return self

    def __exit__(self, kind, error, trace):
        if self._on:
            _call("checkpoint_complete" if kind is None else "checkpoint_cancel", self._c)

    def add(self, path):
        """Adds a file that a thread or another process writes, now or later. True if its bytes were copied instead."""
        return bool(self._on and _call("checkpoint_add", self._c, os.fsencode(path)))

    def wait(self, seconds=None):
        """Waits until it is committed. False when the time is over."""
        if not self._on:
            return False
        try:
            _call("checkpoint_wait", self._c, ctypes.c_int64(-1 if seconds is None else int(seconds * 1000)))
        except Error as error:
            if error.errno != 110: # ETIMEDOUT
                raise
            return False
        return True


def checkpoint(number):
    """Returns a checkpoint of this number, to be used by `with`."""
    return Checkpoint(number)


def newest():
    """Returns the number of the checkpoint committed last; None for none."""
    if _open() is None:
        return None
    number = ctypes.c_int64()
    try:
        _call("checkpoint_newest", ctypes.byref(number))
    except Error as error:
        if error.errno != 2: # ENOENT
            raise
        return None
    return number.value
