package org.sluice.iop.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.fuzz.Mutation;
import org.sluice.core.fuzz.Outcome;
import org.sluice.core.segment.Layout;
import org.sluice.iop.journal.Journal;

/** A journal that may hold anything: with its crcs wrong, and with its crcs made right. */
class JournalFuzzTest {
  private static final long SESSION = 77;
  private static final int HEADER_LENGTH = 40;
  private static final int FRAME_LENGTH = 8;
  private static Path directory;
  private static byte[] valid;
  private static byte[] rewritten;

  @BeforeContainer
  static void write() throws IOException {
    directory = Files.createTempDirectory("sluice-fuzz");
    final RandomEntries entries = new RandomEntries(1);
    final SessionState state = new SessionState(Layout.CONTAINER);
    try (Journal journal = create()) {
      for (int i = 0; i < 200; i++) {
        state.apply(journal.write(entries.next()));
      }
    }
    valid = Files.readAllBytes(file());
    Files.delete(file());
    try (Journal journal = create()) {
      state.sum(journal::write);
    }
    rewritten = Files.readAllBytes(file());
  }

  private static Journal create() throws IOException {
    return Journal.create(file(), SESSION, () -> new SessionState(Layout.CONTAINER));
  }

  @AfterContainer
  static void remove() {
    IoUtil.delete(directory.toFile(), false);
  }

  private static Path file() {
    return directory.resolve("journal");
  }

  @Provide
  Arbitrary<List<Mutation>> mutations() {
    return Mutation.several();
  }

  @Property
  void journalIsReadOrRefused(
      @ForAll("mutations") final List<Mutation> mutations,
      @ForAll final boolean crcIsRight,
      @ForAll final Layout layout)
      throws IOException {
    final byte[] bytes = Mutation.apply(valid, mutations);
    if (crcIsRight) {
      seal(bytes);
    }
    isReadOrRefused(bytes, layout);
  }

  @Property
  void rewrittenJournalIsReadOrRefused(
      @ForAll("mutations") final List<Mutation> mutations, @ForAll final Layout layout)
      throws IOException {
    final byte[] bytes = Mutation.apply(rewritten, mutations);
    seal(bytes);
    isReadOrRefused(bytes, layout);
  }

  private static void isReadOrRefused(final byte[] bytes, final Layout layout) throws IOException {
    Files.write(file(), bytes);
    Outcome.isReadOrRefused(
        file().toString(),
        () -> {
          Journal.isOfThisBoot(file());
          Journal.resume(file(), SESSION, new SessionState(layout), () -> new SessionState(layout))
              .close();
        });
  }

  private static void seal(final byte[] bytes) {
    final UnsafeBuffer journal = new UnsafeBuffer(bytes);
    int at = HEADER_LENGTH;
    while (at + FRAME_LENGTH <= bytes.length) {
      final int length = journal.getInt(at);
      if (length <= 0 || length > bytes.length - at - FRAME_LENGTH) {
        return;
      }
      final CRC32C crc = new CRC32C();
      crc.update(bytes, at + FRAME_LENGTH, length);
      journal.putInt(at + Integer.BYTES, (int) crc.getValue());
      at += FRAME_LENGTH + length;
    }
  }
}
