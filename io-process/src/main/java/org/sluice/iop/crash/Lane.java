package org.sluice.iop.crash;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What one thread of the I/O process handles at the moment, in the memory of {@link InFlight}: a
 * few plain stores for each thing. The thread alone writes it, and it is read by that thread when
 * it fails, or by the next I/O process; so no store needs an order.
 */
public final class Lane {
  /** The threads that have one. */
  public enum Role {
    /** The service thread, which serves sockets and rings. */
    SERVICE,
    /** First stage of the drain. */
    VALIDATE,
    /** Second stage of the drain. */
    WRITE,
    /** Third stage of the drain. */
    COMMIT,
    /** Reads the store for processes that restart. */
    RESTART;

    private final String thread = name().toLowerCase(java.util.Locale.ROOT);

    /**
     * What its thread is called.
     *
     * @return such as {@code write}
     */
    public String thread() {
      return thread;
    }
  }

  /** No process. */
  public static final int NO_SLOT = -1;

  /** No image, or not known yet. */
  public static final int NO_IMAGE = 0;

  /** Number of a request that was not the client's. */
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
   * The thread begins to handle something.
   *
   * @param subject what kind of thing
   * @param id tells it from others of its kind
   * @param slot of the process that asked for it; {@link #NO_SLOT} for none
   * @param image what it is about; {@link #NO_IMAGE} where that is not known
   * @return false when two I/O processes in a row have failed at this, so that it must be left out
   */
  public boolean begin(final Subject subject, final long id, final int slot, final int image) {
    memory.putInt(SUBJECT_OFFSET, subject.ordinal());
    memory.putInt(SLOT_OFFSET, slot);
    memory.putLong(ID_OFFSET, id);
    memory.putInt(IMAGE_OFFSET, image);
    return !all.hasSuspects() || subject == Subject.NONE || !all.isPoison(role, subject, id, image);
  }

  /**
   * What a thread handles.
   *
   * @param subject ordinal of its kind
   * @param id tells it from others of its kind
   * @param slot of the process that asked for it
   * @param image what it is about
   */
  public record Handling(int subject, long id, int slot, int image) {}

  /**
   * What the thread handles, to be gone on with behind something that comes between.
   *
   * @return as of now
   */
  public Handling handling() {
    return new Handling(
        memory.getInt(SUBJECT_OFFSET),
        memory.getLong(ID_OFFSET),
        memory.getInt(SLOT_OFFSET),
        memory.getInt(IMAGE_OFFSET));
  }

  /**
   * The thread goes on with what it handled before.
   *
   * @param before from {@link #handling}
   */
  public void goOn(final Handling before) {
    memory.putLong(ID_OFFSET, before.id());
    memory.putInt(SLOT_OFFSET, before.slot());
    memory.putInt(IMAGE_OFFSET, before.image());
    memory.putInt(SUBJECT_OFFSET, before.subject());
  }

  /**
   * The thread has come to what concerns this image.
   *
   * @param id of the image
   */
  public void image(final int id) {
    memory.putInt(IMAGE_OFFSET, id);
  }

  /** The thread handles nothing that can be left out. */
  public void end() {
    memory.putInt(SUBJECT_OFFSET, Subject.NONE.ordinal());
  }

  /**
   * Something was handled that an I/O process may have failed at: that no longer counts.
   *
   * @param subject what kind of thing
   * @param id tells it from others of its kind
   */
  public void passed(final Subject subject, final long id) {
    if (all.hasSuspects()) {
      all.clear(role, subject, id);
    }
  }

  /**
   * Which thread the lane belongs to.
   *
   * @return the role of its thread
   */
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
