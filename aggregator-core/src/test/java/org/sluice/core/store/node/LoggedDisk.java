package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.IoVector;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.node.DiskChange.Mode;
import org.sluice.core.store.node.DiskChange.Names;
import org.sluice.core.store.node.DiskChange.Node;
import org.sluice.core.store.node.DiskChange.Resize;
import org.sluice.core.store.node.DiskChange.Sync;
import org.sluice.core.store.node.DiskChange.Write;

/**
 * Makes every change below a directory, and logs it, so that {@link PowerCut} can tell what might
 * be left of it. What others write to a file is logged when that is synchronised. It can stop
 * before any change, as a killed process would. Thread-safe.
 */
public final class LoggedDisk extends Disk {
  /** The process is killed. */
  public static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static final int SECTOR = 512;
  private static final int LOG_LENGTH = 6 * 4096;

  private final Path root;
  private final Map<Path, Node> nodes = new HashMap<>();
  private final DiskLog log = new DiskLog();
  private final Map<Path, Set<String>> lastStep = new HashMap<>();
  private BiPredicate<Path, Set<String>> leftOut = (path, lastStep) -> false;
  private int stop = Integer.MAX_VALUE;
  private String lastLoss = "";
  private final Deque<FaultPoint> failing = new ArrayDeque<>();
  private boolean links = true;
  private final List<LoggedFile> open = new ArrayList<>();

  /** Of files opened elsewhere, by device, inode and birth. */
  private final Map<List<Long>, Node> others = new HashMap<>();

  /** What is there already is durable. */
  public LoggedDisk(final Path root) throws IOException {
    this.root = root;
    nodes.put(root, new Node(0, true));
    try (Stream<Path> tree = Files.walk(root)) {
      for (final Path path : tree.sorted().skip(1).toList()) {
        enter(path);
        if (Files.isRegularFile(path)) {
          log.add(new Write(nodes.get(path), 0, Files.readAllBytes(path)));
        }
      }
    }
    Set.copyOf(nodes.values()).forEach(node -> log.add(new Sync(node)));
  }

  /**
   * Does not synchronise some files or directories.
   *
   * @param which takes a path, and the names that the last change of that directory was about
   */
  LoggedDisk leaveOut(final BiPredicate<Path, Set<String>> which) {
    leftOut = which;
    return this;
  }

  /** Lets every change from a position on fail, until {@link #endProcess}. */
  public synchronized void stopAt(final int position) {
    stop = position;
  }

  /** Lets every change fail that follows the loss of a name. */
  synchronized void stopAfterLossOf(final String name) {
    lastLoss = name;
  }

  /**
   * Lets the next sync of a directory, or of the commit log, at each of some points fail in turn.
   */
  public synchronized void failOnce(final FaultPoint... points) {
    failing.clear();
    failing.addAll(List.of(points));
  }

  /** What follows one of the nodes does that share the disk. */
  synchronized void actAs(final int node) {
    log.maker(node);
  }

  /** Closes what the killed process had open, and with it gives up its locks. */
  public synchronized void endProcess() throws IOException {
    for (final LoggedFile file : List.copyOf(open)) {
      file.close();
    }
    stop = Integer.MAX_VALUE;
    lastLoss = "";
    failing.clear();
  }

  /** Whether files can have a name here besides the one they were opened by. */
  public synchronized void linkFiles(final boolean can) {
    links = can;
  }

  /** How many changes there were. */
  public synchronized int position() {
    return log.size();
  }

  public DiskLog log() {
    return log;
  }

  /** What a change of names is about, unless they go, or one of permissions. */
  List<Path> names(final DiskChange change) {
    if (change instanceof final Mode mode) {
      return nodes.keySet().stream().filter(path -> nodes.get(path) == mode.node()).toList();
    }
    return change instanceof final Names step
        ? nodes.entrySet().stream()
            .filter(entry -> entry.getValue() == step.node())
            .flatMap(
                entry ->
                    step.entries().keySet().stream()
                        .filter(name -> step.entries().get(name) != null)
                        .map(entry.getKey()::resolve))
            .toList()
        : List.of();
  }

