package org.sluice.iop.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import net.openhft.chronicle.bytes.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.ChunkLocation;
import org.sluice.core.store.RankSet;

class JournalTest {
  private static final long SESSION = 77;
  private static final int BOOT_END = 40;
  private static final ChunkLocation AT = new ChunkLocation(5, 4096, 100, 7);

  @TempDir private Path directory;

  static List<Entry> everyEntry() {
    return List.of(
        new Entry.Attached(1, 2, 3, 4, 5, 6, 7, 8, 9),
        new Entry.Detached(1, true),
        new Entry.Admitted(1, 2, 3, 4, 5, 6, "/ä"),
        new Entry.Created(1, 2, 3, "name"),
        new Entry.Changed(1, 2),
        new Entry.Opened(1, 2, true, 3),
        new Entry.Closed(1, 2, 3),
        new Entry.Taken(1, 2, 3, 4, 5),
        new Entry.Drained(1, 2, AT, List.of(new Entry.Share(3, 4), new Entry.Share(5, 6))),
        new Entry.Drained(1, 2, null, List.of()),
        new Entry.Emptying(1, true),
        new Entry.Restarted(1, Entry.Cause.DIRECT, true, 2, List.of(new Entry.Mark(3, 4, 5))),
        new Entry.Begun(1, new Entry.Scope(4, 2, true)),
        new Entry.Completed(1, 2, 3, 4),
        new Entry.Committing(
            1, 2, 3, RankSet.of(IntStream.of(0, 2)), true, List.of(new Entry.Part(4, "p", 5, 6))),
        new Entry.Ended(1),
        new Entry.Ended(1, 5, "reason"),
        new Entry.Replaced(1, 2),
        new Entry.Joined(),
        new Entry.Left(false));
  }

  @ParameterizedTest
  @MethodSource("everyEntry")
  void readsWhatItWrote(final Entry entry) {
    final Bytes<Void> bytes = Bytes.allocateElasticDirect();
    EntryCodec.write(bytes, entry);
    assertThat(EntryCodec.read(bytes)).isEqualTo(entry);
    assertThat(bytes.readRemaining()).isZero();
    bytes.releaseLast();
  }

