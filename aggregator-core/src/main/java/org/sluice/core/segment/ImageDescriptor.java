package org.sluice.core.segment;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.SHARED_I32;
import static org.sluice.core.format.Field.Type.SHARED_I64;
import static org.sluice.core.format.Structure.IOP;

import org.sluice.core.format.Structure;

/**
 * Layout of an entry of the image table, and the place of an image in it.
 *
 * <p>A process that creates a file takes an entry and fills it, see {@link CreationDescriptor}.
 * Otherwise the process that diverts the image writes the size, or the I/O process when none does.
 * Any process with the image open writes direct bytes and unseen. The I/O process writes everything
 * else. A reader takes the size and then compares state, device and inode once more.
 */
public final class ImageDescriptor {
  public static final int LENGTH = 64;

  /** Entries of a bucket. */
  public static final int BUCKET_LENGTH = 16;

  private static final String OPENERS = "any AP that has it open, atomic ";

  public static final Structure ENTRY = new Structure("image_entry", LENGTH).by(IOP);

  public static final int
      STATE_OFFSET =
          ENTRY.field(
              SHARED_I32, "state", "0 free, 1 diverted, 2 direct, 3 committed; others below"),
      IMAGE_ID_OFFSET = ENTRY.field(I32, "image_id", "unique in the session, from 1"),
      DEVICE_OFFSET = ENTRY.field(SHARED_I64, "device", "as above"),
      INODE_OFFSET = ENTRY.field(SHARED_I64, "inode", ""),
      SIZE_OFFSET =
          ENTRY
              .by("AP that diverts it, else IOP")
              .field(SHARED_I64, "size", "logical, in bytes; valid while diverted or committed"),
      ERROR_OFFSET =
          ENTRY
              .by(IOP)
              .field(SHARED_I32, "error", "errno of the first storage error in the drain; 0 none"),
      REASON_OFFSET =
          ENTRY.field(
              SHARED_I32,
              "reason",
              "why it is direct (`Reason`); 0 while it is not; 256 more while its file may lack what"
                  + " was logged, so that the size still counts"),
      DIRECT_BYTES_OFFSET =
          ENTRY
              .by(OPENERS + "additions")
              .field(SHARED_I64, "direct_bytes", "written to its own file and counted"),
      UNSEEN_OFFSET =
          ENTRY
              .by(OPENERS + "or")
              .field(SHARED_I64, "unseen", "a bit for each reason for which some are not counted"),
      CREATOR_OFFSET =
          ENTRY
              .by("AP that enters it, then one that deletes it, then IOP")
              .field(
                  SHARED_I32,
                  "creator",
                  "1 + slot whose OPEN is not taken yet; or 0; negative: it is direct, and its file was"
                      + " deleted"),
      BORN_OFFSET =
          ENTRY
              .by("AP that enters it")
              .field(
                  SHARED_I32,
                  "born",
                  "when the file was created, the low half of the nanoseconds since 1970; 0 unknown");

  /** Added to a reason while the image's own file may lack what was logged. */
  public static final int REASON_SETTLING = 1 << 8;

  /** State: no image. */
  public static final int STATE_FREE = 0;

  /** State: one process appends the image's writes to the log. */
  public static final int STATE_DIVERTED = 1;

  /** State: the image's own file holds everything. */
  public static final int STATE_DIRECT = 2;

  /** State: the inode belongs to a committed checkpoint. */
  public static final int STATE_COMMITTED = 3;

  /** State, with a slot from bit 8 on: its process is about to enter an image. */
  public static final int STATE_ENTERING = 4;

  /** State, with a slot from bit 8 on: another process has the file open, so it is not entered. */
  public static final int STATE_CONTESTED = 5;

  /** The bits of a state without the slot. */
  public static final int STATE_MASK = 0xFF;

  /** The slot's place in a state. */
  public static final int STATE_SLOT_SHIFT = 8;

  private static final long GOLDEN_RATIO = 0x9E37_79B9_7F4A_7C15L;
  private static final int SECOND_SHIFT = 40;

  private ImageDescriptor() {}

  /**
   * The first entry of the first bucket that an image may stand in.
   *
   * @param device {@code major << 32 | minor}
   * @param count entries of the table, a power of two and a multiple of {@link #BUCKET_LENGTH}
   */
  public static int first(final long device, final long inode, final int count) {
    return bucket(hash(device, inode), count);
  }

  /**
   * The first entry of the other bucket that an image may stand in. With a choice of two, no bucket
   * gets full before nearly all are.
   *
   * @param device {@code major << 32 | minor}
   * @return index of the bucket's first entry; may be that of the first bucket
   */
  public static int second(final long device, final long inode, final int count) {
    return bucket(hash(device, inode) >>> SECOND_SHIFT, count);
  }

  private static int bucket(final long hash, final int count) {
    return (int) (hash & (count / BUCKET_LENGTH - 1)) * BUCKET_LENGTH;
  }

  static long hash(final long device, final long inode) {
    final long product = inode * GOLDEN_RATIO ^ device;
    return product ^ product >>> 32;
  }
}
