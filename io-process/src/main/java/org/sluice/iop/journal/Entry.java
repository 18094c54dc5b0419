package org.sluice.iop.journal;

import java.util.List;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.RankSet;

/**
 * A decision of the I/O process. In the journal it is an ordinal, the entry's place in this
 * interface from 1, and then the fields.
 */
public sealed interface Entry {
  /** Round of a checkpoint in a store of this node alone, which needs none. */
  long NO_ROUND = -1;

  /** The number where no checkpoint is meant. */
  long NO_CHECKPOINT = -1;

  /** Position of a ring that did not tell; an opening that ends so is asked for again. */
  long NO_POSITION = -1;

  /** Position of an opening that was refused and counts for nothing. */
  long REFUSED = -2;

  /**
   * A process got a slot.
   *
   * @param slot index of the slot, 0 or more
   * @param pid pid of the process
   * @param startTime field 22 of {@code /proc/PID/stat}
   * @param rank rank of the process, -1 unknown
   * @param ranks ranks of its job, 0 unknown
   * @param localRanks ranks of the job on this node; 0 all, -1 an unknown number of them
   * @param generation of the slot
   * @param token of the request to attach
   * @param killsBefore number of processes killed before this one attached
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
   * A slot is free again; files that its process had open for writing count as abandoned.
   *
   * @param slot index of the slot, 0 or more
   * @param killed whether its process was killed, which raises the count of kills
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
   * An image belongs to a checkpoint made by request.
   *
   * @param image the image's id
   * @param checkpoint the checkpoint's number
   * @param rank rank that the image belongs to
   * @param name name of the image in the checkpoint
   * @param base the older checkpoint that has some of the image's bytes
   * @param pieces the runs of bytes that the older checkpoint has: offset and length, i64 each;
   *     empty for none
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
   * @param request number of the request among those of the slot that have a reply; 0 if no client
   *     asked
   */
  record Opened(int image, int slot, boolean writes, long request) implements Entry {}

  /**
   * An opening has ended.
   *
   * @param image the image's id
   * @param slot index of the process's slot, 0 or more
   * @param position position in the ring behind the record of the close; {@link #REFUSED}; {@link
   *     #NO_POSITION} when abandoned
   * @param opened begin of the opening, as its process tells, by {@code CLOCK_MONOTONIC} in
   *     nanoseconds; 0 when the image is empty after it
   * @param time of the close, by the same clock; 0 when the opening does not count
   */
  record Closed(int image, int slot, long position, long opened, long time) implements Entry {}

  /**
   * A chunk goes into the drain.
   *
   * @param slot of the process that published it
   * @param chunk its index
   * @param generation generation of the chunk, which differs at each use
   * @param used used bytes of the chunk; -1 when its owner died before it told
   * @param position in the slot's ring, behind the record that published the chunk, or {@link
   *     #NO_POSITION}
   */
  record Taken(int slot, int chunk, int generation, int used, long position) implements Entry {}

  /**
   * A chunk is written and may be released.
   *
   * @param chunk its index
   * @param generation generation of the chunk, which differs at each use
   * @param location place of the chunk in a container; all zero when it is in none
   * @param shares the images whose logs refer to it
   */
  record Drained(int chunk, int generation, ChunkLocation location, List<ImageSize> shares)
      implements Entry {}

  /**
   * An image with records in a chunk.
   *
   * @param image the image's id
   * @param size size of the image after the chunk's records
   */
  record ImageSize(int image, long size) {}

  /**
   * An image is to be emptied, after the chunks that were taken before.
   *
   * @param image the image's id
   * @param fileToo whether the image's own file is emptied, too
   */
  record Emptying(int image, boolean fileToo) implements Entry {}

  /**
   * The log of an image begins anew: its own file holds what was drained so far.
   *
   * @param image the image's id
   * @param cause reason of the restart
   * @param inPlace whether extents go to the file from here on
   * @param size the size so far
   * @param marks parts of undrained chunks that were applied to the image's file
   */
  record Restarted(int image, Cause cause, boolean inPlace, long size, List<Mark> marks)
      implements Entry {}

  /**
   * The part of a chunk that was applied to an image's own file before the chunk was drained.
   *
   * @param chunk its index
   * @param generation generation of the chunk, which differs at each use
   * @param end of the last payload byte applied
   */
  record Mark(int chunk, int generation, int end) {}

  /**
   * A checkpoint was begun by request.
   *
   * @param checkpoint its number
   * @param scope ranks that complete the checkpoint
   */
  record Begun(long checkpoint, Scope scope) implements Entry {}

