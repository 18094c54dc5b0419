package org.sluice.core.store.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.FileName;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.format.StoredFile;

/**
 * The note of plain files left by the last session that committed none of its files. A store
 * without a checkpoint tells by it where to look instead. Nothing else depends on it, so it is not
 * synchronised, and a note that makes no sense is ignored.
 *
 * @param directory directory of the files, see {@link FileName}
 */
public record LeftAsFiles(String directory, long files) {
  private static final String NAME = "left-as-files";
  private static final int MOST = 8192;
  private static final Pattern TEXT = Pattern.compile("(\\d{1,18}) (/\\P{Cntrl}*)\n");

  public void write(final StoreDirectory store) throws IOException {
    final Path temporary = store.staging().resolve(NAME + "." + ProcessHandle.current().pid());
    final String text = "%d %s%n".formatted(files, directory);
    store.disk().replaceWhole(temporary, store.path().resolve(NAME), SealedText.encode(text));
  }

  public static Optional<LeftAsFiles> read(final StoreDirectory store) throws IOException {
    try {
      return verify(store);
    } catch (final DamagedException damaged) {
      return Optional.empty();
    }
  }

  /** Reads the note and reports damage. An older Sluice left no crc. */
  public static Optional<LeftAsFiles> verify(final StoreDirectory store) throws IOException {
    final Path path = store.path().resolve(NAME);
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    final byte[] bytes = StoredFile.readAll(path, MOST);
    final Matcher text = TEXT.matcher(SealedText.decode(bytes).orElse(FileName.decode(bytes)));
    if (!text.matches()) {
      throw SealedText.damaged(path.toString());
    }
    return Optional.of(new LeftAsFiles(text.group(2), Long.parseLong(text.group(1))));
  }
}
