package org.sluice.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.sluice.client.CheckpointClient;
import org.sluice.core.command.CommandException;
import org.sluice.core.libc.Installation;

@Isolated("It changes a system property that others read.")
final class NativeLibrariesTest {
  @TempDir private Path directory;

  @BeforeEach
  void nameTheDirectory() {
    System.setProperty(Installation.PROPERTY, directory.toString());
  }

  @AfterEach
  void forgetTheDirectory() {
    System.clearProperty(Installation.PROPERTY);
  }

  @Test
  void findsWhatWasBuilt() throws IOException {
    final Path run = Files.createFile(directory.resolve("sluice-run"));
    assertThat(NativeLibraries.run()).isEqualTo(run);
  }

  @Test
  void clientSaysThatItsLibraryIsMissing() {
    assertThatThrownBy(() -> CheckpointClient.connect(directory, 0, 1))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "%s/libsluice.so is missing; run scripts/build, or name its directory by -Dsluice.native"
                .formatted(directory));
  }

  @Test
  void saysWhatIsMissingAndWhatToDo() {
    assertThatThrownBy(NativeLibraries::run)
        .isInstanceOf(CommandException.class)
        .hasMessage(
            "%s/sluice-run is missing; run scripts/build, and start with scripts/sluice"
                .formatted(directory));
  }
}
