package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.FileName;

/**
 * What the last session that committed nothing of it left as plain files. A store without a
 * checkpoint tells by this where to look instead; nothing else depends on it, so it is synchronised
 * by nobody, and one that makes no sense is none.
 *
 * @param directory where they are, see {@link FileName}
 * @param files how many
 */
public record LeftAsFiles(String directory, long files) {
  private static final String NAME = "left-as-files";
  private static final int MOST = 8192;
  private static final Pattern TEXT =
      Pattern.compile("(?:([0-9a-f]{8}) )?((\\d{1,18}) (/\\P{Cntrl}*)\n)");

  void write(final StoreDirectory store) throws IOException {
    final Path temporary = store.staging().resolve(NAME + "." + ProcessHandle.current().pid());
    final String text = "%d %s%n".formatted(files, directory);
    final byte[] all = FileName.encode("%08x %s".formatted(crc(text), text));
    store.disk().replaceWhole(temporary, store.path().resolve(NAME), all);
  }

  static Optional<LeftAsFiles> read(final StoreDirectory store) throws IOException {
    try {
      return verify(store);
    } catch (final DamagedException damaged) {
      return Optional.empty();
    }
  }

  /** The same, which tells of damage. An older Sluice left no crc. */
  static Optional<LeftAsFiles> verify(final StoreDirectory store) throws IOException {
    final Path path = store.path().resolve(NAME);
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    final Matcher text = TEXT.matcher(FileName.decode(StoredFile.readAll(path, MOST)));
    if (!text.matches()
        || text.group(1) != null
            && Integer.parseUnsignedInt(text.group(1), 16) != crc(text.group(2))) {
      throw new DamagedException(
          path.toString(),
          0,
          "it does not say where files were left; delete it, as nothing needs it");
    }
    return Optional.of(new LeftAsFiles(text.group(4), Long.parseLong(text.group(3))));
  }

  private static int crc(final String text) {
    final CRC32C crc = new CRC32C();
    crc.update(FileName.encode(text));
    return (int) crc.getValue();
  }
}
