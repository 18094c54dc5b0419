package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** A temporary directory in memory where that can be, for tests that make thousands of stores. */
public final class InMemory implements TempDirFactory {
  @Override
  public Path createTempDirectory(
      final AnnotatedElementContext element, final ExtensionContext context) throws IOException {
    final Path memory = Path.of("/dev/shm");
    return Files.isWritable(memory)
        ? Files.createTempDirectory(memory, "sluice-test.")
        : Files.createTempDirectory("sluice-test.");
  }
}
