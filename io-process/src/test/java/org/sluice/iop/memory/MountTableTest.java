package org.sluice.iop.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountTableTest {
  private final MountTable table =
      MountTable.of(
          List.of(
              "/dev/root / ext4 rw,relatime 0 0",
              "tmpfs /dev/shm tmpfs rw,nosuid 0 0",
              "tmpfs /dev/shm tmpfs rw,huge=advise 0 0",
              "none /mnt/huge\\040pages hugetlbfs rw,pagesize=2M 0 0",
              "none /mnt/giant hugetlbfs rw,pagesize=1024M 0 0"));

  @Test
  void pathLiesOnTheDeepestMountAndTheLastOfSeveral() {
    assertThat(table.holding(Path.of("/dev/shm/sluice-0")).orElseThrow().options())
        .containsExactly("rw", "huge=advise");
    assertThat(table.holding(Path.of("/dev/shmem")).orElseThrow().type()).isEqualTo("ext4");
  }

  @Test
  void typesAreToldApartAndBlanksInNamesUnderstood() {
    assertThat(table.ofType("hugetlbfs"))
        .extracting(MountTable.MountLine::at)
        .containsExactly(Path.of("/mnt/huge pages"), Path.of("/mnt/giant"));
  }
}
