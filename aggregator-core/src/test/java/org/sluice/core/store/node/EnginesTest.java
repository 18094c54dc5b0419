package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.EngineException.Reason;
import org.sluice.core.store.objects.EngineProbe;
import org.sluice.core.store.objects.Engines;

class EnginesTest {
  @TempDir private Path directory;

  @Test
  void aPathIsADirectory() throws IOException {
    for (final String name : new String[] {"plain", "with blank", "a:b", "%41", "s3:x"}) {
      final Path path = Files.createDirectory(directory.resolve(name));
      try (Engine byPath = Engines.open(path.toString());
          Engine byUri = Engines.open(path.toUri().toString())) {
        assertThat(byPath.putIfAbsent("a", new byte[1])).isTrue();
        assertThat(byUri.getAll("a", 1)).hasSize(1);
        assertThat(byPath).hasToString(path.toString());
      }
    }
  }

  @Test
  void aMissingDirectoryIsNoStore() {
    final Path missing = directory.resolve("missing");
    assertThatThrownBy(() -> Engines.open(missing.toString()))
        .hasMessage(missing + " is no directory; create it")
        .satisfies(e -> assertThat(ExitStatus.of(e)).isEqualTo(ExitStatus.NO_STORE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gopher://hole/x", "gopher:/x", "GOPHER://x"})
  void anUnknownSchemeIsToldWithTheKnownOnes(final String store) {
    assertThatThrownBy(() -> Engines.open(store))
        .isInstanceOf(EngineException.class)
        .hasMessageContainingAll("gopher:", store, "file:", "./")
        .satisfies(e -> assertThat(ExitStatus.of(e)).isEqualTo(ExitStatus.USAGE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"file://host/x", "file:/a?b", "file:/a b"})
  void whatNamesNoDirectoryIsRefused(final String store) {
    assertThatThrownBy(() -> Engines.open(store))
        .isInstanceOf(EngineException.class)
        .satisfies(e -> assertThat(((EngineException) e).reason()).isEqualTo(Reason.ADDRESS));
  }

  @Test
  void aProbeLeavesNothing() throws IOException {
    EngineProbe.conditionalCreate(DirectoryEngine.of(directory));
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aProbeRefusesWhatIgnoresTheCondition() throws IOException {
    final Disk replacing =
        new Disk() {
          @Override
          public void link(final NativeFile file, final Path name) throws PosixException {
            try {
              Files.deleteIfExists(name);
            } catch (final IOException e) {
              throw new AssertionError(e);
            }
            super.link(file, name);
          }
        };
    assertThatThrownBy(
            () -> EngineProbe.conditionalCreate(new DirectoryEngine(directory, replacing)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining(directory + " replaces an object")
        .satisfies(e -> assertThat(((EngineException) e).reason()).isEqualTo(Reason.UNFIT));
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }
}
