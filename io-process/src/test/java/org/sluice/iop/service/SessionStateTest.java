package org.sluice.iop.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.RankSet;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Cause;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;

/** What the entries of a journal add up to. */
class SessionStateTest {
  private static final long SESSION = 77;
  private static final int MOST_FAILED = 1000;
  private static final ChunkLocation AT = new ChunkLocation(5, 4096, 100, 7);
  private static final Supplier<SessionState> NEW = () -> new SessionState(Layout.CONTAINER);

  @TempDir private Path directory;

  @Test
  void aLongJournalIsRewrittenAndSaysTheSame() throws IOException, IllegalAccessException {
    final SessionState expected = new SessionState(Layout.CONTAINER);
    final Path file = directory.resolve("journal");
    try (Journal journal = Journal.create(file, SESSION, NEW)) {
      final RandomEntries entries = new RandomEntries(1);
      for (int i = 0; i < 60_000; i++) {
        final Entry entry = entries.next();
        expected.apply(entry);
        journal.write(entry);
      }
    }
    assertThat(Files.size(file)).isLessThan(2 << 20);
    assertSame(resume(file), expected);
  }

  /** Whatever is known and whatever comes behind it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void aSnapshotIsAsGoodAsTheEntriesBeforeIt(final int seed) throws IllegalAccessException {
    for (int length = 0; length < 400; length += 10) {
      final RandomEntries entries = new RandomEntries(seed);
      final SessionState one = new SessionState(Layout.CONTAINER);
      for (int i = 0; i < length; i++) {
        one.apply(entries.next());
      }
      final SessionState other = copy(one);
      assertSame(other, one);
      for (int i = 0; i < 200; i++) {
        final Entry entry = entries.next();
        one.apply(entry);
        other.apply(entry);
      }
      assertSame(other, one);
    }
  }

  @Test
  void whatIsDrainedIsNotPending() throws IOException {
    final SessionState state =
        resume(
            journalOf(
                taken(0, 32),
                taken(1, 64),
                new Entry.Emptying(9, false),
                new Entry.Drained(0, 1, ChunkLocation.NONE, List.of())));
    assertThat(state.backlog().pending())
        .containsExactly(taken(1, Entry.NO_POSITION), new Entry.Emptying(9, false));
    assertThat(state.backlog().drained()).containsEntry(0, 1);
  }

  @Test
  void anImageHasWhatWasDrainedSinceItsLogBeganAnew() throws IOException {
    final Entry.Drained drained = new Entry.Drained(0, 1, AT, List.of(new Entry.ImageSize(9, 300)));
    final SessionState state =
        resume(
            journalOf(
                new Entry.Attached(2, 40, 50, 3, 8, 4, 1, 9, 0),
                new Entry.Admitted(9, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "/a"),
                new Entry.Opened(9, 2, true, 1),
                drained,
                new Entry.Restarted(9, Cause.SETTLED, false, 300, List.of()),
                drained,
                new Entry.Detached(2, true, 5)));
    final Image image = state.checkpoints().images().find(9);
    assertThat(image.log().chunks()).containsExactly(AT);
    assertThat(image.log().size()).isEqualTo(300);
    assertThat(image.openers().isEmpty()).isTrue();
    assertThat(image.isAbandoned()).isTrue();
    assertThat(image.writer().rank()).isEqualTo(3);
    assertThat(image.writer().wasKilled()).isTrue();
    assertThat(state.checkpoints().images().kills()).isEqualTo(1);
    assertThat(state.checkpoints().images().writers()).isEmpty();
    assertThat(state.checkpoints().images().last()).isEqualTo(9);
  }

  @Test
  void aCopyInPlaceOfAnImageIsItsWritersToo() throws IOException {
    final Entry.Attached writer = new Entry.Attached(2, 40, 50, 3, 8, 4, 1, 9, 0);
    final SessionState state =
        resume(
            journalOf(
                writer,
                new Entry.Admitted(9, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "/a"),
                new Entry.Opened(9, 2, true, 1),
                new Entry.Detached(2, true, 5),
                new Entry.Admitted(10, 1, 1, 3, 3, ImageDescriptor.STATE_DIRECT, "/a"),
                new Entry.Replaced(9, 10)));
    final Image copy = state.checkpoints().images().find(10);
    assertThat(copy.writer().attached()).isEqualTo(writer);
    assertThat(copy.writer().wasKilled()).isTrue();
    assertThat(copy.isAbandoned()).isFalse();
  }

  @Test
  void anImageIsAbandonedUntilAnOpeningForWritingIsAnswered() throws IOException {
    final Path file =
        journalOf(
            new Entry.Attached(2, 40, 50, 3, 8, 4, 1, 9, 0),
            new Entry.Admitted(9, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "/a"));
    final Entry.Closed unanswered = new Entry.Closed(9, 2, Entry.NO_POSITION, 4, 5);
    final Entry.Closed refused = new Entry.Closed(9, 2, Entry.REFUSED, 0, 0);
    assertThat(isAbandoned(file)).isTrue();
    assertThat(isAbandoned(file, new Entry.Opened(9, 2, true, 1))).isFalse();
    assertThat(isAbandoned(file, unanswered)).isTrue();
    assertThat(isAbandoned(file, new Entry.Opened(9, 2, true, 1))).isFalse();
    assertThat(isAbandoned(file, new Entry.Closed(9, 2, 64, 4, 5))).isFalse();
    assertThat(isAbandoned(file, new Entry.Opened(9, 2, false, 2), refused)).isFalse();
    assertThat(isAbandoned(file, new Entry.Opened(9, 2, true, 3), refused)).isFalse();
  }

  private static boolean isAbandoned(final Path file, final Entry... more) throws IOException {
    resume(file, more);
    return resume(file).checkpoints().images().find(9).isAbandoned();
  }

  @Test
  void aCommitIsUnderWayUntilItEnds() throws IOException {
    final Entry.Committing commit =
        new Entry.Committing(
            1,
            7,
            "",
            0,
            0,
            1,
            RankSet.NONE,
            Completion.COUNT,
            "",
            List.of(new Entry.Part(9, "a", 0, 1, false)));
    final Path file =
        journalOf(
            new Entry.Begun(7, new Entry.Scope(1, 1, false, false, false)),
            new Entry.Admitted(9, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "/a"),
            new Entry.Created(9, 7, 0, "a", 0, ""),
            new Entry.Completed(7, 0, 2, 5),
            commit,
            new Entry.Changed(9, ImageDescriptor.STATE_COMMITTED));
    final Entry.Ended end = new Entry.Ended(1, 7, 5, "reason");
    final SessionState before = resume(file, end);
    assertThat(before.checkpoints().commits()).containsExactly(commit);
    assertThat(entries(before, Entry.Begun.class)).isEmpty();
    final SessionState after = resume(file);
    assertThat(after.checkpoints().commits()).isEmpty();
    assertThat(after.checkpoints().images().find(9).state())
        .isEqualTo(ImageDescriptor.STATE_DIVERTED);
    assertThat(entries(after, Entry.Ended.class)).containsExactly(end);
  }

  @Test
  void aFailedCommitIsKnownUntilItsCheckpointIsBegunAnewOrCommitted() {
    final SessionState state = new SessionState(Layout.CONTAINER);
    final Entry.Ended end = fail(state, 1, 7);
    fail(state, 2, 8);
    assertThat(entries(state, Entry.Ended.class)).hasSize(2).contains(end);
    state.apply(new Entry.Begun(7, new Entry.Scope(1, 1, false, false, false)));
    state.apply(
        new Entry.Committing(3, 8, "", 0, 0, 1, RankSet.NONE, Completion.COUNT, "", List.of()));
    state.apply(new Entry.Ended(3, 8, 0, ""));
    assertThat(entries(state, Entry.Ended.class)).isEmpty();
    for (long number = 1; number <= 2L * MOST_FAILED; number++) {
      fail(state, 3 + number, number);
    }
    assertThat(entries(state, Entry.Ended.class)).hasSize(MOST_FAILED);
    assertThat(entries(state, Entry.Ended.class).getLast().checkpoint())
        .isEqualTo(2L * MOST_FAILED);
  }

  @Test
  void aFailedCommitIsForgottenWithTheLastFileOfItsGroup() {
    final SessionState state = new SessionState(Layout.CONTAINER);
    final List<Entry.Part> parts =
        List.of(new Entry.Part(9, "a", 0, 1, false), new Entry.Part(10, "b", 0, 1, false));
    state.apply(new Entry.Admitted(9, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "/a"));
    state.apply(new Entry.Admitted(10, 1, 1, 3, 3, ImageDescriptor.STATE_DIVERTED, "/b"));
    state.apply(new Entry.Committing(1, 7, "", 0, 0, 1, RankSet.NONE, Completion.COUNT, "", parts));
    state.apply(new Entry.Ended(1, 7, 5, "reason"));
    state.apply(new Entry.Changed(9, ImageDescriptor.STATE_FREE));
    assertThat(entries(state, Entry.Ended.class)).isNotEmpty();
    state.apply(new Entry.Changed(10, ImageDescriptor.STATE_FREE));
    assertThat(entries(state, Entry.Ended.class)).isEmpty();
  }

  /**
   * Its coordinator says that a wave failed, and makes another; the number of a later one tells
   * nothing.
   */
  @Test
  void aWaveThatFailedIsNotLostAndAnotherCheckpointIs() {
    final SessionState state = new SessionState(Layout.CONTAINER);
    fail(state, 1, 7, Completion.MPI);
    fail(state, 2, 8, Completion.API);
    state.apply(new Entry.Decided(9, true));
    for (final SessionState each : List.of(state, copy(state), copy(copy(state)))) {
      assertThat(each.checkpoints().failed()).containsOnlyKeys(7L, 8L);
      assertThat(each.checkpoints().lost())
          .singleElement()
          .extracting(Entry.Ended::checkpoint)
          .isEqualTo(8L);
    }
    state.apply(new Entry.Begun(7, new Entry.Scope(1, 1, false, false, false)));
    fail(state, 3, 7, Completion.API);
    assertThat(state.checkpoints().lost()).hasSize(2);
  }