  /**
   * The ranks that complete a checkpoint by request.
   *
   * @param ranks ranks of the job
   * @param expected how many of them complete it on this node
   * @param spread whether ranks on other nodes complete it, too
   * @param held whether the checkpoint waits for {@link Decided} before it is committed
   * @param bound whether it is given up when a process ends before its part is complete
   */
  record Scope(int ranks, int expected, boolean spread, boolean held, boolean bound) {}

  /**
   * A rank completed its part.
   *
   * @param checkpoint the checkpoint's number
   * @param rank the rank
   * @param slot slot of the process that reported it
   * @param request as in {@link Opened}
   */
  record Completed(long checkpoint, int rank, int slot, long request) implements Entry {}

  /**
   * A checkpoint is to be committed.
   *
   * @param attempt number of the commit, from 1
   * @param checkpoint its number
   * @param name its name; empty for none
   * @param round how many times the checkpoint was written before, or {@link #NO_ROUND}
   * @param growth how many times the commit was decided before in this round
   * @param ranks ranks of the job, 0 unknown
   * @param part the ranks whose images the checkpoint has, as in the manifest; empty for all ranks
   * @param completion rule by which the checkpoint counts as complete
   * @param coverage ranks whose images other nodes put, as in the key of a part; empty for all
   *     ranks
   * @param members its images
   */
  record Committing(
      long attempt,
      long checkpoint,
      String name,
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
   * @param path path of the image in the checkpoint
   * @param rank of the process that wrote it, -1 unknown
   * @param ranks ranks of the job, 0 unknown
   * @param direct whether the checkpoint only names the file, since other nodes may write it, too
   */
  record Part(int image, String path, int rank, int ranks, boolean direct) {}

  /**
   * A commit is over.
   *
   * @param attempt the number of the commit; 0 when it was not tried
   * @param checkpoint its number
   * @param errno error number of a failed commit; 0 when the checkpoint is in the store
   * @param reason the error in words; empty when the checkpoint is in the store
   */
  record Ended(long attempt, long checkpoint, int errno, String reason) implements Entry {}

  /**
   * A copy replaces a committed image, so that the committed image stays as it is.
   *
   * @param image the committed image's id
   * @param copy the copy's id, 0 for none
   */
  record Replaced(int image, int copy) implements Entry {}

  /** A member of the session joined. */
  record Joined() implements Entry {}

  /**
   * A member of the session left.
   *
   * @param succeeded whether the member's command succeeded
   */
  record Left(boolean succeeded) implements Entry {}

  /**
   * The counts that a rewritten journal begins with, since its entries no longer tell them.
   *
   * @param lastImage the highest image id so far; 0 for none
   * @param lastAttempt number of the last commit that was decided; 0 for none
   * @param kills how many processes were killed
   * @param writings how often images were opened for writing
   * @param members how many members joined and have not left
   * @param memberFailed whether the command of a member that left failed
   */
  record Counted(
      int lastImage, long lastAttempt, int kills, long writings, int members, boolean memberFailed)
      implements Entry {}

  /**
   * The state of an image in a rewritten journal, in place of its entries since it was admitted and
   * created.
   *
   * @param image the image's id
   * @param state state of the image, {@code STATE} of the image table
   * @param writer the process that wrote it last; generation 0 when there is none
   * @param others processes of other ranks that wrote the image before, in a job on several nodes
   * @param written ordinal of its last opening for writing, among those of all images
   * @param closed time of the last close by a process that wrote the image, as in {@link Closed}; 0
   *     for never
   * @param begun begin of the first opening that gave the image bytes since its last {@link
   *     Created}, {@link Committing} or {@link Gone}; 0 for none
   * @param whole end of that opening; 0 for none
   * @param abandoned whether the last process that wrote it died
   * @param committed whether a checkpoint has the image
   * @param openers the slots that have the image open
   * @param granted the slots whose chunks may have records of the image
   * @param direct whether the image became direct
   * @param inPlace whether extents go to its own file
   * @param touched whether any extent may ever have gone to its own file
   * @param size size of the image by its drained chunks
   * @param chunks the chunks that its log refers to
   * @param marks parts of undrained chunks that were applied to its file
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
   * @param process the entry by which the process got its slot
   * @param killed whether the process was killed
   */
  record KnownWriter(Attached process, boolean killed) {}

  /**
   * A slot that has an image open.
   *
   * @param slot its index
   * @param count how often it has the image open, 1 or more
   * @param writes whether any of the slot's openings was for writing, even one that has ended
   */
  record Opener(int slot, int count, boolean writes) {}

  /**
   * The state of a group since its last commit.
   *
   * @param checkpoint its number
   * @param changed whether the group has changes that its last commit lacks
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
   * @param unchanged whether the image is as it was committed
   */
  record GroupMember(int image, String path, boolean unchanged) {}

  /**
   * A file in the capture directory was written without being an image, so its checkpoint lacks the
   * file.
   *
   * @param device of the file, {@code major << 32 | minor}; 0 for an entry that stands for several
   *     files
   * @param inode of the file
   * @param born when the file was created, in nanoseconds since 1970; 0 unknown
   * @param reason reason for which the file is no image, {@code REASON} of the image table; 0 when
   *     the file became an image or is gone
   * @param path a name of the file
   */
  record Lacking(long device, long inode, long born, int reason, String path) implements Entry {}

  /**
   * An image comes to rest: a link holds its file, and no descriptor, until a process opens the
   * image.
   *
   * @param image the image's id
   * @param path a name of its file
   */
  record Rested(int image, String path) implements Entry {}

  /**
   * A process created a file and entered it as an image, which the process has open for writing.
   *
   * @param file the entry by which the file became an image
   * @param slot index of the process's slot, 0 or more
   * @param position in the slot's ring, behind the record that entered the file, and the name
   * @param failure reason for which the file cannot be taken, so that the image fails; empty when
   *     it can
   */
  record Entered(Admitted file, int slot, long position, String failure) implements Entry {}

  /**
   * The latest decided round and growth of a checkpoint.
   *
   * @param checkpoint its number
   * @param round as in {@link Committing}
   * @param growth as in {@link Committing}
   * @param place number of the first commit of this round
   */
  record Written(long checkpoint, long round, long growth, long place) implements Entry {}

  /**
   * A checkpoint in a stage is to leave the node.
   *
   * @param commit the id of its commit
   * @param round as in {@link Committing}; {@link #NO_ROUND} once the checkpoint counts for all
   *     nodes
   * @param growth as in {@link Committing}
   */
  record Leaving(long commit, long round, long growth) implements Entry {}

  /**
   * The decision about a held checkpoint. A commit is decided before anything is written for it.
   *
   * @param checkpoint its number
   * @param commit whether to commit the checkpoint; else it is dropped
   */
  record Decided(long checkpoint, boolean commit) implements Entry {}

  /**
   * A group is in the store, and no other stored group has a file that was closed later.
   *
   * @param checkpoint its number
   * @param closed time of the last close of any of its files, as in {@link Known}
   */
  record Stored(long checkpoint, long closed) implements Entry {}

  /**
   * The bytes of an image are no longer in a group, since the file was emptied, deleted or renamed.
   *
   * @param image the image's id; 0 for none
   * @param checkpoint the checkpoint's number, or {@link #NO_CHECKPOINT}
   * @param writing the write that is gone
   */
  record Gone(int image, long checkpoint, Writing writing) implements Entry {}

  /**
   * A write to a file of a group, with times by {@code CLOCK_MONOTONIC} in nanoseconds.
   *
   * @param path its path in the capture directory
   * @param part rank that wrote the file; less than 0 for a process without a rank
   * @param begun time of the begin; of a renamed file the time of the close
   * @param whole time of the first close; 0 if the process died before
   * @param closed time of the last close
   * @param killsBefore number of processes killed before the writing process attached
   * @param killed whether the writing process was killed
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
   * A group has no file left, so that its {@link Gone} entries count no more.
   *
   * @param checkpoint the checkpoint's number
   */
  record Vanished(long checkpoint) implements Entry {}

  /**
   * A process fills a checkpoint made by request: the files that it creates or empties belong to
   * that until the process completes it.
   *
   * @param slot index of the process's slot, 0 or more
   * @param checkpoint the checkpoint's number
   * @param rank rank whose part the files are
   */
  record Filling(int slot, long checkpoint, int rank) implements Entry {}

  /**
   * A file belongs to a checkpoint made by request, whatever its name.
   *
   * @param image the image's id; 0 for a file that is yet to be written
   * @param checkpoint the checkpoint's number, or {@link #NO_CHECKPOINT} when the file leaves it
   * @param rank rank whose part the file is
   * @param path path in the capture directory of a file that is yet to be written; empty for an
   *     image
   */
  record Added(int image, long checkpoint, int rank, String path) implements Entry {}

  /**
   * A checkpoint made by request has a name beside its number.
   *
   * @param checkpoint the checkpoint's number
   * @param name its name
   */
  record Named(long checkpoint, String name) implements Entry {}
}
