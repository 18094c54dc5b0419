package org.sluice.core.store.format;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.Encoder;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Holder;
import org.sluice.core.store.model.ImageAttributes;
import org.sluice.core.store.model.Pieces;
import org.sluice.core.store.model.RangeSet;
import org.sluice.core.store.model.Sharing;

/**
 * The codec of a checkpoint's index, which has the places of its images' bytes. A header names
 * format, version and commit, a footer ends it with the crc of everything before. So a foreign, an
 * old, a new, a truncated and a damaged file are told apart. The footer is the same in every
 * version.
 */
public final class IndexCodec {
  /** {@code SLUICIDX} read as a little-endian 64-bit integer. */
  public static final long MAGIC = 0x5844_4943_4955_4C53L;

  /** The version of an index without files that nodes share, which every version can read. */
  static final int FIRST_VERSION = 1;

  /** The version of an index all of whose images hold their bytes themselves. */
  private static final int WHOLE_VERSION = 2;

  /**
   * The version of an index all of whose files the store has, except for those that nodes share.
   */
  private static final int STORED_VERSION = 3;

  public static final int VERSION = 4;
  public static final int FOOTER_LENGTH = Long.BYTES + Integer.BYTES;

  private static final int HEADER_LENGTH = Long.BYTES + Integer.BYTES + Long.BYTES;
  private static final int CHUNK_LENGTH = 2 * Long.BYTES + 2 * Integer.BYTES;
  private static final int MIN_IMAGE_LENGTH = 7 * Integer.BYTES + Long.BYTES + 1;
  private static final int BLOCK_LENGTH = Long.BYTES + 2 * Integer.BYTES;
  private static final int HOLDER_LENGTH = 4 * Integer.BYTES;
  private static final int PIECE_LENGTH = 2 * Long.BYTES;
  private static final int NOT_SHARED = 0;
  private static final int PRIVATE = 1;
  private static final int DIRECT = 2;
  private static final int IN_PLACE = 3;
  private static final int MAX_CHUNK_LENGTH = (1 << 30) + 4096;

  /** The bytes of heap that entries become, roughly. */
  private static final int CHUNK_COST = 48;

  private static final int IMAGE_COST = 256;
  private static final int ORDINAL_COST = 6;
  private static final int BLOCK_COST = 32;

  /** A budget of half of the heap: entries that would take more end in an error that has a name. */
  private static final class Budget {
    private long left = Runtime.getRuntime().maxMemory() / 2;

    private static final class Exceeded extends RuntimeException {
      private static final long serialVersionUID = 1L;
    }

    void take(final long bytes) {
      left -= bytes;
      if (left < 0) {
        throw new Exceeded();
      }
    }
  }

  private IndexCodec() {}

  public static List<CommittedImage> read(final Path path, final long commitId) throws IOException {
    try (NativeFile file = StoredFile.open(path);
        Arena arena = Arena.ofConfined()) {
      StoredFile.checkSize(file, Math.min(Runtime.getRuntime().maxMemory(), Integer.MAX_VALUE));
      final MemorySegment memory = arena.allocate(Math.max(1, file.size()));
      final long length = StoredFile.read(file, memory.address(), memory.byteSize(), 0);
      return decode(path.toString(), commitId, memory.asSlice(0, length).asByteBuffer());
    }
  }

  /**
   * @param images images in the order they are to be read in
   */
  public static byte[] encode(final long commitId, final List<CommittedImage> images) {
    try (Encoder out = new Encoder()) {
      encode(out, commitId, images);
      return out.toByteArray();
    }
  }

