package org.sluice.iop.journal;

import java.util.List;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.RankSet;

/** One decision: it is written as its place among the entries here, from 1, then its fields. */
public sealed interface Entry {
  /** Round of a checkpoint in a store of this node alone, which needs none. */
  long NO_ROUND = -1;

  /** Number of what is in no checkpoint. */
  long NO_CHECKPOINT = -1;

  /** Position of a ring that did not tell; an opening that ends so is asked for again. */
  long NO_POSITION = -1;

  /** The same: the opening counts for nothing. */
  long REFUSED = -2;

  /**
   * A process got a slot.
   *
   * @param slot index of the slot, 0 or more
   * @param pid its pid
   * @param startTime field 22 of {@code /proc/PID/stat}
   * @param rank its rank, -1 unknown
   * @param ranks ranks of its job, 0 unknown
   * @param localRanks those of them on this node; 0 all, -1 fewer, how many is unknown
   * @param generation of the slot
   * @param token of its request
   * @param killsBefore how many processes were killed before it came
   */
  record Attached(
      int slot,
      int pid,
      long startTime,
      int rank,
      int ranks,
      int localRanks,
      long generation,
      long token,
      int killsBefore)
      implements Entry {}

  /**
   * A slot is free again; what its process had open for writing counts as abandoned.
   *
   * @param slot index of the slot, 0 or more
   * @param killed whether its process was killed, which counts kills up
   * @param time by {@code CLOCK_MONOTONIC}, in nanoseconds
   */
  record Detached(int slot, boolean killed, long time) implements Entry {}

  /**
   * A file became an image; it counts as abandoned until it is opened for writing.
   *
   * @param image the image's id
   * @param entry its index in the image table
   * @param device of the file, {@code major << 32 | minor}
   * @param inode of the file
   * @param born when the file was created, in nanoseconds since 1970; 0 unknown
   * @param state its first state, {@code STATE} of the image table
   * @param path a name of its file
   */
  record Admitted(int image, int entry, long device, long inode, long born, int state, String path)
      implements Entry {}

  /**
   * An image is one of a checkpoint made by request.
   *
   * @param image the image's id
   * @param checkpoint the checkpoint's number
   * @param rank whose it is
   * @param name its name
   * @param base the checkpoint that has some of its bytes
   * @param pieces which: offset and length of each run, i64 each; empty for none
   */
  record Created(int image, long checkpoint, int rank, String name, long base, String pieces)
      implements Entry {}

  /**
   * An image changes its state.
   *
   * @param image the image's id
   * @param state its next state, 0 when the image is forgotten
   */
  record Changed(int image, int state) implements Entry {}

  /**
   * A process opened an image.
   *
   * @param image the image's id
   * @param slot index of the process's slot, 0 or more
   * @param writes whether for writing
   * @param request its number among those of the slot that have a reply; 0 for no client's
   */
  record Opened(int image, int slot, boolean writes, long request) implements Entry {}

  /**
   * One opening has ended.
   *
   * @param image the image's id
   * @param slot index of the process's slot, 0 or more
   * @param position behind the record that told; {@link #REFUSED}; {@link #NO_POSITION}: abandoned
   * @param opened when it began, as its process tells, by {@code CLOCK_MONOTONIC} in nanoseconds; 0
   *     of one behind which the image is empty
   * @param time of the closing, in the same way; 0 of one that does not count
   */
  record Closed(int image, int slot, long position, long opened, long time) implements Entry {}

  /**
   * A chunk goes into the drain.
   *
   * @param slot of the process that published it
   * @param chunk its index
   * @param generation tells the chunk's uses apart
   * @param used its used length; -1 when its owner died before it told
   * @param position in the slot's ring, behind the record that told, or {@link #NO_POSITION}
   */
  record Taken(int slot, int chunk, int generation, int used, long position) implements Entry {}

  /**
   * A chunk is written and may be released.
   *
   * @param chunk its index
   * @param generation tells the chunk's uses apart
   * @param location where it lies in a container; all zero when it does not
   * @param shares the images whose logs refer to it
   */
  record Drained(int chunk, int generation, ChunkLocation location, List<ImageSize> shares)
      implements Entry {}

  /**
   * An image with records in a chunk.
   *
   * @param image the image's id
   * @param size its size behind the chunk's records
   */
  record ImageSize(int image, long size) {}

  /**
   * An image is to be emptied, behind the chunks taken before.
   *
   * @param image the image's id
   * @param fileToo whether its own file is, too
   */
  record Emptying(int image, boolean fileToo) implements Entry {}

