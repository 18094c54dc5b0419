# Sourced first by every test file, which ends with `run_tests "$@"`.
#
# A test is a function test_BEHAVIOUR, or soak_BEHAVIOUR if it is long: `scripts/soak sweeps` runs those. It
# runs with `set -e` in an empty directory, a runtime directory and a session of processes of its own;
# afterwards all are removed, and an I/O process or a segment that it left behind fails it. scripts/test runs
# several at a time; `scripts/tests/FILE` runs those of a file one after the other, `scripts/tests/FILE
# test_BEHAVIOUR...` those that are named. The status is 77 where the only one was skipped.

root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
sluice=$root/scripts/sluice
. "$root/scripts/installation.sh"
native=$root/blcr-bridge/target/native
test_timeout=${SLUICE_TEST_TIMEOUT:-400} # it ends what hangs; a busy machine is no reason to fail
# What an I/O process of a test has unless told otherwise: to fill the pages of what users have by default
# takes a third of a second of a processor at each start.
test_buffer=32M

export SLUICE_SMALL=0 # what tests write is captured, however little it is

export SLUICE_SHORT_LIVED=yes # the I/O processes of tests
export SLUICE_GUARD_MILLIS=60000 # a busy machine is no reason to let programs outside read too little
export SLUICE_START_PATIENCE=299 # nor to run a program without Sluice
# The distribution's Python starts in a tenth of the time of one behind a version manager's wrapper.
export PATH=/usr/bin:$PATH
export PYTHONPATH=$root/scripts/tests PYTHONDONTWRITEBYTECODE=yes # programs of tests import what is there

mpi=(mpirun --oversubscribe)
[ "$(id -u)" != 0 ] || mpi+=(--allow-run-as-root)
export OMPI_MCA_btl=^tcp,ofi # one node: the ranks talk through shared memory, and look for no network for a second
export OMPI_MCA_mpi_yield_when_idle=1 # and share few cores with the I/O process
# A part of programs of MPI whose ranks rest when they wait, and what they are linked with for it.
rest=$root/scripts/tests/rest.c
resting=(-Wl,--export-dynamic-symbol={sched_yield,ucp_worker_progress,ucp_disconnect_nb})

# ---- what tests say ----

fail() {
  echo "$*" >&2
  exit 1
}

# skip WHY: ends the test without a verdict.
skip() {
  echo "skipped: $*"
  exit 77
}

# unhurried FILE: what a command says there, but for what it says only where a machine is far too busy.
unhurried() {
  sed -E '/^sluice [a-z]*: waiting for the I\/O process .*, which is not ready after [0-9]+ s$/d
    s/; files were closed up to [0-9.]+ s before programs outside had to wait for them, .*//' "$1"
}

# expect_status STATUS CMD...: CMD exits with STATUS; its standard error is left in ./stderr.
expect_status() {
  local expected=$1 status=0
  shift
  "$@" 2>stderr || status=$?
  [[ $(<stderr) != *'which is not ready after'* ]] || sed -i '/^sluice [a-z]*: waiting for the .* is not ready after/d' stderr
  [ $status -eq "$expected" ] ||
    fail "status $status instead of $expected from: $* -- $(cat stderr)"
}

# expect_error STATUS REGEX CMD...: also, standard error is one line, which matches REGEX.
expect_error() {
  local expected=$1 regex=$2
  shift 2
  expect_status "$expected" "$@" >/dev/null
  [ "$(wc -l <stderr)" -eq 1 ] || fail "not one line from $*: $(cat stderr)"
  grep -qE -- "$regex" stderr || fail "no match for '$regex' from $*: $(cat stderr)"
}

# wait_until SECONDS CMD...: CMD succeeds before SECONDS have passed. They are counted in looks, ten a second, which take
# longer on a busy machine.
wait_until() {
  local looks=$(($1 * 10))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $((looks -= 1)) -gt 0 ] || fail "waited in vain for: $*"
    sleep 0.1
  done
}

# warnings FILE: what the I/O process says there of things that go wrong: not its last line, nor rehearsed faults.
warnings() {
  unhurried "$1" | grep -E '^sluice (run|serve): ' | grep -vE ' went through the buffer|: the I/O process .* (itself, as|was killed and is resumed)'
}

