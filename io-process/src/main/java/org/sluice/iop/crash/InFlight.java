package org.sluice.iop.crash;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.agrona.collections.IntArrayList;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.segment.InFlightDescriptor;

/**
 * The record of what the threads of an I/O process handle, and of what former I/O processes failed
 * at. The record is a small mapped file beside the journal, which outlives the I/O process. A thing
 * at which two I/O processes in a row fail is <b>poison</b>. From then on such a thing is left out,
 * and fails for those whom it concerns. A kill from outside counts for nothing.
 *
 * <p>Each lane belongs to its thread. The list of suspects changes only when one is passed, under
 * this monitor.
 */
public final class InFlight implements AutoCloseable {
  private static final int LANES_OFFSET = 64;
  private static final int SUSPECTS_OFFSET = 1024;
  private static final int SUSPECT_LENGTH = 32;
  private static final int MOST_SUSPECTS = 64;
  private static final int LENGTH = SUSPECTS_OFFSET + MOST_SUSPECTS * SUSPECT_LENGTH;

  /** The number of failures in a row after which a thing is left out. */
  private static final int MOST_DEATHS = 2;

  /** The number of failures at any requests and chunks of one process after which it is cut off. */
  private static final int MOST_DEATHS_OF_A_PROCESS = 8;

  private static final int ANY_LANE = -1;
  private static final int NOBODY = 0;
  private static final int OF_NO_LANE = -1;

  private final UnsafeBuffer memory;
  private final Arena mapping;
  private final Lane[] lanes = new Lane[Lane.Role.values().length];
  private volatile List<Suspect> suspects;

  private InFlight(final UnsafeBuffer memory, final Arena mapping) {
    this.memory = memory;
    this.mapping = mapping;
    for (final Lane.Role role : Lane.Role.values()) {
      final int offset = LANES_OFFSET + role.ordinal() * Lane.LENGTH;
      lanes[role.ordinal()] = new Lane(this, role, new UnsafeBuffer(memory, offset, Lane.LENGTH));
    }
    suspects = read();
  }