  private static void encode(
      final Encoder out, final long commitId, final List<CommittedImage> images) {
    final int version = versionOf(images);
    out.writeLong(MAGIC).writeInt(version).writeLong(commitId);
    final Map<ChunkLocation, Integer> ordinals = new LinkedHashMap<>();
    for (final CommittedImage image : images) {
      allChunks(image).forEach(chunk -> ordinals.putIfAbsent(chunk, ordinals.size()));
    }
    out.writeInt(ordinals.size());
    ordinals.keySet().forEach(chunk -> writeChunk(out, chunk));
    out.writeInt(images.size());
    for (final CommittedImage image : images) {
      writeImage(out, image, ordinals);
      if (version >= WHOLE_VERSION) {
        writeSharing(out, image.sharing());
      }
      if (version >= STORED_VERSION) {
        writeHolders(out, image.holders(), ordinals);
      }
    }
    out.writeLong(~MAGIC);
    out.writeInt(out.crc(0));
  }

  /**
   * Returns the oldest version that can express all images, so that older readers understand the
   * index.
   */
  private static int versionOf(final List<CommittedImage> images) {
    if (images.stream().anyMatch(CommittedImage::isInPlace)) {
      return VERSION;
    }
    if (images.stream().anyMatch(image -> !image.holders().isEmpty())) {
      return STORED_VERSION;
    }
    return images.stream().anyMatch(image -> image.sharing() != null)
        ? WHOLE_VERSION
        : FIRST_VERSION;
  }

  /** Returns the chunks of an image, and of images that hold bytes of it. */
  public static Stream<ChunkLocation> allChunks(final CommittedImage image) {
    return Stream.concat(
        image.chunks().stream(),
        image.holders().stream().flatMap(holder -> holder.chunks().stream()));
  }

  /** Reads an index, all of whose bytes may be wrong. */
  public static List<CommittedImage> decode(
      final String file, final long commitId, final ByteBuffer index)
      throws DamagedException, FormatVersionException {
    final ByteBuffer in = index.order(ByteOrder.LITTLE_ENDIAN);
    checkFrame(file, commitId, in);
    final int version = in.getInt(Long.BYTES);
    in.position(HEADER_LENGTH).limit(in.limit() - FOOTER_LENGTH);
    final Budget budget = new Budget();
    try {
      final List<ChunkLocation> chunks = new ArrayList<>();
      for (int count = readCount(in, CHUNK_LENGTH), i = 0; i < count; i++) {
        budget.take(CHUNK_COST);
        chunks.add(readChunk(in));
      }
      final List<CommittedImage> images = new ArrayList<>();
      long bytes = 0;
      for (int count = readCount(in, MIN_IMAGE_LENGTH), i = 0; i < count; i++) {
        budget.take(IMAGE_COST);
        images.add(readImage(in, i, chunks, budget, version));
        bytes = Math.addExact(bytes, images.getLast().size());
      }
      check(in.remaining() == 0);
      return images;
    } catch (final Budget.Exceeded e) {
      throw new DamagedException(
          file, in.position(), "it has more entries than there is memory for");
    } catch (final BufferUnderflowException
        | IndexOutOfBoundsException
        | ArithmeticException
        | IllegalArgumentException e) {
      throw new DamagedException(file, in.position(), "an entry is impossible");
    }
  }

  private static void checkFrame(final String file, final long commitId, final ByteBuffer in)
      throws DamagedException, FormatVersionException {
    final int length = in.limit();
    if (length < HEADER_LENGTH + FOOTER_LENGTH || in.getLong(0) != MAGIC) {
      throw new DamagedException(file, 0, "it is no index");
    }
    final int footer = length - FOOTER_LENGTH;
    if (in.getLong(footer) != ~MAGIC) {
      throw new DamagedException(file, footer, "it is truncated: the footer is missing");
    }
    final int crcPosition = length - Integer.BYTES;
    if (in.getInt(crcPosition) != Crc32c.of(in.slice(0, crcPosition))) {
      throw new DamagedException(file, crcPosition, "the crc does not match");
    }
    final int version = in.getInt(Long.BYTES);
    if (version < FIRST_VERSION || version > VERSION) {
      throw FormatVersionException.of(file, version, VERSION);
    }
    if (in.getLong(Long.BYTES + Integer.BYTES) != commitId) {
      throw new DamagedException(
          file, Long.BYTES + Integer.BYTES, "the index of another commit stands here");
    }
  }

