package org.sluice.iop.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlGroupsTest {
  private static final long MIB = 1 << 20;

  @TempDir private Path directory;

  private Path mounted;

  /** The groups of a process. */
  private ControlGroups groups(final String membership, final String root, final String type)
      throws IOException {
    mounted = Files.createDirectories(directory.resolve("mounted"));
    final Path memberships =
        Files.writeString(
            directory.resolve("cgroup"), membership.isEmpty() ? "" : membership + "\n");
    final Path mounts =
        Files.writeString(
            directory.resolve("mountinfo"),
            "22 1 0:20 / /proc rw - proc proc rw\n41 31 0:38 %s %s rw,relatime shared:4 - %s\n"
                .formatted(root, mounted, type));
    return ControlGroups.of(memberships, mounts);
  }

  private void put(final String group, final String file, final String text) throws IOException {
    final Path path = mounted.resolve(group);
    Files.createDirectories(path);
    Files.writeString(path.resolve(file), text + "\n");
  }

  @Test
  void narrowestOfAllGroupsAboveCounts() throws IOException {
    final ControlGroups groups = groups("0::/job/step", "/", "cgroup2 cgroup2 rw");
    put("job/step", "memory.max", "max");
    put("job/step", "cpu.max", "max 100000");
    put("job", "memory.max", "" + 500 * MIB);
    put("job", "memory.current", "" + 400 * MIB);
    put("job", "memory.stat", "anon 1\nfile %d\nshmem %d".formatted(350 * MIB, 50 * MIB));
    put("job", "cpu.max", "150000 100000");
    put("", "memory.max", "" + 900 * MIB);
    put("", "memory.current", "" + 100 * MIB);
    assertThat(groups.memory())
        .contains(new ControlGroups.Memory(mounted.resolve("job"), 500 * MIB, 400 * MIB));
    assertThat(groups.processors().orElseThrow().most()).isCloseTo(1.5, within(1e-9));
  }

  @Test
  void firstVersionHasAPlaceForEachController() throws IOException {
    final ControlGroups groups = groups("4:memory:/job\n0::/", "/", "cgroup cgroup rw,memory");
    put("job", "memory.limit_in_bytes", "" + 300 * MIB);
    put("job", "memory.usage_in_bytes", "" + 200 * MIB);
    put("job", "memory.stat", "cache 0\ntotal_cache %d\ntotal_shmem 0".formatted(150 * MIB));
    put("", "memory.limit_in_bytes", "9223372036854771712");
    put("", "cpu.cfs_quota_us", "1000");
    put("", "cpu.cfs_period_us", "1000");
    assertThat(groups.memory())
        .contains(new ControlGroups.Memory(mounted.resolve("job"), 300 * MIB, 250 * MIB));
    assertThat(groups.processors()).isEmpty();
  }

  @Test
  void containerSeesItsGroupInThePlaceOfTheRoot() throws IOException {
    final ControlGroups groups =
        groups("5:cpu,cpuacct:/docker/1f", "/docker/1f", "cgroup cgroup rw,cpu,cpuacct");
    put("", "cpu.cfs_quota_us", "50000");
    put("", "cpu.cfs_period_us", "100000");
    assertThat(groups.processors().orElseThrow().most()).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void groupThatIsNotToBeSeenIsTheOneThatIsMounted() throws IOException {
    final ControlGroups groups = groups("0::/../../other", "/inner", "cgroup2 cgroup2 rw");
    put("", "memory.max", "" + 64 * MIB);
    put("", "memory.current", "0");
    assertThat(groups.memory().orElseThrow().left()).isEqualTo(64 * MIB);
  }

  @Test
  void nothingBindsWhereThereIsNoGroup() throws IOException {
    final ControlGroups groups = groups("", "/", "cgroup2 cgroup2 rw");
    assertThat(groups.memory()).isEmpty();
    assertThat(groups.processors()).isEmpty();
  }

  private boolean countsHere(final String own, final String other, final String root)
      throws IOException {
    groups(own, root, "cgroup2 cgroup2 rw");
    return ControlGroups.countMemory(
        directory.resolve("cgroup"),
        Files.writeString(directory.resolve("other"), other + "\n"),
        directory.resolve("mountinfo"));
  }

  @Test
  void memoryOfAProcessCountsHereUnlessItHasLimitsOfItsOwn() throws IOException {
    mounted = directory.resolve("mounted");
    put("job", "memory.max", "" + 500 * MIB);
    put("job", "memory.current", "0");
    put("job/step/task_1", "memory.max", "max");
    put("job/small", "memory.max", "" + 100 * MIB);
    assertThat(countsHere("0::/job/small", "0::/job/small", "/")).isTrue();
    assertThat(countsHere("0::/job/step/task_0", "0::/job/step/task_1", "/")).isTrue();
    assertThat(countsHere("0::/job/step/task_0", "0::/job/small", "/")).isFalse();
    assertThat(countsHere("0::/elsewhere", "0::/job/step/task_1", "/")).isFalse();
    assertThat(countsHere("0::/", "0::/../pod", "/")).isFalse();
    assertThat(countsHere("0::/pod", "0::/pod-of-ranks", "/pod")).isFalse();
  }
}
