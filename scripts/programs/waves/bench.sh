# Sourced by scripts/benchmarks/mpi: how each of its parts is measured, in a folder of its own.

sluice=$root/scripts/sluice
bench=$root/scripts/programs/waves

# In a folder that goes with this script. Figures are left even when it is interrupted.
begin() {
  work=$(mktemp -d "$(readlink -f "$dir")/sluice-bench-mpi.XXXXXX")
  job=
  trap cleanup EXIT
  cd "$work"
  : >figures
}

cleanup() {
  [ -z "$job" ] || kill "$job" 2>/dev/null || true
  wait || true
  [ -z "$json" ] || leave "$json"
  rm -rf "$work"
}

# ---- what was measured ----

# earlier FILE[,FILE]: the figures that --json left there. Rounds of two runs are not compared.
earlier() {
  jq -sc 'to_entries[] | .key as $run | .value.figures[] | .run = "\($run) \(.run)"' ${1//,/ }
}

# leave FILE: the figures and what they say.
leave() {
  jq -s -L "$bench" 'include "bench"; {figures: ., verdicts: [verdicts]}' "$work/figures" >"$1"
}

report() {
  jq -rs -L "$bench" --slurpfile papers "$bench/papers.json" 'include "bench"; report($papers[0])' figures
}

# figure NAME=VALUE...: a line of JSON. Numbers are numbers.
figure() {
  local pair arguments=()
  for pair; do
    if [[ ${pair#*=} =~ ^-?[0-9.]+(e-?[0-9]+)?$ ]]; then
      arguments+=(--argjson "${pair%%=*}" "${pair#*=}")
    else
      arguments+=(--arg "${pair%%=*}" "${pair#*=}")
    fi
  done
  jq -nc "${arguments[@]}" '$ARGS.named' >>figures
}

build() {
  local native=$root/blcr-bridge/target/native
  "mpicc.$mpi" -std=gnu17 -O2 -Wno-stringop-overflow -I "$root/blcr-bridge/src/main/c/mpi/api" -o "$1" \
    "$root/scripts/programs/waves/$1.c" "$root/scripts/programs/waves/corpus.c" -L "$native" -lsluice_mpi "-Wl,-rpath,$native"
}

export OMPI_MCA_btl=^tcp,ofi OMPI_MCA_mpi_yield_when_idle=1
launcher() {
  if [ "$mpi" = mpich ]; then
    launch=(mpiexec.mpich -n "$1")
  else
    launch=(mpirun.openmpi --oversubscribe -n "$1")
    [ "$(id -u)" != 0 ] || launch+=(--allow-run-as-root)
  fi
}

# under PROTOCOL TIME CMD...: under sluice mpi, a wave every so long. Leaves what it says in ./out.
under() {
  rm -rf store
  "$sluice" mpi --protocol "$1" --every "$2" --store store -- "${launch[@]}" "${@:3}" >out 2>log || {
    cat log >&2
    return 1
  }
}

median() {
  sort -n | awk '{ value[NR] = $1 } END { print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'
}

# of_waves FIELD: of the committed waves of the last run.
of_waves() {
  jq -r "select(.what == \"committed\") | .$1 // empty" store/mpi.log
}

# ---- a wrapper ----

# wrapper KIND: none, counting (no wave), or waves (one each second).
wrapper() {
  local every=0 options=(3 step) layer=$root/blcr-bridge/target/native/libsluice_mpi_$mpi.so
  case $1 in
    none) env LD_PRELOAD="$work/at_once.so" "${launch[@]}" ./wrapper 1 step ;;
    waves) every=1s options=(3) ;;&
    *)
      rm -rf store
      "$sluice" mpi --mpi "$mpi" --protocol c3 --every "$every" --store store -- "${launch[@]}" \
        env LD_PRELOAD="$layer:$work/at_once.so" ./wrapper "${options[@]}" 2>log || { cat log >&2 && exit 1; }
      ;;
  esac
}

# What the layer adds to a call, beside an MPI that returns at once. A message is its send and its receive, or both begun
# and one Waitall.
measure_wrapper() {
  local round kind
  "mpicc.$mpi" -std=gnu17 -O2 -Wall -Wno-stringop-overflow -shared -fPIC -o at_once.so "$bench/at_once.c" -ldl
  build wrapper
  launcher 1
  for ((round = 1; round <= ${rounds:-9}; round++)); do
    for kind in none counting waves; do
      wrapper "$kind" | jq -c --arg layer "$kind" --arg mpi "$mpi" --argjson round "$round" \
        'select(.part == "wrapper") + {layer: $layer, mpi: $mpi, round: $round}' >>figures
    done
  done
  grep -q instructions figures || echo "   this machine counts no instructions, and lets no process step through another"
}

# ---- ping-pong ----

ping() {
  local bytes microseconds
  while read -r bytes microseconds; do
    figure part=pingpong mpi=$mpi kind="$1" round="$2" bytes="$bytes" microseconds="$microseconds"
  done <out
}

# By the layer's functions and past them, in one process.
slices() {
  local bytes layer direct
  while read -r bytes layer direct; do
    figure part=slices mpi=$mpi kind=direct round="$1" bytes="$bytes" microseconds="$direct"
    figure part=slices mpi=$mpi kind=layer round="$1" bytes="$bytes" microseconds="$layer"
  done <out
}

# Each of the two ranks has a core, and spins as it does where it shares it with none.
measure_pingpong() {
  local -x OMPI_MCA_mpi_yield_when_idle=0
  local rounds=${rounds:-9} round
  build pingpong
  launcher 2
  for ((round = 1; round <= rounds; round++)); do
    "${launch[@]}" ./pingpong "$each" >out
    ping plain $round
    under c3 0 ./pingpong "$each"
    ping layer $round
    under c3 1s ./pingpong "$each"
    ping waves $round
    under c3 0 ./pingpong 1 slices
    slices $round
  done
}

# ---- kernels of NPB ----

# The memory of the ranks of ./kernel, which is what a checkpoint of whole processes has.
resident() {
  rm -f resident.*
  "${launch[@]}" python3 -c 'import os, resource, subprocess
subprocess.run("./kernel", stdout=subprocess.DEVNULL, close_fds=False, check=True)
with open(f"resident.{os.getpid()}", "w") as file:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=file)'
  awk '{ sum += $1 * 1024 } END { printf "%.0f\n", sum }' resident.*
}

