package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Entropy;

/**
 * Which files of a program are one checkpoint, as a session found out: the expression that {@code
 * --group} would have. Later sessions begin with it, and all nodes of a job have the same. One that
 * is damaged is none. Thread-safe.
 */
public final class StoredGrouping {
  private static final String NAME = "grouping";
  private static final int MOST = 8192;

  private final StoreDirectory store;

  StoredGrouping(final StoreDirectory store) {
    this.store = store;
  }

  /**
   * The expression that the store remembers.
   *
   * @return an expression; empty for none
   * @throws IOException when it cannot be read
   */
  public Optional<String> recall() throws IOException {
    final Path path = path();
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try {
      return SealedText.decode(StoredFile.readAll(path, MOST)).map(String::stripTrailing);
    } catch (final DamagedException none) {
      return Optional.empty();
    }
  }

  /**
   * Remembers an expression durably, unless another node has done so first.
   *
   * @param expression without line breaks
   * @return what the store remembers then, which all nodes have
   * @throws IOException when it cannot be stored
   */
  public String remember(final String expression) throws IOException {
    store.disk().createWhole(draft(), path(), SealedText.encode(expression + "\n"));
    store.disk().syncDirectory(path().getParent(), null);
    final Optional<String> stored = recall();
    return stored.isPresent() ? stored.get() : replace(expression);
  }

  /**
   * Remembers an expression durably in place of whatever was there.
   *
   * @param expression without line breaks
   * @return the expression
   * @throws IOException when it cannot be stored
   */
  public String replace(final String expression) throws IOException {
    store.disk().replaceWhole(draft(), path(), SealedText.encode(expression + "\n"));
    store.disk().syncDirectory(path().getParent(), null);
    return expression;
  }

  private Path draft() {
    return store.staging().resolve("%s.%016x".formatted(NAME, Entropy.nextLong()));
  }

  /** Each run has a new store in a series, and on a stage. */
  private Path path() throws IOException {
    return store.format().isPart() ? store.path().resolveSibling(NAME) : store.path().resolve(NAME);
  }
}