  /**
   * The log of an image begins anew: its own file holds what was drained so far.
   *
   * @param image the image's id
   * @param cause why
   * @param inPlace whether extents go to the file from here on
   * @param size the size so far
   * @param marks what was applied of chunks that are not drained
   */
  record Restarted(int image, Cause cause, boolean inPlace, long size, List<Mark> marks)
      implements Entry {}

  /**
   * How much of a chunk was applied to an image's own file before the chunk was drained.
   *
   * @param chunk its index
   * @param generation tells the chunk's uses apart
   * @param end of the last payload byte applied
   */
  record Mark(int chunk, int generation, int end) {}

  /**
   * A checkpoint was begun by request.
   *
   * @param checkpoint its number
   * @param scope its ranks
   */
  record Begun(long checkpoint, Scope scope) implements Entry {}

  /**
   * The ranks that complete a checkpoint by request.
   *
   * @param ranks ranks of the job
   * @param expected how many of them complete it on this node
   * @param spread whether others do on other nodes
   * @param held whether it is committed only once that is {@link Decided}
   */
  record Scope(int ranks, int expected, boolean spread, boolean held) {}

  /**
   * A rank completed its part.
   *
   * @param checkpoint the checkpoint's number
   * @param rank the rank
   * @param slot of the process that said so
   * @param request as in {@link Opened}
   */
  record Completed(long checkpoint, int rank, int slot, long request) implements Entry {}

  /**
   * A checkpoint is to be committed.
   *
   * @param attempt tells commits apart, from 1
   * @param checkpoint its number
   * @param round how many times the checkpoint was written before, or {@link #NO_ROUND}
   * @param growth how many times it was decided before in this round
   * @param ranks ranks of the job, 0 unknown
   * @param part the ranks whose images it has, as in the manifest; empty where it has all
   * @param completion by what it counts as complete
   * @param coverage what other nodes are to put, as the key of a part says it; empty for all ranks
   * @param members its images
   */
  record Committing(
      long attempt,
      long checkpoint,
      long round,
      long growth,
      int ranks,
      RankSet part,
      Completion completion,
      String coverage,
      List<Part> members)
      implements Entry {}

  /**
   * An image of a checkpoint.
   *
   * @param image the image's id
   * @param path what the checkpoint calls it
   * @param rank of the process that wrote it, -1 unknown
   * @param ranks ranks of the job, 0 unknown
   * @param direct whether the checkpoint only names its file, which other nodes may write, too
   */
  record Part(int image, String path, int rank, int ranks, boolean direct) {}

  /**
   * A commit is over.
   *
   * @param attempt the number of the commit; 0 when it was not tried
   * @param checkpoint its number
   * @param errno why it failed; 0 when it is in the store
   * @param reason the same in words; empty when it is in the store
   */
  record Ended(long attempt, long checkpoint, int errno, String reason) implements Entry {}

  /**
   * A copy took a committed image's place, so that the image stays as it is.
   *
   * @param image the committed image's id
   * @param copy the copy's id, 0 for none
   */
  record Replaced(int image, int copy) implements Entry {}

  /** A member joined. */
  record Joined() implements Entry {}

  /**
   * A member left.
   *
   * @param succeeded whether its command did
   */
  record Left(boolean succeeded) implements Entry {}

  /**
   * How much there was of what the entries behind this one do not tell.
   *
   * @param lastImage the highest image id so far; 0 for none
   * @param lastAttempt the last commit that was decided; 0 for none
   * @param kills how many processes were killed
   * @param writings how often images were opened for writing
   * @param members how many joined and have not left
   * @param memberFailed whether the command of one failed
   */
  record Counted(
      int lastImage, long lastAttempt, int kills, long writings, int members, boolean memberFailed)
      implements Entry {}

  /**
   * What became of an image since it was admitted and created.
   *
   * @param image the image's id
   * @param state its state
   * @param writer the process that wrote it last; generation 0 when there is none
   * @param others processes of other ranks that wrote it before, of a job on several nodes
   * @param written when it was opened for writing the last time, in the order of all such openings
   * @param closed when a process closed it that wrote it, the last time, as in {@link Closed}; 0
   *     for never
   * @param begun when the opening began behind which it had bytes for the first time since it was
   *     created, {@link Committing} or {@link Gone}; 0 for never
   * @param whole when that opening ended; 0 for never
   * @param abandoned whether the last process that wrote it died
   * @param committed whether a checkpoint has it
   * @param openers the slots that have it open
   * @param granted the slots whose chunks may have records of it
   * @param direct whether it became direct
   * @param inPlace whether extents go to its own file
   * @param touched whether some may ever have gone there
   * @param size its size by what was drained
   * @param chunks the chunks that its log refers to
   * @param marks what was applied of chunks that are not drained
   */
  record Known(
      int image,
      int state,
      KnownWriter writer,
      List<KnownWriter> others,
      long written,
      long closed,
      long begun,
      long whole,
      boolean abandoned,
      boolean committed,
      List<Opener> openers,
      List<Integer> granted,
      boolean direct,
      boolean inPlace,
      boolean touched,
      long size,
      List<ChunkLocation> chunks,
      List<Mark> marks)
      implements Entry {}

