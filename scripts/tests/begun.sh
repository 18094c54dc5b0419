# Programs between begin and completion, sourced behind lib.sh.

# What programs of these tests begin with: begin(N), complete(N) and wait(N), which end them where they fail.
write_module() {
  cat >begun.py <<END
import ctypes, os, sys
library = ctypes.CDLL('$native/libsluice.so')
library.sluice_message.restype = ctypes.c_char_p
session = ctypes.c_void_p()

def call(name, *arguments):
    status = getattr(library, 'sluice_' + name)(*arguments)
    return status, library.sluice_message().decode() if status else ''

def must(name, *arguments):
    status, message = call(name, *arguments)
    if status:
        sys.exit(f'{name}: {message}')

def begin(number):
    must('checkpoint_begin', session, ctypes.c_int64(number))

def complete(number):
    must('checkpoint_complete', session, ctypes.c_int64(number))

def wait(number):
    must('checkpoint_wait', session, ctypes.c_int64(number), ctypes.c_int64(60000))

def waited(number, milliseconds):
    return call('checkpoint_wait', session, ctypes.c_int64(number), ctypes.c_int64(milliseconds))

def image(number, name, content, closes=True):
    made = ctypes.c_void_p()
    status, message = call('image_create', session, ctypes.c_int64(number), name.encode(), ctypes.byref(made))
    if not status:
        library.sluice_image_write(made, content.encode(), len(content))
        status, message = call('image_close', made) if closes else (0, '')
    return status, message

def add(number, path):
    return call('checkpoint_add', session, ctypes.c_int64(number), path.encode())

def restore(number, directory):
    return call('checkpoint_restore', session, ctypes.c_int64(number), directory.encode())

def name_it(number, name, to=session):
    return call('checkpoint_name', to, ctypes.c_int64(number), name if name is None else name.encode('utf-8', 'surrogateescape'))

def find(name):
    number = ctypes.c_int64(-7)
    return (*call('checkpoint_find', session, name.encode(), ctypes.byref(number)), number.value)

def name_of(number):
    text = ctypes.create_string_buffer(b'x' * 100, 101)
    return (*call('checkpoint_name_of', session, ctypes.c_int64(number), text), text.value.decode())

def named(number, name=None):
    begin(number)
    write(f'state-{number}', f'state of {number}')
    assert name is None or name_it(number, name) == (0, '')
    complete(number)
    wait(number)

def write(name, content):
    with open(name, 'w') as file:
        file.write(content)

must('session_open', None, int(os.environ.get('RANK', -1)), int(os.environ.get('RANKS', 0)), ctypes.byref(session))
END
}

# run_program LAYOUT OPTION...: program.py in the capture directory.
run_program() {
  write_module
  mkdir capture
  (cd capture && PYTHONPATH=.. "$sluice" run --store ../store --capture . --layout "$@" -- python3 ../program.py)
}

# expect_files NUMBER FILE...: the checkpoint has these files, and no other.
expect_files() {
  local number=$1
  shift
  "$sluice" restore --store store --checkpoint "$number" --to "restored-$number" >/dev/null
  [ "$(cd "restored-$number" && find . -type f -printf '%P\n' | sort | xargs)" = "$*" ] ||
    fail "checkpoint $number: $(find "restored-$number" -type f)"
}

# Rank 1 does what rank 0 says by other(EXPRESSION).
write_other_rank() {
  cat >other.py <<'END'
from begun import *
import subprocess
other_rank = subprocess.Popen([sys.executable, '-uc', """
from begun import *
for line in sys.stdin:
    try:
        print(eval(line), flush=True)
    except SystemExit as failure:
        print(failure, flush=True)
"""], env=dict(os.environ, RANK='1'), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def other(expression):
    print(expression, file=other_rank.stdin, flush=True)
    return other_rank.stdout.readline().strip()
END
}

# run_on_two_nodes OPTION...: program.py is each of two ranks, on nodes that share the capture directory. What they say is in
# out-RANK and rank-RANK.err; the status is that of the last one that failed.
run_on_two_nodes() {
  local rank status=0 ranks=()
  write_module
  with_shared_storage
  for rank in 0 1; do
    on b1$rank env -C shared/capture SLUICE_RUN=job OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=1 \
      PYTHONPATH="$PWD" "$sluice" run --store ../store --capture . --keep all --layout container "$@" -- \
      python3 "$PWD/program.py" >out-$rank 2>rank-$rank.err &
    ranks+=($!)
  done
  for rank in "${ranks[@]}"; do
    wait "$rank" || status=$?
  done
  return $status
}

# restored_as NUMBER DIRECTORY: it has what the command restores, bit for bit, and the same modes.
restored_as() {
  [ -d "command-$1" ] || "$sluice" restore --store store --checkpoint "$1" --to "command-$1" >/dev/null
  diff -r "command-$1" "$2" || fail "$2 differs"
  diff <(cd "command-$1" && find . -printf '%P %m %s\n' | sort) <(cd "$2" && find . -printf '%P %m %s\n' | sort) ||
    fail "$2 has other modes"
}
