# Sourced by scripts/build: builds the native files, called in the folder of the sources.

# build_native BUILD TARGET [OPTION...]: in the folder BUILD. An MPI that no layer can be built for stops nothing else:
# its layer is left out, and BUILD/left-out says why.
build_native() {
  local mpi left=
  rm -f "$1/left-out"
  cmake -S blcr-bridge -B "$1" -DSLUICE_LEFT_OUT= "${@:3}" || return
  ! cmake --build "$1" -j "$(nproc)" --target "$2" || return 0
  for mpi in openmpi mpich; do
    [ ! -d "$1/mpi/CMakeFiles/mpi_wrappers_$mpi.dir" ] || layer_is_built "$1" $mpi || left+="$mpi;"
  done
  [ -n "$left" ] && cmake -S blcr-bridge -B "$1" "-DSLUICE_LEFT_OUT=$left" && cmake --build "$1" -j "$(nproc)" --target "$2"
}

# layer_is_built BUILD MPI: else an older one goes, too. The first error of a compiler or of generate.py says why.
layer_is_built() {
  local log=$1/layer-$2.log why
  ! cmake --build "$1" --target "sluice_mpi_$2" >"$log" 2>&1 || return 0
  rm -f "$1/libsluice_mpi_$2.so"
  why=$(grep -m 1 -E '[Ee]rror[: ]' "$log") || true
  echo "$2 ${why:-see $log}" >>"$1/left-out"
  return 1
}

# tell_of_layers BUILD: a line for each MPI that has none, and for each that has functions which Sluice does not know.
tell_of_layers() {
  local mpi why unknown
  while read -r mpi why; do
    echo "build: without the layer for $mpi, so 'sluice mpi' does not run its programs; all else is built: $why"
  done < <(cat "$1/left-out" 2>&-)
  for unknown in "$1"/mpi/*/unknown; do
    [ -s "$unknown" ] && [ -e "$1/libsluice_mpi_$(basename "${unknown%/*}").so" ] || continue
    echo "build: 'sluice mpi' refuses what it does not know of $(basename "${unknown%/*}"): $(xargs <"$unknown")"
  done
}
