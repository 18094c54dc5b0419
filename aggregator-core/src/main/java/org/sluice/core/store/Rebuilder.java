package org.sluice.core.store;

import java.io.IOException;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.NativeFile;

/**
 * Rebuilds images of one checkpoint, one after the other. What it read them with it keeps: memory
 * and open containers. Not thread-safe; several may rebuild at a time.
 */
public interface Rebuilder extends AutoCloseable {
  /**
   * Rebuilds an image: its own file overlaid with its logged extents in program order. Every byte
   * is verified on the way.
   *
   * @param image one of the checkpoint's
   * @param target an empty file, open for writing; its mode is left alone
   * @throws DamagedException when something it consists of is damaged
   * @throws IOException when that fails; the target then holds anything
   */
  void rebuild(CommittedImage image, NativeFile target) throws IOException;

  @Override
  void close() throws IOException;
}
