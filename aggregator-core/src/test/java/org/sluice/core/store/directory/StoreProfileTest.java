package org.sluice.core.store.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.posix.Mount;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.disk.WriteMode;
import org.sluice.core.store.node.PosixStore;

class StoreProfileTest {
  @TempDir private Path root;

  private Path path;

  @BeforeEach
  void create() throws IOException {
    path = root.resolve("store");
    PosixStore.create(path).close();
  }

  private StoreProfile profile() throws IOException {
    return PosixStore.open(path).profile();
  }

  private void remember(final String text) throws IOException {
    Files.writeString(path.resolve("profile"), text);
  }

  @Test
  void aDiskOfThisNodeNeedsNoMeasuring() throws IOException {
    final StoreProfile profile = profile();
    assertThat(profile.recall()).isTrue();
    assertThat(profile.mode()).isEqualTo(WriteMode.LOCAL);
  }

  @Test
  void whatWasMeasuredIsRememberedAndNothingIsLeft() throws IOException {
    final StoreProfile profile = profile();
    profile.measure();
    final StoreProfile later = profile();
    assertThat(later.recall()).isTrue();
    assertThat(later.mode()).isEqualTo(profile.mode());
    try (Stream<Path> left = Files.list(path.resolve("staging"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void anInterruptedMeasurementDecidesNothing() throws IOException {
    final StoreProfile profile = profile();
    Thread.currentThread().interrupt();
    profile.measure();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(path.resolve("profile")).doesNotExist();
    assertThat(profile.mode()).isEqualTo(WriteMode.LOCAL);
  }

  @Test
  void aStoreIsWrittenToAsRemembered() throws IOException {
    remember("1 buffered 8 65536 %s\n".formatted(Mount.holding(path)));
    try (PosixStore store = PosixStore.create(path)) {
      assertThat(store.profile().recall()).isTrue();
      assertThat(store.profile().mode()).isEqualTo(new WriteMode(false, 8, 65536));
      try (Container container = store.createContainer(1, "node")) {
        assertThat(container.mode()).isEqualTo(store.profile().mode());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 buffered 8 65536 fuse.other far:/volume\n",
        "2 buffered 8 65536 %s\n",
        "1 buffered 0 65536 %s\n",
        "1 buffered 99 65536 %s\n",
        "1 buffered 8 1 %s\n",
        "1 buffered 8 99999999 %s\n",
        "1 buffered 8 65536 %s",
        "\0",
        ""
      })
  void whatIsOfAnotherFileSystemOrMakesNoSenseIsNone(final String text) throws IOException {
    remember(text.formatted(Mount.holding(path)));
    final StoreProfile profile = profile();
    profile.recall();
    assertThat(profile.mode()).isEqualTo(WriteMode.LOCAL);
  }
}
