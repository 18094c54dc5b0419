package org.sluice.iop.group;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.directory.RememberedGrouping;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.CommitRanks;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.checkpoint.PathPattern;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Writer;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;

/**
 * The search for the files that are one checkpoint, where the user gave no {@code --group}. The
 * store remembers the result. A result in the store counts, be it of another node or of an earlier
 * run. So all nodes of a job have the same, and the successor of a killed I/O process has it, too.
 * Service thread only, but for requests to the store, which may be far away.
 */
public final class GroupSearch {
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * The number of closed files, where nobody asked for checkpoints, from which on a program seems
   * to write no checkpoints.
   */
  private static final int MOST_FILES = 100;

  /**
   * The number of checkpoints, where nobody asked for them, that may wait for storage before the
   * program seems to write none.
   */
  private static final int MOST_COMMITS = 16;

  private final Grouping grouping;
  private final CheckpointState state;
  private final CheckpointStorage storage;
  private final Layout layout;
  private final Header header;
  private final Executor service;
  private final RememberedGrouping stored;
  private Runnable found = () -> {};
  private final GroupInference inference = new GroupInference();

  /** The pattern that the store remembered at the start; null for none. */
  private String recalled;

  /** True until a file has matched the remembered pattern. */
  private boolean unproven;

  /** True if names were to tell which files are one checkpoint. */
  private final boolean wanted;

  private boolean asking;

  /** The files that were to be looked at while the store was asked, and their paths. */
  private final Map<Image, String> later = new LinkedHashMap<>();

  private boolean ofSeveralNodes;

  /** True once the store refused to remember the result, so that the result must not be used. */
  private boolean refused;

  private long asked = System.nanoTime();
  private long pause = AGAIN_NANOS;
  private String obstacle;

  /** The number of files that were looked at in vain. */
  private int vain;

  private boolean over;

  /** True once the user was told that the store has checkpoints of another program. */
  private boolean told;

  /** True once processes no longer have to report small files. */
  private boolean left;

  /**
   * @param grouping grouping to find a pattern for, unless it has one
   */
  public GroupSearch(
      final Grouping grouping,
      final CheckpointState state,
      final CheckpointStorage storage,
      final Layout layout,
      final Header header,
      final Executor service) {
    this.grouping = grouping;
    this.state = state;
    this.storage = storage;
    this.layout = layout;
    this.header = header;
    this.service = service;
    this.stored = storage.publisher().grouping();
    this.wanted = grouping.isSought();
    if (wanted) {
      recall();
      left = isUnasked() && header.small() > 0; // the former I/O process did so
      over = left;
    }
  }

  /** Sets the action once the pattern is found. */
  void listen(final Runnable action) {
    found = action;
  }

  /** Returns the grouping, which has a pattern once it is found. */
  Grouping grouping() {
    return grouping;
  }

  /** Returns whether files have no pattern, and nothing in their places may be a checkpoint. */
  boolean isInVain() {
    return !grouping.isKnown() && !layout.impliesCheckpoints();
  }

  private void recall() {
    try {
      recalled = stored.recall().orElse(null);
      if (recalled != null) {
        grouping.learn(pattern(recalled));
        unproven = state.groups().all().isEmpty();
        if (state.images().all().isEmpty()) { // else the former I/O process reported the pattern
          tell("as the store remembers, checkpoints are told by", recalled);
        }
      }
    } catch (final IOException | PatternSyntaxException e) {
      Warnings.warn("what the store remembers of --group cannot be read: " + e.getMessage());
    }
  }

  private static PathPattern pattern(final String expression) {
    return new PathPattern(Pattern.compile(expression));
  }

  private static void tell(final String what, final String expression) {
    Warnings.warn("%s --group '%s'; --group none groups no files".formatted(what, expression));
  }

  /** Looks at a file that all processes have closed, or that was renamed since. */
  void look(final Image image, final String path) {
    if (!isSought()) {
      return;
    }
    if (asking) {
      later.put(image, path);
      return;
    }
    if (unproven && grouping.number(path).isPresent()) {
      unproven = false;
      return;
    }
    final Writer writer = image.writer();
    ofSeveralNodes |= writer.isOfSeveralNodes();
    obstacle = obstacle(writer);
    if (obstacle == null) {
      final boolean alone = writer.rank() < 0 || writer.ranks() == 1;
      inference
          .see(path, alone ? GroupInference.ALONE : writer.rank(), writer.localRanks(), image.id())
          .filter(expression -> !expression.equals(recalled))
          .ifPresent(this::remember);
    }
    vain++;
    over = isUnasked() && vain >= MOST_FILES && !asking;
    leaveSmall();
    if (over && unproven) {
      Warnings.warn(
          "none of %d files matches what the store remembers: later ones are in no checkpoint; --group '%s' goes on to look"
              .formatted(vain, grouping.files().pattern()));
    }
  }

