package org.sluice.core.store.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every engine promises. A test of an engine extends it and says how one is opened. */
public abstract class EngineContract {
  private static final int PAGE = 1000;
  private static final int RACERS = 32;
  private static final int LARGE = (20 << 20) + 3;
  private static final String ALL_CHARACTERS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/0123456789/a.b_c,d+e%41%-/-..";

  private Engine here;
  private Engine there;

  /**
   * Opens an engine.
   *
   * @return one of its own, as another node has it, on the same objects each time: none at first
   */
  protected abstract Engine open() throws IOException;

  @BeforeEach
  final void openTwo() throws IOException {
    here = open();
    there = open();
  }

  @AfterEach
  final void closeBoth() throws IOException {
    here.close();
    there.close();
  }

  @Test
  void whatWasPutIsReadWhole() throws IOException {
    put("a/whole", bytes(1000));
    assertThat(here.getAll("a/whole", 1000)).isEqualTo(bytes(1000));
  }

  @Test
  void aPartIsReadFromAnyOffset() throws IOException {
    put("a/parts", bytes(1000));
    assertThat(part("a/parts", 0, 10)).isEqualTo(range(0, 10));
    assertThat(part("a/parts", 500, 100)).isEqualTo(range(500, 600));
    assertThat(part("a/parts", 999, 1)).isEqualTo(range(999, 1000));
  }

  @Test
  void nothingIsReadFromTheEndOn() throws IOException {
    put("a/end", bytes(1000));
    assertThat(part("a/end", 990, 100)).isEqualTo(range(990, 1000));
    assertThat(part("a/end", 1000, 100)).isEmpty();
    assertThat(part("a/end", 5000, 100)).isEmpty();
  }

  @Test
  void anObjectThatIsTooLongIsNotReadWhole() throws IOException {
    put("a/long", bytes(1001));
    assertThatThrownBy(() -> here.getAll("a/long", 1000))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("a/long", "1000");
  }

  @Test
  void anObjectMayHaveNoByte() throws IOException {
    here.put("a/nothing", List.of());
    here.put("a/empty", List.of(ByteBuffer.allocate(0), ByteBuffer.allocateDirect(0)));
    assertThat(here.putIfAbsent("a/created", new byte[0])).isTrue();
    for (final String key : List.of("a/nothing", "a/empty", "a/created")) {
      assertThat(there.getAll(key, 10)).isEmpty();
      assertThat(part(key, 0, 10)).isEmpty();
    }
    assertThat(here.list("a/")).containsExactly("a/created", "a/empty", "a/nothing");
  }

  @Test
  void anObjectIsWhatThePiecesHaveBetweenPositionAndLimit() throws IOException {
    final byte[] content = bytes(LARGE);
    final List<ByteBuffer> pieces = new ArrayList<>();
    final Random random = new Random(7);
    for (int from = 0; from < LARGE; ) {
      final int length = Math.min(LARGE - from, random.nextInt(9 << 20));
      final int margin = random.nextInt(5000);
      final ByteBuffer piece =
          pieces.size() % 2 == 0
              ? ByteBuffer.allocateDirect(length + 2 * margin)
              : ByteBuffer.allocate(length + 2 * margin);
      piece.put(margin, content, from, length).limit(margin + length).position(margin);
      pieces.add(pieces.size() % 3 == 0 ? piece.asReadOnlyBuffer() : piece);
      from += length;
    }
    final List<String> before = pieces.stream().map(ByteBuffer::toString).toList();
    here.put("a/large", pieces);
    assertThat(pieces.stream().map(ByteBuffer::toString).toList()).isEqualTo(before);
    assertThat(there.getAll("a/large", LARGE)).isEqualTo(content);
  }

  @Test
  void anUploadIsThereOnceItIsFinished() throws IOException {
    for (final int rest : List.of(0, 1, 1000, Upload.PIECE)) {
      for (final int pieces : List.of(0, 1, 2)) {
        final byte[] content = bytes(pieces * Upload.PIECE + rest);
        final String key = "u/%d-%d".formatted(rest, pieces);
        final ByteBuffer piece = ByteBuffer.allocateDirect(Upload.PIECE);
        try (Upload upload = here.upload(key)) {
          for (int i = 0; i < pieces; i++) {
            upload.append(piece.clear().put(content, i * Upload.PIECE, Upload.PIECE).flip());
            assertThat(there.list("u/")).doesNotContain(key);
          }
          upload.finish(piece.clear().put(content, pieces * Upload.PIECE, rest).flip());
        }
        assertThat(there.getAll(key, content.length)).isEqualTo(content);
      }
    }
  }

