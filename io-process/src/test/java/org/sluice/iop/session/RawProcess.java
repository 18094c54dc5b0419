package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.request.Frames;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.Claims;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.TestSegments;

/**
 * An application process byte by byte, so that it can be frozen, killed or mad at any point. It
 * attaches in the name of another process if it is to die.
 */
final class RawProcess implements AutoCloseable {
  private static final AtomicLong TOKENS = new AtomicLong();

  private final SocketChannel channel;
  private final Segment segment;
  private final int slot;
  private final OneToOneRingBuffer ring;
  private int chunk = -1;
  private int used;
  private int last;
  private long sequence;
  private final Map<Integer, Long> opened = new HashMap<>();

  private RawProcess(final SocketChannel channel, final Segment segment, final int slot) {
    this.channel = channel;
    this.segment = segment;
    this.slot = slot;
    this.ring = slot < 0 ? null : TestSegments.ring(segment, slot);
  }

  /** Connects without attaching. */
  static RawProcess connect(final Path directory) throws IOException {
    return new RawProcess(socket(directory), null, -1);
  }

  static RawProcess attach(final Path directory) throws IOException {
    return attach(directory, ProcessIdentity.current(), -1, 0);
  }

  static RawProcess attach(
      final Path directory, final ProcessIdentity process, final int rank, final int ranks)
      throws IOException {
    return attach(directory, process, rank, ranks, 0);
  }

  /**
   * The same.
   *
   * @param localRanks ranks of the job on this node, 0 all, -1 unknown
   */
  static RawProcess attach(
      final Path directory,
      final ProcessIdentity process,
      final int rank,
      final int ranks,
      final int localRanks)
      throws IOException {
    final SocketChannel channel = socket(directory);
    final RawProcess unattached = new RawProcess(channel, null, -1);
    final Reply reply =
        unattached.call(
            new Request.Attach(
                HeaderDescriptor.VERSION,
                process.pid(),
                rank,
                ranks,
                process.startTime(),
                TOKENS.incrementAndGet(),
                localRanks,
                0));
    assertThat(reply).isInstanceOf(Reply.Attached.class);
    final Segment segment = Segment.map(directory.resolve("segment"));
    TestSegments.announceOpenings(segment);
    return new RawProcess(channel, segment, ((Reply.Attached) reply).slot());
  }

  /**
   * Connects anew, with the slot it has, to one that goes on with a session.
   *
   * @param answered how many of its requests it says were answered
   */
  RawProcess resume(final Path directory, final long answered) throws IOException {
    final RawProcess resumed =
        new RawProcess(socket(directory), Segment.map(directory.resolve("segment")), slot);
    final Request request =
        new Request.Resume(
            HeaderDescriptor.VERSION,
            slot,
            segment.header().sessionId(),
            segment.slot(slot).generation(),
            answered);
    assertThat(resumed.call(request)).isEqualTo(new Reply.Done());
    return resumed;
  }