  boolean isAsking() {
    return asking;
  }

  /**
   * Returns whether nobody asked for checkpoints, so that they may cost little and fail nothing.
   */
  boolean isUnasked() {
    return wanted && !layout.impliesCheckpoints();
  }

  /** Returns whether the pattern is still unknown and searched for. */
  boolean isSought() {
    return !refused && !over && (grouping.isSought() || unproven);
  }

  /**
   * Returns whether files begin no checkpoints any more. Where nobody asked for checkpoints a
   * program may have nothing to do with them. Reporting each small file, and committing each file
   * with a number, costs more than writing them.
   */
  boolean isOver() {
    return over;
  }

  boolean mayBegin(final long number) {
    if (isUnasked() && !over && state.commits().size() >= MOST_COMMITS) {
      over = true;
      Warnings.warn(
          "checkpoints come faster than storage takes them: from %d on files are in none; --group '%s' commits all"
              .formatted(number, grouping.files().pattern()));
    }
    return !over;
  }

  /**
   * Returns the reason for which a checkpoint that no user asked for must not begin: the store has
   * the number from another program.
   */
  Optional<Failure> obstacle(final long number) {
    if (!isUnasked()) {
      return Optional.empty(); // the user is told of each
    }
    storage.predecessors().begins(number);
    final Optional<Failure> obstacle = storage.predecessors().obstacle(number);
    if (obstacle.isPresent() && !told) {
      told = true;
      Warnings.warn(
          "checkpoint %d and others that the store has are not committed, and their files stay plain files: %s"
              .formatted(number, obstacle.get().reason()));
    }
    return obstacle;
  }

  /** Lets processes stop reporting small files, once no begun checkpoint may need them. */
  private void leaveSmall() {
    if (over && !left && state.groups().uncommitted().isEmpty()) {
      left = true;
      header.leaveSmall();
    }
  }

  private String obstacle(final Writer writer) {
    if (!writer.isOfSeveralNodes()) {
      return null;
    }
    return writer.localRanks() > 0 || grouping.writers() > 0 || grouping.hasMarkers()
        ? null
        : CommitRanks.unknown(writer.ranks());
  }

  /**
   * Stores the pattern. A pattern remembered from earlier runs is not replaced when other nodes may
   * use it now.
   */
  private void remember(final String expression) {
    if (recalled == null) {
      ask(() -> Optional.of(stored.remember(expression)));
    } else if (!ofSeveralNodes) {
      ask(() -> Optional.of(stored.replace(expression)));
    }
  }

  /**
   * Asks the store from time to time. Another node may have found a pattern that this node has too
   * few ranks to find.
   */
  void beat() {
    leaveSmall();
    if (grouping.isSought()
        && !refused
        && ofSeveralNodes
        && storage.publisher().hasNodes()
        && obstacle == null
        && System.nanoTime() - asked > pause) {
      pause = Math.min(2 * pause, LONGEST_NANOS); // in a bucket each question is a request
      ask(stored::recall);
    }
  }

  /** A question to the store. */
  @FunctionalInterface
  private interface Question {
    Optional<String> answer() throws IOException;
  }

  private void ask(final Question question) {
    if (!asking) {
      asking = true;
      Thread.ofPlatform().daemon().name("grouping").start(() -> answer(question));
    }
  }

  private void answer(final Question question) {
    try {
      final Optional<String> answer = question.answer();
      service.execute(() -> answered(answer));
    } catch (final IOException e) {
      service.execute(() -> failed(e));
    }
  }

  private void answered(final Optional<String> answer) {
    asking = false;
    asked = System.nanoTime();
    if (answer.isPresent() && isSought()) {
      learn(answer.get());
    }
    final Map<Image, String> closed = new LinkedHashMap<>(later);
    later.clear();
    closed.forEach(this::look);
  }

  private void learn(final String expression) {
    try {
      grouping.learn(pattern(expression));
    } catch (final PatternSyntaxException e) {
      failed(e);
      return;
    }
    tell(
        recalled == null
            ? "checkpoints are told by"
            : "no file matches --group '%s', which the store remembered; from now on checkpoints are told by"
                .formatted(recalled),
        expression);
    unproven = false;
    found.run();
  }

  private void failed(final Exception why) {
    asking = false;
    later.clear();
    refused = true;
    obstacle = "the store cannot remember which files are one";
    Warnings.warn(
        "which files are one checkpoint cannot be remembered in the store; say it with --group: "
            + why.getMessage());
  }

  /** Returns whether no number in the names of files could be a checkpoint's. */
  boolean isUnnumbered() {
    return inference.isUnnumbered();
  }

  /** Returns the reason for which no file belongs to a checkpoint. */
  String obstacle() {
    return obstacle == null ? inference.obstacle() : obstacle;
  }
}