  @Test
  void anUploadThatIsGivenUpLeavesNothing() throws IOException {
    try (Upload upload = here.upload("u/left")) {
      upload.append(ByteBuffer.allocateDirect(Upload.PIECE));
    }
    here.upload("u/empty").close();
    assertThat(there.list("u/")).isEmpty();
    assertThatThrownBy(() -> there.getAll("u/left", 10)).isInstanceOf(NoObjectException.class);
  }

  @Test
  void foldersAreTheFirstNamesOfKeysThatHaveMore() throws IOException {
    assertThat(here.folders()).isEmpty();
    for (final String key : List.of("b/1", "b/2", "a/x/y", "a/x/z", "single", "c-d/e")) {
      put(key, bytes(1));
    }
    assertThat(there.folders()).containsExactly("a", "b", "c-d");
    final Engine below = new EngineFolder(there, "a");
    assertThat(below.folders()).containsExactly("x");
    assertThat(below.list("x/")).containsExactly("x/y", "x/z");
    assertThat(below.getAll("x/y", 10)).isEqualTo(bytes(1));
  }

  @Test
  void aPartFillsABufferBetweenPositionAndLimit() throws IOException {
    put("a/target", bytes(1000));
    for (final ByteBuffer into :
        List.of(
            ByteBuffer.allocate(100),
            ByteBuffer.allocateDirect(100),
            ByteBuffer.allocate(200).slice(50, 100))) {
      here.get("a/target", 300, into.position(10).limit(90));
      assertThat(into.position()).isEqualTo(90);
      assertThat(into.limit()).isEqualTo(90);
      here.get("a/target", 990, into.limit(100));
      assertThat(into.position()).isEqualTo(100);
      final byte[] all = new byte[100];
      into.get(0, all);
      assertThat(all).startsWith(new byte[10]).containsSequence(range(300, 380));
      assertThat(all).endsWith(range(990, 1000));
    }
  }

  @Test
  void aMissingObjectIsToldByItsKey() throws IOException {
    put("a/other", bytes(1));
    for (final String key : List.of("a/missing", "b/missing", "a/othe", "a/b/missing")) {
      assertThatThrownBy(() -> here.get(key, 0, ByteBuffer.allocate(1)))
          .isInstanceOf(NoObjectException.class)
          .hasMessageContainingAll(here.toString(), key);
      assertThatThrownBy(() -> here.getAll(key, 10)).isInstanceOf(NoObjectException.class);
    }
  }

  @Test
  void anotherNodeFindsAnObjectAtOnce() throws IOException {
    for (int i = 0; i < 20; i++) {
      final String key = "a/at-once/" + i;
      assertThatThrownBy(() -> there.getAll(key, 10)).isInstanceOf(NoObjectException.class);
      if (i % 2 == 0) {
        put(key, bytes(i));
      } else {
        assertThat(here.putIfAbsent(key, bytes(i))).isTrue();
      }
      assertThat(there.getAll(key, 100)).isEqualTo(bytes(i));
    }
  }

  @Test
  void anObjectMayBePutAgain() throws IOException {
    for (int i = 0; i < 3; i++) {
      put("a/again", bytes(1000));
      there.put("a/again", List.of(ByteBuffer.wrap(bytes(1000))));
      assertThat(here.getAll("a/again", 1000)).isEqualTo(bytes(1000));
    }
    assertThat(here.list("a/")).containsExactly("a/again");
    assertThat(there.size("a/again")).isEqualTo(1000);
    assertThat(there.size("a/missing")).isZero();
  }

  @Test
  void anObjectThatIsThereIsNotReplaced() throws IOException {
    put("log/put", bytes(10));
    assertThat(there.putIfAbsent("log/put", bytes(11))).isFalse();
    assertThat(here.getAll("log/put", 100)).isEqualTo(bytes(10));
    assertThat(here.putIfAbsent("log/created", bytes(1 << 20))).isTrue();
    assertThat(there.putIfAbsent("log/created", bytes(11))).isFalse();
    assertThat(here.putIfAbsent("log/created", bytes(12))).isFalse();
    assertThat(here.getAll("log/created", 1 << 20)).isEqualTo(bytes(1 << 20));
  }

