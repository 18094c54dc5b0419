package org.sluice.iop.crash;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The record of what one part of the I/O process handles at the moment, in the memory of {@link
 * InFlight}. Each thing costs a few plain stores. Only the thread writes it that does the part just
 * then, and gets its name when it fails. Only that thread when it fails, or the next I/O process,
 * reads it, so no store needs an order.
 */
public final class Lane {
  /** The parts that have a lane: two threads, and the stages of the drain. */
  public enum Role {
    SERVICE,
    VALIDATE,
    WRITE,
    COMMIT,
    RESTART;

    private final String thread = name().toLowerCase(java.util.Locale.ROOT);

    /** Returns the name of a thread that fails at the part, such as {@code write}. */
    public String thread() {
      return thread;
    }
  }

  /** The slot when there is no process. */
  public static final int NO_SLOT = -1;

  /** The image id when there is no image, or it is not known yet. */
  public static final int NO_IMAGE = 0;

  /** The number of a request that was not the client's. */
  public static final long NO_REQUEST = 0;

  static final int LENGTH = 64;
  private static final int SUBJECT_OFFSET = 0;
  private static final int SLOT_OFFSET = 4;
  private static final int ID_OFFSET = 8;
  private static final int IMAGE_OFFSET = 16;

  private final InFlight all;
  private final Role role;
  private final UnsafeBuffer memory;

  Lane(final InFlight all, final Role role, final UnsafeBuffer memory) {
    this.all = all;
    this.role = role;
    this.memory = memory;
  }

  /**
   * Notes that the thread begins to handle something.
   *
   * @param id identity among others of the kind
   * @param slot slot of the process that asked for the thing; {@link #NO_SLOT} for none
   * @param image image concerned; {@link #NO_IMAGE} when unknown
   * @return false when two I/O processes in a row have failed at this thing, so that it must be
   *     left out
   */
  public boolean begin(final Subject subject, final long id, final int slot, final int image) {
    memory.putInt(SUBJECT_OFFSET, subject.ordinal());
    memory.putInt(SLOT_OFFSET, slot);
    memory.putLong(ID_OFFSET, id);
    memory.putInt(IMAGE_OFFSET, image);
    return !all.hasSuspects() || subject == Subject.NONE || !all.isPoison(role, subject, id, image);
  }

  /**
   * A thing that a thread handles.
   *
   * @param id identity among others of the kind
   * @param slot slot of the process that asked for the thing
   */
  public record Handling(int subject, long id, int slot, int image) {}

  /**
   * Returns what the thread handles, so that it can be resumed after something that comes between.
   */
  public Handling handling() {
    return new Handling(
        memory.getInt(SUBJECT_OFFSET),
        memory.getLong(ID_OFFSET),
        memory.getInt(SLOT_OFFSET),
        memory.getInt(IMAGE_OFFSET));
  }

  /** Resumes what the thread handled before. */
  public void goOn(final Handling before) {
    memory.putLong(ID_OFFSET, before.id());
    memory.putInt(SLOT_OFFSET, before.slot());
    memory.putInt(IMAGE_OFFSET, before.image());
    memory.putInt(SUBJECT_OFFSET, before.subject());
  }

  /** Notes that the thread has come to a part that concerns an image. */
  public void image(final int id) {
    memory.putInt(IMAGE_OFFSET, id);
  }

  /** Notes that the thread handles nothing that can be left out. */
  public void end() {
    memory.putInt(SUBJECT_OFFSET, Subject.NONE.ordinal());
  }

  /**
   * Notes that a thing was handled without a failure, so that former failures at it no longer
   * count.
   */
  public void passed(final Subject subject, final long id) {
    if (all.hasSuspects()) {
      all.clear(role, subject, id);
    }
  }

  public Role role() {
    return role;
  }

  Suspect suspect() {
    return new Suspect(
        role.ordinal(),
        memory.getInt(SUBJECT_OFFSET),
        memory.getLong(ID_OFFSET),
        memory.getInt(IMAGE_OFFSET),
        1);
  }

  int slot() {
    return memory.getInt(SLOT_OFFSET);
  }

  void reset() {
    end();
    memory.putInt(SLOT_OFFSET, NO_SLOT);
  }

  @Override
  public String toString() {
    final Subject subject = InFlight.subject(memory.getInt(SUBJECT_OFFSET));
    final int image = memory.getInt(IMAGE_OFFSET);
    return subject == Subject.NONE
        ? "nothing that can be left out"
        : "%s (%x)%s%s"
            .formatted(
                subject,
                memory.getLong(ID_OFFSET),
                slot() == NO_SLOT ? "" : " of slot " + slot(),
                image == NO_IMAGE ? "" : ", image " + image);
  }
}