  /** Opens the one store on it for writing. */
  public PosixStore createStore() throws IOException {
    return PosixStore.create(root.resolve("store"), this, false);
  }

  Path directory() {
    return root;
  }

  Node root() {
    return nodes.get(root);
  }

  /** A few commits fill it. */
  @Override
  public int logLength() {
    return LOG_LENGTH;
  }

  @Override
  public synchronized NativeFile open(final Path path, final NativeFile.Flag... flags)
      throws IOException {
    final boolean created = !nodes.containsKey(path);
    proceed();
    final LoggedFile file = new LoggedFile(path, flags);
    if (created) {
      enter(path);
    } else if (Arrays.asList(flags).contains(NativeFile.Flag.TRUNCATE)) {
      log.add(new Resize(nodes.get(path), 0));
    }
    file.node = nodes.get(path);
    return file;
  }

  @Override
  public synchronized void createDirectory(final Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      proceed();
      super.createDirectory(path);
      enter(path);
    }
  }

  @Override
  public synchronized void rename(final Path from, final Path to, final FaultPoint point)
      throws IOException {
    proceed();
    super.rename(from, to, point);
    final Map<String, Node> entries = new HashMap<>();
    entries.put(from.getFileName().toString(), null);
    entries.put(to.getFileName().toString(), nodes.get(from));
    nodes.put(to, nodes.remove(from));
    change(to.getParent(), entries);
    stopIfLost(from);
  }

  @Override
  public synchronized void delete(final Path path, final FaultPoint point) throws IOException {
    if (Files.exists(path)) {
      proceed();
      super.delete(path, point);
      nodes.remove(path);
      final Map<String, Node> entries = new HashMap<>();
      entries.put(path.getFileName().toString(), null);
      change(path.getParent(), entries);
      stopIfLost(path);
    }
  }

  private void stopIfLost(final Path path) {
    stop = path.endsWith(lastLoss) ? position() : stop;
  }

  @Override
  public synchronized void syncDirectory(final Path directory, final FaultPoint point)
      throws PosixException {
    if (point != null && failing.peek() == point) {
      failing.remove();
      throw new PosixException("sync " + directory, Errno.EIO);
    }
    synchronise(directory, nodes.get(directory));
  }

  @Override
  public synchronized void syncFileSystem(final Path directory) {
    Map.copyOf(nodes).forEach(this::synchronise);
  }

  private void synchronise(final Path path, final Node node) {
    proceed();
    if (!leftOut.test(path, lastStep.getOrDefault(path, Set.of()))) {
      log.add(new Sync(node));
    }
  }

  private void enter(final Path path) {
    final Node node =
        nodes.computeIfAbsent(path, any -> new Node(log.size() + 1, Files.isDirectory(path)));
    change(path.getParent(), Map.of(path.getFileName().toString(), node));
  }

  private void change(final Path directory, final Map<String, Node> entries) {
    log.add(new Names(nodes.get(directory), entries));
    lastStep.put(directory, entries.keySet());
  }

  private void proceed() {
    if (log.size() >= stop) {
      throw new Stopped();
    }
  }

  @Override
  public synchronized void link(final NativeFile file, final Path name) throws PosixException {
    proceed();
    if (!links) {
      throw new PosixException("link " + name, Errno.EPERM);
    }
    super.link(file, name);
    nodes.put(name, nodeOf(file));
    enter(name);
  }

  @Override
  public synchronized void chmod(final NativeFile file, final int mode) throws PosixException {
    proceed();
    super.chmod(file, mode);
    log.add(new Mode(nodes.get(Path.of(file.opened())), mode));
  }

  @Override
  public synchronized void sync(final NativeFile file) throws PosixException {
    proceed();
    logOthers(file);
    synchronise(Path.of(file.opened()), nodeOf(file));
  }

  @Override
  public void sync(final List<NativeFile> files) throws PosixException {
    for (final NativeFile file : files) {
      sync(file);
    }
  }

  /** A file that was not opened here, such as a captured one, has no name on this disk yet. */
  private Node nodeOf(final NativeFile file) {
    return file instanceof final LoggedFile own
        ? own.node
        : others.computeIfAbsent(
            List.of(file.device(), file.inode(), file.born()),
            any -> new Node(log.size() + 1, false));
  }

  /** What other processes have written directly; any of it may be on the disk already. */
  private void logOthers(final NativeFile file) throws PosixException {
    final Node node = nodeOf(file);
    final byte[] present = read(file, 0, (int) file.size());
    final byte[] known = log.content(node);
    if (present.length != known.length) {
      log.add(new Resize(node, present.length));
    }
    final byte[] before = Arrays.copyOf(known, present.length);
    for (int from = 0; from < present.length; from += SECTOR) {
      final int to = Math.min(present.length, from + SECTOR);
      if (!Arrays.equals(before, from, to, present, from, to)) {
        log.add(new Write(node, from, Arrays.copyOfRange(present, from, to)));
      }
    }
  }

  private static byte[] read(final NativeFile file, final long offset, final int length)
      throws PosixException {
    final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(length));
    file.pread(buffer.addressOffset(), length, offset);
    final byte[] bytes = new byte[length];
    buffer.getBytes(0, bytes);
    return bytes;
  }

  /** Need not really be synchronised: the power fails in the log only. */
  private final class LoggedFile extends NativeFile {
    private Node node;
    private boolean lost;

    LoggedFile(final Path path, final Flag... flags) throws PosixException {
      super(path.toString(), flags);
      open.add(this);
    }

    @Override
    public void close() throws PosixException {
      synchronized (LoggedDisk.this) {
        if (open.remove(this)) {
          super.close();
        }
      }
    }

    /** Another file may have its number. */
    @Override
    public int links() throws PosixException {
      synchronized (LoggedDisk.this) {
        if (!open.contains(this)) {
          throw new PosixException("look at " + opened(), Errno.EBADF);
        }
        return super.links();
      }
    }

    @Override
    public void pwrite(final long address, final long length, final long offset)
        throws PosixException {
      synchronized (LoggedDisk.this) {
        proceed();
        super.pwrite(address, length, offset);
        final byte[] bytes = new byte[(int) length];
        new UnsafeBuffer(address, (int) length).getBytes(0, bytes);
        log.add(new Write(node, offset, bytes));
      }
    }

    @Override
    public void pwrite(final IoVector pieces, final long offset) throws PosixException {
      synchronized (LoggedDisk.this) {
        proceed();
        final int length = (int) pieces.length();
        super.pwrite(pieces, offset);
        try (NativeFile written = NativeFile.open(opened())) { // the page cache takes any length
          log.add(new Write(node, offset, read(written, offset, length)));
        }
      }
    }

    @Override
    public void pwritePast(final IoVector pieces, final long offset) throws PosixException {
      pwrite(pieces, offset);
    }

    @Override
    public void truncate(final long size) throws PosixException {
      synchronized (LoggedDisk.this) {
        proceed();
        super.truncate(size);
        log.add(new Resize(node, size));
      }
    }

    @Override
    public void sync() throws PosixException {
      synchronized (LoggedDisk.this) {
        if (failing.peek() == FaultPoint.LOG_FSYNC
            && Path.of(opened()).getParent().endsWith("log")) {
          failing.remove();
          lost = true;
        }
        if (lost) {
          throw new PosixException("sync " + opened(), Errno.EIO);
        }
        synchronise(Path.of(opened()), node);
      }
    }

    @Override
    public void syncAll() throws PosixException {
      sync();
    }
  }
}
