package org.sluice.core.store.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.format.StoredFile;

/** A remembered grouping in a file of the store, or of its series in a directory. */
public final class StoredGrouping implements RememberedGrouping {
  private static final String NAME = "grouping";
  private static final int MOST = 8192;

  private final StoreDirectory store;

  public StoredGrouping(final StoreDirectory store) {
    this.store = store;
  }

  @Override
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

  @Override
  public String remember(final String expression) throws IOException {
    store.disk().createWhole(draft(), path(), SealedText.encode(expression + "\n"));
    store.disk().syncDirectory(path().getParent(), null);
    final Optional<String> stored = recall();
    return stored.isPresent() ? stored.get() : replace(expression);
  }

  @Override
  public String replace(final String expression) throws IOException {
    store.disk().replaceWhole(draft(), path(), SealedText.encode(expression + "\n"));
    store.disk().syncDirectory(path().getParent(), null);
    return expression;
  }

  private Path draft() {
    return store.staging().resolve("%s.%016x".formatted(NAME, Entropy.nextLong()));
  }

  /** Returns the file of the grouping. Each run has a new store in a series, and on a stage. */
  private Path path() throws IOException {
    return store.format().isPart() ? store.path().resolveSibling(NAME) : store.path().resolve(NAME);
  }
}
