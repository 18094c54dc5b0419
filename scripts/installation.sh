# Sourced: the files of a clone that users need. SLUICE_HOME is a clone or a copy of these: scripts/sluice, the native
# programs and the jars find each other by the paths that they have in a clone.

# copy_home CLONE HOME: with the times by which the JVM knows the jars that its start caches were made of. All may read it.
copy_home() {
  local home native=blcr-bridge/target/native
  mkdir -p "$2"
  home=$(readlink -f "$2")
  (
    shopt -s nullglob # an MPI that is not here has no layer
    cd "$1" && cp -dpr --parents -t "$home" LICENSE scripts/{sluice,find-jdk,jvm.options} \
      target/{built,jdk,commands,help,jars,engines} target/*.aot $native/libsluice*.so* \
      $native/sluice-{run,put,criu,mpi,record,replay,guard} $native/sluice_mpi.{py,f90,h} $native/sluice.{py,f90} aggregator-core/src/main/c/sluice.h
  ) && chmod -R u+w,a+rX "$home"
}
