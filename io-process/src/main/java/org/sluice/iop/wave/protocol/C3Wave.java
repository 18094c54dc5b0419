package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A wave of C3, in which no rank waits for another one:
 *
 * <ol>
 *   <li>The coordinator asks all ranks for a checkpoint. Each takes its line at its next spot,
 *       records from there on, and sends its {@link Marker}.
 *   <li>When all markers are in, each rank learns what to {@link Expect}. It says when all of that
 *       has come.
 *   <li>When all have said so, all are told to stop. Each sends its {@link Recording}.
 *   <li>From these comes the {@link Cut}. With it each rank writes its images.
 *   <li>When all have written them, the checkpoint is committed.
 * </ol>
 *
 * <p>A rank must not stop recording by itself. What it sent then could reach a rank that still
 * waits for a late message. That rank's recording could not be repeated up to there.
 */
public final class C3Wave extends Wave {
  private final Phase lines = phase();
  private final Phase ready = phase();
  private final Phase stopped = phase();
  private final Phase written = phase();
  private final List<Marker> markers = new ArrayList<>();
  private final List<Recording> recordings = new ArrayList<>();

  /**
   * Asks all ranks.
   *
   * @param ranks how many there are
   * @param end the time at which the wave is given up
   */
  public C3Wave(final int ranks, final long end) {
    super(ranks, end);
  }

  /**
   * A rank took its line.
   *
   * @param marker its marker
   * @return with the last marker, the line: each rank is to be told what to expect
   */
  public Optional<Line> marker(final Marker marker) {
    markers.add(marker);
    return lines.arrive(marker.rank()) && !hasEnded()
        ? Optional.of(new Line(markers))
        : Optional.empty();
  }

  /**
   * All that a rank was told to expect has come.
   *
   * @param rank the rank
   * @return whether it was the last one: all are to be told to stop
   */
  public boolean ready(final int rank) {
    return ready.arrive(rank) && !hasEnded();
  }

  /**
   * A rank stopped.
   *
   * @param recording what it recorded
   * @return with the last one, all of them in the order of the ranks: the cut is to be computed
   */
  public Optional<List<Recording>> stopped(final Recording recording) {
    recordings.add(recording);
    return stopped.arrive(recording.rank()) && !hasEnded()
        ? Optional.of(recordings.stream().sorted(Comparator.comparingInt(Recording::rank)).toList())
        : Optional.empty();
  }

  /**
   * A rank has written its images.
   *
   * @param rank the rank
   * @return whether it was the last one: the checkpoint is to be committed
   */
  public boolean written(final int rank) {
    return written.arrive(rank) && !hasEnded();
  }

  @Override
  public String waiting() {
    if (!lines.isOver()) {
      return "no sluice_potential_checkpoint() reached by rank " + lines;
    } else if (!ready.isOver()) {
      return "late messages or collectives have not come to rank " + ready;
    } else if (!stopped.isOver()) {
      return "no record from rank " + stopped;
    }
    return "no images from rank " + written;
  }
}