  private static void writeChunk(final Encoder out, final ChunkLocation chunk) {
    out.writeLong(chunk.container()).writeLong(chunk.position());
    out.writeInt(chunk.used()).writeInt(chunk.crc());
  }

  private static ChunkLocation readChunk(final ByteBuffer in) {
    final ChunkLocation chunk =
        new ChunkLocation(in.getLong(), in.getLong(), in.getInt(), in.getInt());
    check(chunk.position() >= ContainerDescriptor.BLOCK_LENGTH);
    check(chunk.position() % ContainerDescriptor.BLOCK_LENGTH == 0);
    check(chunk.used() >= ChunkDescriptor.HEADER_LENGTH && chunk.used() <= MAX_CHUNK_LENGTH);
    return chunk;
  }

  private static void writeImage(
      final Encoder out, final CommittedImage image, final Map<ChunkLocation, Integer> ordinals) {
    final byte[] path = FileName.encode(image.path());
    out.writeInt(path.length).write(path);
    out.writeInt(image.rank()).writeInt(image.attributes().ranks());
    out.writeInt(image.attributes().mode()).writeInt(image.imageId()).writeLong(image.size());
    out.writeInt(image.chunks().size());
    image.chunks().forEach(chunk -> out.writeInt(ordinals.get(chunk)));
    writeBlocks(out, image.blocks());
  }

  private static void writeBlocks(final Encoder out, final List<Block> blocks) {
    out.writeInt(blocks.size());
    for (final Block block : blocks) {
      out.writeLong(block.offset()).writeInt(block.length()).writeInt(block.crc());
    }
  }

  private static void writeHolders(
      final Encoder out, final List<Holder> holders, final Map<ChunkLocation, Integer> ordinals) {
    out.writeInt(holders.size());
    for (final Holder holder : holders) {
      out.writeInt(holder.imageId()).writeInt(holder.chunks().size());
      holder.chunks().forEach(chunk -> out.writeInt(ordinals.get(chunk)));
      writeBlocks(out, holder.blocks());
      final List<Extent> pieces = holder.pieces().extents();
      out.writeInt(pieces.size());
      pieces.forEach(piece -> out.writeLong(piece.offset()).writeLong(piece.length()));
    }
  }

  private static CommittedImage readImage(
      final ByteBuffer in,
      final int ordinal,
      final List<ChunkLocation> chunkTable,
      final Budget budget,
      final int version) {
    final String path = readName(in);
    check(ImagePath.isValid(path));
    final int rank = in.getInt();
    final int ranks = in.getInt();
    final int mode = in.getInt();
    final int imageId = in.getInt();
    final long size = in.getLong();
    check(size >= 0);
    final List<ChunkLocation> chunks = readChunks(in, chunkTable, budget);
    final List<Block> blocks = readBlocks(in, size, budget);
    final Sharing sharing = version >= WHOLE_VERSION ? readSharing(in) : null;
    final List<Holder> holders =
        version >= STORED_VERSION ? readHolders(in, size, chunkTable, budget) : List.of();
    final CommittedImage image =
        new CommittedImage(
            ordinal,
            new ImageAttributes(path, rank, ranks, mode, size, imageId),
            chunks,
            blocks,
            sharing,
            holders);
    check(!image.isInPlace() || version >= VERSION && chunks.isEmpty() && holders.isEmpty());
    check(!image.isDirect() || chunks.isEmpty() && blocks.isEmpty() && holders.isEmpty());
    return image;
  }

  private static List<ChunkLocation> readChunks(
      final ByteBuffer in, final List<ChunkLocation> chunkTable, final Budget budget) {
    final List<ChunkLocation> chunks = new ArrayList<>();
    for (int count = readCount(in, Integer.BYTES), i = 0; i < count; i++) {
      budget.take(ORDINAL_COST);
      chunks.add(chunkTable.get(in.getInt()));
    }
    return chunks;
  }