# await_jobs PROCESS...: all of them end, and none fails. `wait -n` tells of none that ended before another command did.
await_jobs() {
  local process failed=
  for process; do
    wait "$process" || failed=yes
  done
  [ -z "$failed" ]
}

same_tree() {
  diff -r "$1" "$2" || fail "$1 and $2 differ"
}

# Flips a bit in the middle of a file.
flip() {
  python3 - "$1" <<'END'
import os, sys
with open(sys.argv[1], 'r+b') as file:
    middle = os.path.getsize(sys.argv[1]) // 2
    file.seek(middle)
    byte = file.read(1)[0]
    file.seek(middle)
    file.write(bytes([byte ^ 16]))
END
}

# The numbers of a store's committed checkpoints: those that have a manifest, as any restart sees it.
committed() {
  local manifest name
  for manifest in "$1"/checkpoints/*/manifest.json; do
    [ -e "$manifest" ] || continue
    name=${manifest#"$1"/checkpoints/}
    echo $((10#${name%%-*}))
  done | uniq
}

# once NAME SOURCE FUNCTION: what the function makes of the source in an empty directory is here, too. It runs once for all tests.
once() {
  local kept work
  kept=$root/target/tests/once/$1-$(cat "$2" "$rest" "$root"/scripts/tests/{lib,cluster}.sh | cksum | tr ' ' -)
  if [ ! -e "$kept" ]; then
    mkdir -p "${kept%/*}"
    work=$(mktemp -d "${kept%/*}/XXXXXX")
    chmod 755 "$work"
    (cd "$work" && "$3")
    mv -T "$work" "$kept" 2>mv.err || rm -r "$work" # another test was faster
  fi
  cp -r "$kept/." .
}

# heat_of RANKS: ./heat, ./expected and the checkpoints in ./plain of a run of so many ranks with $steps.
heat_of() {
  ranks_of_heat=$1 once "heat-$1$(tr -d " " <<<"${steps[*]}")" "$root/scripts/programs/heat/heat.c" run_heat
}

run_heat() {
  mpicc -std=gnu17 -O2 -Wall -Wextra -Werror -o heat "$root/scripts/programs/heat/heat.c" "$rest" "${resting[@]}"
  mkdir plain
  "${mpi[@]}" -n "$ranks_of_heat" ./heat "${steps[@]}" --checkpoints plain --result expected >/dev/null
}

# writes_in_flight MODE: a store that is written to in this way, as if it had been measured.
writes_in_flight() {
  mkdir nothing
  "$sluice" run --store store --capture nothing -- true
  local device mounted
  device=$(stat -c %Hd:%Ld store)
  mounted=$(awk -v device="$device" \
    '$3 == device { for (i = 7; $i != "-"; i++); print $(i + 1), $(i + 2); exit }' /proc/self/mountinfo)
  echo "1 $1 $mounted" >store/profile
}

# rehearse COMMAND...: commands of sluice, their words parted by single blanks, one after the other in one
# JVM, since most are over in less time than one takes to start. What the Nth printed is left in
# ./rehearsal/N.out and N.err, and its exit status, of which the highest is returned, in N.status.
rehearse() {
  local cache=sluice classes="$root/target/jars/*"
  rm -rf rehearsal
  mkdir rehearsal
  if [[ $* == *://* ]]; then
    cache=sluice-uri
    classes="$classes:$root/target/engines/*"
  fi
  SLUICE_HOME=$root "$("$root/scripts/find-jdk")/bin/java" "@$root/scripts/jvm.options" -Xmx128m \
    -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "-XX:AOTCache=$root/target/$cache.aot" '-Xlog:aot*=off' \
    -ea -cp "$classes" org.sluice.core.command.Rehearsal rehearsal "$@"
}

# expect_refusals: each line of standard input is a status, a regular expression and a command, parted by
# tabs: the command exits with the status, and says in one line on standard error what the expression matches.
expect_refusals() {
  local lines n status regex command
  mapfile -t lines
  rehearse "${lines[@]##*$'\t'}" || true
  for n in "${!lines[@]}"; do
    IFS=$'\t' read -r status regex command <<<"${lines[n]}"
    n=rehearsal/$((n + 1))
    [ "$(cat $n.status)" = "$status" ] || fail "status $(cat $n.status) from: $command -- $(cat $n.err)"
    [ "$(wc -l <$n.err)" -eq 1 ] || fail "not one line from $command: $(cat $n.err)"
    grep -qE -- "$regex" $n.err || fail "no match for '$regex' from $command: $(cat $n.err)"
  done
}

# each_byte STORE BYTES RUNS [SERIES...]: whatever commands make of damage, verify tells.
each_byte() {
  export root sluice
  export -f rehearse
  python3 "$root/scripts/tests/each_byte.py" "$PWD/$1" "${@:2}" || fail "what is above was silent"
}

# restore STORE DIRECTORY NUMBER...: these checkpoints.
restore() {
  local numbers=("${@:3}")
  rehearse "${numbers[@]/#/restore --store $1 --to $2 --checkpoint }" || fail "$(cat rehearsal/*.err)"
}

# give_back STORE DIRECTORY: it is whole, and its newest checkpoint is there.
give_back() {
  rehearse "verify --store $1" "restore --store $1 --to $2" || fail "$(cat rehearsal/*.{out,err})"
}

# listed: the numbers of the checkpoints that count in $store, or else in ./shared/store, on one line: as the log of its series
# has them, which is what a restart sees, or as the manifests of a store of one node say.
listed() {
  local log=${series_log:-${store:-shared/store}/default/log}
  if [ -d "$log" ]; then
    jq -nr 'reduce (inputs | .at = (input_filename | split("/") | last | tonumber)) as $one ([];
      if $one.entry == "commit" then map(select(.number != $one.number)) + [$one]
      else map(select(.at as $at | $one.live | index($at))) end) | map(.number) | sort | map(tostring) | join(" ")' "$log"/[0-9]*
  else
    committed "${store:-shared/store}" | xargs
  fi
}

is_listed() {
  [ "$(listed)" = "$1" ]
}

# will_list NUMBERS: these count before long. It asks once the log has another entry.
will_list() {
  local seen=none entries looks=600
  until entries=$(ls shared/store/*/log 2>&1) && [ "$entries" != "$seen" ] && seen=$entries && is_listed "$1"; do
    [ $((looks -= 1)) -gt 0 ] || fail "not listed: $1, but $(listed)"
    sleep 0.1
  done
}

