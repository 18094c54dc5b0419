package org.sluice.iop.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.Encoder;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.RankSet;

class JournalTest {
  private static final long SESSION = 77;
  private static final int BOOT_END = 40;
  private static final ChunkLocation AT = new ChunkLocation(5, 4096, 100, 7);

  @TempDir private Path directory;

  static List<Entry> everyEntry() {
    return List.of(
        new Entry.Attached(1, 2, 3, 4, 5, 6, 7, 8, 9),
        new Entry.Detached(1, true, 5),
        new Entry.Admitted(1, 2, 3, 4, 5, 6, "/ä"),
        new Entry.Created(1, 2, 3, "name", 6, "\udc81"),
        new Entry.Changed(1, 2),
        new Entry.Opened(1, 2, true, 3),
        new Entry.Closed(1, 2, 3, 4, 5),
        new Entry.Taken(1, 2, 3, 4, 5),
        new Entry.Drained(1, 2, AT, List.of(new Entry.ImageSize(3, 4), new Entry.ImageSize(5, 6))),
        new Entry.Drained(1, 2, ChunkLocation.NONE, List.of()),
        new Entry.Emptying(1, true),
        new Entry.Restarted(1, Cause.DIRECT, true, 2, List.of(new Entry.Mark(3, 4, 5))),
        new Entry.Begun(1, new Entry.Scope(4, 2, true, true, true)),
        new Entry.Completed(1, 2, 3, 4),
        new Entry.Decided(1, true),
        new Entry.Committing(
            1,
            2,
            "epoch-2",
            3,
            7,
            4,
            RankSet.of(IntStream.of(0, 2)),
            Completion.MARKER,
            "=2/~0,2",
            List.of(new Entry.Part(4, "p", 5, 6, true))),
        new Entry.Ended(1, 2, 0, ""),
        new Entry.Ended(1, 2, 5, "reason"),
        new Entry.Replaced(1, 2),
        new Entry.Joined(),
        new Entry.Left(false),
        new Entry.Counted(1, 2, 3, 9, 4, true),
        new Entry.Known(
            1,
            2,
            new Entry.KnownWriter(new Entry.Attached(1, 2, 3, 4, 5, 6, 7, 8, 9), true),
            List.of(new Entry.KnownWriter(new Entry.Attached(9, 8, 7, 6, 5, 4, 3, 2, 1), true)),
            17,
            18,
            19,
            20,
            false,
            true,
            List.of(new Entry.Opener(1, 2, true)),
            List.of(3, 4),
            true,
            false,
            true,
            5,
            List.of(AT),
            List.of(new Entry.Mark(3, 4, 5))),
        new Entry.Grouped(1, true, false, List.of(new Entry.GroupMember(2, "path", true))),
        new Entry.Lacking(1, 2, 3, 4, "path"),
        new Entry.Written(1, 2, 3, 4),
        new Entry.Leaving(3, 4, 5),
        new Entry.Stored(6, 7),
        new Entry.Gone(1, 2, new Entry.Writing("path", 3, 4, 5, 6, 7, true)),
        new Entry.Vanished(7),
        new Entry.Filling(3, 7, 1),
        new Entry.Added(5, 7, 1, "a/b"),
        new Entry.Named(7, "epoch-7"),
        new Entry.Rested(1, "path"),
        new Entry.Entered(new Entry.Admitted(1, 2, 3, 4, 5, 6, "path"), 7, 8, "reason"));
  }

  @ParameterizedTest
  @MethodSource("everyEntry")
  void readsWhatItWrote(final Entry entry) {
    try (Encoder out = new Encoder()) {
      EntryFields.put(entry, out);
      final ByteBuffer in = ByteBuffer.wrap(out.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
      assertThat(EntryFields.get(in.getInt(), in)).isEqualTo(entry);
      assertThat(in.remaining()).isZero();
    }
  }

  @Test
  void goesOnBehindTheLastWholeEntry() throws IOException {
    final Path file = journalOf(taken(0), taken(1), taken(2));
    final byte[] whole = Files.readAllBytes(file);
    for (int length = whole.length - 1; length >= whole.length - 36; length--) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertThat(resume(file, taken(3))).containsExactly(taken(0), taken(1));
      assertThat(resume(file)).containsExactly(taken(0), taken(1), taken(3));
    }
  }

