package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A wave of Pcl, in which all ranks stop:
 *
 * <ol>
 *   <li>Each rank says how many spots it has passed. The coordinator names a later one.
 *   <li>Each rank stops at that spot and says what it has sent and received. While it waits, it
 *       receives what comes: another rank may not get to its spot before.
 *   <li>When all have stopped, each rank learns how much was sent to it, and says when all of that
 *       is there.
 *   <li>When all have said so, nothing is under way. Each takes its image and goes on. An earlier
 *       one could send a message into an open receive of a rank that has not its image yet.
 * </ol>
 */
public final class PclWave extends Wave {
  private final Phase counted = phase();
  private final Phase stopped = phase();
  private final Phase drained = phase();
  private final Phase taken = phase();
  private final List<Marker> markers = new ArrayList<>();
  private final long margin;
  private long most;

  /**
   * Asks all ranks.
   *
   * @param ranks how many there are
   * @param margin how many spots beyond the farthest rank they are to stop
   * @param end the time at which the wave is given up
   */
  public PclWave(final int ranks, final long margin, final long end) {
    super(ranks, end);
    this.margin = margin;
  }

  /**
   * A rank says where it is.
   *
   * @param rank the rank
   * @param spots how many spots it has passed
   * @return with the last answer, the spot at which all are to stop, or 0
   */
  public long counted(final int rank, final long spots) {
    most = Math.max(most, spots);
    return counted.arrive(rank) && !hasEnded() ? most + margin : 0;
  }

  /**
   * A rank was already beyond the spot when it learned of it. All go on, and the next wave has a
   * greater margin.
   *
   * @param rank the rank
   */
  public void passed(final int rank) {
    giveUp("rank " + rank + " had passed the place where all were to stop");
  }

  /**
   * A rank stopped at the spot.
   *
   * @param marker its counts
   * @return with the last one, the line: each rank is to be told what to expect
   */
  public Optional<Line> stopped(final Marker marker) {
    markers.add(marker);
    if (!stopped.arrive(marker.rank()) || hasEnded()) {
      return Optional.empty();
    }
    final Line line = new Line(markers);
    if (line.isWithinCollective()) {
      giveUp("ranks would stop on both sides of a collective");
      return Optional.empty();
    }
    return Optional.of(line);
  }

  /**
   * All that was sent to a rank is there.
   *
   * @param rank the rank
   * @return whether it was the last one: all are to take their images and go on
   */
  public boolean drained(final int rank) {
    return drained.arrive(rank) && !hasEnded();
  }

  /**
   * A rank has its image.
   *
   * @param rank the rank
   * @return whether it was the last one: the checkpoint is to be committed
   */
  public boolean taken(final int rank) {
    return taken.arrive(rank) && !hasEnded();
  }

  @Override
  public String waiting() {
    if (!counted.isOver()) {
      return "no call of MPI by rank " + counted;
    } else if (!stopped.isOver()) {
      return "no sluice_potential_checkpoint() reached by rank " + stopped;
    } else if (!drained.isOver()) {
      return "messages under way to rank " + drained;
    }
    return "no image from rank " + taken;
  }
}
