# Sourced by what runs the MPI programs of scripts/waves under `sluice mpi`, behind scripts/tests/lib.sh.

corpus=$root/scripts/waves
layer=$native
api=$root/mpi-protocols/src/main/c/api

# launcher MPI RANKS: sets $launch, the command before a program.
launcher() {
  if [ "$1" = mpich ]; then
    launch=(mpiexec.mpich -n "$2")
  else
    launch=("${mpi[@]/mpirun/mpirun.openmpi}" -n "$2")
  fi
}

# build_program NAME LANGUAGE MPI: ./NAME, of scripts/waves.
build_program() {
  [ ! -e "$1" ] || return 0
  command -v "mpicc.$3" >/dev/null || skip "there is no mpicc.$3"
  [ "$2" = c ] || command -v "mpifort.$3" >/dev/null || skip "there is no mpifort.$3"
  local options=(-O2 -L "$layer" -lsluice_mpi "-Wl,-rpath,$layer")
  if [ "$2" = c ]; then
    local parts=("$corpus/$1.c" "$corpus/$1"_*.c)
    [ -e "${parts[1]}" ] || unset "parts[1]"
    mpicc."$3" -std=gnu17 -Wall -Wextra -Werror -Wno-stringop-overflow -I "$api" -o "$1" "${parts[@]}" \
      "$corpus/corpus.c" "${options[@]}"
  else
    mpicc."$3" -std=gnu17 -O2 -I "$api" -c -o corpus_c.o "$corpus/corpus.c" &&
      mpifort."$3" -o "$1" "$api/sluice_mpi.f90" "$corpus/corpus.f90" "$corpus/$1.f90" corpus_c.o "${options[@]}"
  fi
}

# ---- kills ----

# The processes of ./NAME in this folder, children that write images among them.
processes_of() {
  local process
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/exe" 2>/dev/null)" != "$PWD/$1" ] || echo "${process#/proc/}"
  done
}

# Its ranks.
ranks_of() {
  local pid
  for pid in $(processes_of "$1"); do
    [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = sluice-snapshot ] || echo "$pid"
  done
}

# The I/O processes of this test, or of whatever has this SLUICE_RUNTIME.
io_processes() {
  local segment
  for segment in "$SLUICE_RUNTIME"/*/segment; do
    [ ! -e "$segment" ] || od -An -t d4 -j 12 -N 4 "$segment" | tr -d ' '
  done
}

# below N: leaves a random number in $chance. Not by $(...), which goes on from no seed.
below() {
  chance=$(((RANDOM << 15 | RANDOM) % $1))
}

nap() {
  sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"
}

# How many lines of the wave log say EVENT.
told() {
  [ ! -e store/waves.log ] && echo 0 || grep -c "\"what\":\"$1\"" store/waves.log || true
}

# await_event EVENT SECONDS: another one is in the wave log. Fails when the job ends before that.
await_event() {
  local before end=$((SECONDS + $2))
  before=$(told "$1")
  until [ "$(told "$1")" -gt "$before" ]; do
    kill -0 "$job" 2>/dev/null && [ $SECONDS -lt $end ] || return 1
    sleep 0.01
  done
}

# await_ranks NAME OLD: ranks run that are none of OLD.
await_ranks() {
  local pid end=$((SECONDS + 20))
  while kill -0 "$job" 2>/dev/null && [ $SECONDS -lt $end ]; do
    for pid in $(ranks_of "$1"); do
      [[ " $2 " == *" $pid "* ]] || return 0
    done
    sleep 0.02
  done
  return 1
}

# strike NAME WHEN WHO: kills a rank of ./NAME or an I/O process, when that moment comes. Says so in ./strikes.
strike() {
  local victims
  below 1000
  await_moment "$@" || return 0
  if [ "$3" = rank ]; then
    mapfile -t victims < <(processes_of "$1")
    struck="${victims[*]}"
  else
    mapfile -t victims < <(io_processes)
  fi
  [ ${#victims[@]} -gt 0 ] || return 0
  below ${#victims[@]}
  ! kill -KILL "${victims[chance]}" 2>/dev/null || echo "$2 $3" >>strikes
}

# The moment is $chance thousandths into its time.
await_moment() {
  local old
  mapfile -t old < <(ranks_of "$1")
  case $2 in
    committed) await_event committed 60 && nap $((chance * every_ms / 1000)) ;; # anywhere between two waves
    wave) await_event begun 60 && nap $((chance / 25)) ;;                       # in it, or in its commit
    recovery) await_ranks "$1" "${struck:-${old[*]}}" && nap $((chance / 2)) ;;
    any) nap $((chance * 2)) ;;
  esac
}

# kill_at_random NAME SEED: a rank once a wave is committed, and then what chance says.
kill_at_random() {
  local whens=(committed wave wave recovery any) whos=(rank rank io) when n
  RANDOM=$2
  struck=
  strike "$1" committed rank
  below 3
  for ((n = chance; n > 0; n--)); do
    below ${#whens[@]}
    when=${whens[chance]}
    below ${#whos[@]}
    strike "$1" "$when" "${whos[chance]}"
  done
}

# ---- a program that is killed ----

# expected_result NAME MPI RANKS OPTION...: ./expected, by a run that nothing disturbs.
expected_result() {
  launcher "$2" "$3"
  "${launch[@]}" "./$1" --result expected "${@:4}" >plain.log 2>&1 || fail "$1 without sluice: $(cat plain.log)"
}

# survives NAME PROTOCOL LANGUAGE MPI SEED [OPTION...]: killed at random it ends with the undisturbed result.
survives() {
  local name=$1 protocol=$2 status=0
  local options=(--steps "${steps:-300}" "${@:6}")
  every_ms=${every_ms:-200}
  build_program "$name" "$3" "$4"
  expected_result "$name" "$4" "${ranks:-4}" "${options[@]}"
  rm -rf strikes store
  timeout "${job_timeout:-150}" "$sluice" mpi --protocol "$protocol" --snapshot "${snapshot:-auto}" --images "${images:-auto}" \
    --every "${every_ms}ms" --patience 5 --restarts 20 --store store -- \
    "${launch[@]}" "./$name" --result result --pause "${pause:-20000}" "${options[@]}" >job.log 2>&1 &
  job=$!
  kill_at_random "$name" "$5"
  wait $job || status=$?
  [ $status = 0 ] || fail "status $status with seed $5 after $(xargs <strikes): $(cat job.log store/waves.log)"
  cmp expected result || fail "another result with seed $5 after $(xargs <strikes): $(cat job.log)"
  was_struck "$5"
}

# A rank was killed, and the job went on from a wave.
was_struck() {
  grep -q rank strikes || fail "nothing was killed with seed $1: $(cat job.log)"
  [ "$(told restart)" -gt 0 ] || fail "no restart from a wave with seed $1: $(cat job.log)"
}
