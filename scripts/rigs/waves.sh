# Sourced by what runs the MPI programs of scripts/programs/waves under `sluice mpi`, behind scripts/tests/lib.sh.

corpus=$root/scripts/programs/waves
layer=$native
api=$root/blcr-bridge/src/main/c/mpi/api

# launcher MPI RANKS: sets $launch, the command before a program.
launcher() {
  if [ "$1" = mpich ]; then
    launch=(mpiexec.mpich -n "$2")
  else
    launch=("${mpi[@]/mpirun/mpirun.openmpi}" -n "$2")
  fi
}

# build_program NAME LANGUAGE MPI [OPTION...]: ./NAME, of scripts/programs/waves, compiled once with these options of the compiler.
build_program() {
  local built=$root/target/waves/$2-$3$4
  [ ! -e "$1" ] || return 0
  command -v "mpicc.$3" >/dev/null || skip "there is no mpicc.$3"
  [ "$2" = c ] || command -v "mpifort.$3" >/dev/null || skip "there is no mpifort.$3"
  if [ ! -e "$built/$1" ] || [ -n "$(find "$corpus" "$api" "$rest" -newer "$built/$1")" ]; then
    (compile_program "$@")
  fi
  cp "$built/$1" .
}

# Several tests may do so at once.
compile_program() {
  local work parts=()
  local link=("${resting[@]}" -L "$layer" -lsluice_mpi "-Wl,-rpath,$layer")
  mkdir -p "$built"
  work=$(mktemp -d "$built/XXXXXX")
  cd "$work" || return
  [ "$2" != c ] || mapfile -t parts < <(compgen -G "$corpus/$1.c"; compgen -G "$corpus/$1_*.c")
  mpicc."$3" -std=gnu17 -O2 "${@:4}" -Wall -Wextra -Werror -Wno-stringop-overflow -I "$api" -c "$corpus/corpus.c" \
    "$rest" "${parts[@]}"
  if [ "$2" = c ]; then
    mpicc."$3" -o "$1" ./*.o "${@:4}" "${link[@]}"
  else
    mpifort."$3" -o "$1" "$api/sluice_mpi.f90" "$corpus/corpus.f90" "$corpus/$1.f90" ./*.o "${link[@]}"
  fi && mv "$1" .. && rm -r "$work"
}

# ---- kills ----

# The processes of ./NAME in this folder, children that write images among them.
program_processes() {
  find /proc/[0-9]*/exe -maxdepth 0 -lname "$PWD/$1" -printf '%h\n' 2>/dev/null | cut -d / -f 3
}

# Its ranks. A child has its own name only a moment behind the fork.
ranks_of() {
  local pid name state parent all
  all=" $(program_processes "$1" | xargs) "
  for pid in $all; do
    read -r _ name state parent _ 2>/dev/null <"/proc/$pid/stat" || continue
    [ "$name" = "(sluice-snapshot)" ] || [ "$state" = Z ] || [[ $all == *" $parent "* ]] || echo "$pid"
  done
}

