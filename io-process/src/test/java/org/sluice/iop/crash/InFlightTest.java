package org.sluice.iop.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.segment.InFlightDescriptor;
import org.sluice.iop.crash.Lane.Role;

/** What I/O processes fail at, one after the other. */
class InFlightTest {
  private static final long SESSION = 77;
  private static final long CHUNK = 5L << 32 | 3;

  @TempDir private Path root;
  private InFlight inFlight;

  @BeforeEach
  void open() throws IOException {
    inFlight = InFlight.open(root.resolve("inflight"), SESSION);
  }

  @AfterEach
  void close() {
    inFlight.close();
  }

  private void failAt(final Role role) throws IOException {
    inFlight.failed(role.thread());
    next();
  }

  private void next() throws IOException {
    inFlight.close();
    open();
  }

  private boolean begin(final Role role, final Subject subject, final long id) {
    return inFlight.lane(role).begin(subject, id, 2, Lane.NO_IMAGE);
  }

  @Test
  void whatTwoInARowFailAtIsPoison() throws IOException {
    for (int death = 0; death < 2; death++) {
      assertThat(begin(Role.SERVICE, Subject.REQUEST, 9)).isTrue();
      begin(Role.COMMIT, Subject.COMMIT, 4); // of another thread, which did not fail
      failAt(Role.SERVICE);
    }
    assertThat(begin(Role.SERVICE, Subject.REQUEST, 9)).isFalse();
    assertThat(begin(Role.SERVICE, Subject.REQUEST, 10)).isTrue();
    assertThat(begin(Role.COMMIT, Subject.COMMIT, 4)).isTrue();
    next();
    assertThat(begin(Role.SERVICE, Subject.REQUEST, 9)).isFalse();
  }

  @Test
  void whatWasPassedInBetweenIsNot() throws IOException {
    begin(Role.COMMIT, Subject.COMMIT, 4);
    failAt(Role.COMMIT);
    begin(Role.COMMIT, Subject.COMMIT, 4);
    inFlight.lane(Role.COMMIT).passed(Subject.COMMIT, 4);
    failAt(Role.COMMIT);
    assertThat(begin(Role.COMMIT, Subject.COMMIT, 4)).isTrue();
  }

  @Test
  void killsFromOutsideCountForNothing() throws IOException {
    for (int kill = 0; kill < 5; kill++) {
      begin(Role.WRITE, Subject.CHUNK, CHUNK);
      next();
    }
    assertThat(inFlight.hasSuspects()).isFalse();
  }

  private long progress() throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(root.resolve("inflight")))
        .order(ByteOrder.LITTLE_ENDIAN)
        .getLong(InFlightDescriptor.PROGRESS_OFFSET);
  }

  /** Whoever waits for one that gets somewhere would wait for ever. */
  @Test
  void aKillFromOutsideCountsAsProgressAndAFailureOfAnyThreadDoesNot() throws IOException {
    final long before = progress();
    next();
    assertThat(progress()).isEqualTo(before + 1);
    failAt(Role.WRITE);
    assertThat(inFlight.failed("prefault")).isNull();
    next();
    assertThat(inFlight.hasSuspects()).isFalse();
    assertThat(progress()).isEqualTo(before + 1);
  }

  @Test
  void ofAChunkTheImageIsPoisonThatItWasAt() throws IOException {
    for (int death = 0; death < 2; death++) {
      begin(Role.WRITE, Subject.CHUNK, CHUNK);
      inFlight.lane(Role.WRITE).image(31);
      failAt(Role.WRITE);
    }
    assertThat(inFlight.poisoned(CHUNK)).containsExactly(31);
    assertThat(inFlight.poisoned(CHUNK + 1)).isEmpty();
  }

  @Test
  void aProcessWhoseRequestsAreFailedAtIsCutOffUntilItsSlotIsAnothers() throws IOException {
    for (int death = 0; death < 8; death++) {
      assertThat(inFlight.isCutOff(2)).isFalse();
      begin(Role.SERVICE, Subject.REQUEST, 100 + death);
      failAt(Role.SERVICE);
    }
    assertThat(inFlight.isCutOff(2)).isTrue();
    assertThat(inFlight.isCutOff(1)).isFalse();
    inFlight.forget(2);
    assertThat(inFlight.isCutOff(2)).isFalse();
  }

  @Test
  void whatAnotherSessionLeftIsNothing() throws IOException {
    begin(Role.SERVICE, Subject.REQUEST, 9);
    inFlight.failed(Role.SERVICE.thread());
    inFlight.close();
    inFlight = InFlight.open(root.resolve("inflight"), SESSION + 1);
    assertThat(inFlight.hasSuspects()).isFalse();
  }

  @Test
  void moreSuspectsThanThereIsRoomForForgetTheOldest() throws IOException {
    for (int id = 0; id < 100; id++) {
      begin(Role.RESTART, Subject.REQUEST, id);
      failAt(Role.RESTART);
    }
    begin(Role.RESTART, Subject.REQUEST, 99);
    failAt(Role.RESTART);
    assertThat(begin(Role.RESTART, Subject.REQUEST, 99)).isFalse();
    assertThat(begin(Role.RESTART, Subject.REQUEST, 0)).isTrue();
  }
}
