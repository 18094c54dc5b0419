"""Sluice: checkpoints of a program in Python. sluice.h says what the functions of libsluice.so do.

    import sluice

    with tempfile.TemporaryDirectory() as directory:
        if sluice.restore(directory):
            model.load_state_dict(torch.load(f"{directory}/model.pt"))
    ...
    with sluice.checkpoint(step):
        torch.save(model.state_dict(), f"{output}/model.pt")
        numpy.save(f"{output}/state.npy", state)

Under `sluice run` the files that the program creates or empties in the capture directory within the `with` belong to the
checkpoint, whatever they are called. It is committed as a whole behind the `with`, while the program goes on; an exception
gives it up. `sluice.checkpoint(step, name="epoch-3")` has a name beside its number, which `sluice.restore` and
`sluice restore` take as well. `checkpoint.add(path)` adds a file that another process writes, `checkpoint.wait()` waits for the commit, and
`sluice.newest()` is the number of the last one. Without `sluice run` all of that does nothing, which is said once.

Any thread may call anything. A process has one checkpoint open at a time: files of all its threads belong to that. In the
child of a fork it is closed. Each wrong use is a sluice.Error.

Put this one file beside the program, or its folder into PYTHONPATH. It needs nothing but libsluice.so.
"""
import ctypes
import errno
import operator
import os
import sys
import threading
import time

__all__ = ["Checkpoint", "Error", "checkpoint", "find", "name_of", "newest", "restore"]

_WAIT_SLICE = 0.1  # seconds, after which a signal such as that of Ctrl-C counts
_NEWEST = -1
_NAME_LENGTH = 101  # bytes, with the 0 behind it


class Error(OSError):
    """A failed call, with its errno and the sentence of sluice_message()."""


def _load():
    """libsluice.so beside the installation that `sluice run` is of, or where the system finds it."""
    here = os.path.dirname(os.path.realpath(__file__))
    names = [os.environ.get("SLUICE_LIBRARY"), os.path.join(here, "libsluice.so"), "libsluice.so.0"]
    names += [path[: -len("_preload.so")] + ".so" for path in os.environ.get("LD_PRELOAD", "").replace(":", " ").split()
              if path.endswith("libsluice_preload.so")]
    failures = []
    for name in filter(None, names):
        try:
            library = ctypes.CDLL(name)
            library.sluice_message.restype = ctypes.c_char_p
            return library
        except (OSError, AttributeError) as error:
            failures.append(str(error))
    raise Error(errno.ENOENT, f"no libsluice.so; SLUICE_LIBRARY may name it: {'; '.join(failures)}")


_library = None
_session = None
_lock = threading.Lock()  # of what is above and below
_filled = None  # the checkpoint that this process has open
_said = False


def _in_child():
    """In the child of a fork no other thread has the lock, and the open checkpoint is the parent's."""
    global _lock, _filled
    _lock = threading.Lock()
    _filled = None


os.register_at_fork(after_in_child=_in_child)


def _failure(status):
    return Error(-status, _library.sluice_message().decode(errors="replace"))


def _call(name, *arguments):
    function = getattr(_library, "sluice_" + name, None)
    if function is None:
        raise Error(errno.ENOSYS, f"{_library._name} is of another release: it has no sluice_{name}")
    status = function(_session, *arguments)
    if status < 0:
        raise _failure(status)
    return status


def _say(line):
    """Says a line, which is never the reason that a program fails."""
    try:
        print(f"sluice: {line}", file=sys.stderr)
    except (OSError, ValueError):
        pass


def _open():
    """The session of this process; None where there is no I/O process."""
    global _library, _session, _said
    with _lock:
        if _session is None and os.environ.get("SLUICE_DIRECTORY"):
            _library = _load()
            session = ctypes.c_void_p()
            status = _library.sluice_session_open(None, -1, 0, ctypes.byref(session))
            if status < 0:
                raise _failure(status)
            _session = session
        elif _session is None and not _said:
            _said = True
            _say("no checkpoints: run the program under `sluice run`")
        return _session


def _number(value):
    number = operator.index(value)
    if not 0 <= number < 1 << 63:
        raise Error(errno.EINVAL, f"no number of a checkpoint: {number}")
    return number


def _text(name):
    text = name.encode(errors="surrogateescape")
    if b"\0" in text:
        raise Error(errno.EINVAL, f"no name of a checkpoint, since it has a null byte: {name!r}")
    return text


def _path(path):
    name = os.fsencode(path)
    if b"\0" in name:
        raise Error(errno.EINVAL, f"no path, since it has a null byte: {path!r}")
    return name


