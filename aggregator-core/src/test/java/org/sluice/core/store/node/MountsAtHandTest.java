package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineContract;
import org.sluice.core.store.objects.EngineProbe;

/** One directory by two mounts, as two nodes have it: {@code -Dsluice.mounts=DIR:DIR}. */
@EnabledIfSystemProperty(named = "sluice.mounts", matches = ".+:.+")
class MountsAtHandTest extends EngineContract {
  private final String[] mounts = System.getProperty("sluice.mounts", "").split(":");
  private final String folder = "contract-" + UUID.randomUUID();
  private int opened;

  @Override
  protected Engine open() throws IOException {
    final Path directory = Path.of(mounts[opened % mounts.length], folder);
    if (opened++ == 0) {
      Files.createDirectory(directory);
    }
    return DirectoryEngine.of(directory);
  }

  @Test
  void itIsFitForASeries() throws IOException {
    EngineProbe.conditionalCreate(open());
  }
}
