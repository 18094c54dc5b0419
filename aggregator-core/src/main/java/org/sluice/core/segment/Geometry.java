package org.sluice.core.segment;

/**
 * The numbers of a segment's structures, and so their places.
 *
 * @param slots processes that can be attached at once, 1 to {@link #MAX_SLOTS}
 * @param images entries of the image table, a power of two from 16 to {@link #MAX_IMAGES}
 * @param chunkCount number of chunks, 1 to {@link #MAX_CHUNK_COUNT}
 * @param chunkLength bytes of a chunk, a multiple of 4096 from {@link #MIN_CHUNK_LENGTH}; at most
 *     {@link #MAX_CHUNK_LENGTH} and a page
 */
public record Geometry(int slots, int images, int chunkCount, int chunkLength) {
  /** Slots of a segment unless told otherwise. */
  public static final int DEFAULT_SLOTS = 256;

  public static final int MAX_FILES = 10_000_000;

  /** Most slots of a segment: as many as a chunk's state word can name. */
  public static final int MAX_SLOTS = ChunkStateDescriptor.NOBODY;

  public static final int MAX_IMAGES = 1 << 24;

  public static final int MAX_CHUNK_COUNT = 1 << 24;

  /** Shortest chunk, in bytes: the block of a container. */
  public static final int MIN_CHUNK_LENGTH = 4096;

  /** Longest chunk, in bytes, without the page for its headers. */
  public static final int MAX_CHUNK_LENGTH = 1 << 30;

  private static final int PAGE = 4096;
  static final long HUGE_PAGE = 2L << 20;

  public Geometry {
    require(slots >= 1 && slots <= MAX_SLOTS, "slots", slots);
    require(
        images >= ImageDescriptor.BUCKET_LENGTH
            && images <= MAX_IMAGES
            && Integer.bitCount(images) == 1,
        "images",
        images);
    require(chunkCount >= 1 && chunkCount <= MAX_CHUNK_COUNT, "chunkCount", chunkCount);
    require(
        chunkLength >= MIN_CHUNK_LENGTH
            && chunkLength <= MAX_CHUNK_LENGTH + PAGE
            && chunkLength % PAGE == 0,
        "chunkLength",
        chunkLength);
  }

  private static void require(final boolean condition, final String name, final int value) {
    if (!condition) {
      throw new IllegalArgumentException("out of range: " + name + "=" + value);
    }
  }

  /**
   * The default geometry around a buffer. Each chunk has a page more for headers, so that it holds
   * a write of its length.
   *
   * @param files the number of files with entries at a time, 1 to {@link #MAX_FILES}
   * @param buffer bytes that all chunks hold together; rounded down to whole chunks
   * @param payload bytes that a chunk holds, a power of two from {@link #MIN_CHUNK_LENGTH} to
   *     {@link #MAX_CHUNK_LENGTH}
   * @throws IllegalArgumentException when the buffer holds no chunk or too many, or the chunk's
   *     length is out of range
   */
  public static Geometry of(final int files, final long buffer, final int payload) {
    require(payload >= MIN_CHUNK_LENGTH && Integer.bitCount(payload) == 1, "payload", payload);
    final long chunks = Math.min(buffer / payload, Integer.MAX_VALUE);
    return new Geometry(DEFAULT_SLOTS, entries(files), (int) chunks, payload + PAGE);
  }

  /** The number of entries. With two thirds of them in use no bucket is full yet. */
  private static int entries(final int files) {
    final int least = Math.max(ImageDescriptor.BUCKET_LENGTH, files + files / 2);
    return Integer.highestOneBit(least - 1) << 1;
  }

  /** The bytes that a write fills a chunk with: its length without the page for headers, if any. */
  public int payload() {
    final int beyond = chunkLength - PAGE;
    return Integer.bitCount(beyond) == 1 ? beyond : Integer.highestOneBit(chunkLength);
  }

  /** The bytes that all chunks hold together. */
  public long buffer() {
    return (long) chunkCount * payload();
  }

  public long slotsOffset() {
    return HeaderDescriptor.LENGTH;
  }

  public long ringsOffset() {
    return align(slotsOffset() + (long) slots * SlotDescriptor.LENGTH, PAGE);
  }

  public long imagesOffset() {
    return align(ringsOffset() + (long) slots * RingDescriptor.LENGTH, PAGE);
  }

  public long creationsOffset() {
    return align(imagesOffset() + (long) images * ImageDescriptor.LENGTH, PAGE);
  }

  public long chunkStatesOffset() {
    return align(
        creationsOffset() + (long) CreationDescriptor.COUNT * CreationDescriptor.LENGTH, PAGE);
  }

  /** Returns a multiple of 2 MiB. */
  public long chunksOffset() {
    return align(chunkStatesOffset() + (long) chunkCount * ChunkStateDescriptor.LENGTH, HUGE_PAGE);
  }

  public long chunkOffset(final int chunk) {
    return chunksOffset() + (long) chunk * chunkLength;
  }

  /** Returns bytes, a multiple of 4096. */
  public long segmentLength() {
    return chunkOffset(chunkCount);
  }

  private static long align(final long value, final long alignment) {
    return (value + alignment - 1) & -alignment;
  }
}
