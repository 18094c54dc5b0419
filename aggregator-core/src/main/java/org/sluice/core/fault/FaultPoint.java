package org.sluice.core.fault;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.sluice.core.fault.Fault.Action;
import org.sluice.core.posix.Hazard;

/**
 * The steps in the life of a checkpoint at which a {@link Fault} can strike, in the order in which
 * they come.
 */
public enum FaultPoint implements Hazard {
  JOURNAL_WRITE(
      Kind.WRITE,
      "notes a decision, before another process can see it",
      "resumed as if it was not made",
      "goes on, but cannot be resumed"),
  JOURNAL_REWRITE(
      Kind.WRITE,
      "says in fewer words what a long journal says",
      "resumed with the long one",
      "goes on with the long one"),
  REPLY(Kind.MESSAGE, "answers a process"),
  CONTAINER_REUSE(
      Kind.STEP,
      "renames a container that is not needed, to use it again",
      "written again once resumed",
      "their writers get the error; no commit"),
  CONTAINER_HEADER(
      Kind.WRITE,
      "writes the header of a container",
      "written again once resumed",
      "their writers get the error; no commit"),
  /** Chunks that lie one behind the other are written at once. */
  CONTAINER_WRITE(
      Kind.WRITE,
      "appends drained chunks to a container",
      "written again once resumed",
      "their writers get the error; no commit"),
  IMAGE_WRITE(
      Kind.WRITE,
      "writes drained data to an image's own file",
      "written again once resumed",
      "their writers get the error; no commit"),
  CONTAINER_FSYNC(Kind.STEP, "commit: makes the containers durable"),
  IMAGE_FSYNC(Kind.STEP, "commit: makes an image's own file durable"),
  IMAGE_LINK(Kind.STEP, "commit: links an image's own file into the checkpoint"),
  DIRECTORY_FSYNC(Kind.STEP, "makes names of new files durable"),
  /** Index and manifest in a commit log. From here on a restart sees the checkpoint. */
  LOG_WRITE(
      Kind.WRITE,
      "commit: writes the record into the log",
      "committed once resumed",
      Kind.NO_COMMIT),
  /** From here on a power cut leaves the checkpoint committed. */
  LOG_FSYNC(Kind.STEP, "commit: makes the record durable", "committed", Kind.NO_COMMIT),
  LOG_FOLLOW(
      Kind.STEP,
      "writes the directory of a logged checkpoint",
      "committed",
      "committed; the log has it"),
  LOG_SETTLE(
      Kind.STEP,
      "makes the directory of a logged checkpoint durable",
      "committed",
      "committed; the log has it"),
  /** Up to 8 MiB of what the stage has, to a bucket. */
  COPY_PIECE(
      Kind.STEP,
      "copies a piece of a checkpoint from the stage",
      "copied again once resumed",
      "the checkpoint stays on the stage alone"),
  /** A node's part of a checkpoint, behind all that it has committed for itself. */
  PART_PUT(
      Kind.STEP,
      "puts this node's part of a checkpoint of several nodes",
      "put once resumed",
      "tried again"),
  /** From here on a restart sees the checkpoint of all nodes. */
  SERIES_APPEND(
      Kind.STEP,
      "appends an entry to the log of a series",
      "before: appended once resumed, or by another node; after: committed",
      "tried again, or another node does it"),
  /** The names that its images have in the capture directory, each set aside before it goes. */
  NAME_REMOVE(
      Kind.STEP,
      "removes the name of an image whose checkpoint is not kept",
      "every newer one stays whole; the name goes once resumed",
      "the old one stays until the next commit"),
  /** The manifest of a checkpoint that is not kept, or was committed again. */
  MANIFEST_REMOVE(
      Kind.STEP,
      "removes an old checkpoint's manifest",
      "every newer one stays whole",
      "the old one stays until the next commit"),
  REMOVAL_FSYNC(
      Kind.STEP,
      "makes that removal durable",
      "every newer one stays whole",
      "what is left of the old one is no checkpoint"),
  CHECKPOINT_DELETE(
      Kind.STEP,
      "deletes the rest of an old checkpoint",
      "every newer one stays whole",
      "what is left of the old one is no checkpoint"),
  CONTAINER_DELETE(
      Kind.STEP,
      "deletes a container that is not needed",
      "every checkpoint stays whole",
      "the container stays, and is used again or deleted later"),
  /** Rank 0 says that its job is there, at the beginning and to an I/O process that was resumed. */
  MPI_GREET(
      Kind.MESSAGE,
      "MPI: learns of a job",
      "what was decided is committed, the rest dropped",
      "cannot fail"),
  MPI_BEGIN(Kind.MPI, "MPI: begins a checkpoint"),
  MPI_LINE(Kind.MPI, "MPI: hears what a rank counted"),
  MPI_EXPECT(Kind.MPI, "MPI: tells the ranks what crosses the line"),
  MPI_STOP(Kind.MPI, "MPI: has the ranks stop recording, or take their images"),
  MPI_CLOSURE(Kind.MPI, "MPI: computes what a recovery repeats"),
  MPI_IMAGE(Kind.MPI, "MPI: hears that a rank's images are complete"),
  MPI_DECIDE(
      Kind.MPI,
      "MPI: decides that the checkpoint is committed",
      "before: dropped; after: committed once resumed",
      "the checkpoint is given up"),
  MPI_LOG(
      Kind.MPI,
      "MPI: writes into mpi.log that it is committed",
      "committed",
      "committed; the log does not say so"),
  MPI_DROP(Kind.MPI, "MPI: drops a checkpoint that is given up", "dropped once resumed", "dropped"),
  SERVICE(Kind.THREAD, "thread: takes a request"),
  VALIDATE(Kind.THREAD, "thread: checks a chunk, or what is asked of an image"),
  WRITE(Kind.THREAD, "thread: writes a chunk, or what is asked of an image"),
  COMMIT(Kind.THREAD, "thread: waits for storage, for a commit or an image"),
  RESTART(Kind.THREAD, "thread: reads the store for a process that restarts"),
  PREFAULT(
      Kind.THREAD, "thread: looks whether memory is needed", "the next one goes on", Kind.CRASH),
  METRICS(Kind.THREAD, "thread: answers a request for metrics", "no answer", Kind.CRASH);