# The I/O processes of this test, or of whatever has this SLUICE_RUNTIME. The number of one that has ended may be
# another process's by now.
io_processes() {
  local segment pid name
  for segment in "$SLUICE_RUNTIME"/*/segment; do
    pid=$(od -An -t d4 -j 12 -N 4 "$segment" 2>/dev/null | tr -d ' ')
    read -r name 2>/dev/null <"/proc/$pid/comm" || continue
    [ "$name" != java ] || ! grep -qsz "^SLUICE_RUNTIME=$SLUICE_RUNTIME$" "/proc/$pid/environ" || echo "$pid"
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
  tell "$1"
  echo "$lines"
}

# tell EVENT: leaves that in $lines. It is asked often, and so starts no process.
tell() {
  local line
  lines=0
  [ -e "$wave_log" ] || return 0
  while read -r line; do
    [[ $line != *"\"what\":\"$1\""* ]] || lines=$((lines + 1))
  done <"$wave_log"
}

wave_log=store/mpi.log

# await_event EVENT SECONDS: another one is in the wave log. Fails when the job ends before that.
await_event() {
  tell "$1"
  await_told "$1" $((lines + 1)) "$2"
}

# await_told EVENT COUNT SECONDS: so many are there. To count before what leads to one misses none. The seconds are counted in
# looks, fifty a second, as wait_until() counts them.
await_told() {
  local looks=$(($3 * 50))
  while tell "$1" && [ "$lines" -lt "$2" ]; do
    kill -0 "$job" 2>/dev/null && [ $((looks -= 1)) -gt 0 ] || return 1
    moment
  done
}

# await_said TEXT COUNT: the job has said so more often than that.
await_said() {
  local looks=3000
  until [ "$(grep -c "$1" job.log)" -gt "$2" ]; do
    kill -0 "$job" 2>/dev/null && [ $((looks -= 1)) -gt 0 ] || return 1
    moment
  done
}

# A fiftieth of a second: nothing comes to read.
moment() {
  [ -n "$nothing" ] || exec {nothing}<> <(:)
  read -r -t 0.02 -u "$nothing" || true
}

# await_ranks NAME OLD: ranks run that are none of OLD.
await_ranks() {
  local pid looks=3000
  while kill -0 "$job" 2>/dev/null && [ $((looks -= 1)) -gt 0 ]; do
    for pid in $(ranks_of "$1"); do
      [[ " $2 " == *" $pid "* ]] || return 0
    done
    sleep 0.02
  done
  return 1
}

# count_recoveries: before what leads to one, which await_moment waits for.
count_recoveries() {
  tell restart
  restarts=$lines
  repetitions=$(grep -cs 'ranks begin with checkpoint' job.log) || repetitions=${repetitions:-0}
}

# strike NAME WHEN WHO: kills a rank of ./NAME, or any process of it (child), or an I/O process, when that moment comes.
# Says so in ./strikes.
strike() {
  local victims
  below 1000
  await_moment "$@" || return 0
  case $3 in
    rank) mapfile -t victims < <(ranks_of "$1") ;;
    child) mapfile -t victims < <(program_processes "$1") ;;
    io) mapfile -t victims < <(io_processes) ;;
  esac
  [ "$3" = io ] || struck="${victims[*]}"
  [ ${#victims[@]} -gt 0 ] || return 0
  below ${#victims[@]}
  count_recoveries
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
    now) ;;
    reading) await_told restart $((restarts + 1)) 60 && nap $((chance / 40)) ;; # what the checkpoint left
    repeating) await_said 'ranks begin with checkpoint' "$repetitions" && nap $((chance / 20)) ;; # what is late, early or recorded
    going) await_said 'ranks begin with checkpoint' "$repetitions" && nap $((50 + chance * every_ms / 2000)) ;; # towards the next wave
  esac
}

# kill_at_random NAME SEED: a rank once a wave is committed, and then what chance says. Another wave is committed behind.
kill_at_random() {
  local whens=(committed wave wave recovery any) whos=(child child io) when n
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
  await_event committed 60 || true
  touch hurry
}

# ---- a program that is killed ----

# expected_result NAME MPI RANKS OPTION...: ./expected, by a run that nothing disturbs.
expected_result() {
  launcher "$2" "$3"
  "${launch[@]}" "./$1" --result expected "${@:4}" >plain.log 2>&1 || fail "$1 without sluice: $(cat plain.log)"
}

# survives NAME PROTOCOL LANGUAGE MPI SEED [OPTION...]: killed at random it ends with the undisturbed result.
survives() {
  build_program "$1" "$3" "$4"
  expected_result "$1" "$4" "${ranks:-4}" --steps "$steps" "${@:6}"
  ends_as_expected "$1" "$2" "$5" "${@:6}"
}

# Enough for what strikes on a busy machine. When it has, the program hurries.
steps=${steps:-400}
every_ms=${every_ms:-300}

# ends_as_expected NAME PROTOCOL SEED [OPTION...]: with ./expected, by $launch.
ends_as_expected() {
  local status=0
  rm -rf strikes hurry store
  timeout "${job_timeout:-190}" "$sluice" mpi --protocol "$2" --snapshot "${snapshot:-auto}" \
    --write "${images:-auto}" --every "${every_ms}ms" --patience 5 --restarts 20 --store store -- \
    "${launch[@]}" "./$1" --result result --pause "${pause:-20000}" --steps "$steps" "${@:4}" >job.log 2>&1 &
  job=$!
  kill_at_random "$1" "$3"
  wait $job || status=$?
  [ $status = 0 ] || fail "status $status of $2 with seed $3 after $(xargs <strikes): $(cat job.log store/mpi.log)"
  cmp expected result || fail "another result of $2 with seed $3 after $(xargs <strikes): $(cat job.log)"
  was_struck "$3"
}

# A rank was killed, and the job went on from a wave.
was_struck() {
  grep -q rank strikes || fail "nothing was killed with seed $1: $(cat job.log)"
  [ "$(told restart)" -gt 0 ] || fail "no restart from a checkpoint with seed $1: $(cat job.log)"
}

end_job() {
  kill -TERM $job
  wait $job || true
}

# ---- images ----

# number FILE OFFSET: eight bytes of an image.
number() {
  od -An -t d8 -j "$2" -N 8 "$1" | tr -d ' '
}

# memory_is_restored: ./restored has, of each rank of ./tenth --do window with $size elements, the memory of the step that
# it says: behind the head of 104 bytes, the step and what was told. Under C3 each rank is at a spot of its own.
memory_is_restored() {
  local image rank step
  for image in restored/rank-*/state; do
    rank=$(grep -oP 'rank-0*\K\d+' <<<"$image")
    step=$(number "$image" 104)
    [ -e "memory-$step.$rank" ] ||
      TENTH_DUMP=memory-$step "${launch[@]}" ./tenth --steps "$step" --size "$size" --do window >/dev/null
    cmp -n $((size * 8)) -i 120:0 "$image" "memory-$step.$rank" || fail "$image, step $step"
  done
}

# How many bytes images of earlier checkpoints hold in $store.
earlier_bytes() {
  "$sluice" ls --store $store --images --json | jq '[.checkpoints[].images[].earlier_bytes] | add'
}
