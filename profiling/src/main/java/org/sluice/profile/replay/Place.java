package org.sluice.profile.replay;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.bridge.NativeLibraries;

/**
 * The directories of replayed files, and the way by which they are written.
 *
 * @param store the store; empty for plain files without Sluice
 */
public record Place(Scratch scratch, Path files, Optional<Path> store, List<String> options) {
  /** Returns a place for plain files, written as without Sluice. */
  public static Place plain(final Scratch scratch) throws IOException {
    return new Place(scratch, scratch.directory("files"), Optional.empty(), List.of());
  }

  /** Returns a place for files written through an I/O process. */
  public static Place through(
      final Scratch scratch, final Scratch storage, final List<String> options) throws IOException {
    return new Place(
        scratch,
        scratch.directory("files"),
        Optional.of(storage.file("store")),
        List.copyOf(options));
  }

  /** Returns the file with the error messages of the processes, needed when they fail. */
  Path errors() {
    return scratch.file("errors");
  }

  /** Returns the file with the statistics of {@code sluice run}, if there is one. */
  Path statistics() {
    return scratch.file("statistics");
  }

  List<String> wrapper() {
    if (store.isEmpty()) {
      return List.of();
    }
    final List<String> words =
        new ArrayList<>(
            List.of(
                NativeLibraries.sluice().toString(),
                "run",
                "--store=" + store.get(),
                "--capture=" + files,
                "--stats=" + statistics()));
    words.addAll(options);
    words.add("--");
    return words;
  }
}