  /**
   * A process that wrote an image.
   *
   * @param process how it got its slot
   * @param killed whether it was killed
   */
  record KnownWriter(Attached process, boolean killed) {}

  /**
   * A slot that has an image open.
   *
   * @param slot its index
   * @param count how often it has the image open, 1 or more
   * @param writes whether for writing; also when that opening has ended and another has not
   */
  record Opener(int slot, int count, boolean writes) {}

  /**
   * A group since its last commit.
   *
   * @param checkpoint its number
   * @param changed whether its last commit does not have all of it
   * @param rewriting whether an image of its last commit was rewritten or deleted
   * @param members its images
   */
  record Grouped(long checkpoint, boolean changed, boolean rewriting, List<GroupMember> members)
      implements Entry {}

  /**
   * An image of a group.
   *
   * @param image the image's id
   * @param path its path in the capture directory
   * @param unchanged whether it is as it was committed
   */
  record GroupMember(int image, String path, boolean unchanged) {}

  /**
   * A file in the capture directory was written that is no image, so that its checkpoint lacks it.
   *
   * @param device of the file, {@code major << 32 | minor}; 0 for one that stands for others
   * @param inode of the file
   * @param born when the file was created, in nanoseconds since 1970; 0 unknown
   * @param reason why it is no image, {@code REASON} of the image table; 0 when it is one, or gone
   * @param path a name of it
   */
  record Lacking(long device, long inode, long born, int reason, String path) implements Entry {}

  /**
   * An image comes to rest: a link holds its file, and no descriptor, until a process opens it.
   *
   * @param image the image's id
   * @param path a name of its file
   */
  record Rested(int image, String path) implements Entry {}

  /**
   * A process created a file and entered it as an image, open to itself for writing.
   *
   * @param file how it became an image
   * @param slot index of the process's slot, 0 or more
   * @param position in the slot's ring, behind the record that told and its name
   * @param failure why the image fails, as its file cannot be taken; empty when it does not
   */
  record Entered(Admitted file, int slot, long position, String failure) implements Entry {}

  /**
   * How often a checkpoint was written, as decided last.
   *
   * @param checkpoint its number
   * @param round as in {@link Committing}
   * @param growth as in {@link Committing}
   * @param place the attempt at which it was decided first in this round
   */
  record Written(long checkpoint, long round, long growth, long place) implements Entry {}

  /**
   * A checkpoint that a stage has is to leave the node.
   *
   * @param commit the id of its commit
   * @param round as in {@link Committing}; {@link #NO_ROUND} once it counts for all nodes
   * @param growth as in {@link Committing}
   */
  record Leaving(long commit, long round, long growth) implements Entry {}

  /**
   * What becomes of a held checkpoint. A commit is decided before anything is written for it.
   *
   * @param checkpoint its number
   * @param commit whether it is to be committed; else it is dropped
   */
  record Decided(long checkpoint, boolean commit) implements Entry {}

  /**
   * A group is in the store, and no other one of which a file was closed later.
   *
   * @param checkpoint its number
   * @param closed as in {@link Known}, of the file that was closed last
   */
  record Stored(long checkpoint, long closed) implements Entry {}

  /**
   * What an image had is in a group no more: it is emptied, deleted or renamed.
   *
   * @param image the image's id; 0 for none
   * @param checkpoint the checkpoint's number, or {@link #NO_CHECKPOINT}
   * @param writing what was written
   */
  record Gone(int image, long checkpoint, Writing writing) implements Entry {}

  /**
   * What was written to a file of a group, by {@code CLOCK_MONOTONIC} in nanoseconds.
   *
   * @param path its path in the capture directory
   * @param part whose it is: the rank, or less than 0 for a process without one
   * @param begun when it was begun; of a file that was renamed, when that was closed
   * @param whole when it was closed for the first time; 0 if its process died before that
   * @param closed when it was closed for the last time
   * @param killsBefore how many processes were killed before its process came
   * @param killed whether that was killed
   */
  record Writing(
      String path,
      long part,
      long begun,
      long whole,
      long closed,
      int killsBefore,
      boolean killed) {}

  /**
   * No file of a group is left: what is {@link Gone} counts no more.
   *
   * @param checkpoint the checkpoint's number
   */
  record Vanished(long checkpoint) implements Entry {}
}