  /**
   * Opens the file, or creates it: a resumed I/O process may find none.
   *
   * @param session the session's id; entries of another session are dropped
   */
  public static InFlight open(final Path path, final long session) throws IOException {
    final ByteBuffer zeros = ByteBuffer.allocate(LENGTH);
    try (FileChannel file =
        FileChannel.open(
            path,
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      if (file.size() != LENGTH) {
        file.write(zeros, 0); // a page that cannot be had is an error here, not a signal later
      }
      final Arena mapping = Arena.ofShared();
      final UnsafeBuffer header =
          new UnsafeBuffer(file.map(MapMode.READ_WRITE, 0, LENGTH, mapping).address(), LENGTH);
      if (header.getLong(InFlightDescriptor.MAGIC_OFFSET) != InFlightDescriptor.MAGIC
          || header.getInt(InFlightDescriptor.VERSION_OFFSET) != InFlightDescriptor.VERSION
          || header.getLong(InFlightDescriptor.SESSION_OFFSET) != session) {
        header.setMemory(0, LENGTH, (byte) 0);
        header.putLong(InFlightDescriptor.MAGIC_OFFSET, InFlightDescriptor.MAGIC);
        header.putInt(InFlightDescriptor.VERSION_OFFSET, InFlightDescriptor.VERSION);
        header.putLong(InFlightDescriptor.SESSION_OFFSET, session);
      }
      final InFlight inFlight = new InFlight(header, mapping);
      inFlight.account();
      return inFlight;
    }
  }

  /** Returns the lane of a thread. */
  public Lane lane(final Lane.Role role) {
    return lanes[role.ordinal()];
  }

  /** Makes a suspect, or poison, of the thing that the former I/O process failed at, if it did. */
  private void account() {
    final int failed = memory.getInt(InFlightDescriptor.FAILED_OFFSET);
    memory.putInt(InFlightDescriptor.FAILED_OFFSET, NOBODY);
    if (failed == NOBODY) {
      progress(); // the former process did not get stuck: it was killed
    }
    if (failed > NOBODY && failed <= lanes.length) {
      final Lane lane = lanes[failed - 1];
      final Suspect last = lane.suspect();
      if (last.subject() != Subject.NONE.ordinal()) {
        add(last);
        if (lane.slot() != Lane.NO_SLOT) {
          add(process(lane.slot()));
        }
      }
    }
    for (final Lane lane : lanes) {
      lane.reset();
    }
  }

  private static Suspect process(final int slot) {
    return new Suspect(ANY_LANE, Subject.NONE.ordinal(), slot, Lane.NO_IMAGE, 1);
  }

  /**
   * Notes that the I/O process ends because of this thread. Called by that thread; allocates
   * nothing.
   *
   * @return lane of the thread; null when it has none
   */
  public Lane failed(final String thread) {
    for (final Lane lane : lanes) {
      if (lane.role().thread().equals(thread)) {
        memory.putInt(InFlightDescriptor.FAILED_OFFSET, lane.role().ordinal() + 1);
        return lane;
      }
    }
    memory.putInt(InFlightDescriptor.FAILED_OFFSET, OF_NO_LANE);
    return null;
  }

  /**
   * Notes that something is done for good, so that no I/O process will have to do it again. Any
   * thread.
   */
  public void progress() {
    memory.getAndAddLong(InFlightDescriptor.PROGRESS_OFFSET, 1);
  }

  /** Returns whether a former I/O process failed at anything that has not been passed since. */
  public boolean hasSuspects() {
    return !suspects.isEmpty();
  }

  /** Returns whether a former I/O process failed at a chunk that has not been passed since. */
  public boolean suspectsChunks() {
    return suspects.stream().anyMatch(one -> one.subject() == Subject.CHUNK.ordinal());
  }

  boolean isPoison(final Lane.Role role, final Subject subject, final long id, final int image) {
    return suspects.stream()
        .anyMatch(
            one ->
                one.is(role.ordinal(), subject.ordinal(), id)
                    && one.image() == image
                    && one.deaths() >= MOST_DEATHS);
  }

  /**
   * Returns the images for whose records a chunk is poison, to any thread.
   *
   * @return ids of images, with {@link Lane#NO_IMAGE} when the whole chunk must be left out
   */
  public IntArrayList poisoned(final long chunk) {
    final IntArrayList images = new IntArrayList();
    for (final Suspect one : suspects) {
      if (one.is(one.lane(), Subject.CHUNK.ordinal(), chunk) && one.deaths() >= MOST_DEATHS) {
        images.addInt(one.image());
      }
    }
    return images;
  }

  /**
   * Returns whether I/O processes have failed again and again at requests or chunks of a slot's
   * process.
   */
  public boolean isCutOff(final int slot) {
    return suspects.stream()
        .anyMatch(
            one ->
                one.is(ANY_LANE, Subject.NONE.ordinal(), slot)
                    && one.deaths() >= MOST_DEATHS_OF_A_PROCESS);
  }

  /** Forgets a slot's failures, since it goes to another process. */
  public void forget(final int slot) {
    if (hasSuspects()) {
      remove(ANY_LANE, Subject.NONE.ordinal(), slot, Integer.MAX_VALUE);
    }
  }

  void clear(final Lane.Role role, final Subject subject, final long id) {
    remove(role.ordinal(), subject.ordinal(), id, MOST_DEATHS);
  }

  static Subject subject(final int ordinal) {
    final Subject[] all = Subject.values();
    return ordinal >= 0 && ordinal < all.length ? all[ordinal] : Subject.NONE;
  }

  private synchronized void add(final Suspect suspect) {
    final List<Suspect> next = new ArrayList<>(suspects);
    final Suspect known = next.stream().filter(suspect::isSame).findFirst().orElse(null);
    next.remove(known);
    next.add(known == null ? suspect : known.again());
    if (next.size() > MOST_SUSPECTS) {
      next.remove(0);
    }
    write(next);
  }

  private synchronized void remove(
      final int lane, final int subject, final long id, final int belowDeaths) {
    final List<Suspect> next = new ArrayList<>(suspects);
    if (next.removeIf(one -> one.is(lane, subject, id) && one.deaths() < belowDeaths)) {
      write(next);
    }
  }

  private List<Suspect> read() {
    final List<Suspect> found = new ArrayList<>();
    for (int i = 0; i < MOST_SUSPECTS; i++) {
      final int at = SUSPECTS_OFFSET + i * SUSPECT_LENGTH;
      if (memory.getInt(at + 20) > 0) {
        found.add(
            new Suspect(
                memory.getInt(at),
                memory.getInt(at + 4),
                memory.getLong(at + 8),
                memory.getInt(at + 16),
                memory.getInt(at + 20)));
      }
    }
    return List.copyOf(found);
  }

  /** A kill half-way forgets some of them. */
  private void write(final List<Suspect> next) {
    memory.setMemory(SUSPECTS_OFFSET, MOST_SUSPECTS * SUSPECT_LENGTH, (byte) 0);
    for (int i = 0; i < next.size(); i++) {
      final Suspect one = next.get(i);
      final int at = SUSPECTS_OFFSET + i * SUSPECT_LENGTH;
      memory.putInt(at, one.lane());
      memory.putInt(at + 4, one.subject());
      memory.putLong(at + 8, one.id());
      memory.putInt(at + 16, one.image());
      memory.putInt(at + 20, one.deaths());
    }
    suspects = List.copyOf(next);
  }

  /** Unmaps the file; no thread may handle anything any more. */
  @Override
  public void close() {
    mapping.close();
  }
}
