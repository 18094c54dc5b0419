package org.sluice.core.store.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Mount;
import org.sluice.core.store.disk.WriteMode;
import org.sluice.core.store.disk.WriteProbe;
import org.sluice.core.store.format.ContainerDescriptor;
import org.sluice.core.store.format.StoredFile;

/**
 * The way to write to the file system of a store. The measured way is remembered in the store, in
 * one line: {@code VERSION direct|buffered IN-FLIGHT LENGTH FILE-SYSTEM}. Only speed depends on it,
 * so it is not synchronised. A line is ignored that makes no sense, is of another version, or of
 * another file system since the store was moved. Thread-safe.
 */
public final class StoreProfile {
  private static final String NAME = "profile";
  private static final int MOST = 8192;
  private static final int MOST_LENGTH = 64 << 20;
  private static final Pattern TEXT =
      Pattern.compile("1 (direct|buffered) (\\d{1,2}) (\\d{1,8}) (\\P{Cntrl}+)\n");

  private final StoreDirectory store;
  private volatile WriteMode mode = WriteMode.LOCAL;

  public StoreProfile(final StoreDirectory store) {
    this.store = store;
  }

  /**
   * Returns the way to write to the store: that for a disk of this node, unless a better way is
   * known.
   */
  public WriteMode mode() {
    return mode;
  }

  /** Takes a way for this session that needs no measuring. */
  public void take(final WriteMode known) {
    mode = known;
  }

  /**
   * Takes the way that a former session remembered; false when the store is still to be {@linkplain
   * #measure measured}.
   */
  public boolean recall() throws IOException {
    try {
      final byte[] bytes = StoredFile.readAll(path(), MOST);
      final Matcher text = TEXT.matcher(FileName.decode(bytes));
      if (text.matches() && text.group(4).equals(Mount.holding(store.path()))) {
        return take(text);
      }
    } catch (final DamagedException missingOrNoFile) {
      return !store.isShared();
    }
    return !store.isShared();
  }

  private boolean take(final Matcher text) {
    final int inFlight = Integer.parseInt(text.group(2));
    final int length = Integer.parseInt(text.group(3));
    final boolean possible =
        inFlight >= 1
            && inFlight <= WriteMode.MOST_IN_FLIGHT
            && length >= ContainerDescriptor.BLOCK_LENGTH
            && length <= MOST_LENGTH;
    if (possible) {
      mode = new WriteMode(text.group(1).equals("direct"), inFlight, length);
    }
    return possible;
  }

  /**
   * Measures the best way to write to the store, in about a third of a second, and remembers it.
   * Existing containers stay as they are. An interrupt ends the measurement.
   *
   * @throws IOException when nothing can be written; nothing has changed then
   */
  public void measure() throws IOException {
    final WriteMode best = WriteProbe.measure(store.staging(), store.disk());
    if (!Thread.currentThread().isInterrupted()) {
      final Path draft = store.staging().resolve(NAME + "." + ProcessHandle.current().pid());
      final String text =
          "1 %s %d %d %s\n"
              .formatted(
                  best.direct() ? "direct" : "buffered",
                  best.inFlight(),
                  best.length(),
                  Mount.holding(store.path()));
      store.disk().replaceWhole(draft, path(), FileName.encode(text));
      mode = best;
    }
  }

  /**
   * Returns the file of the profile. All nodes of a series write to one file system, and each
   * launch has a new store there.
   */
  private Path path() throws IOException {
    return store.format().isPart() ? store.path().resolveSibling(NAME) : store.path().resolve(NAME);
  }
}
