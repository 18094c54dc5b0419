package org.sluice.profile.tune;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Plays a pattern through a setting at the costs of a node: writes below the threshold are copied
 * into the buffer, which drains all the while, and wait where it has no room; others go to the
 * file.
 */
final class Model {
  private final List<Pattern.Process> processes;
  private final NodeCosts costs;
  private final double crowding;

  Model(final Pattern pattern, final NodeCosts costs) {
    this.processes = pattern.processes();
    this.costs = costs;
    this.crowding = costs.crowding(processes.size());
  }

  /** Where a process is. */
  private static final class Position {
    private final Pattern.Process process;
    private int next;
    private double time;
    private double paused;

    private Position(final Pattern.Process process) {
      this.process = process;
    }
  }

  /** The buffer: bytes in it at a time, drained at a constant rate. */
  private static final class Buffer {
    private final double capacity;
    private final double drainPerNano;
    private double level;
    private double time;
    private double highest;

    private Buffer(final long capacity, final double drainBytesPerSecond) {
      this.capacity = capacity;
      this.drainPerNano = drainBytesPerSecond / 1e9;
    }

    /**
     * Takes bytes at a time, and tells how long they wait for room: behind those that wait already.
     */
    private double put(final double now, final long size) {
      advance(now);
      final double excess = level + size - capacity;
      double wait = 0;
      if (excess > 0) {
        wait = time + excess / drainPerNano - now;
        advance(now + wait);
      }
      level += size;
      highest = Math.max(highest, level);
      return wait;
    }

    private void advance(final double now) {
      if (now > time) {
        level = Math.max(0, level - (now - time) * drainPerNano);
        time = now;
      }
    }
  }

  Outcome play(final Setting setting) {
    final Buffer buffer = new Buffer(setting.buffer(), costs.drainBytesPerSecond());
    final PriorityQueue<Position> queue =
        new PriorityQueue<>(Comparator.comparingDouble((Position p) -> p.time));
    processes.forEach(process -> queue.add(new Position(process)));
    double waited = 0;
    double longest = 0;
    while (!queue.isEmpty()) {
      final Position position = queue.remove();
      final long size = position.process.size(position.next);
      final long pause = position.process.pause(position.next);
      position.time += pause;
      position.paused += pause;
      if (size < setting.threshold() && size <= setting.buffer()) {
        final double wait = buffer.put(position.time, size);
        waited += wait;
        position.time += wait + costs.copy().nanos(size) * crowding;
      } else {
        position.time += costs.write().nanos(size) * crowding;
      }
      if (++position.next < position.process.count()) {
        queue.add(position);
      }
      longest = Math.max(longest, position.time - position.paused);
    }
    return new Outcome(setting, longest, Math.round(buffer.highest), waited);
  }
}
