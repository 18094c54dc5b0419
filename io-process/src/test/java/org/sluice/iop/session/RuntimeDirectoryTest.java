package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.sluice.core.posix.NativeFile;

class RuntimeDirectoryTest extends ServeTest {
  @Test
  void secondProcessOfANameIsRefused() throws Exception {
    try (ServeProcess serve = serve("files")) {
      final ServeProcess.Outcome second =
          ServeProcess.fail(runtime, "--store", store.toString(), "--buffer", "1M");
      assertThat(second.status()).isEqualTo(7);
      assertThat(second.errors()).hasSize(1);
      assertThat(second.errors().getFirst()).contains("default", serve.directory().toString());
    }
  }

  @Test
  void leftoversOfAKilledProcessAreRemoved() throws Exception {
    final ServeProcess killed = serve("files");
    killed.kill();
    assertThat(killed.directory().resolve("segment")).exists();
    try (ServeProcess next = serve("files");
        RawProcess client = RawProcess.attach(next.directory())) {
      assertThat(client.slot()).isZero();
    }
  }

  @Test
  void theNextStartRemovesWhatDiedAtItsStartAndNothingElse() throws Exception {
    final ServeProcess killed = serve("files"); // it can be resumed
    killed.kill();
    final Path empty = left("run-1");
    final Path reserved = left("run-2", "segment");
    final Path unused = left("run-3", "segment", "journal");
    Files.copy(
        killed.directory().resolve("journal"),
        unused.resolve("journal"),
        StandardCopyOption.REPLACE_EXISTING);
    final Path foreign = Files.createDirectory(runtime.resolve("mine"));
    Files.writeString(foreign.resolve("segment"), "mine");
    final Path starting = left("run-4", "segment");
    try (NativeFile lock = NativeFile.open(starting.resolve("lock"), NativeFile.Flag.WRITE)) {
      assertThat(lock.tryLock()).isTrue();
      try (ServeProcess next = serve("files", "--name", "next")) {
        assertThat(List.of(empty, reserved, unused)).allMatch(Files::notExists);
        assertThat(List.of(killed.directory(), foreign, starting, next.directory()))
            .allMatch(Files::exists);
        assertThat(killed.directory().resolve("segment")).exists();
      }
    }
  }

  private Path left(final String name, final String... files) throws IOException {
    final Path directory = Files.createDirectory(runtime.resolve(name));
    Files.createFile(directory.resolve("lock"));
    for (final String file : files) {
      Files.write(directory.resolve(file), new byte[4096]);
    }
    return directory;
  }

  /** As where it lies on a disk: every pid and start time may be somebody else's. */
  @Test
  void whatAnEarlierBootLeftIsNotResumed() throws Exception {
    final ServeProcess killed = serve("container");
    final long session;
    try (RawProcess client = RawProcess.attach(killed.directory())) {
      client.create(capture.resolve("file"));
      session = client.segment().header().sessionId();
      killed.kill();
      final Path journal = killed.directory().resolve("journal");
      final byte[] bytes = Files.readAllBytes(journal);
      bytes[30]++;
      Files.write(journal, bytes);
      try (ServeProcess next = serve("container", "--resume");
          RawProcess fresh = RawProcess.attach(next.directory())) {
        assertThat(fresh.segment().header().sessionId()).isNotEqualTo(session);
        assertThat(fresh.slot()).isZero();
        assertThat(next.errors()).contains(next.directory().toString(), "booted");
      }
    }
  }

  @Test
  void whatThisBootLeftIsResumed() throws Exception {
    final ServeProcess killed = serve("container");
    try (RawProcess client = RawProcess.attach(killed.directory())) {
      killed.kill();
      try (ServeProcess next = serve("container");
          RawProcess other = RawProcess.attach(next.directory())) {
        assertThat(other.segment().header().sessionId())
            .isEqualTo(client.segment().header().sessionId());
        assertThat(other.slot()).isEqualTo(1);
      }
    }
  }

  @Test
  void directoryIsGoneAfterAStop() throws Exception {
    try (ServeProcess serve = serve("files")) {
      assertThat(serve.stop()).isZero();
      assertThat(serve.directory()).doesNotExist();
      assertThat(serve.errors()).isEmpty();
    }
  }

  @Test
  void bufferLargerThanSharedMemoryNamesBothSizes() throws Exception {
    final long room = runtime.toFile().getUsableSpace();
    final ServeProcess.Outcome outcome =
        ServeProcess.fail(runtime, "--store", store.toString(), "--buffer", "4000G");
    assertThat(outcome.status()).isEqualTo(8);
    assertThat(outcome.errors()).hasSize(1);
    assertThat(outcome.errors().getFirst()).containsPattern("431\\d{10} bytes");
    final Matcher free = Pattern.compile(" (\\d+) are free").matcher(outcome.errors().getFirst());
    assertThat(free.find()).isTrue();
    assertThat(Long.parseLong(free.group(1))).isCloseTo(room, withinPercentage(10));
    assertThat(runtime.resolve("default")).doesNotExist();
  }

  @Test
  void nameTooLongForASocketIsRefused() throws Exception {
    final ServeProcess.Outcome outcome =
        ServeProcess.fail(runtime, "--store", store.toString(), "--name", "n".repeat(200));
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.errors()).hasSize(1);
  }

  @Test
  void storeWithoutAParentIsRefused() throws Exception {
    final ServeProcess.Outcome outcome =
        ServeProcess.fail(runtime, "--store", root.resolve("no/store").toString());
    assertThat(outcome.status()).isEqualTo(3);
    assertThat(outcome.errors()).hasSize(1);
  }

  @Test
  void markerWithoutAGroupIsRefused() throws Exception {
    final ServeProcess.Outcome outcome =
        ServeProcess.fail(
            runtime, "--store", store.toString(), "--layout", "files", "--complete", "(\\d+)");
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.errors()).hasSize(1);
  }
}