  private static List<Block> readBlocks(final ByteBuffer in, final long size, final Budget budget) {
    final List<Block> blocks = new ArrayList<>();
    for (int count = readCount(in, BLOCK_LENGTH), i = 0; i < count; i++) {
      budget.take(BLOCK_COST);
      blocks.add(readBlock(in, size));
    }
    return blocks;
  }

  private static List<Holder> readHolders(
      final ByteBuffer in,
      final long size,
      final List<ChunkLocation> chunkTable,
      final Budget budget) {
    final List<Holder> holders = new ArrayList<>();
    final RangeSet held = new RangeSet();
    for (int count = readCount(in, HOLDER_LENGTH), i = 0; i < count; i++) {
      budget.take(IMAGE_COST);
      final int imageId = in.getInt();
      final List<ChunkLocation> chunks = readChunks(in, chunkTable, budget);
      final List<Block> blocks = readBlocks(in, Long.MAX_VALUE, budget);
      final Pieces pieces = readPieces(in, budget);
      check(pieces.end() <= size);
      pieces
          .extents()
          .forEach(one -> check(held.add(one.offset(), one.end()).equals(List.of(one))));
      holders.add(new Holder(imageId, chunks, blocks, pieces));
    }
    return holders;
  }

  private static Pieces readPieces(final ByteBuffer in, final Budget budget) {
    final List<Extent> pieces = new ArrayList<>();
    for (int count = readCount(in, PIECE_LENGTH), i = 0; i < count; i++) {
      budget.take(BLOCK_COST);
      pieces.add(new Extent(in.getLong(), in.getLong()));
    }
    return new Pieces(pieces);
  }

  private static String readName(final ByteBuffer in) {
    final int length = readCount(in, 1);
    check(length <= ImagePath.MAX_LENGTH);
    final byte[] name = new byte[length];
    in.get(name);
    return FileName.decode(name);
  }

  private static void writeSharing(final Encoder out, final Sharing sharing) {
    if (sharing == null || sharing.kind() == Sharing.Kind.PRIVATE) {
      out.writeInt(sharing == null ? NOT_SHARED : PRIVATE);
      return;
    }
    final byte[] file = FileName.encode(sharing.file());
    out.writeInt(sharing.kind() == Sharing.Kind.DIRECT ? DIRECT : IN_PLACE);
    out.writeInt(file.length).write(file).writeLong(sharing.modified());
  }

  /** Returns the sharing of a file; null for a file that nodes do not share. */
  private static Sharing readSharing(final ByteBuffer in) {
    return switch (in.getInt()) {
      case NOT_SHARED -> null;
      case PRIVATE -> Sharing.PRIVATE;
      case DIRECT -> readFile(Sharing.Kind.DIRECT, in);
      case IN_PLACE -> readFile(Sharing.Kind.IN_PLACE, in);
      default -> throw new IndexOutOfBoundsException();
    };
  }

  private static Sharing readFile(final Sharing.Kind kind, final ByteBuffer in) {
    final String file = readName(in);
    check(file.startsWith("/"));
    return new Sharing(kind, file, in.getLong());
  }

  private static Block readBlock(final ByteBuffer in, final long size) {
    final Block block = new Block(in.getLong(), in.getInt(), in.getInt());
    check(block.length() >= 1 && block.length() <= Block.MAX_LENGTH);
    check(block.offset() >= 0 && block.offset() <= size - block.length());
    return block;
  }

  /** Reads a count of entries of a least length, which must fit into the remaining bytes. */
  private static int readCount(final ByteBuffer in, final int entryLength) {
    final int count = in.getInt();
    check(count >= 0 && (long) count * entryLength <= in.remaining());
    return count;
  }

  private static void check(final boolean possible) {
    if (!possible) {
      throw new IndexOutOfBoundsException();
    }
  }
}