  private static SocketChannel socket(final Path directory) throws IOException {
    final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(directory.resolve("socket")));
    return channel;
  }

  Reply call(final Request request) throws IOException {
    tell(request);
    final ByteBuffer in = ByteBuffer.allocate(RequestDescriptor.MAX_LENGTH);
    final UnsafeBuffer view = new UnsafeBuffer(in);
    while (Frames.length(view, 0, in.position()) == 0) {
      if (channel.read(in) < 0) {
        throw new EOFException();
      }
    }
    return Reply.decode(request, view, 0, in.position());
  }

  void tell(final Request request) throws IOException {
    final ByteBuffer out = ByteBuffer.allocate(RequestDescriptor.MAX_LENGTH);
    out.limit(request.encode(new UnsafeBuffer(out), 0));
    send(out);
  }

  void send(final ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Says that it ends well. */
  void leave() {
    TestSegments.leave(segment, slot);
  }

  /** Announces a file that this process has opened. */
  Reply.Opened open(final Path path, final int flags) throws IOException {
    final long now = System.nanoTime();
    try (NativeFile file = NativeFile.open(path)) {
      final Reply.Opened reply =
          (Reply.Opened)
              call(new Request.Open(file.device(), file.inode(), flags, path.toString()));
      opened.put(reply.imageId(), now);
      return reply;
    }
  }

  /** Creates a file and announces it. */
  Reply.Opened create(final Path path) throws IOException {
    Files.write(path, new byte[0]);
    return open(path, RequestDescriptor.OPEN_CREATED | RequestDescriptor.OPEN_WRITE);
  }

  void end(final int imageId) throws IOException {
    publish();
    endWithoutReply(imageId);
    // A CLOSE has no reply; once this request has one, other processes find the image closed.
    call(new Request.Stats());
  }

  void endWithoutReply(final int imageId) {
    endWithoutReply(imageId, System.nanoTime());
  }

  /** The same of what was closed at some time, as if its ring were read late. */
  void endWithoutReply(final int imageId, final long closed) {
    final UnsafeBuffer body = new UnsafeBuffer(new byte[RingDescriptor.BODY_LENGTH]);
    body.putInt(RingDescriptor.IMAGE_ID_OFFSET, imageId);
    body.putLong(RingDescriptor.OPENED_OFFSET, opened.getOrDefault(imageId, closed - 1_000_000));
    body.putLong(RingDescriptor.CLOSED_OFFSET, closed);
    ring.write(RingDescriptor.TYPE_CLOSE, body, 0, RingDescriptor.BODY_LENGTH);
  }

  /** Appends a write; extends the record before if it continues it. */
  void write(final int imageId, final long offset, final byte[] bytes) {
    if (last > 0 && continues(imageId, offset)) {
      memory().putBytes(used, bytes);
      final long length = memory().getLong(last + RecordDescriptor.LENGTH_OFFSET);
      memory().putLong(last + RecordDescriptor.LENGTH_OFFSET, length + bytes.length);
      use(used + bytes.length);
    } else {
      final int record = record(RecordDescriptor.TYPE_WRITE, imageId, offset, bytes.length);
      memory().putBytes(record + RecordDescriptor.HEADER_LENGTH, bytes);
      use(record + RecordDescriptor.HEADER_LENGTH + bytes.length);
    }
  }

  /** The same, after publishing a chunk that has no room for it; waits for a free one. */
  void writeInChunks(final int imageId, final long offset, final byte[] bytes) throws IOException {
    final int length = bytes.length + RecordDescriptor.HEADER_LENGTH + RecordDescriptor.ALIGNMENT;
    if (chunk >= 0 && used + length > segment.geometry().chunkLength()) {
      publish();
    }
    write(imageId, offset, bytes);
  }

  private boolean continues(final int imageId, final long offset) {
    final UnsafeBuffer memory = memory();
    return memory.getInt(last + RecordDescriptor.TYPE_OFFSET) == RecordDescriptor.TYPE_WRITE
        && memory.getInt(last + RecordDescriptor.IMAGE_ID_OFFSET) == imageId
        && memory.getLong(last + RecordDescriptor.OFFSET_OFFSET)
                + memory.getLong(last + RecordDescriptor.LENGTH_OFFSET)
            == offset;
  }

  /** Appends a record without payload. */
  void mark(final int type, final int imageId, final long offset, final long length) {
    use(record(type, imageId, offset, length) + RecordDescriptor.HEADER_LENGTH);
  }

  private int record(final int type, final int imageId, final long offset, final long length) {
    openChunk();
    final int record = BitUtil.align(used, RecordDescriptor.ALIGNMENT);
    memory().putInt(record + RecordDescriptor.TYPE_OFFSET, type);
    memory().putInt(record + RecordDescriptor.IMAGE_ID_OFFSET, imageId);
    memory().putLong(record + RecordDescriptor.OFFSET_OFFSET, offset);
    memory().putLong(record + RecordDescriptor.LENGTH_OFFSET, length);
    last = record;
    return record;
  }

  private void openChunk() {
    if (chunk >= 0) {
      return;
    }
    while (chunk < 0) {
      chunk = Claims.claim(segment.chunkPool(), slot, 0);
    }
    last = 0;
    use(ChunkDescriptor.HEADER_LENGTH);
    memory().putLong(ChunkDescriptor.SESSION_ID_OFFSET, segment.header().sessionId());
    memory().putLong(ChunkDescriptor.SEQUENCE_OFFSET, ++sequence);
    memory().putInt(ChunkDescriptor.SLOT_OFFSET, slot);
    memory().putInt(ChunkDescriptor.RANK_OFFSET, -1);
    memory().putInt(ChunkDescriptor.VERSION_OFFSET, ChunkDescriptor.VERSION);
    memory().putInt(ChunkDescriptor.MAGIC_OFFSET, ChunkDescriptor.MAGIC);
  }

  private void use(final int length) {
    used = length;
    memory().putIntRelease(ChunkDescriptor.USED_OFFSET, length);
  }

  /** The memory of the open chunk, to be scribbled over. */
  UnsafeBuffer memory() {
    return segment.chunk(chunk);
  }

  /** Publishes the open chunk, if there is one. */
  void publish() throws IOException {
    if (chunk >= 0) {
      publishWithoutWaking();
      tell(new Request.Wake());
    }
  }

  void publishWithoutWaking() {
    Claims.publish(segment.chunkPool(), chunk);
    putOnRing(chunk, used, generation());
    chunk = -1;
    last = 0;
  }

  /** Publishes the open chunk, and frees it while the drain has it. */
  void publishAndFree() throws IOException {
    final int published = chunk;
    publish();
    final long word = segment.chunkPool().word(published);
    segment.chunkPool().release(published, word);
  }

  /** Publishes the open chunk without a ring record, as if frozen in between. */
  void publishWithoutRecord() {
    Claims.publish(segment.chunkPool(), chunk);
  }

  /**
   * Says on its own ring that the chunk that a process has, in a use later by some, is published.
   */
  void tellRingOfChunkOf(final RawProcess process, final int later) {
    putOnRing(process.chunk, process.used, process.generation() + later);
  }

  private long generation() {
    return Integer.toUnsignedLong(ChunkStateDescriptor.generation(segment.chunkPool().word(chunk)));
  }

  /** Puts a record on the ring, true or not, and rings the bell. */
  void tellRing(final int index, final int length, final long generation) throws IOException {
    putOnRing(index, length, generation);
    tell(new Request.Wake());
  }

  private void putOnRing(final int index, final int length, final long generation) {
    final UnsafeBuffer body = new UnsafeBuffer(new byte[RingDescriptor.BODY_LENGTH]);
    body.putInt(RingDescriptor.CHUNK_OFFSET, index);
    body.putInt(RingDescriptor.USED_OFFSET, length);
    body.putLong(RingDescriptor.SEQUENCE_OFFSET, sequence);
    body.putLong(RingDescriptor.GENERATION_OFFSET, generation);
    ring.write(RingDescriptor.TYPE_CHUNK, body, 0, RingDescriptor.BODY_LENGTH);
  }

  OneToOneRingBuffer ring() {
    return ring;
  }

  Segment segment() {
    return segment;
  }

  int slot() {
    return slot;
  }

  /** As the kernel does for a killed process. */
  void hangUp() throws IOException {
    channel.close();
  }

  /** Closes the socket; everything in the segment stays as it is. */
  @Override
  public void close() throws IOException {
    channel.close();
    if (segment != null) {
      segment.close();
    }
  }
}
