package org.sluice.iop.group;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.sluice.core.store.directory.RememberedGrouping;
import org.sluice.iop.checkpoint.CommitRanks;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.checkpoint.PathPattern;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Writer;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;

/**
 * Finds out which files are one checkpoint where the user does not say so, and remembers it in the
 * store. What the store remembers counts, be it of another node or of an earlier run: so all nodes
 * of a job have the same, and the successor of a killed I/O process has it, too. Service thread
 * only, but for what is asked of the store, which may be far away.
 */
final class GroupSearch {
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** In the files layout: a program that has closed so many is one that writes no checkpoints. */
  private static final int MOST_FILES = 100;

  /**
   * In the files layout: a program that is so many checkpoints ahead of its storage writes none.
   */
  private static final int MOST_COMMITS = 16;

  private final Context context;
  private final Grouping grouping;
  private final RememberedGrouping stored;
  private final Runnable found;
  private final GroupInference inference = new GroupInference();

  /** What the store remembered at the start; null for nothing. */
  private String recalled;

  /** Whether no file matched that yet. */
  private boolean unproven;

  /** Whether names were to tell which files are one checkpoint. */
  private final boolean wanted;

  /** Whether the store is being asked. */
  private boolean asking;

  private boolean ofSeveralNodes;

  /** Whether the store refused to remember what was found: nobody may go by it then. */
  private boolean refused;

  private long asked = System.nanoTime();
  private long pause = AGAIN_NANOS;
  private String obstacle;

  /** Files that were looked at in vain. */
  private int vain;

  private boolean over;

  /** Whether it was said that the store has checkpoints of another program. */
  private boolean told;

  /** Whether nobody has to tell of small files. */
  private boolean left;

  /**
   * Begins with what the store remembers.
   *
   * @param grouping whose files are sought, unless they are known
   * @param found told when they are known
   */
  GroupSearch(final Context context, final Grouping grouping, final Runnable found) {
    this.context = context;
    this.grouping = grouping;
    this.stored = context.publisher().grouping();
    this.found = found;
    this.wanted = grouping.isSought();
    if (wanted) {
      recall();
      left = isInPlace() && context.segment().header().small() > 0; // by the former I/O process
      over = left;
    }
  }

  private void recall() {
    try {
      recalled = stored.recall().orElse(null);
      if (recalled != null) {
        grouping.learn(pattern(recalled));
        unproven = context.state().groups().all().isEmpty();
        if (context.state().images().all().isEmpty()) { // else the former I/O process said so
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

  /**
   * All processes have closed a file, or it has another name since.
   *
   * @param path below the capture directory
   */
  void look(final Image image, final String path) {
    if (!isSought() || asking) {
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
    over = isInPlace() && vain >= MOST_FILES && !asking;
    leaveSmall();
    if (over && unproven) {
      Warnings.warn(
          "none of %d files matches what the store remembers: later ones are in no checkpoint; --group '%s' goes on to look"
              .formatted(vain, grouping.files().pattern()));
    }
  }

  /** Whether the store is being asked. */
  boolean isAsking() {
    return asking;
  }

  /** Whether nobody says which files are one checkpoint. */
  boolean isOwn() {
    return wanted;
  }

  /** Whether it is to be found out yet. */
  boolean isSought() {
    return !refused && !over && (grouping.isSought() || unproven);
  }

  /**
   * Whether files begin no checkpoints any more. So it is in the files layout, where a program may
   * have nothing to do with checkpoints: to tell of each small file, and to commit each file that
   * has a number, costs more than to write them.
   */
  boolean isOver() {
    return over;
  }

  /**
   * Whether a file may begin a checkpoint.
   *
   * @param number of one that has not begun
   */
  boolean mayBegin(final long number) {
    if (wanted && !over && isInPlace() && context.state().commits().size() >= MOST_COMMITS) {
      over = true;
      Warnings.warn(
          "checkpoints come faster than storage takes them: from %d on files are in none; --group '%s' commits all"
              .formatted(number, grouping.files().pattern()));
    }
    return !over;
  }

  /**
   * Why a checkpoint that nobody asked for must not begin: the store has it of another program.
   *
   * @param number of one that has not begun
   */
  Optional<Failure> obstacle(final long number) {
    if (!isOwn() || !isInPlace()) {
      return Optional.empty(); // its user is told of each
    }
    context.predecessors().begins(number);
    final Optional<Failure> obstacle = context.predecessors().obstacle(number);
    if (obstacle.isPresent() && !told) {
      told = true;
      Warnings.warn(
          "checkpoint %d and others that the store has are not committed, and their files stay plain files: %s"
              .formatted(number, obstacle.get().reason()));
    }
    return obstacle;
  }

  /** Files that are small may be part of a checkpoint that has begun. */
  private void leaveSmall() {
    if (over && !left && context.state().groups().uncommitted().isEmpty()) {
      left = true;
      context.segment().header().leaveSmall();
    }
  }

  private boolean isInPlace() {
    return context.drain().isInPlace();
  }

  private String obstacle(final Writer writer) {
    if (!writer.isOfSeveralNodes()) {
      return null;
    }
    return writer.localRanks() > 0 || grouping.writers() > 0 || grouping.hasMarkers()
        ? null
        : CommitRanks.unknown(writer.ranks());
  }

  /** What earlier runs had to go by stays where other nodes may go by it now. */
  private void remember(final String expression) {
    if (recalled == null) {
      ask(() -> Optional.of(stored.remember(expression)));
    } else if (!ofSeveralNodes) {
      ask(() -> Optional.of(stored.replace(expression)));
    }
  }

  /** Another node may have found out what this one has no ranks to tell by. */
  void beat() {
    leaveSmall();
    if (grouping.isSought()
        && !refused
        && ofSeveralNodes
        && context.publisher().hasNodes()
        && obstacle == null
        && System.nanoTime() - asked > pause) {
      pause = Math.min(2 * pause, LONGEST_NANOS); // in a bucket each question is a request
      ask(stored::recall);
    }
  }

  /** Something that the store is asked. */
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
      context.service().execute(() -> answered(answer));
    } catch (final IOException e) {
      context.service().execute(() -> failed(e));
    }
  }

  private void answered(final Optional<String> answer) {
    asking = false;
    asked = System.nanoTime();
    if (answer.isPresent() && isSought()) {
      learn(answer.get());
    }
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
    refused = true;
    obstacle = "the store cannot remember which files are one";
    Warnings.warn(
        "which files are one checkpoint cannot be remembered in the store; say it with --group: "
            + why.getMessage());
  }

  /** Whether no number in the names of files could be a checkpoint's. */
  boolean isUnnumbered() {
    return inference.isUnnumbered();
  }

  /**
   * Why no file is of any checkpoint.
   *
   * @return what a sentence ends in
   */
  String obstacle() {
    return obstacle == null ? inference.obstacle() : obstacle;
  }
}