  /** Nothing is done at a kill. Entries of all lengths follow each other over many pages. */
  @Test
  void anEntryIsInTheFileOnceItIsWritten() throws IOException {
    final Path file = directory.resolve("journal");
    final Path seen = directory.resolve("seen");
    final List<Entry> written = new ArrayList<>();
    try (Journal journal = Journal.create(file, SESSION, All::new)) {
      assertThat(Journal.hasEntries(file)).isFalse();
      for (int i = 0; i < 5000; i++) {
        written.add(i % 1000 == 500 ? new Entry.Rested(i, "x".repeat(i * 50)) : taken(i));
        journal.write(written.getLast());
        if (i == 0 || i % 1000 == 501) {
          assertThat(Journal.hasEntries(file)).isTrue();
          Files.copy(file, seen, StandardCopyOption.REPLACE_EXISTING);
          assertThat(resume(seen)).isEqualTo(written);
        }
      }
    }
    assertThat(resume(file)).isEqualTo(written);
  }

  /**
   * A kill leaves an entry of which some bytes are stored, in front of the zeros of the mapping.
   */
  @Test
  void goesOnBehindTheLastWholeEntryInFrontOfZeros() throws IOException {
    final Path file = directory.resolve("journal");
    final byte[] live;
    final int end;
    try (Journal journal = Journal.create(file, SESSION, All::new)) {
      journal.write(taken(0));
      journal.write(taken(1));
      journal.write(new Entry.Taken(-1, -1, -1, -1, -1)); // no byte of it is as in front of it
      live = Files.readAllBytes(file);
    }
    end = (int) Files.size(file);
    assertThat(live).hasSizeGreaterThan(end);
    for (int lacking = 1; lacking <= 36; lacking++) {
      Arrays.fill(live, end - lacking, end, (byte) 0);
      Files.write(file, live);
      assertThat(resume(file, taken(3))).containsExactly(taken(0), taken(1));
      assertThat(resume(file)).containsExactly(taken(0), taken(1), taken(3));
    }
  }

  @Test
  void cutsOffAnEntryThatIsDamaged() throws IOException {
    final Path file = journalOf(taken(0), taken(1));
    final byte[] whole = Files.readAllBytes(file);
    whole[whole.length - 1]++;
    Files.write(file, whole);
    assertThat(resume(file)).containsExactly(taken(0));
    assertThat(file).hasSize(whole.length - 36);
  }

  @Test
  void aRewriteCutShortByAKillCountsForNothing() throws IOException {
    final Path file = journalOf(taken(0));
    Files.writeString(directory.resolve("journal.new"), "half of it");
    assertThat(resume(file)).containsExactly(taken(0));
    assertThat(directory)
        .isDirectoryContaining(file::equals)
        .isDirectoryNotContaining("glob:**.new");
  }

  @Test
  void aJournalOfAnotherSessionIsRefused() throws IOException {
    final Path file = journalOf(taken(0));
    assertThatThrownBy(() -> resume(file, SESSION + 1))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining("another session");
  }

  @Test
  void aJournalOfAnotherBootIsTold() throws IOException {
    final Path file = journalOf(taken(0));
    final byte[] whole = Files.readAllBytes(file);
    assertThat(Journal.isOfThisBoot(file)).isTrue();
    for (final int length : new int[] {0, BOOT_END - 1, BOOT_END}) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertThat(Journal.isOfThisBoot(file)).isEqualTo(length == BOOT_END);
    }
    whole[BOOT_END - 1]++;
    Files.write(file, whole);
    assertThat(Journal.isOfThisBoot(file)).isFalse();
  }

  private static Entry taken(final int chunk) {
    return new Entry.Taken(0, chunk, 1, 100, 32L * (chunk + 1));
  }

  /** Knows every entry. */
  private static final class All implements Fold {
    private final List<Entry> entries = new ArrayList<>();

    @Override
    public void apply(final Entry entry) {
      entries.add(entry);
    }

    @Override
    public void sum(final Consumer<Entry> to) {
      entries.forEach(to);
    }
  }

  private Path journalOf(final Entry... entries) throws IOException {
    final Path file = directory.resolve("journal");
    try (Journal journal = Journal.create(file, SESSION, All::new)) {
      List.of(entries).forEach(journal::write);
    }
    return file;
  }

  private static List<Entry> resume(final Path file, final Entry... more) throws IOException {
    return resume(file, SESSION, more);
  }

  private static List<Entry> resume(final Path file, final long session, final Entry... more)
      throws IOException {
    final All past = new All();
    try (Journal journal = Journal.resume(file, session, past, All::new)) {
      List.of(more).forEach(journal::write);
    }
    return past.entries;
  }
}