# on NODE CMD...: on a node of this name.
on() {
  local node=$1
  shift
  [ -e "boot-$node" ] || cat /proc/sys/kernel/random/uuid >"boot-$node"
  mkdir -p "$SLUICE_RUNTIME"
  SLUICE_RUNTIME=$SLUICE_RUNTIME/$node unshare --mount --uts bash -ec '
    hostname "$0"
    mount --bind "boot-$0" /proc/sys/kernel/random/boot_id
    exec "$@"' "$node" "$@"
}

# io_process_of NODE: its process; its segment may be in a mount of the node's own.
io_process_of() {
  grep -lsz "^SLUICE_RUNTIME=$SLUICE_RUNTIME/$1\$" /proc/[0-9]*/environ | while read -r process; do
    [[ $(readlink "${process%environ}exe") != */java ]] || echo "$process" | tr -cd '0-9\n'
  done
}

# with_shared_storage: the calling test goes on with a file system in ./shared that other nodes might use, and a directory
# there whose files are captured.
with_shared_storage() {
  needs_own_mounts
  [[ ${FUNCNAME[*]} =~ (test|soak)_[A-Za-z0-9_]+ ]]
  [ -n "$SHARED" ] || SHARED=yes exec unshare --mount bash -c '
    mkdir shared && mount -t ramfs shared shared && mkdir shared/capture && exec bash "$@"' bash "$0" "${BASH_REMATCH[0]}"
}

