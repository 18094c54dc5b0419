package org.sluice.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which way to write is taken, by how fast each is. */
class WriteProbeTest {
  private static final double MUCH = 1.5;
  private static final double LITTLE = 1.1;

  private long now;

  private WriteMode best(final WriteProbe.Speed speeds) throws IOException {
    return WriteProbe.best(speeds, () -> now);
  }

  @Test
  void whereAllAreAlikeItIsWrittenToAsADiskOfThisNode() throws IOException {
    assertThat(best(mode -> mode.equals(WriteMode.LOCAL) ? 1 : LITTLE)).isEqualTo(WriteMode.LOCAL);
  }

  /** As on ceph-fuse. */
  @Test
  void itIsWrittenThroughThePageCacheWhereThatIsFaster() throws IOException {
    assertThat(best(mode -> mode.direct() ? 0.1 : 1).direct()).isFalse();
  }

  @Test
  void severalPastThePageCacheAreTakenWhereOneIsSlow() throws IOException {
    final WriteMode several = best(mode -> !mode.direct() ? 1 : mode.inFlight() == 1 ? 0.5 : MUCH);
    assertThat(several.direct()).isTrue();
    assertThat(several.inFlight()).isGreaterThan(1);
  }

  /** As seen on ceph-fuse: past the page cache 4 MiB took longer than all ways may take. */
  @Test
  void aWayThatTakesAllTheTimeIsNotTakenForThat() throws IOException {
    final WriteMode other =
        best(
            mode -> {
              if (mode.equals(WriteMode.LOCAL)) {
                now += TimeUnit.MILLISECONDS.toNanos(400);
                return 0.1;
              }
              return 1;
            });
    assertThat(other.direct()).isFalse();
  }

  @Test
  void whatTheFileSystemDoesNotTakeIsNotTaken() throws IOException {
    assertThat(best(mode -> mode.direct() ? 0 : 1).direct()).isFalse();
  }
}