  @Test
  protected void ofManyAtOnceOneStoresItsObject() throws Exception {
    for (int round = 0; round < 3; round++) {
      final String key = "log/race" + round;
      final List<Boolean> won =
          together(
              RACERS, racer -> (racer % 2 == 0 ? here : there).putIfAbsent(key, bytes(racer + 1)));
      final byte[] winner = here.getAll(key, RACERS);
      assertThat(won).as("who won").containsOnlyOnce(true);
      assertThat(winner).isEqualTo(bytes(won.indexOf(true) + 1));
      assertThat(there.getAll(key, RACERS)).isEqualTo(winner);
    }
    assertThat(here.list("log/")).containsExactly("log/race0", "log/race1", "log/race2");
  }

  @Test
  void aListHasThePrefixInTheOrderOfCharacters() throws IOException {
    final List<String> keys =
        List.of("p/1-a", "p/1.a", "p/1/a", "p/1/b/c", "p/10", "p/2", "p/A", "p/a");
    for (final String key : keys.reversed()) {
      put(key, bytes(1));
    }
    put("p2/a", bytes(1));
    put("pp", bytes(1));
    assertThat(there.list("p/")).isEqualTo(keys);
    assertThat(there.list("p/1/")).containsExactly("p/1/a", "p/1/b/c");
    assertThat(there.list("p/1/b")).containsExactly("p/1/b/c");
    assertThat(there.list("q/")).isEmpty();
    assertThat(there.list("q/r/")).isEmpty();
  }

  @Test
  void aListMayBeLong() throws Exception {
    final List<String> keys =
        IntStream.range(0, PAGE + 5).mapToObj("many/%05d"::formatted).toList();
    together(
        16,
        thread -> {
          for (int i = thread; i < keys.size(); i += 16) {
            put(keys.get(i), bytes(1));
          }
          return true;
        });
    assertThat(here.list("many/")).isEqualTo(keys);
  }

  @Test
  void whatIsDeletedIsGone() throws IOException {
    put("d/e/f/1", bytes(1));
    put("d/e/2", bytes(1));
    there.delete("d/e/f/1");
    assertThatThrownBy(() -> here.getAll("d/e/f/1", 10)).isInstanceOf(NoObjectException.class);
    assertThat(here.list("d/")).containsExactly("d/e/2");
    here.delete("d/e/2");
    assertThat(here.list("d/")).isEmpty();
    put("d/e/f/1", bytes(2));
    assertThat(there.getAll("d/e/f/1", 10)).isEqualTo(bytes(2));
  }

  @Test
  void whatIsNotThereMayBeDeleted() throws IOException {
    here.delete("d/missing");
    here.delete("e/f/missing");
    put("d/there", bytes(1));
    here.delete("d/there");
    there.delete("d/there");
    assertThat(here.list("d/")).isEmpty();
  }

  @Test
  void aKeyMayHaveAllCharactersThatOneMayHave() throws IOException {
    final String name = ALL_CHARACTERS.replace('/', '_');
    final List<String> keys =
        List.of("k/+", "k/a%2Fb", "k/" + ALL_CHARACTERS, "k/" + name, "k/" + "x".repeat(255));
    for (final String key : keys) {
      put(key, key.getBytes(StandardCharsets.US_ASCII));
      assertThat(there.putIfAbsent(key, bytes(1))).isFalse();
    }
    for (final String key : keys) {
      assertThat(new String(there.getAll(key, 400), StandardCharsets.US_ASCII)).isEqualTo(key);
    }
    assertThat(there.list("k/")).isEqualTo(keys.stream().sorted().toList());
    for (final String key : keys) {
      there.delete(key);
    }
    assertThat(here.list("k/")).isEmpty();
  }

  /** What one of several threads does. */
  private interface Deed<T> {
    T of(int thread) throws IOException;
  }

  private static <T> List<T> together(final int threads, final Deed<T> deed)
      throws InterruptedException, ExecutionException {
    final List<Callable<T>> deeds = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      final int thread = i;
      deeds.add(() -> deed.of(thread));
    }
    final List<T> results = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (final Future<T> result : pool.invokeAll(deeds)) {
        results.add(result.get());
      }
    }
    return results;
  }

  private void put(final String key, final byte[] bytes) throws IOException {
    here.put(key, List.of(ByteBuffer.wrap(bytes)));
  }

  private byte[] part(final String key, final long offset, final int length) throws IOException {
    final ByteBuffer into = ByteBuffer.allocate(length);
    there.get(key, offset, into);
    final byte[] part = new byte[into.flip().remaining()];
    into.get(part);
    return part;
  }

  /** The same bytes for the same length, others for another. */
  private static byte[] bytes(final int length) {
    final byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static byte[] range(final int from, final int to) {
    return Arrays.copyOfRange(bytes(1000), from, to);
  }
}
