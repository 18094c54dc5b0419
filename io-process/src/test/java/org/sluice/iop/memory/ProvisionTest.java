package org.sluice.iop.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProvisionTest {
  private static final int COUNT = 200;
  private static final int FIRST = 32;
  private static final long COST = TimeUnit.MILLISECONDS.toNanos(5);

  private record Made(long begin, long end) {}

  private final class Memory implements Provision.Chunks {
    private final List<Made> made = new ArrayList<>();
    private int byProcesses;
    private int most = COUNT;
    private long grants = -1;
    private boolean refused;
    private int making;
    private int givenBack;
    private Runnable beforeGivingBack = () -> {};
    private final List<Long> granted = new ArrayList<>();

    @Override
    public synchronized int made() {
      return made.size() + byProcesses - givenBack;
    }

    @Override
    public synchronized void makeNext() throws IOException {
      if (made() >= most) {
        throw new IOException("no room");
      }
      made.add(new Made(now, now + COST));
      now += COST;
    }

    @Override
    public void grant(final long chunks) {
      grants = chunks;
      granted.add(chunks);
    }

    @Override
    public boolean takeRefused() {
      final boolean was = refused;
      refused = false;
      return was;
    }

    @Override
    public int making() {
      return making;
    }

    @Override
    public int giveBack(final int first) {
      beforeGivingBack.run();
      givenBack += Math.min(50, made());
      return first + 50;
    }
  }

  @TempDir private Path directory;
  private final Memory memory = new Memory();
  private MemoryLimit limit;
  private long now;

  @BeforeEach
  void haveNoLimit() throws IOException {
    Files.writeString(directory.resolve("mountinfo"), "");
    openLimit();
  }

  private void openLimit() throws IOException {
    limit =
        new MemoryLimit(
            1 << 20, ControlGroups.of(directory.resolve("cgroup"), directory.resolve("mountinfo")));
  }

  private Provision provision() {
    return new Provision(COUNT, memory, limit, () -> now, nanos -> now += nanos);
  }

  private void steps(final Provision provision, final int count) {
    for (int i = 0; i < count; i++) {
      final long pause = provision.step();
      now += pause;
    }
  }

  /** How long the processor was left to others before each of some chunks. */
  private void assertRest(final int first, final int end, final long rest) {
    for (int chunk = first; chunk < end; chunk++) {
      assertThat(memory.made.get(chunk).begin() - memory.made.get(chunk - 1).end())
          .as("%d", chunk)
          .isEqualTo(rest);
    }
  }

  @Test
  void makesNothingBeforeAProcessIsAttached() {
    final Provision provision = provision();
    steps(provision, 100);
    provision.look(0, 0);
    steps(provision, 100);
    assertThat(memory.made).isEmpty();
    assertThat(memory.givenBack).isZero();
  }

  @Test
  void leavesTheProcessorToOthersOnceTheFirstChunksAreThere() {
    final Provision provision = provision();
    provision.look(0, 1);
    steps(provision, 2 * COUNT);
    assertRest(1, FIRST + 1, 0);
    assertRest(FIRST + 1, COUNT, 31 * COST);
    assertThat(memory.made).hasSize(COUNT);
  }

  @Test
  void hasAChunkForEachProcessAtOnce() {
    final Provision provision = provision();
    provision.look(0, 100);
    steps(provision, 2 * COUNT);
    assertRest(1, FIRST + 100, 0);
    assertRest(FIRST + 100, COUNT, 31 * COST);
  }

  @Test
  void isSoonAheadOfTheChunksInUse() {
    final Provision provision = provision();
    provision.look(20, 1);
    steps(provision, 2 * COUNT);
    assertRest(1, FIRST + 1, 0);
    assertRest(FIRST + 1, 3 * 20, 3 * COST);
    assertRest(3 * 20, COUNT, 31 * COST);
  }

  @Test
  void memoryThatProcessesMadeIsNotMadeAgain() {
    final Provision provision = provision();
    memory.byProcesses = COUNT - 10;
    provision.look(COUNT - 10, 8);
    steps(provision, 2 * COUNT);
    assertThat(memory.made).hasSize(10);
  }

  @Test
  void whoComesEndsItsRest() throws Exception {
    final CountDownLatch rests = new CountDownLatch(1);
    final CountDownLatch restsAgain = new CountDownLatch(1);
    final Provision provision =
        new Provision(
            COUNT,
            memory,
            limit,
            () -> now,
            nanos -> {
              (memory.made() == 0 ? rests : restsAgain).countDown();
              LockSupport.park(); // by its clock no time passes
            });
    final AutoCloseable running = provision.begin();
    assertThat(rests.await(60, TimeUnit.SECONDS)).isTrue();
    provision.look(0, 100);
    assertThat(restsAgain.await(60, TimeUnit.SECONDS)).isTrue();
    running.close();
    assertThat(memory.made).hasSize(FIRST + 100);
    assertThat(memory.grants).isGreaterThanOrEqualTo(COUNT);
  }

  @Test
  void givesBackWhatNobodyHasUsedForAWhileAndMakesItAgain() {
    final Provision provision = provision();
    provision.look(COUNT, 1);
    steps(provision, 2 * COUNT);
    provision.look(0, 0);
    final long left = now;
    while (memory.givenBack == 0) {
      steps(provision, 1);
    }
    assertThat(now - left).isBetween(Provision.UNUSED_NANOS, Provision.UNUSED_NANOS * 2);
    assertThat(memory.givenBack).isEqualTo(COUNT);
    assertThat(memory.grants).isGreaterThanOrEqualTo(COUNT);
    provision.look(0, 1);
    steps(provision, FIRST);
    assertThat(memory.made()).isEqualTo(FIRST);
  }

  @Test
  void makesOneAtOnceWhenAProcessGotNone() {
    final Provision provision = provision();
    provision.look(0, 1);
    steps(provision, FIRST + 1);
    assertThat(provision.step()).isPositive();
    memory.refused = true;
    memory.grants = 0;
    assertThat(provision.step()).isZero();
    assertThat(memory.made).hasSize(FIRST + 2);
    assertThat(memory.grants).isGreaterThanOrEqualTo(COUNT);
  }

  @Test
  void grantsNothingMoreOnceThereIsNoMemory() {
    memory.most = 7;
    final Provision provision = provision();
    provision.look(0, 1);
    steps(provision, 2 * COUNT);
    assertThat(memory.made).hasSize(7);
    assertThat(memory.grants).isZero();
    memory.most = COUNT;
    memory.refused = true;
    steps(provision, 2 * COUNT);
    assertThat(memory.made).hasSize(7);
  }

  private void limitMemory(final long mostMib, final long usedMib) throws IOException {
    final Path group = Files.createDirectories(directory.resolve("group"));
    Files.writeString(directory.resolve("cgroup"), "0::/\n");
    Files.writeString(
        directory.resolve("mountinfo"),
        "41 31 0:38 / %s rw - cgroup2 cgroup2 rw\n".formatted(group));
    Files.writeString(group.resolve("memory.max"), "" + (mostMib << 20));
    Files.writeString(group.resolve("memory.current"), "" + (usedMib << 20));
    openLimit();
  }

  @Test
  void stopsGivingBackWhenAProcessComes() {
    final Provision provision = provision();
    provision.look(COUNT, 1);
    steps(provision, 2 * COUNT);
    provision.look(0, 0);
    now += Provision.UNUSED_NANOS;
    memory.beforeGivingBack = () -> provision.look(0, 1);
    steps(provision, 1);
    assertThat(memory.givenBack).isEqualTo(50);
    assertThat(memory.grants).isGreaterThanOrEqualTo(COUNT);
  }

  @Test
  void whoComesGetsMemoryThatThereWasNoneOfBefore() throws IOException {
    limitMemory(400, 390);
    final Provision provision = provision();
    provision.look(0, 1);
    steps(provision, 10);
    assertThat(memory.made).isEmpty();
    assertThat(memory.grants).isZero();
    limitMemory(400, 10);
    steps(provision, 10);
    assertThat(memory.grants).isZero();
    provision.look(0, 2);
    steps(provision, 1);
    assertThat(memory.made).hasSize(1);
    assertThat(memory.grants).isEqualTo(64);
  }

  @Test
  void memoryThatThereWasNoneOfIsGrantedWhenNobodyIsAttached() throws IOException {
    limitMemory(400, 390);
    final Provision provision = provision();
    provision.look(0, 1);
    steps(provision, 1);
    limitMemory(400, 10);
    provision.look(0, 0);
    steps(provision, 70);
    assertThat(memory.grants).isEqualTo(64);
  }

  @Test
  void grantsNothingWhileItLooksAndNotWhatIsBeingMade() throws IOException {
    limitMemory(400, 10);
    memory.making = 5;
    final Provision provision = provision();
    provision.look(0, 1);
    steps(provision, 1);
    assertThat(memory.granted).containsExactly(0L, 59L, 0L, 59L);
    steps(provision, 7);
    assertThat(memory.granted).hasSize(4);
    steps(provision, 1);
    assertThat(memory.granted).hasSize(6);
  }
}
