package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.sluice.core.posix.FileName;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.c3.C3;
import org.sluice.iop.wave.protocol.pcl.Pcl;

/** What tests of waves share: two ranks, for which rank 0 speaks. */
abstract class WaveServeTest extends ServeTest {
  static final int RANKS = 2;
  static final long PATIENCE = TimeUnit.MINUTES.toNanos(1);
  static final byte[] NOTHING = {};

  /** Of such as a busy machine may end before the ranks were heard. */
  static final int MOST_WAVES = 100;

  /** A message from rank 0 to rank 1, or how many of its stream. */
  static long[] message(final long number) {
    return new long[] {1, 1L << 32, 7, number};
  }

  static byte[] longs(final long... values) {
    final ByteBuffer out = little(values.length * Long.BYTES);
    for (final long value : values) {
      out.putLong(value);
    }
    return out.array();
  }

  static ByteBuffer little(final int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Of a rank whose stream from 0 to 1 has so many messages at its own end. */
  static byte[] marker(final int rank, final long messages, final long collectives) {
    final long[] m = message(messages);
    return rank == 0
        ? longs(0, 1, m[0], m[1], m[2], m[3], 0, 1, 1, collectives, 0)
        : longs(1, 0, 1, m[0], m[1], m[2], m[3], 1, 1, collectives, 0);
  }

  static void hello(
      final RawProcess zero, final int protocol, final long every, final long patience)
      throws IOException {
    hello(zero, protocol, -1, every, patience, false);
  }

  static void hello(
      final RawProcess zero,
      final int protocol,
      final long restored,
      final long every,
      final long patience,
      final boolean again)
      throws IOException {
    final ByteBuffer job = little(48).putInt(protocol).putInt(RANKS);
    job.putLong(restored).putLong(0).putLong(every).putLong(patience).putLong(again ? 1 : 0);
    say(zero, Control.HELLO, 0, 0, job.array());
  }

  /** As rank 0 does when another I/O process is there. */
  static void helloAgain(final RawProcess zero, final long restored) throws IOException {
    hello(zero, C3.NUMBER, restored, 0, PATIENCE, true);
  }

  static void say(
      final RawProcess zero, final int kind, final int rank, final long wave, final byte[] bytes)
      throws IOException {
    final Request request = new Request.Wave(kind, rank, wave, 0, FileName.decode(bytes));
    assertThat(zero.call(request)).isEqualTo(new Reply.Done());
  }

  static void bothSay(final RawProcess zero, final int kind, final long wave, final byte[] bytes)
      throws IOException {
    say(zero, kind, 1, wave, bytes);
    say(zero, kind, 0, wave, bytes);
  }

  static Reply.Order next(final RawProcess zero) throws Exception {
    final Reply.Order[] order = new Reply.Order[1];
    await(
        () -> {
          order[0] = (Reply.Order) zero.call(new Request.Orders());
          return order[0].kind() != 0;
        });
    return order[0];
  }

  static void expect(
      final RawProcess zero, final int kind, final int rank, final long wave, final byte[] bytes)
      throws Exception {
    assertThat(next(zero)).isEqualTo(new Reply.Order(kind, rank, wave, 0, FileName.decode(bytes)));
  }

  static void expectPlease(final RawProcess zero, final int protocol, final long wave)
      throws Exception {
    expect(zero, Control.PLEASE, -1, wave, little(4).putInt(protocol).array());
  }

  /** As {@code sluice mpi checkpoint} does. */
  void ask() throws IOException {
    Files.createFile(Files.createDirectories(store.resolve("mpi")).resolve("ask"));
  }

  /** A job is there, and a user asks for its first wave. */
  void begin(final RawProcess zero, final int protocol) throws Exception {
    hello(zero, protocol, 0, PATIENCE);
    ask();
    expectPlease(zero, protocol, 1);
  }

  /** Rank 1 stands at a spot of Pcl that rank 0 does not reach in time. */
  void standInVain(final RawProcess zero, final long wave) throws Exception {
    bothSay(zero, Pcl.COUNTED, wave, longs(5));
    assertThat(next(zero).kind()).isEqualTo(Pcl.STOP_AT);
    say(zero, Control.MARKER, 1, wave, marker(1, 0, 0));
    say(zero, Pcl.STOOD, 1, wave, NOTHING);
    expect(zero, Control.GIVE_UP, -1, wave, NOTHING);
    assertThat(log().getLast())
        .contains("\"given up\"", "while others held still", "\"again\":true");
  }

  /** Who waits for the checkpoint of that wave sees that it is tried again. */
  void awaitLineOfRest(final long wave) throws Exception {
    final Path file = store.resolve("mpi/under-way");
    final String line = "\"checkpoint\":%d,.*the time at which it is tried again".formatted(wave);
    final Pattern told = Pattern.compile(line);
    await(() -> Files.exists(file) && told.matcher(Files.readString(file)).find());
  }

  List<String> log() throws IOException {
    return Files.readAllLines(store.resolve("mpi.log"));
  }
}
