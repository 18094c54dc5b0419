package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.sluice.iop.wave.protocol.c3.C3Wave;
import org.sluice.iop.wave.protocol.c3.Closure;
import org.sluice.iop.wave.protocol.c3.Cut;
import org.sluice.iop.wave.protocol.c3.LaxClosure;
import org.sluice.iop.wave.protocol.c3.Plan;
import org.sluice.iop.wave.protocol.c3.Recording;

/** A job under C3, with its coordinator. */
final class C3Job extends Job {
  private static final int LONG = 20_000;

  private final List<C3Rank> layers = new ArrayList<>();
  private final double eagerness;
  private final int patience;
  private List<Image> images;
  private List<Plan> plans;
  private List<C3Record.Late> lates;
  private C3Wave wave;
  private long end; // of its time
  private final Map<Integer, Image> newImages = new HashMap<>();
  private final Map<Integer, C3Record.Late> newLates = new HashMap<>();
  private Line line;
  private Runnable commit;
  private boolean fresh;
  private int late;
  private int early;
  private int straddling;

  C3Job(final long seed, final Rule leftOut, final double eagerness) {
    super(seed, leftOut);
    this.eagerness = eagerness;
    this.patience = random.nextInt(10) == 0 ? 300 : LONG;
    final Plan none = new Plan(List.of(), Map.of(), Map.of(), Map.of());
    images = Image.first(script);
    plans = images.stream().map(any -> none).toList();
    lates = images.stream().map(any -> C3Record.Late.NONE).toList();
  }

  @Override
  void start() {
    layers.clear();
    fresh = false;
    wave = null;
    commit = null;
    for (int rank = 0; rank < ranks; rank++) {
      programs.add(images.get(rank).program().copy());
      layers.add(
          new C3Rank(mpi, random, leftOut, images.get(rank), plans.get(rank), lates.get(rank)));
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
  long[] counts() {
    return new long[] {waves, givenUp, recoveries, late, early, straddling};
  }

  @Override
  double weight() {
    if (fresh || layers.stream().anyMatch(C3Rank::isReplaying)) {
      return 2;
    }
    return wave == null ? .02 : .1;
  }

  @Override
  void coordinate(final long now) {
    if (wave == null && random.nextDouble() < eagerness) {
      begin(now);
    } else if (wave != null) {
      if (commit != null && random.nextInt(10) == 0) {
        commit.run();
        wave = null;
        commit = null;
      } else if (now >= end) {
        checkProgress();
        givenUp++;
        toAll(rank -> layers.get(rank).forget());
        wave = null;
        commit = null;
      }
    }
  }

  private void checkProgress() {
    if (patience == LONG
        && wave.waiting().startsWith("late")
        && programs.stream().noneMatch(Program::hasEnded)) {
      throw new Broken("a checkpoint waited for a message that was there");
    }
  }

  private void begin(final long now) {
    final C3Wave one = new C3Wave(ranks);
    wave = one;
    end = now + patience;
    newImages.clear();
    newLates.clear();
    toAll(rank -> layers.get(rank).please(new Messages(one)));
  }

  /** What ranks tell, as far as it is about the wave that goes on. */
  private final class Messages implements C3Rank.Coordinator {
    private final C3Wave of;

    Messages(final C3Wave of) {
      this.of = of;
    }

    private void tell(final int rank, final Runnable what) {
      toCoordinator(
          rank,
          () -> {
            if (wave == of) {
              what.run();
            }
          });
    }

    @Override
    public void marker(final Marker marker, final Image image) {
      tell(
          marker.rank(),
          () -> {
            newImages.put(marker.rank(), image);
            of.marker(marker)
                .ifPresent(
                    all -> {
                      line = all;
                      toAll(rank -> layers.get(rank).expect(all.expect(rank)));
                    });
          });
    }

    @Override
    public void ready(final int rank) {
      tell(
          rank,
          () -> {
            if (of.ready(rank)) {
              toAll(one -> layers.get(one).stop());
            }
          });
    }

    @Override
    public void stopped(final Recording recording, final C3Record.Late what) {
      tell(
          recording.rank(),
          () -> {
            newLates.put(recording.rank(), what);
            of.stopped(recording).ifPresent(C3Job.this::close);
          });
    }
  }

  private void close(final List<Recording> recordings) {
    final Closure closure = new LaxClosure(line, recordings, leftOut);
    final Cut cut = closure.cut();
    final String lack = closure.check(cut);
    if (!lack.isEmpty()) {
      throw new Broken("a cut lacks what crosses the line: " + lack.split(" ")[0]);
    }
    commit =
        () -> {
          waves++;
          fresh = makesKillLikely();
          toAll(rank -> layers.get(rank).committed());
          images = IntStream.range(0, ranks).mapToObj(newImages::get).toList();
          lates = IntStream.range(0, ranks).mapToObj(newLates::get).toList();
          plans =
              IntStream.range(0, ranks)
                  .mapToObj(rank -> Plan.of(rank, line, recordings.get(rank), cut))
                  .toList();
          late += lates.stream().mapToInt(one -> one.messages().size()).sum();
          early += plans.stream().mapToInt(plan -> plan.suppressed().size()).sum();
          straddling += lates.stream().mapToInt(one -> one.results().size()).sum();
        };
  }
}
