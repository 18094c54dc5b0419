package org.sluice.bench.node;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.profile.replay.ReplayRounds.Ending;
import org.sluice.profile.replay.ReplayRounds.Output;

/**
 * A storage system that checkpoints are written through.
 *
 * @param layout the I/O process's layout; empty without one
 * @param threshold the I/O process's threshold; empty without one
 */
record Storage(String label, Output output, String layout, String threshold) {
  static final String POSIX_FRESH = "posix-fresh";
  static final String POSIX_OVERWRITE = "posix-overwrite";
  static final String MEMCPY_FLOOR = "memcpy-floor";
  static final String ODIRECT_FLOOR = "odirect-floor";

  static final String NAMES =
      "posix-fresh, posix-overwrite, posix-stdio1m, memcpy-floor, odirect-floor,"
          + " sluice-container-THRESHOLD, sluice-files-THRESHOLD";

  private static final Map<String, Output> WITHOUT_SLUICE =
      Map.of(
          POSIX_FRESH,
          Output.FILES,
          POSIX_OVERWRITE,
          Output.FILES,
          "posix-stdio1m",
          Output.STDIO,
          MEMCPY_FLOOR,
          Output.MEMORY,
          ODIRECT_FLOOR,
          Output.DIRECT);
  private static final Pattern SLUICE =
      Pattern.compile("sluice-(container|files)-(auto|\\d+[kKmMgG]?)");

  static Optional<Storage> named(final String label) {
    final Matcher matcher = SLUICE.matcher(label);
    if (matcher.matches()) {
      return Optional.of(new Storage(label, Output.FILES, matcher.group(1), matcher.group(2)));
    }
    return Optional.ofNullable(WITHOUT_SLUICE.get(label))
        .map(output -> new Storage(label, output, "", ""));
  }

  boolean isSluice() {
    return !layout.isEmpty();
  }

  /** Returns whether its I/O process commits checkpoints, and keeps some. */
  boolean isContainer() {
    return layout.equals("container");
  }

  /** Returns whether all its checkpoints go into the same files. */
  boolean overwrites() {
    return label.equals(POSIX_OVERWRITE) || output == Output.DIRECT;
  }

  /**
   * Returns the number of rounds until each is like the one before. A third commit removes the
   * first checkpoint, whose container is then written over.
   */
  int warmUps() {
    return isContainer() ? 4 : 2;
  }

  /** Returns the measurements of a round in which each checkpoint of Sluice is committed. */
  List<Ending> commits() {
    return isSluice() ? List.of(Ending.COMMIT) : List.of(Ending.CLOSE, Ending.SYNC);
  }

  /**
   * Returns the measurements of a round. Where ranks have to make a call for durability, the time
   * to return is measured without it in a checkpoint of its own.
   */
  List<Ending> measurements() {
    return switch (output) {
      case MEMORY -> List.of(Ending.CLOSE);
      case DIRECT -> List.of(Ending.SYNC);
      default -> isContainer() ? List.of(Ending.COMMIT) : List.of(Ending.CLOSE, Ending.SYNC);
    };
  }
}