  private static Entry.Ended fail(final SessionState state, final long attempt, final long number) {
    return fail(state, attempt, number, Completion.COUNT);
  }

  private static Entry.Ended fail(
      final SessionState state,
      final long attempt,
      final long number,
      final Completion completion) {
    final Entry.Ended end = new Entry.Ended(attempt, number, 5, "reason");
    state.apply(
        new Entry.Committing(
            attempt, number, "", 0, 0, 1, RankSet.NONE, completion, "", List.of()));
    state.apply(end);
    return end;
  }

  /** Field by field, whatever of it a snapshot has. */
  private static void assertSame(final SessionState actual, final SessionState expected)
      throws IllegalAccessException {
    assertThat(Contents.of(actual).split("\n")).isEqualTo(Contents.of(expected).split("\n"));
  }

  private static SessionState copy(final SessionState state) {
    final SessionState copy = NEW.get();
    state.sum(copy::apply);
    return copy;
  }

  private static <E extends Entry> List<E> entries(final SessionState state, final Class<E> type) {
    final List<Entry> all = new ArrayList<>();
    state.sum(all::add);
    return all.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private static Entry taken(final int chunk, final long position) {
    return new Entry.Taken(0, chunk, 1, 100, position);
  }

  private Path journalOf(final Entry... entries) throws IOException {
    final Path file = directory.resolve("journal");
    try (Journal journal = Journal.create(file, SESSION, NEW)) {
      List.of(entries).forEach(journal::write);
    }
    return file;
  }

  private static SessionState resume(final Path file, final Entry... more) throws IOException {
    final SessionState state = NEW.get();
    try (Journal journal = Journal.resume(file, SESSION, state, NEW)) {
      List.of(more).forEach(journal::write);
    }
    return state;
  }
}
