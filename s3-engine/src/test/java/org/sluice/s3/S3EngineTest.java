package org.sluice.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.EngineException.Reason;
import org.sluice.core.store.objects.EngineProbe;
import org.sluice.core.store.objects.Upload;
import org.sluice.core.store.series.SeriesRun;

/** Requests that get lost, refused or cut short on their way. */
class S3EngineTest {
  private static final byte[] MINE = {1, 2, 3};
  private static final byte[] OTHERS = {4, 5};

  private static ObjectServer server;

  private final String prefix = Server.anyPrefix();

  /** It looks at no signature, and so at none of requests that a relay changes. */
  @BeforeAll
  static void serve(@TempDir final Path objects) throws IOException {
    server = new ObjectServer(objects, 0);
    server.createBucket(Server.BUCKET);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private Relay relay(final Relay.Mishap mishap) throws IOException {
    return new Relay(server.endpoint(), mishap);
  }

  private S3Engine through(final Relay relay) throws IOException {
    return Server.engine(relay.endpoint(), prefix);
  }

  private S3Engine directly() throws IOException {
    return Server.engine(server.endpoint(), prefix);
  }

  /** Does something to the first requests whose head has some text, and nothing to the others. */
  private static Relay.Mishap toFirst(
      final int count, final String text, final Relay.Mishap mishap) {
    final AtomicInteger seen = new AtomicInteger();
    return (request, relay) ->
        Relay.text(request).contains(text) && seen.getAndIncrement() < count
            ? mishap.answer(request, relay)
            : relay.ask(request);
  }

  private static final Relay.Mishap LOSE_THE_ANSWER =
      (request, relay) -> {
        relay.ask(request);
        return new byte[0];
      };

  @Test
  void aRequestIsRepeatedThatGotNoAnswer() throws IOException {
    try (Relay relay = relay(toFirst(1, "GET", (request, self) -> new byte[0]));
        S3Engine engine = through(relay)) {
      engine.put("a", List.of(ByteBuffer.wrap(MINE)));
      assertThat(engine.getAll("a", 10)).isEqualTo(MINE);
    }
  }

  @Test
  void aCreateWhoseAnswerWasLostSaysNoAndHasTheObject() throws IOException {
    try (Relay relay = relay(toFirst(1, "PUT", LOSE_THE_ANSWER));
        S3Engine engine = through(relay)) {
      assertThat(engine.putIfAbsent("log/1", MINE)).isFalse();
      assertThat(relay.requests()).hasSize(2);
      assertThat(engine.getAll("log/1", 10)).isEqualTo(MINE);
    }
  }

  @Test
  void aCreateThatConflictsIsRepeated() throws IOException {
    final Relay.Mishap conflict =
        (request, self) -> Relay.error("409 Conflict", "ConditionalRequestConflict");
    try (Relay relay = relay(toFirst(2, "PUT", conflict));
        S3Engine engine = through(relay);
        S3Engine other = directly()) {
      assertThat(engine.putIfAbsent("log/1", MINE)).isTrue();
      assertThat(relay.requests()).hasSize(3);
      assertThat(other.putIfAbsent("log/2", OTHERS)).isTrue();
      assertThat(engine.putIfAbsent("log/2", MINE)).isFalse();
      assertThat(engine.getAll("log/2", 10)).isEqualTo(OTHERS);
    }
  }

  @Test
  void aCreateThatConflictsForEverFails() throws IOException {
    final Relay.Mishap conflict =
        (request, self) -> Relay.error("409 Conflict", "ConditionalRequestConflict");
    try (Relay relay = relay(conflict);
        S3Engine engine = through(relay)) {
      assertThatThrownBy(() -> engine.putIfAbsent("log/1", MINE))
          .isInstanceOf(EngineException.class)
          .hasMessageContainingAll("create log/1", "409 ConditionalRequestConflict");
    }
  }

  @Test
  void anAnswerThatBreaksOffIsAskedForAgain() throws IOException {
    final byte[] content = content(300_000);
    try (Relay relay = relay(toFirst(2, "GET", S3EngineTest::half));
        S3Engine engine = through(relay)) {
      engine.put("a", List.of(ByteBuffer.wrap(content)));
      for (final ByteBuffer into :
          List.of(ByteBuffer.allocate(300_000), ByteBuffer.allocateDirect(300_000))) {
        engine.get("a", 0, into);
        final byte[] read = new byte[into.flip().remaining()];
        into.get(read);
        assertThat(read).isEqualTo(content);
      }
    }
  }

  @Test
  void anAnswerThatAlwaysBreaksOffIsAnError() throws IOException {
    try (Relay relay = relay(toFirst(99, "GET", S3EngineTest::half));
        S3Engine engine = through(relay)) {
      engine.put("a", List.of(ByteBuffer.wrap(content(300_000))));
      final ByteBuffer into = ByteBuffer.allocate(300_000);
      assertThatThrownBy(() -> engine.get("a", 0, into))
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll("read a", "broke off");
      assertThat(into.position()).isZero();
    }
  }

  private static byte[] half(final byte[] request, final Relay relay) throws IOException {
    final byte[] answer = relay.ask(request);
    return Arrays.copyOf(answer, answer.length - 150_000);
  }

  @Test
  void anAnswerOfAnotherRangeIsAnError() throws IOException {
    final Relay.Mishap ignoresRanges =
        (request, self) ->
            self.ask(Relay.bytes(Relay.text(request).replaceFirst("(?i)range: .*\r\n", "")));
    try (Relay relay = relay(toFirst(99, "GET", ignoresRanges));
        S3Engine engine = through(relay)) {
      engine.put("a", List.of(ByteBuffer.wrap(content(100))));
      assertThatThrownBy(() -> engine.get("a", 50, ByteBuffer.allocate(10)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("range that begins at 50");
    }
  }

  @Test
  void anAnswerOfLessThanTheObjectHasIsAnError() throws IOException {
    final Relay.Mishap capsRanges =
        (request, self) ->
            self.ask(Relay.bytes(Relay.text(request).replaceFirst("bytes=0-99", "bytes=0-59")));
    try (Relay relay = relay(toFirst(99, "GET", capsRanges));
        S3Engine engine = through(relay)) {
      engine.put("a", List.of(ByteBuffer.wrap(content(100))));
      assertThatThrownBy(() -> engine.get("a", 0, ByteBuffer.allocate(100)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("lacks 40 of 100 bytes");
    }
  }

  @Test
  void aSlowAnswerIsWaitedFor() throws IOException {
    final Relay.Mishap slow =
        (request, self) -> {
          LockSupport.parkNanos(1_500_000_000);
          return self.ask(request);
        };
    try (Relay relay = relay(toFirst(1, "PUT", slow));
        S3Engine engine = through(relay)) {
      assertThat(engine.putIfAbsent("log/1", MINE)).isTrue();
      assertThat(relay.requests()).hasSize(1);
    }
  }

  /** It says where to begin to read, and never what is there. */
  @Test
  void aListOfAWhileAgoMisleadsNoRun() throws IOException {
    final AtomicReference<byte[]> first = new AtomicReference<>();
    final Relay.Mishap stale =
        (request, self) -> {
          first.compareAndSet(null, self.ask(request));
          return first.get();
        };
    try (Relay relay = relay(toFirst(99, "list-type=2", stale));
        S3Engine engine = through(relay)) {
      for (long run = 1; run <= 4; run++) {
        assertThat(SeriesRun.join(engine, "run" + run, "b17").begin()).isEqualTo(run);
      }
      assertThatThrownBy(() -> SeriesRun.join(engine, "run2", "b18"))
          .hasMessageContaining("run run2 is fenced: run run4 began on node b17");
    }
  }

  /** The log has it, once, for the node whose answer was lost and for the one that came second. */
  @Test
  void anEntryWhoseAnswerWasLostIsThereOnce() throws IOException {
    try (Relay relay = relay(toFirst(1, "PUT", LOSE_THE_ANSWER));
        S3Engine engine = through(relay);
        S3Engine other = directly()) {
      assertThat(SeriesRun.join(engine, "run", "b17").isFirst()).isTrue();
      assertThat(SeriesRun.join(other, "run", "b18").isFirst()).isFalse();
      assertThat(other.list("log/")).containsExactly("log/0000000001");
    }
  }

  @Test
  void aServerThatIgnoresTheConditionIsRefused() throws IOException {
    final Relay.Mishap ignorant =
        (request, self) ->
            self.ask(
                Relay.bytes(Relay.text(request).replaceFirst("(?i)if-none-match: .*\r\n", "")));
    try (Relay relay = relay(ignorant);
        S3Engine engine = through(relay);
        S3Engine fit = Server.engine(server.endpoint(), prefix)) {
      EngineProbe.conditionalCreate(fit);
      assertThatThrownBy(() -> EngineProbe.conditionalCreate(engine))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining(engine + " replaces an object");
      assertThat(fit.list("")).isEmpty();
    }
  }

  @Test
  void aLostAnswerDoesNotMisleadTheProbe() throws IOException {
    try (Relay relay = relay(toFirst(1, "PUT", LOSE_THE_ANSWER));
        S3Engine engine = through(relay)) {
      EngineProbe.conditionalCreate(engine);
    }
  }

  /** The SDK repeats it, and the server knows that upload no more. */
  @Test
  void anUploadWhoseLastAnswerWasLostIsThere() throws IOException {
    final byte[] content = content((9 << 20) + 1);
    final Relay.Mishap completeTwice =
        (request, self) -> {
          self.ask(request);
          return Relay.error("404 Not Found", "NoSuchUpload");
        };
    try (Relay relay = relay(toFirst(1, "?uploadId=", completeTwice));
        S3Engine engine = through(relay);
        S3Engine other = directly()) {
      engine.put("a", List.of(ByteBuffer.wrap(content)));
      assertThat(other.getAll("a", content.length)).isEqualTo(content);
    }
  }

  @Test
  void anUploadThatFailsIsAborted() throws IOException {
    final Relay.Mishap full = (request, self) -> Relay.error("403 Forbidden", "QuotaExceeded");
    try (Relay relay = relay(toFirst(1, "partNumber=2", full));
        S3Engine engine = through(relay)) {
      assertThatThrownBy(() -> engine.put("a", List.of(ByteBuffer.wrap(content(9 << 20)))))
          .satisfies(e -> assertThat(ExitStatus.of(e)).isEqualTo(ExitStatus.NO_ROOM))
          .hasMessageContainingAll("write a of s3://", "QuotaExceeded", "raise the quota");
      assertThat(relay.requests().getLast()).startsWith("DELETE");
      assertThat(engine.list("")).isEmpty();
    }
  }

  @Test
  void anUploadThatIsGivenUpIsAborted() throws IOException {
    try (Relay relay = relay((request, self) -> self.ask(request));
        S3Engine engine = through(relay)) {
      try (Upload upload = engine.upload("a")) {
        upload.append(ByteBuffer.wrap(content(Upload.PIECE)));
      }
      assertThat(relay.requests().getLast()).startsWith("DELETE").contains("uploadId");
      assertThat(engine.list("")).isEmpty();
    }
  }

  @Test
  void anUploadOfOnePieceIsOneRequest() throws IOException {
    try (Relay relay = relay((request, self) -> self.ask(request));
        S3Engine engine = through(relay)) {
      try (Upload upload = engine.upload("a")) {
        upload.finish(ByteBuffer.wrap(MINE));
      }
      assertThat(relay.requests()).singleElement().asString().startsWith("PUT");
      assertThat(engine.getAll("a", 10)).isEqualTo(MINE);
    }
  }

  @Test
  void smallObjectsAreSignedAsAWholeAndLargeOnesByTheirHeads() throws IOException {
    final List<String> heads = new CopyOnWriteArrayList<>();
    final Relay.Mishap look =
        (request, self) -> {
          heads.add(Relay.text(request).replaceAll("(?s)\r\n\r\n.*", ""));
          return self.ask(request);
        };
    try (Relay relay = relay(look);
        S3Engine engine = through(relay)) {
      engine.putIfAbsent("log/1", content(1 << 20));
      engine.put("small", List.of(ByteBuffer.wrap(MINE)));
      engine.put("large", List.of(ByteBuffer.wrap(content((1 << 20) + 1))));
      assertThat(engine.getAll("large", 2 << 20)).isEqualTo(content((1 << 20) + 1));
    }
    final List<String> unsigned =
        heads.stream()
            .filter(head -> head.startsWith("PUT") && head.contains("UNSIGNED-PAYLOAD"))
            .toList();
    assertThat(unsigned).singleElement().asString().contains("/large");
  }

  @ParameterizedTest
  @CsvSource({
    "403 Forbidden, AccessDenied, DENIED, check the credentials",
    "403 Forbidden, QuotaExceeded, FULL, raise the quota",
    "507 Insufficient Storage, XMinioStorageFull, FULL, make room",
    "501 Not Implemented, NotImplemented, UNFIT, If-None-Match",
    "404 Not Found, NoSuchBucket, MISSING, create it",
    "400 Bad Request, AuthorizationHeaderMalformed, ADDRESS, AWS_REGION",
    "503 Slow Down, SlowDown, UNREACHABLE, try again",
  })
  void whatAServerRefusesIsToldInOneLine(
      final String status, final String code, final Reason reason, final String remedy)
      throws IOException {
    try (Relay relay = relay((request, self) -> Relay.error(status, code));
        S3Engine engine = through(relay)) {
      assertThatThrownBy(() -> engine.putIfAbsent("log/1", MINE))
          .isInstanceOf(EngineException.class)
          .hasMessageContainingAll("create log/1 of " + engine, relay.endpoint() + ": ", remedy)
          .hasMessageNotContaining("\n")
          .satisfies(e -> assertThat(((EngineException) e).reason()).isEqualTo(reason));
    }
  }

  @Test
  void aMissingBucketIsNoMissingObject() throws IOException {
    try (S3Engine engine = Server.engine(server.endpoint(), new S3Location("no-such-bucket", ""))) {
      for (final Throwable failure :
          List.of(
              catchThrowable(() -> engine.put("a", List.of())),
              catchThrowable(() -> engine.putIfAbsent("a", MINE)),
              catchThrowable(() -> engine.getAll("a", 1)),
              catchThrowable(() -> engine.list("a/")),
              catchThrowable(() -> engine.delete("a")))) {
        assertThat(failure).hasMessageContaining("there is no bucket no-such-bucket; create it");
        assertThat(ExitStatus.of(failure)).isEqualTo(ExitStatus.NO_STORE);
      }
    }
  }

  @Test
  void aServerThatIsNotThereIsNamed() throws IOException {
    final URI nobody;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = URI.create("http://127.0.0.1:" + closed.getLocalPort());
    }
    try (S3Engine engine = Server.engine(nobody, prefix)) {
      assertThatThrownBy(() -> engine.getAll("log/1", 1))
          .hasMessageMatching(
              "\\Qcannot read log/1 of %s at %s: no connection: \\E[^;]+; check AWS_ENDPOINT_URL_S3 and the network to it"
                  .formatted(engine, nobody));
    }
  }

  private static byte[] content(final int length) {
    final byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    return content;
  }
}