# make_jdk FAULTS: ./jdk, for JAVA_HOME. Each I/O process that starts by it takes a line of that file, if there is one, for its
# SLUICE_FAULT, and leaves its process in ./io-process. With `wait` it says so in FAULTS.waits, and goes on once there is
# FAULTS.go.
make_jdk() {
  local jdk
  jdk=$("$root/scripts/find-jdk")
  mkdir -p jdk/bin
  cp "$jdk/release" jdk
  ln -s "$jdk/bin/javac" jdk/bin
  cat >jdk/bin/java <<END
#!/bin/bash
faults=$1
if [[ " \$* " == *" serve "* ]] && read -r SLUICE_FAULT 2>/dev/null <"\$faults"; then
  sed -i 1d "\$faults"
  echo \$\$ >"$PWD/io-process"
  if [ "\$SLUICE_FAULT" = wait ]; then
    touch "\$faults.waits"
    until [ -e "\$faults.go" ]; do sleep 0.05; done
    SLUICE_FAULT=
  fi
  export SLUICE_FAULT
fi
exec "$jdk/bin/java" "\$@"
END
  chmod +x jdk/bin/java
}

# store_of_one_node DIR: one there, as versions before series made them on storage that nodes share.
store_of_one_node() {
  "$sluice" run --store old-store --capture "$PWD" --layout files -- true
  cp -r old-store "$1"
}

# As after a minute.
let_rest() {
  find "$1" -exec touch -d '2 minutes ago' {} +
}

# Root may do anything to any file and process, unless it gives that up: $sluice, and what it runs, does.
be_refused_like_others() {
  [ "$(id -u)" = 0 ] || return 0
  printf '#!/bin/sh\nexec setpriv --bounding-set -dac_override,-dac_read_search,-sys_ptrace "%s" "$@"\n' "$sluice" >unprivileged
  chmod +x unprivileged
  sluice=$PWD/unprivileged
}

# install_in DIRECTORY: a copy of what the command needs, which $sluice is from now on. Everybody may run
# it, while the sources may lie where no other user can enter.
install_in() {
  copy_home "$root" "$1"
  chmod a+rx .
  sluice=$(readlink -f "$1/scripts/sluice")
}

# As another user, which only root can become.
as_nobody() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
  else
    "$@"
  fi
}

# one_group LAYOUT: the options by which all files are of one checkpoint, where they are not plain files anyway.
one_group() {
  [ "$1" = files ] && echo --group none || echo --group .
}

# Not everybody may have a mount namespace, and nobody can below a root that is no mount point.
needs_own_mounts() {
  [ "$(id -u)" = 0 ] || skip "only root may mount"
  unshare --mount true 2>unshare.err || skip "no mount namespace: $(cat unshare.err)"
}

# ---- an I/O process of the test's own ----

# start_server STORE [OPTION...]: leaves its pid in $server and returns when it takes requests. A shell's
# background commands ignore SIGINT unless told otherwise.
start_server() {
  rm -f server.out # what a former one said
  env --default-signal=INT "$sluice" serve --store "$@" >server.out 2>server.err &
  server=$!
  wait_until 60 server_answers
}

server_answers() {
  kill -0 $server || fail "serve ended: $(cat server.err)"
  grep -q '^guard: ' server.out # the last of the lines that tests look at
}

# captured CMD...: a rank of that I/O process, whose files in ./capture are captured.
captured() {
  SLUICE_CAPTURE="$PWD/capture" LD_PRELOAD="$native/libsluice_preload.so" \
    SLUICE_DIRECTORY="$SLUICE_RUNTIME/default" "$@"
}

stop_server() {
  kill -TERM $server
  wait $server
}

# Processes of this command's I/O process may make memory: writes do not wait for it, which would be said.
has_memory() {
  [ "$(od -An -t d8 -j 400 -N 8 "$SLUICE_DIRECTORY/segment")" -gt 0 ]
}
export -f has_memory

# Before ranks write while the I/O process that start_server started is stopped, which grants no memory then.
await_memory() {
  SLUICE_DIRECTORY=$SLUICE_RUNTIME/default wait_until 60 has_memory
}

start_server_with_memory() {
  start_server "$@"
  await_memory
}