  /** The faults possible at a kind of point, and the usual results. */
  private enum Kind {
    WRITE(EnumSet.complementOf(EnumSet.of(Action.STOP)), Kind.COMMITTED, Kind.NO_COMMIT),
    STEP(EnumSet.of(Action.KILL, Action.FAIL, Action.SLOW), Kind.COMMITTED, Kind.NO_COMMIT),
    MESSAGE(EnumSet.of(Action.KILL), "the process asks again once resumed", "cannot fail"),
    MPI(
        EnumSet.of(Action.KILL, Action.FAIL, Action.STOP),
        "the checkpoint is dropped",
        "the checkpoint is given up"),
    THREAD(
        EnumSet.of(Action.KILL, Action.EXCEPTION, Action.OOM),
        "done again once resumed",
        Kind.CRASH);

    static final String COMMITTED = "committed once resumed";
    static final String NO_COMMIT = "no commit; the one before stays";
    static final String CRASH = "it ends with a crash report, and is resumed as if killed";

    private final Set<Action> actions;
    private final String killed;
    private final String failed;

    Kind(final Set<Action> actions, final String killed, final String failed) {
      this.actions = actions;
      this.killed = killed;
      this.failed = failed;
    }
  }

  private final Kind kind;
  private final String step;
  private final String killed;
  private final String failed;

  FaultPoint(final Kind kind, final String step) {
    this(kind, step, kind.killed, kind.failed);
  }

  FaultPoint(final Kind kind, final String step, final String killed, final String failed) {
    this.kind = kind;
    this.step = step;
    this.killed = killed;
    this.failed = failed;
  }

  static Optional<FaultPoint> of(final String label) {
    return Arrays.stream(values()).filter(point -> point.label().equals(label)).findFirst();
  }

  /** Returns the users' name, such as {@code log-fsync}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public Fault now() {
    return Fault.at(this);
  }

  @Override
  public boolean isArmed() {
    return Fault.isArmed(this);
  }

  public Set<Action> actions() {
    return kind.actions;
  }

  /** The I/O process's step at the point. */
  public String step() {
    return step;
  }

  /** The result for a user when the I/O process is killed there, before the step or after it. */
  public String killed() {
    return killed;
  }

  /** The result for a user when the step fails. */
  public String failed() {
    return failed;
  }
}
