package org.sluice.iop.journal;

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
import net.openhft.chronicle.bytes.Bytes;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.fuzz.Mutation;
import org.sluice.core.fuzz.Outcome;

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
    try (Journal journal = Journal.create(file(), SESSION, false)) {
      journal.write(new Entry.Begun(2, new Entry.Scope(3, 3, false)));
      JournalTest.everyEntry().forEach(journal::write);
    }
    valid = Files.readAllBytes(file());
    rewritten = rewritten();
  }

  /** A journal of a snapshot and nothing else. */
  private static byte[] rewritten() {
    final Ledger ledger = new Ledger(false);
    final RandomEntries entries = new RandomEntries(1);
    for (int i = 0; i < 200; i++) {
      ledger.enter(entries.next());
    }
    final Bytes<byte[]> journal = Bytes.allocateElasticOnHeap();
    journal.write(valid, 0, HEADER_LENGTH).writeLong(0).writeInt(EntryCodec.SNAPSHOT);
    SnapshotCodec.write(journal, ledger);
    journal.writeInt(HEADER_LENGTH, (int) journal.writePosition() - HEADER_LENGTH - FRAME_LENGTH);
    final byte[] bytes = journal.toByteArray();
    seal(bytes);
    return bytes;
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
      @ForAll final boolean inPlace)
      throws IOException {
    final byte[] bytes = Mutation.apply(valid, mutations);
    if (crcIsRight) {
      seal(bytes);
    }
    isReadOrRefused(bytes, inPlace);
  }

  @Property
  void snapshotIsReadOrRefused(
      @ForAll("mutations") final List<Mutation> mutations, @ForAll final boolean inPlace)
      throws IOException {
    final byte[] bytes = Mutation.apply(rewritten, mutations);
    seal(bytes);
    isReadOrRefused(bytes, inPlace);
  }

  private static void isReadOrRefused(final byte[] bytes, final boolean inPlace)
      throws IOException {
    Files.write(file(), bytes);
    Outcome.isReadOrRefused(
        file().toString(),
        () -> {
          Journal.isOfThisBoot(file());
          Journal.resume(file(), SESSION, new Ledger(inPlace)).close();
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
