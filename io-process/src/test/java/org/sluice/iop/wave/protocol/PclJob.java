package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.sluice.iop.wave.protocol.pcl.PclWave;
import org.sluice.iop.wave.protocol.pcl.StopSpot;

/** A job under Pcl, with its coordinator. */
final class PclJob extends Job {
  private static final int LONG = 20_000;

  /** Where ranks held at their spots mostly wait for each other. */
  private static final int SHORT = 3_000;

  private final List<PclRank> layers = new ArrayList<>();
  private final double eagerness;
  private final int patience;
  private List<Image> images;
  private final Map<Integer, Image> newImages = new HashMap<>();
  private PclWave wave;
  private boolean allTaken;
  private boolean fresh;
  private final StopSpot spot = new StopSpot(1_000_000_000);
  private long end; // of the time of the wave
  private String reason = ""; // why it is given up
  private Phase taken;
  private int drained;

  PclJob(final long seed, final Rule leftOut, final double eagerness) {
    super(seed, leftOut);
    this.eagerness = eagerness;
    this.patience = random.nextInt(10) == 0 ? 300 : script.equalSpots ? LONG : SHORT;
    images = Image.first(script);
  }

  @Override
  void start() {
    layers.clear();
    wave = null;
    allTaken = false;
    fresh = false;
    for (final Image image : images) {
      programs.add(image.program().copy());
      layers.add(new PclRank(mpi, random, leftOut, image));
    }
  }

  @Override
  Layer layer(final int rank) {
    return layers.get(rank);
  }

  @Override
  void progress(final int rank) {
    layers.get(rank).progress();
  }

  @Override
  boolean isHeld(final int rank) {
    return layers.get(rank).isHeld();
  }

  @Override
  long[] counts() {
    return new long[] {waves, givenUp, recoveries, drained, 0, 0};
  }

  @Override
  double weight() {
    return fresh ? 1 : wave == null ? .02 : .1;
  }

  @Override
  void coordinate(final long now) {
    if (wave == null && random.nextDouble() < eagerness) {
      begin(now);
    } else if (wave != null) {
      if (allTaken && random.nextInt(10) == 0) {
        images = IntStream.range(0, ranks).mapToObj(newImages::get).toList();
        drained += images.stream().mapToInt(image -> image.drained().size()).sum();
        waves++;
        fresh = makesKillLikely();
        toAll(rank -> layers.get(rank).committed());
        wave = null;
      } else if (!reason.isEmpty() || now >= end) {
        giveUp();
      }
    }
  }

  private void begin(final long now) {
    final PclWave one = new PclWave(ranks, spot);
    wave = one;
    end = now + patience;
    reason = "";
    taken = new Phase(ranks);
    allTaken = false;
    newImages.clear();
    toAll(rank -> layers.get(rank).please(new Messages(one)));
  }

  private void giveUp() {
    if (script.equalSpots
        && patience == LONG
        && reason.isEmpty()
        && wave.waiting().startsWith("no sluice_potential_checkpoint()")
        && programs.stream().noneMatch(Program::hasEnded)) {
      throw new Broken("ranks at equal spots waited for each other");
    }
    givenUp++;
    toAll(rank -> layers.get(rank).goOn());
    wave = null;
  }

  /** What ranks tell, as far as it is about the wave that goes on. */
  private final class Messages implements PclRank.Coordinator {
    private final PclWave of;

    Messages(final PclWave of) {
      this.of = of;
    }

    private void tell(final int rank, final Runnable what) {
      toCoordinator(
          rank,
          () -> {
            if (wave == of && reason.isEmpty()) {
              what.run();
            }
          });
    }

    @Override
    public void counted(final int rank, final long spots) {
      tell(
          rank,
          () -> {
            final long spot = of.counted(rank, spots);
            if (spot > 0) {
              toAll(one -> layers.get(one).stopAt(spot));
            }
          });
    }

    @Override
    public void passed(final int rank) {
      tell(
          rank,
          () -> {
            reason = of.passed(rank).why();
          });
    }

    @Override
    public void stopped(final Marker marker) {
      tell(
          marker.rank(),
          () ->
              of.stopped(lax(marker))
                  .ifPresent(
                      line ->
                          of.check(line)
                              .ifPresentOrElse(
                                  refusal -> reason = ((Order.GiveUp) refusal).why(),
                                  () -> toAll(one -> tellExpected(one, line.expect(one))))));
    }

    /** A rank that is held sends nothing. So nobody has more than was sent before the line. */
    private void tellExpected(final int rank, final Expect expect) {
      if (!expect.early().isEmpty()) {
        throw new Broken("more was received than sent");
      }
      layers.get(rank).expect(expect);
    }

    private Marker lax(final Marker marker) {
      return leftOut == Rule.EQUAL_COLLECTIVES
          ? new Marker(marker.rank(), marker.sent(), marker.got(), Map.of(), marker.open())
          : marker;
    }

    @Override
    public void drained(final int rank) {
      tell(
          rank,
          () -> {
            if (of.drained(rank)) {
              toAll(one -> layers.get(one).takeImage());
            }
          });
    }

    @Override
    public void taken(final int rank, final Image image) {
      tell(
          rank,
          () -> {
            newImages.put(rank, image);
            allTaken = taken.arrive(rank) || allTaken;
          });
    }
  }
}