kernel_figure() {
  figure part=npb mpi=$mpi kernel="$1" ranks="$2" kind="$3" round="$4" \
    seconds="$(awk '/Time in seconds/ { print $NF }' out)" "${@:5}"
}

kernel_round() {
  local kind
  "${launch[@]}" ./kernel >out
  kernel_figure "$1" "$2" plain "$3" resident_bytes="$4"
  under c3 0 ./kernel
  kernel_figure "$1" "$2" layer "$3"
  for kind in c3 pcl; do
    under $kind $every ./kernel
    kernel_figure "$1" "$2" $kind "$3" every=$every checkpoints="$(of_waves wave | wc -l)" \
      held_seconds="$(of_waves seconds_held_most | median)" bytes="$(of_waves bytes | median)"
  done
}

measure_npb() {
  local rounds=${rounds:-9} kernel count bytes round
  for kernel in ${kernels//,/ }; do
    [ -x "$NPB_PROGRAMS/$mpi/$kernel" ] || { echo "   skipped: NPB_PROGRAMS has no $mpi/$kernel" && continue; }
    count=2
    [[ $kernel != bt.* ]] || count=4 # a square
    launcher $count
    ln -sf "$(readlink -f "$NPB_PROGRAMS/$mpi/$kernel")" kernel
    bytes=$(resident)
    for ((round = 1; round <= rounds; round++)); do
      kernel_round "$kernel" $count $round "$bytes"
    done
  done
}

# ---- waves ----

# steps_for SECONDS: by $launch. The first ones are slow, so a few would say too little.
steps_for() {
  "${launch[@]}" ./stopped --size "$size" --steps 1000 >out
  awk -v seconds="$1" '{ print int(1000 * seconds / $2) }' out
}

wave_figure() {
  figure part=waves mpi=$mpi kind="$1" ranks="$2" interval="$3" round="$4" \
    seconds="$(awk '{ print $2 }' out)" checkpoints="$5" held_seconds="${6:-0}"
}

measure_waves() {
  local rounds=${rounds:-3} count interval round steps kind
  build stopped
  for count in ${ranks//,/ }; do
    launcher "$count"
    steps=$(steps_for "$seconds")
    for ((round = 1; round <= rounds; round++)); do
      "${launch[@]}" ./stopped --size "$size" --steps "$steps" >out
      wave_figure none "$count" 0 $round 0
      for interval in ${intervals//,/ }; do
        mkdir -p plain
        "${launch[@]}" ./stopped --size "$size" --steps "$steps" --stop plain --every "${interval}000" >out
        wave_figure stop "$count" "$interval" $round "$(awk '{ print $4 }' out)" "$(awk '{ print $6 }' out)"
        for kind in c3 pcl; do
          under $kind "${interval}s" ./stopped --size "$size" --steps "$steps"
          wave_figure $kind "$count" "$interval" $round "$(of_waves wave | wc -l)" "$(of_waves seconds_held_most | median)"
        done
      done
    done
  done
}

# ---- restart ----

measure_restart() {
  local rounds=${rounds:-3} kind round killed pids
  build stopped
  launcher 4
  for ((round = 1; round <= rounds; round++)); do
    for kind in c3 pcl; do
      rm -rf store
      "$sluice" mpi --protocol $kind --every 1s --store store -- "${launch[@]}" ./stopped --size "$size" \
        --steps "$(steps_for 10)" >out 2>log &
      job=$!
      until [ "$(of_waves wave 2>/dev/null | wc -l)" -ge 2 ]; do kill -0 $job && sleep 0.05; done
      mapfile -t pids < <(for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe" 2>/dev/null)" != "$work/stopped" ] || echo "${process#/proc/}"
      done)
      killed=$(date +%s%N)
      kill -KILL "${pids[0]}"
      until grep -qs '"what":"restart"' store/mpi.log; do kill -0 $job && sleep 0.01; done
      figure part=restart mpi=$mpi kind=$kind round=$round seconds="$((($(date +%s%N) - killed) / 1000000))e-3"
      wait $job
      job=
    done
  done
}

# ---- incremental images ----

# Of each wave but the first, which always is a full one.
tenth_figures() {
  local reused held durable all
  while read -r all reused held durable; do
    figure part=tenth mpi=$mpi snapshot="$1" images="$2" round="$3" bytes="$all" written_bytes=$((all - reused)) \
      held_seconds="$held" durable_seconds="$durable"
  done < <(jq -rs 'map(select(.what == "committed"))[1:][]
    | "\(.bytes) \(.reused_bytes) \(.seconds_held_mean) \(.seconds_to_durable)"' store/mpi.log)
}

measure_tenth() {
  local rounds=${rounds:-3} round snapshot images
  build tenth
  launcher 2
  for ((round = 1; round <= rounds; round++)); do
    for snapshot in copy fork; do
      for images in full incremental; do
        rm -rf store
        "$sluice" mpi --protocol pcl --snapshot $snapshot --write $images --every 1s --store store -- "${launch[@]}" \
          ./tenth --size $((4 * size * size)) --steps 150 --pause 50000 --do window >out 2>log
        tenth_figures $snapshot $images $round
      done
    done
  done
}

# ---- what has changed ----

# With the layer's compiler options.
measure_changed() {
  local status=0 core=$root/blcr-bridge/src/main/c/mpi/core
  gcc -std=gnu17 -O2 -I "$core" -o changed "$bench/changed.c" "$core/hash.c"
  ./changed 256 "${rounds:-15}" >out 2>log || status=$?
  cat out >>figures
  [ $status = 0 ] || [ $status = 77 ] || { cat log >&2 && exit 1; }
  [ $status = 0 ] || echo "   skipped: $(cat log)"
}
