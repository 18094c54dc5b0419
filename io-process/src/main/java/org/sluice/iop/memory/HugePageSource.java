package org.sluice.iop.memory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** One way to come by huge pages. */
interface HugePageSource {
  /**
   * Tries it.
   *
   * @param directory the runtime directory, on which the caller has the lock
   * @param length bytes wanted
   * @return where a file on huge pages can be created; empty when this way is closed
   * @throws IOException when the kernel refuses what it should not
   */
  Optional<Path> find(Path directory, long length) throws IOException;
}
