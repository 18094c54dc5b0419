package org.sluice.iop.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLimitTest {
  private static final int MIB = 1 << 20;

  @TempDir private Path directory;
  private Path group;
  private int made;

  @BeforeEach
  void make() throws IOException {
    group = Files.createDirectory(directory.resolve("group"));
    Files.writeString(directory.resolve("cgroup"), "0::/\n");
    Files.writeString(
        directory.resolve("mountinfo"),
        "41 31 0:38 / %s rw - cgroup2 cgroup2 rw\n".formatted(group));
  }

  private MemoryLimit limit() throws IOException {
    return new MemoryLimit(
        MIB, ControlGroups.of(directory.resolve("cgroup"), directory.resolve("mountinfo")));
  }

  /** Made memory counts as the group's. */
  private void make(final long chunks) throws IOException {
    made += (int) chunks;
    Files.writeString(group.resolve("memory.current"), "" + (long) (60 + made) * MIB);
  }

  private void makeAll(final MemoryLimit limit) throws IOException {
    for (int chunk = 0; chunk < 500; chunk++) {
      if (limit.isDue()) {
        limit.look();
      }
      make(1);
    }
  }

  @Test
  void programsKeepAQuarter() throws IOException {
    Files.writeString(group.resolve("memory.max"), "" + 200L * MIB);
    Files.writeString(group.resolve("memory.current"), "" + 60L * MIB);
    final MemoryLimit limit = limit();
    assertThatThrownBy(() -> makeAll(limit))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("%s has 52.0M left of 200.0M", group);
    assertThat(made).isEqualTo(88); // the next 8 would leave less than 50 MiB
  }

  @Test
  void programsKeepAQuarterWhenProcessesMakeAllThatIsGranted() throws IOException {
    Files.writeString(group.resolve("memory.max"), "" + 200L * MIB);
    Files.writeString(group.resolve("memory.current"), "" + 60L * MIB);
    final MemoryLimit limit = limit();
    assertThatThrownBy(
            () -> {
              for (int chunk = 0; chunk < 500; chunk++) {
                make(limit.isDue() ? limit.look() : 0);
                make(1);
              }
            })
        .isInstanceOf(IOException.class);
    assertThat(made).isBetween(64 + 8, 90);
  }

  @Test
  void withoutALimitAllIsProvided() throws IOException {
    Files.writeString(group.resolve("memory.max"), "max");
    final MemoryLimit limit = limit();
    makeAll(limit);
    assertThat(limit.look()).isGreaterThan(1 << 24);
  }
}