  @Test
  void goesOnBehindTheLastWholeEntry() throws IOException {
    final Path file = journalOf(taken(0), taken(1), taken(2));
    final byte[] whole = Files.readAllBytes(file);
    for (int length = whole.length - 1; length >= whole.length - 36; length--) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertThat(resume(file, taken(3)).pending()).containsExactly(taken(0), taken(1));
      assertThat(resume(file).pending()).containsExactly(taken(0), taken(1), taken(3));
    }
  }

  @Test
  void cutsOffAnEntryThatIsDamaged() throws IOException {
    final Path file = journalOf(taken(0), taken(1));
    final byte[] whole = Files.readAllBytes(file);
    whole[whole.length - 1]++;
    Files.write(file, whole);
    assertThat(resume(file).pending()).containsExactly(taken(0));
    assertThat(file).hasSize(whole.length - 36);
  }

  @Test
  void aLongJournalIsRewrittenAndSaysTheSame() throws IOException, IllegalAccessException {
    final Ledger expected = new Ledger(false);
    final Path file = directory.resolve("journal");
    try (Journal journal = Journal.create(file, SESSION, false)) {
      final RandomEntries entries = new RandomEntries(1);
      for (int i = 0; i < 60_000; i++) {
        final Entry entry = entries.next();
        expected.enter(entry);
        journal.write(entry);
      }
    }
    assertThat(Files.size(file)).isLessThan(2 << 20);
    assertSame(resume(file), expected);
  }

  @Test
  void aRewriteCutShortByAKillCountsForNothing() throws IOException {
    final Path file = journalOf(taken(0));
    Files.writeString(directory.resolve("journal.new"), "half of it");
    assertThat(resume(file).pending()).containsExactly(taken(0));
    assertThat(directory)
        .isDirectoryContaining(file::equals)
        .isDirectoryNotContaining("glob:**.new");
  }

  /** Whatever is known and whatever comes behind it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void aSnapshotIsAsGoodAsTheEntriesBeforeIt(final int seed) throws IllegalAccessException {
    for (int length = 0; length < 400; length += 10) {
      final RandomEntries entries = new RandomEntries(seed);
      final Ledger one = new Ledger(false);
      for (int i = 0; i < length; i++) {
        one.enter(entries.next());
      }
      final Ledger other = copy(one);
      assertSame(other, one);
      for (int i = 0; i < 200; i++) {
        final Entry entry = entries.next();
        one.enter(entry);
        other.enter(entry);
      }
      assertSame(other, one);
    }
  }

  @Test
  void aJournalOfAnotherSessionIsRefused() throws IOException {
    final Path file = journalOf(taken(0));
    assertThatThrownBy(() -> Journal.resume(file, SESSION + 1, new Ledger(false)))
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

  @Test
  void whatIsDrainedIsNotPending() throws IOException {
    final Ledger ledger =
        resume(
            journalOf(
                taken(0),
                taken(1),
                new Entry.Emptying(9, false),
                new Entry.Drained(0, 1, null, List.of())));
    assertThat(ledger.pending()).containsExactly(taken(1), new Entry.Emptying(9, false));
    assertThat(ledger.drained()).containsEntry(0, 1);
    assertThat(ledger.taken()).containsEntry(1, 1);
  }

  @Test
  void anImageHasWhatWasDrainedSinceItsLogBeganAnew() throws IOException {
    final Entry.Drained drained = new Entry.Drained(0, 1, AT, List.of(new Entry.Share(9, 300)));
    final Ledger ledger =
        resume(
            journalOf(
                new Entry.Attached(2, 40, 50, 3, 8, 4, 1, 9, 0),
                new Entry.Admitted(9, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "/a"),
                new Entry.Opened(9, 2, true, 1),
                drained,
                new Entry.Restarted(9, Entry.Cause.SETTLED, false, 300, List.of()),
                drained,
                new Entry.Detached(2, true)));
    final ImageFacts image = ledger.images().iterator().next();
    assertThat(image.chunks()).containsExactly(AT);
    assertThat(image.size()).isEqualTo(300);
    assertThat(image.openings()).isEmpty();
    assertThat(image.isAbandoned()).isTrue();
    assertThat(image.writtenBy().rank()).isEqualTo(3);
    assertThat(image.wasWriterKilled()).isTrue();
    assertThat(ledger.kills()).isEqualTo(1);
    assertThat(ledger.slots()).isEmpty();
    assertThat(ledger.lastImage()).isEqualTo(9);
  }

  @Test
  void aCopyInPlaceOfAnImageIsItsWritersToo() throws IOException {
    final Entry.Attached writer = new Entry.Attached(2, 40, 50, 3, 8, 4, 1, 9, 0);
    final Ledger ledger =
        resume(
            journalOf(
                writer,
                new Entry.Admitted(9, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "/a"),
                new Entry.Opened(9, 2, true, 1),
                new Entry.Detached(2, true),
                new Entry.Admitted(10, 1, 1, 3, 3, ImageDescriptor.STATE_DIRECT, "/a"),
                new Entry.Replaced(9, 10)));
    final ImageFacts copy = List.copyOf(ledger.images()).getLast();
    assertThat(copy.writtenBy()).isEqualTo(writer);
    assertThat(copy.wasWriterKilled()).isTrue();
    assertThat(copy.isAbandoned()).isFalse();
  }

  @Test
  void anImageIsAbandonedUntilAnOpeningForWritingIsAnswered() throws IOException {
    final Path file =
        journalOf(
            new Entry.Attached(2, 40, 50, 3, 8, 4, 1, 9, 0),
            new Entry.Admitted(9, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "/a"));
    final Entry.Closed unanswered = new Entry.Closed(9, 2, Entry.NO_POSITION);
    assertThat(isAbandoned(file)).isTrue();
    assertThat(isAbandoned(file, new Entry.Opened(9, 2, true, 1))).isFalse();
    assertThat(isAbandoned(file, unanswered)).isTrue();
    assertThat(isAbandoned(file, new Entry.Opened(9, 2, true, 1))).isFalse();
    assertThat(isAbandoned(file, new Entry.Closed(9, 2, 64))).isFalse();
    assertThat(isAbandoned(file, new Entry.Opened(9, 2, false, 2), unanswered)).isFalse();
    final Entry.Closed refused = new Entry.Closed(9, 2, Entry.REFUSED);
    assertThat(isAbandoned(file, new Entry.Opened(9, 2, true, 3), refused)).isFalse();
  }

  private static boolean isAbandoned(final Path file, final Entry... more) throws IOException {
    resume(file, more);
    return resume(file).images().iterator().next().isAbandoned();
  }

  @Test
  void aCommitIsUnderWayUntilItEnds() throws IOException {
    final Entry.Committing commit =
        new Entry.Committing(1, 7, 1, RankSet.NONE, false, List.of(new Entry.Part(9, "a", 0, 1)));
    final Path file =
        journalOf(
            new Entry.Begun(7, new Entry.Scope(1, 1, false)),
            new Entry.Admitted(9, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "/a"),
            new Entry.Created(9, 7, 0, "a"),
            new Entry.Completed(7, 0, 2, 5),
            commit,
            new Entry.Changed(9, ImageDescriptor.STATE_COMMITTED));
    final Entry.Ended end = new Entry.Ended(1, 5, "reason");
    final Ledger before = resume(file, end);
    assertThat(before.commits()).containsExactly(commit);
    assertThat(before.checkpoints()).isEmpty();
    final Ledger after = resume(file);
    assertThat(after.commits()).isEmpty();
    assertThat(after.images().iterator().next().state()).isEqualTo(ImageDescriptor.STATE_DIVERTED);
    assertThat(after.failedCommits().find(7)).hasValue(end);
  }

  @Test
  void aFailedCommitIsKnownUntilItsCheckpointIsBegunAnewOrCommitted() {
    final Ledger ledger = new Ledger(false);
    final Entry.Ended end = fail(ledger, 1, 7);
    fail(ledger, 2, 8);
    assertThat(ledger.failedCommits().byNumber()).containsOnlyKeys(7L, 8L).containsValue(end);
    ledger.enter(new Entry.Begun(7, new Entry.Scope(1, 1, false)));
    ledger.enter(new Entry.Committing(3, 8, 1, RankSet.NONE, false, List.of()));
    ledger.enter(new Entry.Ended(3));
    assertThat(ledger.failedCommits().byNumber()).isEmpty();
    for (long number = 1; number <= 2L * FailedCommits.MOST; number++) {
      fail(ledger, 3 + number, number);
    }
    assertThat(ledger.failedCommits().byNumber()).hasSize(FailedCommits.MOST);
    assertThat(ledger.failedCommits().find(2L * FailedCommits.MOST)).isPresent();
  }

  @Test
  void aFailedCommitIsForgottenWithTheLastFileOfItsGroup() {
    final Ledger ledger = new Ledger(false);
    final List<Entry.Part> parts =
        List.of(new Entry.Part(9, "a", 0, 1), new Entry.Part(10, "b", 0, 1));
    ledger.enter(new Entry.Admitted(9, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "/a"));
    ledger.enter(new Entry.Admitted(10, 1, 1, 3, 3, ImageDescriptor.STATE_DIVERTED, "/b"));
    ledger.enter(new Entry.Committing(1, 7, 1, RankSet.NONE, false, parts));
    ledger.enter(new Entry.Ended(1, 5, "reason"));
    ledger.enter(new Entry.Changed(9, ImageDescriptor.STATE_FREE));
    assertThat(ledger.failedCommits().find(7)).isPresent();
    ledger.enter(new Entry.Changed(10, ImageDescriptor.STATE_FREE));
    assertThat(ledger.failedCommits().find(7)).isEmpty();
  }

  private static Entry.Ended fail(final Ledger ledger, final long attempt, final long number) {
    final Entry.Ended end = new Entry.Ended(attempt, 5, "reason");
    ledger.enter(new Entry.Committing(attempt, number, 1, RankSet.NONE, false, List.of()));
    ledger.enter(end);
    return end;
  }

  private static Entry taken(final int chunk) {
    return new Entry.Taken(0, chunk, 1, 100, 32L * (chunk + 1));
  }

  /** Field by field, whatever of it a snapshot has. */
  private static void assertSame(final Ledger actual, final Ledger expected)
      throws IllegalAccessException {
    assertThat(Contents.of(actual)).isEqualTo(Contents.of(expected));
  }

  private static Ledger copy(final Ledger ledger) {
    final Bytes<Void> bytes = Bytes.allocateElasticDirect();
    try {
      SnapshotCodec.write(bytes, ledger);
      final Ledger copy = new Ledger(ledger.isInPlace());
      SnapshotCodec.read(bytes, copy);
      return copy;
    } finally {
      bytes.releaseLast();
    }
  }

  private Path journalOf(final Entry... entries) throws IOException {
    final Path file = directory.resolve("journal");
    try (Journal journal = Journal.create(file, SESSION, false)) {
      List.of(entries).forEach(journal::write);
    }
    return file;
  }

  private static Ledger resume(final Path file, final Entry... more) throws IOException {
    final Ledger ledger = new Ledger(false);
    try (Journal journal = Journal.resume(file, SESSION, ledger)) {
      List.of(more).forEach(journal::write);
    }
    return ledger;
  }
}
