package org.sluice.core.request;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentSettings;
import org.sluice.core.segment.TestSegments;
import org.sluice.core.segment.WriteRules;
import org.sluice.core.store.node.ImageOverlay;

/**
 * Just enough of an I/O process for the client's tests: one client in slot 0, drained whenever a
 * request arrives, with every image in a file of its own name. It always says that it sleeps, so
 * every publication rings.
 */
public final class StandInIoProcess implements AutoCloseable {
  public static final long SESSION = 77;
  private static final int DEVICE = 1;

  public final Segment segment;
  public final List<Request> requests = new CopyOnWriteArrayList<>();
  public final List<Close> closes = new CopyOnWriteArrayList<>();
  public volatile Function<Request, Reply> script = request -> null;

  /** The record that ends an opening. */
  public record Close(int imageId, long opened, long closed) {}

  private final Path directory;
  private final boolean container;
  private final ServerSocketChannel server;
  private final Thread thread = new Thread(this::serve, "stand-in I/O process");
  private final Map<Integer, NativeFile> files = new ConcurrentHashMap<>();
  private final Deque<UnsafeBuffer> drained = new ArrayDeque<>();

  public StandInIoProcess(
      final Path directory, final Layout layout, final long threshold, final int chunks)
      throws IOException {
    this(directory, layout, threshold, HeaderDescriptor.WHEN_FULL_WAIT, chunks);
  }

  public StandInIoProcess(
      final Path directory,
      final Layout layout,
      final long threshold,
      final int whenFull,
      final int chunks)
      throws IOException {
    this(directory, layout, threshold, whenFull, chunks, 4096);
  }

