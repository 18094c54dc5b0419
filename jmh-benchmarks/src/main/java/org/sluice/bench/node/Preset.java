package org.sluice.bench.node;

import java.util.Map;

/** A named sweep with the defaults of its options. */
enum Preset {
  /** The checkpoints of one node through every system. */
  NODE(
      Map.of(
          "--workload",
          "LU,BT,CG",
          "--systems",
          "posix-fresh,posix-overwrite,posix-stdio1m,memcpy-floor,odirect-floor,"
              + "sluice-container-16k,sluice-container-64k,sluice-container-256k,"
              + "sluice-container-512k,sluice-container-auto,sluice-files-auto")),
  /** Checkpoints of a few bytes, at which there is little to gain. */
  SMALL(
      Map.of(
          "--systems",
          "posix-fresh,posix-overwrite,memcpy-floor,sluice-container-auto,sluice-files-auto",
          "--bytes",
          "64K,1M,16M",
          "--buffer",
          "64M",
          "--rounds",
          "15")),
  /** First checkpoints, of programs, sessions and stores that are all new. */
  FIRST(
      Map.of(
          "--workload", "1M",
          "--systems", "posix-fresh,sluice-files-auto,sluice-container-auto",
          "--bytes", "16M,256M,1G",
          "--buffer", "512M",
          "--gap", "100",
          "--rounds", "5",
          "--mpi", "none,libmpi.so",
          "--later", "3")),
  /** Thresholds against buffers. */
  THRESHOLDS(
      Map.of(
          "--systems",
          "sluice-container-4K,sluice-container-16K,sluice-container-64K,"
              + "sluice-container-256K,sluice-container-1M,sluice-container-1G,"
              + "sluice-container-auto",
          "--buffer",
          "8M,16M,32M,64M,128M,256M,512M")),
  /** Processes, which share the bytes of one checkpoint. */
  RANKS(
      Map.of(
          "--systems", "posix-fresh,memcpy-floor,odirect-floor,sluice-container-auto",
          "--bytes", "256M",
          "--ranks", "1,2,4,8,16,32,64,128",
          "--buffer", "512M",
          "--rounds", "5")),
  /** Bytes of one checkpoint, while the buffer stays. */
  BYTES(
      Map.of(
          "--systems", "odirect-floor,sluice-container-auto",
          "--bytes", "16M,32M,64M,128M,256M,512M,1G,2G,4G,8G",
          "--buffer", "512M",
          "--rounds", "5")),
  /** Records for a container: 1 to 10 million. */
  RECORDS(
      Map.of(
          "--workload", Load.RECORDS,
          "--systems", "posix-fresh,sluice-container-auto",
          "--bytes", "64M,128M,256M,512M,640M",
          "--buffer", "512M",
          "--rounds", "5"));

  private final Map<String, String> options;

  Preset(final Map<String, String> options) {
    this.options = options;
  }

  /** Returns the default of an option; null for the default of all presets. */
  String option(final String name) {
    return options.get(name);
  }
}
