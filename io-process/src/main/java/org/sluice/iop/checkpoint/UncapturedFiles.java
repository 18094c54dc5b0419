package org.sluice.iop.checkpoint;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.Quoting;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.Reason;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;

/**
 * Files in the capture directory that processes have written and that are no images, whatever the
 * reason. The checkpoint whose file one is lacks it, and is not committed before it is captured or
 * deleted. Service thread only.
 */
public final class UncapturedFiles {
  /**
   * The most files that are followed one by one: of those beyond, the first of each checkpoint is.
   */
  private static final int MOST = 1 << 16;

  private static final int MOST_LINES = 8;
  private static final long NOWHERE = 0;
  private static final long NO_NUMBER = -1;

  private final Decisions decisions;
  private final Waiters waiters;
  private final CapturedFiles files;
  private final Grouping grouping;
  private final Layout layout;
  private final Header header;
  private final Map<ImageKey, Entry.Lacking> all;
  private int refusals;

  public UncapturedFiles(
      final Decisions decisions,
      final Waiters waiters,
      final CapturedFiles files,
      final Grouping grouping,
      final Layout layout,
      final Header header) {
    this.decisions = decisions;
    this.waiters = waiters;
    this.files = files;
    this.grouping = grouping;
    this.layout = layout;
    this.header = header;
    this.all = decisions.state().lacks();
  }

  /**
   * A process writes a file that is no image; returns the number of the checkpoint that lacks it.
   */
  public long written(final ImageKey key, final String path, final Reason reason) {
    final boolean needless = !grouping.mayHaveCheckpoints(layout);
    if (needless || !files.capture().contains(path)) {
      return NO_NUMBER;
    }
    final long number = number(path);
    if (number != NO_NUMBER || reason != Reason.EXISTING || grouping.isSought()) {
      note(key, path, reason);
    }
    return number;
  }

  public void note(final ImageKey key, final String path, final Reason reason) {
    final boolean few = all.size() < MOST || all.containsKey(key);
    final ImageKey noted = few ? key : new ImageKey(NOWHERE, number(path));
    final Entry.Lacking known = all.get(noted);
    if (known == null || known.reason() != reason.ordinal()) {
      decisions.decide(
          new Entry.Lacking(
              noted.device(), noted.inode(), born(key, path), reason.ordinal(), path));
    }
  }

  public void captured(final ImageKey key) {
    if (all.containsKey(key)) {
      forget(all.get(key));
    }
  }

  private void forget(final Entry.Lacking lack) {
    decisions.decide(
        new Entry.Lacking(
            lack.device(), lack.inode(), lack.born(), Reason.NONE.ordinal(), lack.path()));
  }

  private static long born(final ImageKey key, final String path) {
    try {
      final FileStatus status = FileStatus.of(path);
      return isOf(status, key) ? status.identity().born() : 0;
    } catch (final PosixException renamedOrDeletedMeanwhile) {
      return 0;
    }
  }

  private static boolean isOf(final FileStatus status, final ImageKey key) {
    return status.identity().device() == key.device() && status.identity().inode() == key.inode();
  }

  /** The checkpoint that a path names; a number that none has for none. */
  private long number(final String path) {
    return grouping.number(files.capture().relative(path)).orElse(NO_NUMBER);
  }

  /** Returns whether a checkpoint lacks a file; if so, it is not committed, which is said. */
  public boolean prevents(final long number) {
    Optional<Failure> lack;
    try {
      lack = of(number);
    } catch (final PosixException e) {
      lack = Optional.of(Failure.of(e));
    }
    lack.ifPresent(failure -> refuse(number, failure));
    return lack.isPresent();
  }

  /** Says that a checkpoint is not committed, and why. */
  public void refuse(final long number, final Failure why) {
    if (fail(number, why.errno(), why.reason()) && ++refusals <= MOST_LINES) {
      Warnings.warn("checkpoint %d is not committed: %s".formatted(number, why.reason()));
    }
  }

  /** Tells those that wait for it; returns whether they did not know. */
  public boolean fail(final long number, final int errno, final String reason) {
    final Entry.Ended known = decisions.state().failed().get(number);
    if (known != null && known.reason().equals(reason)) {
      return false;
    }
    final Entry.Ended end = new Entry.Ended(CheckpointState.NO_ATTEMPT, number, errno, reason);
    decisions.decide(end);
    waiters.failed(end, waiters.writing(number));
    return true;
  }