  public StandInIoProcess(
      final Path directory,
      final Layout layout,
      final long threshold,
      final int whenFull,
      final int chunks,
      final int chunkLength)
      throws IOException {
    this.directory = directory;
    this.container = layout == Layout.CONTAINER;
    this.segment =
        TestSegments.create(
            directory.resolve("segment"),
            new Geometry(2, 64, chunks, chunkLength),
            new SegmentSettings(
                SESSION,
                layout,
                new WriteRules(threshold, HeaderDescriptor.POLICY_FIXED, whenFull, 0),
                "/store",
                ""));
    segment.header().sleeping(HeaderDescriptor.ASLEEP);
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(directory.resolve("socket")));
    thread.start();
  }

  private void serve() {
    final ByteBuffer bytes = ByteBuffer.allocateDirect(2 * RequestDescriptor.MAX_LENGTH);
    try (SocketChannel client = server.accept()) {
      while (client.read(bytes) >= 0) {
        answerAll(client, bytes);
      }
    } catch (final IOException closed) {
      return;
    }
  }

  private void answerAll(final SocketChannel client, final ByteBuffer bytes) throws IOException {
    final UnsafeBuffer view = new UnsafeBuffer(bytes);
    int length = Frames.length(view, 0, bytes.position());
    while (length > 0) {
      final Request request = Request.decode(view, 0, length);
      requests.add(request);
      drain();
      final Reply scripted = script.apply(request);
      final Reply reply = scripted != null ? scripted : answer(request);
      if (request.hasReply()) {
        final ByteBuffer out = ByteBuffer.allocateDirect(RequestDescriptor.MAX_LENGTH);
        out.limit(reply.encode(new UnsafeBuffer(out), 0));
        client.write(out);
      }
      bytes.flip().position(length);
      bytes.compact();
      length = Frames.length(view, 0, bytes.position());
    }
  }

  private Reply answer(final Request request) throws IOException {
    return switch (request) {
      case Request.Attach r -> {
        segment.slot(0).attach(new ProcessIdentity(r.pid(), r.startTime()), r.rank(), r.ranks(), 1);
        yield new Reply.Attached(0, SESSION);
      }
      case Request.Create r -> create(r.name());
      case Request.Settle r -> settle(r);
      default -> new Reply.Done();
    };
  }

  private Reply create(final String name) throws IOException {
    final Path path = directory.resolve(name);
    final NativeFile file = NativeFile.open(path, NativeFile.Flag.CREATE, NativeFile.Flag.WRITE);
    final int id = files.size() + 1;
    files.put(id, file);
    final int entry =
        segment.imageTable().insert(DEVICE, id, id, ImageDescriptor.STATE_DIVERTED, 0);
    return new Reply.Created(
        new Reply.Opened(RequestDescriptor.DIVERT, entry, id, 0, 0), path.toString());
  }

  private Reply settle(final Request.Settle request) throws IOException {
    if (request.reason() != 0) {
      segment.imageTable().state(entry(request.imageId()), ImageDescriptor.STATE_DIRECT);
    }
    bringIntoFile(request.imageId());
    return new Reply.Settled(files.get(request.imageId()).size());
  }

  public int entry(final int imageId) {
    return TestSegments.find(segment.imageTable(), DEVICE, imageId);
  }

  /** Takes the published chunks: copies of them in the container layout, else into the files. */
  private void drain() {
    TestSegments.ring(segment, 0)
        .read(
            (type, buffer, index, length) -> {
              if (type == RingDescriptor.TYPE_CLOSE) {
                closes.add(
                    new Close(
                        buffer.getInt(index + RingDescriptor.IMAGE_ID_OFFSET),
                        buffer.getLong(index + RingDescriptor.OPENED_OFFSET),
                        buffer.getLong(index + RingDescriptor.CLOSED_OFFSET)));
                return;
              }
              final int chunk = buffer.getInt(index + RingDescriptor.CHUNK_OFFSET);
              take(segment.chunk(chunk), buffer.getInt(index + RingDescriptor.USED_OFFSET));
              segment.chunkPool().release(chunk, segment.chunkPool().word(chunk));
            });
  }

  private void take(final UnsafeBuffer chunk, final int used) {
    try {
      if (container) {
        final UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(chunk.capacity()));
        copy.putBytes(0, chunk, 0, chunk.capacity());
        drained.addFirst(copy);
      } else {
        apply(new ChunkReader().wrap(chunk, used, SESSION));
      }
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void apply(final ChunkReader record) throws IOException {
    while (record.next()) {
      final NativeFile file = files.get(record.imageId());
      if (record.type() == RecordDescriptor.TYPE_TRUNCATE) {
        file.truncate(record.offset());
      } else {
        final long payload = record.chunk().addressOffset() + record.payload();
        file.pwrite(payload, record.length(), record.offset());
      }
    }
  }

  private void bringIntoFile(final int imageId) throws IOException {
    final NativeFile file = files.get(imageId);
    final long size = segment.imageTable().size(entry(imageId));
    final ImageOverlay overlay = new ImageOverlay(imageId, size, file::pwrite);
    for (final UnsafeBuffer chunk : drained) {
      final int used = chunk.getInt(org.sluice.core.chunk.ChunkDescriptor.USED_OFFSET);
      overlay.addOlder(new ChunkReader().wrap(chunk, used, SESSION));
    }
  }

  /** What a restart would give back, once the client closed the image. */
  public byte[] content(final String name, final int imageId) throws IOException {
    if (segment.imageTable().state(entry(imageId)) == ImageDescriptor.STATE_DIVERTED) {
      bringIntoFile(imageId);
    }
    return Files.readAllBytes(directory.resolve(name));
  }

  public <T extends Request> Optional<T> last(final Class<T> type) {
    return requests.stream().filter(type::isInstance).map(type::cast).reduce((a, b) -> b);
  }

  /** Ends as a killed process would: without a word. */
  public void die() throws IOException {
    server.close();
    thread.interrupt();
  }

  /** Waits until the client is gone and everything it sent was handled. */
  public void awaitEnd() throws InterruptedException {
    thread.join();
  }

  @Override
  public void close() throws IOException {
    die();
    try {
      thread.join();
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (final NativeFile file : files.values()) {
      file.close();
    }
    segment.close();
  }
}
