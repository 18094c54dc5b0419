package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.RankSet;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Images;
import org.sluice.iop.journal.Entry;

/**
 * What a group counts is what a look at all of its images finds, whatever happens in any order, and
 * what the next I/O process counts.
 */
class GroupCountersTest {
  private static final int FEW = 6;
  private static final int EVENTS = 400;
  private static final PathPattern ANY = new PathPattern(Pattern.compile("(x)"));

  private Random dice;
  private int processes;
  private int attempts;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void countsAreWhatALookFinds(final int seed) {
    dice = new Random(seed);
    CheckpointState state = new CheckpointState(new Images(Layout.CONTAINER));
    for (int i = 0; i < EVENTS; i++) {
      happen(state);
      assertThat(counted(state)).isEqualTo(looked(state));
      if (dice.nextInt(20) == 0) {
        final List<String> before = counted(state);
        state = resumed(state);
        assertThat(counted(state)).isEqualTo(before);
        assertThat(counted(state)).isEqualTo(looked(state));
      }
    }
  }

  private static CheckpointState resumed(final CheckpointState state) {
    final CheckpointState resumed = new CheckpointState(new Images(Layout.CONTAINER));
    state.images().writers().forEach(writer -> resumed.apply(writer.attached()));
    state.sum(resumed::apply);
    return resumed;
  }

  private void happen(final CheckpointState state) {
    final int id = 1 + any();
    final Image image = state.images().find(id);
    switch (dice.nextInt(12)) {
      case 0 ->
          state.apply(
              new Entry.Attached(any(), any(), 1, any() - 1, FEW, any(), ++processes, 1, any()));
      case 1 -> state.apply(new Entry.Detached(any(), dice.nextBoolean(), any()));
      case 2 ->
          state.apply(
              new Entry.Admitted(id, 0, 1, 2, 3, ImageDescriptor.STATE_DIVERTED, "path" + any()));
      case 3 -> state.apply(new Entry.Changed(id, ImageDescriptor.STATE_FREE));
      case 4, 5 -> state.apply(new Entry.Opened(id, any(), dice.nextBoolean(), any()));
      case 6 -> state.apply(new Entry.Closed(id, any(), any() - 1, any(), any()));
      case 7 -> state.apply(new Entry.Replaced(id, any()));
      case 8 -> commit(state);
      case 9 -> state.apply(new Entry.Ended(attempts, any(), dice.nextInt(2), ""));
      default -> {
        if (image != null) {
          name(state, image);
        }
      }
    }
  }

  private void commit(final CheckpointState state) {
    final List<Group> groups = List.copyOf(state.groups().all());
    if (!groups.isEmpty()) {
      final Group group = groups.get(dice.nextInt(groups.size()));
      state.apply(
          new Entry.Committing(
              ++attempts,
              group.number(),
              "",
              Entry.NO_ROUND,
              0,
              0,
              RankSet.NONE,
              Completion.COUNT,
              "",
              group.members()));
    }
  }

  /** An image gets a name, in another group or in none. */
  private void name(final CheckpointState state, final Image image) {
    final long number = dice.nextInt(3);
    final Group before = state.groups().of(image);
    if (before != null && before.number() != number) {
      state.forgetInGroups(image);
    }
    if (number > 0) {
      final Group known = state.groups().find(number);
      final Group group = known == null ? new Group(number, false, false) : known;
      state.groups().add(group, image, "path" + any());
    }
  }

  private int any() {
    return dice.nextInt(FEW);
  }

  private static List<String> counted(final CheckpointState state) {
    return state.groups().all().stream().map(GroupCountersTest::answers).toList();
  }

  /** The same groups, made of nothing but their images as they are. */
  private static List<String> looked(final CheckpointState state) {
    final List<String> answers = new ArrayList<>();
    for (final Group group : state.groups().all()) {
      final Entry.Grouped sum = group.sum();
      final Group fresh = new Group(sum.checkpoint(), sum.changed(), sum.rewriting());
      for (final Entry.GroupMember member : sum.members()) {
        fresh.enter(state.images().find(member.image()), member.path(), member.unchanged());
      }
      answers.add(answers(fresh));
    }
    return answers;
  }

  private static String answers(final Group group) {
    final StringBuilder answers = new StringBuilder();
    for (int files = 1; files <= 3; files++) {
      for (int writers = 0; writers <= 3; writers++) {
        final Grouping grouping = new Grouping(ANY, null, writers, files);
        answers
            .append(group.isWhole(grouping))
            .append(group.waitsFor(grouping, 2))
            .append(group.obstacle(grouping));
      }
    }
    return answers
        .append(group.isOpen())
        .append(group.isQuiet())
        .append(group.hasGrown())
        .append(group.isOfOneRound(new Grouping(ANY, ANY, 0, 1)))
        .append(group.isTorn())
        .append(group.unchanged().stream().map(Image::id).toList())
        .toString();
  }
}