  /** Refuses the checkpoints all of whose files are lacking, at the end. */
  public void refuseEmpty() throws PosixException {
    if (!grouping.exists()) {
      return;
    }
    followAll();
    final SortedSet<Long> refused = new TreeSet<>();
    for (final Entry.Lacking lack : List.copyOf(all.values())) {
      final long number = number(lack.path());
      if (number != NO_NUMBER
          && !isExpected(lack)
          && decisions.state().groups().find(number) == null
          && refused.add(number)) {
        final Failure why = failure(lack);
        if (refused.size() == 1) {
          refuse(number, why);
        } else {
          fail(number, why.errno(), why.reason());
        }
      }
    }
    if (refused.size() > 1) {
      Warnings.warn(
          "nor are others committed that lack files: checkpoints=%d, up to %d"
              .formatted(refused.size() - 1, refused.last()));
    }
  }

  private Optional<Failure> of(final long number) throws PosixException {
    final Optional<Entry.Lacking> known = first(lack -> number(lack.path()) == number);
    return (known.isPresent() ? known : unattached(number)).map(this::failure);
  }

  /** Returns whether a file is no part of what is written anew, or is said to fail by itself. */
  private static boolean isExpected(final Entry.Lacking lack) {
    return reason(lack) == Reason.EXISTING || reason(lack) == Reason.TOO_DEEP;
  }

  private Optional<Entry.Lacking> first(final Predicate<Entry.Lacking> which)
      throws PosixException {
    followAll();
    return all.values().stream().filter(which).findFirst();
  }

  private void followAll() throws PosixException {
    Map<ImageKey, List<String>> names = null;
    for (final Entry.Lacking lack : List.copyOf(all.values())) {
      if (isElsewhere(lack)) {
        forget(lack);
      } else if (lack.device() != NOWHERE && !isAt(lack, lack.path())) {
        names = names == null ? files.capture().names() : names;
        follow(lack, names.getOrDefault(key(lack), List.of()));
      }
    }
  }

  /**
   * Returns whether a file is another name of an image, and is gone by now or the name that the
   * image's group has.
   */
  private boolean isElsewhere(final Entry.Lacking lack) {
    final Image image = reason(lack) == Reason.SHARED ? files.registry().find(key(lack)) : null;
    final Group group = image == null ? null : decisions.state().groups().of(image);
    return reason(lack) == Reason.SHARED
        && (group == null || group.number() == number(lack.path()) || !isAt(lack, lack.path()));
  }

  private void follow(final Entry.Lacking lack, final List<String> names) {
    final Optional<String> now = names.stream().filter(name -> isAt(lack, name)).findFirst();
    if (now.isEmpty()) {
      forget(lack);
    } else {
      decisions.decide(
          new Entry.Lacking(lack.device(), lack.inode(), lack.born(), lack.reason(), now.get()));
    }
  }

  private static boolean isAt(final Entry.Lacking lack, final String path) {
    try {
      final FileStatus status = FileStatus.of(path);
      return isOf(status, key(lack))
          && (lack.born() == 0 || lack.born() == status.identity().born());
    } catch (final PosixException nothingThere) {
      return false;
    }
  }

  /** Finds a file that a process without a slot wrote, which is known by its name alone. */
  private Optional<Entry.Lacking> unattached(final long number) throws PosixException {
    if (header.unattachedFiles() == 0) {
      return Optional.empty();
    }
    return files.capture().names().entrySet().stream()
        .filter(file -> files.registry().find(file.getKey()) == null)
        .flatMap(file -> file.getValue().stream())
        .filter(path -> number(path) == number)
        .findFirst()
        .map(path -> new Entry.Lacking(0, 0, 0, Reason.UNATTACHED.ordinal(), path));
  }

  private static ImageKey key(final Entry.Lacking lack) {
    return new ImageKey(lack.device(), lack.inode());
  }

  private static Reason reason(final Entry.Lacking lack) {
    return Reason.of(lack.reason());
  }

  private Failure failure(final Entry.Lacking lack) {
    final Reason reason = reason(lack);
    final int errno =
        switch (reason) {
          case TOO_MANY, NO_ENTRY -> Errno.EMFILE;
          case REFUSED -> Errno.EACCES;
          case TOO_DEEP -> Errno.ENAMETOOLONG;
          default -> Errno.EINVAL;
        };
    return new Failure(
        errno,
        "it lacks %s: %s"
            .formatted(Quoting.name(files.capture().relative(lack.path())), remedy(reason)));
  }

  private static String remedy(final Reason reason) {
    return switch (reason) {
      case TOO_MANY -> "there are more files than can be captured; raise ulimit -Hn";
      case NO_ENTRY -> "there are more files than a session has room for; see --max-files";
      case EXISTING -> "it was there before and was not emptied; delete it before it is written";
      case REFUSED -> "the I/O process may not open it; let its user read and write it";
      case TOO_DEEP -> "its path is longer than 4095 bytes; shorten it";
      case SHARED -> "it is a link of a file of another checkpoint; let it be a copy";
      case UNATTACHED -> "a process that could not announce it may have written it; delete it";
      default -> "it was renamed while it was opened; write it anew";
    };
  }
}
