package org.sluice.core.segment;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.I64;
import static org.sluice.core.format.Field.Type.SHARED_I32;
import static org.sluice.core.format.Field.Type.SHARED_I64;
import static org.sluice.core.format.Field.Type.STRING;
import static org.sluice.core.format.Field.Type.U64;
import static org.sluice.core.format.Structure.IOP;

import org.sluice.core.format.Structure;

/**
 * Layout of the segment's header.
 *
 * <p>The version is stored last, with release order. Fields that change while processes are
 * attached have cache lines of their own.
 */
public final class HeaderDescriptor {
  /** {@code SLUICSEG} read as a little-endian 64-bit integer. */
  public static final long MAGIC = 0x4745_5343_4955_4C53L;

  /** Version of the segment and of the requests that go with it. */
  public static final int VERSION = 10;

  public static final int LENGTH = 16384;

  /** The I/O process works. */
  public static final int AWAKE = 0;

  /** The I/O process waits in the kernel. */
  public static final int ASLEEP = 1;

  /** The I/O process waits in the kernel, and looks at the rings within a millisecond. */
  public static final int NAPPING = 2;

  /** Words of the table of small files. */
  public static final int SMALL_FILES = 1024;

  /** Words in which threads say that the shim opens a file for them. */
  public static final int OPENINGS = 512;

  /** Longest directory name the header holds, in bytes. */
  public static final int MAX_PATH_LENGTH = 1020;

  public static final Structure HEADER = new Structure("header", LENGTH).by(IOP);