# Before a command of `sluice run`: it begins then.
with_memory=(bash -c 'for ((looks = 3000; looks > 0; looks--)); do ! has_memory 2>/dev/null || exec "$@"; sleep 0.02; done
  echo "waited in vain for memory" >&2; exit 1' -)

# at_launcher before|behind CMD...: as a user runs it, or as the first of two ranks.
at_launcher() {
  if [ "$1" = before ]; then "${@:2}"; else SLUICE_RANK=0 SLUICE_RANKS=2 "${@:2}"; fi
}

# resume_server STORE [OPTION...]: one goes on with what the former one left.
resume_server() {
  rm -f server.out # what a former one said
  "$sluice" serve --resume --store "$@" >server.out 2>>server.err &
  server=$!
  wait_until 60 grep -q ready: server.out
}

# freeze PID: it stands still.
freeze() {
  python3 "$root/scripts/tests/freeze.py" "$1"
}

kill_server() {
  kill -9 $server
  wait $server || true
}

# Of the I/O process called NAME: what its segment says.
server_pid() {
  od -An -t d4 -j 12 -N 4 "$SLUICE_RUNTIME/$1/segment" | tr -d ' '
}

# How many slots of the I/O process called NAME are taken. The header says where they are; each has
# 1024 bytes, its state first.
taken_slots() {
  local segment=$SLUICE_RUNTIME/$1/segment first count
  first=$(od -An -t d8 -j 40 -N 8 "$segment" | tr -d ' ')
  count=$(od -An -t d4 -j 48 -N 4 "$segment" | tr -d ' ')
  od -An -v -t d4 -w1024 -j "$first" -N $((count * 1024)) "$segment" | awk '$1 == 1' | wc -l
}

# ---- running them ----

# What a test left behind; an I/O process that is just ending gets a moment.
leftovers() {
  local left
  for _ in {1..300}; do
    left=$(leftovers_now "$1")
    [ -n "$left" ] || return
    sleep 0.1
  done
  echo "$left"
}

leftovers_now() {
  compgen -G "$1/*/segment"
  mounts_below "$1"
  processes_of "$1" | sed 's,.*,/proc/&/cmdline,' | xargs -r cat 2>/dev/null | tr '\0' ' '
}

# The processes of a test, by its runtime directory; those of its nodes have directories below it.
processes_of() {
  grep -lszE "^SLUICE_RUNTIME=$1(/.*)?\$" /proc/[0-9]*/environ | cut -d/ -f3
}

run_one() {
  trap 'jobs -p | xargs -r kill -9 2>/dev/null || true' EXIT
  set -eE
  "$1" </dev/null
}

# The mount points below a directory.
mounts_below() {
  awk -v below="$1/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts
}

# In a session of its own, so that the time limit ends all of it and nobody finds its processes by name.
run_limited() {
  local directory runtime left status=0
  directory=$(mktemp -d "${TMPDIR:-/tmp}/sluice-test.XXXXXX")
  runtime=/dev/shm/${directory##*/}
  cd "$directory" || exit
  mkdir -p "$directory.config/sluice"
  echo "sluice.buffer=$test_buffer" >"$directory.config/sluice/defaults.properties"
  chmod -R a+rX "$directory.config" # some tests become another user
  XDG_CONFIG_HOME=$directory.config SLUICE_RUNTIME=$runtime setsid -w \
    timeout -k 5 "$test_timeout" bash "$test_file" "$1" \
    >"$directory.log" 2>&1 || status=$?
  left=$([ $status -ne 0 ] || leftovers "$runtime")
  processes_of "$runtime" | xargs -r kill -9 2>/dev/null # of one that failed, or was skipped
  if [ $status -eq 0 ] && [ -z "$left" ]; then
    echo "ok    ${1#*_}"
  elif [ $status -eq 77 ]; then
    echo "skip  ${1#*_}: $(sed -n 's/^skipped: //p' "$directory.log")"
  else
    echo "FAIL  ${1#*_} (status $status)"
    status=1
    sed 's/^/        /' "$directory.log"
    [ -z "$left" ] || echo "        left behind: $left"
  fi
  mounts_below "$runtime" | xargs -r umount -l
  rm -rf "$directory" "$directory".{config,log} "$runtime"
  return $status
}

run_tests() {
  if [ $# -gt 0 ] && [ -n "$SLUICE_RUNTIME" ]; then
    run_one "$1"
    return
  fi
  test_file=$(readlink -f "$0")
  local all name status failed=0
  mapfile -t all < <(grep -oP '^test_\w+(?=\(\))' "$test_file")
  [ $# -gt 0 ] || set -- "${all[@]}"
  for name in "$@"; do
    status=0
    (run_limited "$name") || status=$?
    [ $# -gt 1 ] || return $status
    [ $status -eq 0 ] || [ $status -eq 77 ] || failed=1
  done
  return $failed
}
