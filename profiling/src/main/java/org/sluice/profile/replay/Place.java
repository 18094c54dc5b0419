package org.sluice.profile.replay;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.bridge.NativeLibraries;

/**
 * Where replayed files go, and the way they take there.
 *
 * @param scratch where what is known of it goes
 * @param files the directory of the files
 * @param store the store, empty for plain files without Sluice
 * @param options of {@code sluice run}
 */
public record Place(Scratch scratch, Path files, Optional<Path> store, List<String> options) {
  /**
   * Plain files, written as without Sluice.
   *
   * @param scratch what they go to
   * @return the place
   * @throws IOException when its directory cannot be made
   */
  public static Place plain(final Scratch scratch) throws IOException {
    return new Place(scratch, scratch.directory("files"), Optional.empty(), List.of());
  }

  /**
   * Through an I/O process.
   *
   * @param scratch what the files go to
   * @param storage what the store goes to
   * @param options of {@code sluice run}, but for those that name places
   * @return the place
   * @throws IOException when a directory cannot be made
   */
  public static Place through(
      final Scratch scratch, final Scratch storage, final List<String> options) throws IOException {
    return new Place(
        scratch,
        scratch.directory("files"),
        Optional.of(storage.file("store")),
        List.copyOf(options));
  }

  /** What its processes said, which matters when they fail. */
  Path errors() {
    return scratch.file("errors");
  }

  /** What {@code sluice run} leaves, if there is one. */
  Path statistics() {
    return scratch.file("statistics");
  }

  /** The words before the program that replays. */
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