  public static final int MAGIC_OFFSET = HEADER.field(U64, "magic", "`SLUICSEG`"),
      VERSION_OFFSET = HEADER.field(SHARED_I32, "version", "stored last (release); 0 before"),
      PID_OFFSET = HEADER.field(I32, "pid", "of the I/O process"),
      START_TIME_OFFSET = HEADER.field(I64, "start_time", "its field 22 of `/proc/PID/stat`"),
      SESSION_ID_OFFSET = HEADER.field(SHARED_I64, "session_id", "random"),
      SEGMENT_LENGTH_OFFSET = HEADER.field(I64, "segment_length", "bytes"),
      SLOTS_OFFSET = HEADER.field(I64, "slots", "offset of the slot table"),
      SLOT_COUNT_OFFSET = HEADER.field(I32, "slot_count", ""),
      SLOT_LENGTH_OFFSET = HEADER.field(I32, "slot_length", "bytes"),
      RINGS_OFFSET = HEADER.field(I64, "rings", "offset of the rings"),
      RING_CAPACITY_OFFSET = HEADER.field(I32, "ring_capacity", "bytes of records; a power of two"),
      RING_LENGTH_OFFSET = HEADER.field(I32, "ring_length", "bytes, the trailer's 768 included"),
      IMAGES_OFFSET = HEADER.field(I64, "images", "offset of the image table"),
      IMAGE_COUNT_OFFSET = HEADER.field(I32, "image_count", "a power of two, at least 16"),
      IMAGE_LENGTH_OFFSET = HEADER.field(I32, "image_length", "bytes of an entry"),
      CHUNK_STATES_OFFSET = HEADER.field(I64, "chunk_states", "offset of the chunk states"),
      CHUNK_COUNT_OFFSET = HEADER.field(I32, "chunk_count", ""),
      CHUNK_LENGTH_OFFSET = HEADER.field(I32, "chunk_length", "bytes; a multiple of 4096"),
      CHUNKS_OFFSET = HEADER.field(I64, "chunks", "their offset, a multiple of 2 MiB"),
      CREATIONS_OFFSET = HEADER.field(I64, "creations", "offset of the creation words"),
      CREATION_COUNT_OFFSET = HEADER.field(I32, "creation_count", "a power of two"),
      LAYOUT_OFFSET = HEADER.field(I32, "layout", "1 container, 2 files"),
      BARRIER_OFFSET =
          HEADER.field(I32, "barrier", "0 each process fences, 1 the kernel does; see below"),
      LEASES_OFFSET =
          HEADER.field(SHARED_I32, "leases", "1 while leases hold closed files; see below"),
      GUARDED_OFFSET =
          HEADER.field(SHARED_I32, "guarded", "1 once programs outside wait for files; see below"),
      THRESHOLD_OFFSET =
          HEADER.at(256).field(SHARED_I64, "threshold", "bytes; only of policy fixed"),
      THRESHOLD_POLICY_OFFSET = HEADER.field(SHARED_I32, "threshold_policy", "1 fixed, 2 auto"),
      WHEN_FULL_OFFSET = HEADER.field(I32, "when_full", "1 wait, 2 direct; see below"),
      SMALL_OFFSET =
          HEADER.field(
              SHARED_I64,
              "small",
              "bytes that a small file has at most; 0: none is, below 0: none is yet. Files layout:"
                  + " it is not announced"),
      SLEEPING_OFFSET =
          HEADER
              .at(512)
              .field(
                  SHARED_I32,
                  "sleeping",
                  "1 while it waits in the kernel, 2 for a millisecond at most"),
      HEARTBEAT_OFFSET = HEADER.at(640).field(SHARED_I64, "heartbeat", "ms since the epoch"),
      TURNS_OFFSET =
          HEADER.at(704).field(SHARED_I64, "turns", "one more whenever the service thread gets on"),
      SERVICE_OFFSET = HEADER.field(SHARED_I32, "service", "number of that thread; 0 before"),
      LENGTHS_OFFSET =
          HEADER
              .at(736)
              .field(SHARED_I32, "lengths", "1 while a closed file gets its length; see below"),
      ORDERS_OFFSET =
          HEADER
              .at(768)
              .field(SHARED_I64, "orders", "how many the coordinator of an MPI job has given"),
      FILLED_OFFSET =
          HEADER.field(
              SHARED_I32,
              "filled",
              "1 while a process fills a checkpoint: all files are announced, also small ones"),
      STORE_OFFSET = HEADER.at(1024).fields(STRING, 1024, "store", "directory, at most 1020 bytes"),
      CAPTURE_OFFSET =
          HEADER.fields(STRING, 1024, "capture", "directory, likewise; resolved, may be empty"),
      FREE_CHUNKS_OFFSET =
          HEADER.by("any").at(384).field(SHARED_I64, "free_chunks", "that have memory"),
      ABSENT_CHUNKS_OFFSET = HEADER.field(SHARED_I64, "absent_chunks", "that have none"),
      MEMORY_GRANTS_OFFSET =
          HEADER.field(
              SHARED_I64, "memory_grants", "how many of these processes may make memory for"),
      MEMORY_REFUSED_OFFSET =
          HEADER.field(
              SHARED_I32,
              "memory_refused",
              "1 once a process got none; the I/O process makes it 0"),
      UNATTACHED_FILES_OFFSET =
          HEADER
              .by("any AP, atomic additions")
              .at(648)
              .field(
                  SHARED_I64,
                  "unattached_files",
                  "not captured since their process could not announce them"),
      LAST_IMAGE_OFFSET =
          HEADER
              .by("any, atomic additions")
              .field(SHARED_I32, "last_image", "the highest id that was given to an image"),
      PAST_OFFSET =
          HEADER
              .by("any AP, atomic additions")
              .at(664)
              .field(
                  SHARED_I64,
                  "past",
                  "a bit for each `Reason` why files of a process are direct: by its queues, or its own instructions"),
      PLAIN_BYTES_OFFSET =
          HEADER
              .at(3072)
              .fields(
                  SHARED_I64, Reason.MOST, "plain_bytes", "of files nobody announced, by `Reason`"),
      PLAIN_FILES_OFFSET =
          HEADER.fields(SHARED_I64, Reason.MOST, "plain_files", "their number, by `Reason`"),
      SMALL_FILES_OFFSET =
          HEADER
              .by("any AP, compare-and-set")
              .at(4096)
              .fields(SHARED_I64, SMALL_FILES, "small_files", "by hash of the identity; see below"),
      OPENINGS_OFFSET =
          HEADER
              .by("any AP")
              .fields(
                  SHARED_I64,
                  OPENINGS,
                  "openings",
                  "`pid << 32 \\| tid` while that thread opens a file for the shim; or 0; by hash of"
                      + " the thread");

  /** Every process fences after each append. */
  public static final int BARRIER_EACH = 0;

  /**
   * The I/O process lets the kernel fence the processors of all registered processes ({@code
   * membarrier}), so that those need not after each append.
   */
  public static final int BARRIER_KERNEL = 1;

  /** Layout: chunks go to a container, large writes to the images' own files. */
  public static final int LAYOUT_CONTAINER = 1;

  /** Layout: chunks are written in place into the images' own files. */
  public static final int LAYOUT_FILES = 2;

  /** Policy: the threshold stays as given. */
  public static final int POLICY_FIXED = 1;

  /** Policy: everything is aggregated while half of the chunks are free, less as they fill. */
  public static final int POLICY_AUTO = 2;

  /** When full: a write that finds no chunk waits for the drain. */
  public static final int WHEN_FULL_WAIT = 1;

  /** When full: a write that finds no chunk goes to the image's own file. */
  public static final int WHEN_FULL_DIRECT = 2;

  private HeaderDescriptor() {}
}