class Checkpoint:
    """A checkpoint that the process begins and completes. Use it by `with sluice.checkpoint(number):`."""

    def __init__(self, number, name=None):
        self.number = _number(number)
        self.name = name
        self._name = None if name is None else _text(name)
        self._c = ctypes.c_int64(self.number)
        self._on = _open() is not None
        self._thread = None

    def __enter__(self):
        global _filled
        if not self._on:
            return self
        with _lock:
            if _filled is not None:
                raise Error(errno.EBUSY, f"checkpoint {_filled.number} is open in this process; leave its `with` before "
                                         f"checkpoint {self.number} begins")
            _filled = self
        try:
            _call("checkpoint_begin", self._c)
            self._give_name()
        except BaseException:
            _filled = None
            raise
        self._thread = threading.get_ident()
        return self

    def _give_name(self):
        """Names it. One that could not be named is given up, as the block of its `with` does not run."""
        try:
            if self._name is not None:
                _call("checkpoint_name", self._c, self._name)
        except BaseException:
            self._cancel()
            raise

    def __exit__(self, kind, error, trace):
        global _filled
        if not self._on:
            return
        if _filled is not self:
            if kind is None:
                raise Error(errno.EINVAL, f"checkpoint {self.number} is not open in this process; the one that began it has "
                                          "to leave its `with`")
            return  # the parent goes on with it
        try:
            if kind is None:
                _call("checkpoint_complete", self._c)
            else:
                self._cancel()
        finally:
            _filled = None

    def _cancel(self):
        """Gives it up. The program's own exception goes on, whatever happens."""
        try:
            _call("checkpoint_cancel", self._c)
        except Error as failure:
            _say(f"checkpoint {self.number} could not be cancelled: {failure.strerror}")

    def add(self, path):
        """Adds a file that another process writes, now or later. True if its bytes were copied instead."""
        name = _path(path)
        return bool(self._on and _call("checkpoint_add", self._c, name))

    def wait(self, seconds=None):
        """Waits until it is committed. False when the time is over."""
        if not self._on:
            return False
        if _filled is self and self._thread == threading.get_ident():
            raise Error(errno.EDEADLK, f"checkpoint {self.number} is still open; wait behind its `with`")
        end = float("inf") if seconds is None else time.monotonic() + seconds
        while True:
            left = max(0, end - time.monotonic())
            try:
                _call("checkpoint_wait", self._c, ctypes.c_int64(int(min(left, _WAIT_SLICE) * 1000)))
                return True
            except Error as error:
                if error.errno != errno.ETIMEDOUT:
                    raise
            if left == 0:
                return False


def checkpoint(number, name=None):
    """Returns a checkpoint of this number, and perhaps of a name, to be used by `with`."""
    return Checkpoint(number, name)


def _or_none(name, *arguments):
    """Calls a function. False where there is no such checkpoint, or no I/O process."""
    if _open() is None:
        return False
    try:
        _call(name, *arguments)
    except Error as error:
        if error.errno != errno.ENOENT:
            raise
        return False
    return True


def newest():
    """Returns the number of the checkpoint committed last; None for none."""
    number = ctypes.c_int64()
    return number.value if _or_none("checkpoint_newest", ctypes.byref(number)) else None


def find(name):
    """Returns the number of the checkpoint of this name that was committed last; None for none."""
    number = ctypes.c_int64()
    return number.value if _or_none("checkpoint_find", _text(name), ctypes.byref(number)) else None


def name_of(checkpoint):
    """Returns the name of a committed checkpoint; None where it has none, or there is none of this number."""
    name = ctypes.create_string_buffer(_NAME_LENGTH)
    _or_none("checkpoint_name_of", ctypes.c_int64(_number(checkpoint)), name)
    return name.value.decode() or None


def restore(directory, checkpoint=None):
    """Restores all files of a checkpoint, or of the newest, into a directory. False if none was ever committed.

    The checkpoint is a number or a name.

    A file that is there already as it was committed stays. Another one is refused, and then nothing is restored.
    """
    name = _path(directory)
    number = _NEWEST if checkpoint is None or isinstance(checkpoint, str) else _number(checkpoint)
    if _open() is None:
        return False
    if isinstance(checkpoint, str):
        number = find(checkpoint)
        if number is None:
            raise Error(errno.ENOENT, f"no checkpoint called {checkpoint} is committed")
    try:
        _call("checkpoint_restore", ctypes.c_int64(number), name)
    except Error as error:
        if error.errno != errno.ENOENT or number != _NEWEST or newest() is not None:
            raise
        return False
    return True
