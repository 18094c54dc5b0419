package org.sluice.iop.wave.protocol;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Pcl at one rank, between its program and MPI: what the layer in C does. */
final class PclRank implements Layer {
  /** What a rank tells the coordinator. */
  interface Coordinator {
    void counted(int rank, long spots);

    void passed(int rank);

    void stopped(Marker marker);

    void drained(int rank);

    void taken(int rank, Image image);
  }

  private final int rank;
  private final Mpi mpi;
  private final Random random;
  private final Rule leftOut;
  private final Map<Stream, Long> sent;
  private final Map<Stream, Long> got;
  private final Map<Long, Long> collectives;
  private final Map<Integer, Handle> handles = new LinkedHashMap<>();

  private final Drained drained;
  private final LastLine lastLine;

  private int requests;
  private long spots;
  private Coordinator coordinator;
  private long spot;
  private Program held;
  private Expect expect;

  /** What comes now may be of a rank that has gone on. */
  private boolean hasDrained;

  /** A rank that begins with an image. */
  PclRank(final Mpi mpi, final Random random, final Rule leftOut, final Image image) {
    this.rank = image.program().rank;
    this.mpi = mpi;
    this.random = random;
    this.leftOut = leftOut;
    this.sent = new HashMap<>(image.sent());
    this.got = new HashMap<>(image.got());
    this.collectives = new HashMap<>(image.collectives());
    this.requests = image.requests();
    this.drained = new Drained(image.drained(), leftOut);
    this.lastLine = new LastLine(leftOut);
    final List<Handle> open = image.open().stream().map(Handle::image).toList();
    for (final Handle handle : leftOut == Rule.OPEN_RECEIVES_IN_ORDER ? open.reversed() : open) {
      handles.put(handle.number, handle);
      if (!handle.complete && handle.pattern != null) {
        handle.request = mpi.irecv(rank, handle.pattern);
      }
    }
  }

  // ---- the calls of the program ----

  @Override
  public int isend(final Stream stream, final Payload payload) {
    sent.merge(stream, 1L, Long::sum);
    final Handle handle = open(null, null);
    handle.request = mpi.isend(stream, payload);
    return handle.number;
  }

  /** What was drained is older than what is on the network. */
  @Override
  public int irecv(final Pattern pattern) {
    final Handle handle = open(pattern, null);
    final boolean network = leftOut == Rule.FED_FIRST && mpi.iprobe(rank, pattern).isPresent();
    final Optional<Handle> fed = network ? Optional.empty() : drained.take(pattern);
    fed.ifPresentOrElse(handle::takeOver, () -> handle.request = mpi.irecv(rank, pattern));
    return handle.number;
  }

  @Override
  public int collective(
      final long communicator, final Flow flow, final int root, final long value) {
    final Collective one =
        new Collective(communicator, collectives.merge(communicator, 1L, Long::sum));
    final Handle handle = open(null, one);
    handle.request = mpi.collective(rank, communicator, flow, root, value);
    return handle.number;
  }

  @Override
  public Map<Integer, Object> complete(final List<Integer> asked, final Wait how) {
    asked.forEach(request -> look(handles.get(request)));
    final List<Integer> answer = Waiting.answer(asked, handles, how, random);
    return answer == null ? null : Waiting.handOver(answer, handles);
  }

  @Override
  public void free(final long communicator) {
    if (leftOut == Rule.FREED_COUNTED) {
      collectives.remove(communicator);
    }
  }

  @Override
  public Optional<Stream> iprobe(final Pattern pattern) {
    return drained.find(pattern).map(one -> one.stream).or(() -> mpi.iprobe(rank, pattern));
  }

  private Handle open(final Pattern pattern, final Collective collective) {
    final Handle handle = new Handle(++requests, pattern, collective);
    handles.put(handle.number, handle);
    return handle;
  }

  private void look(final Handle handle) {
    if (handle.look(mpi) && handle.pattern != null) {
      final Payload payload = (Payload) handle.result;
      got.merge(
          new Stream(payload.communicator(), payload.source(), rank, payload.tag()), 1L, Long::sum);
    }
  }

  // ---- the wave ----

  /** The coordinator asks where the rank is. */
  void please(final Coordinator one) {
    goOn();
    coordinator = one;
    coordinator.counted(rank, spots);
  }

  /** The spot at which all stop. */
  void stopAt(final long number) {
    if (spots >= number && leftOut != Rule.EQUAL_SPOTS) {
      coordinator.passed(rank);
    } else {
      spot = leftOut == Rule.EQUAL_SPOTS ? spots + 1 : number;
    }
  }

  @Override
  public void spot(final Program program) {
    spots++;
    if (spots == spot) {
      held = program;
      handles.values().forEach(this::look);
      lastLine.taken(sent, got);
      coordinator.stopped(new Marker(rank, sent, got, collectives, List.of()));
    }
  }

  /** Until all go on the program does nothing, so it sends nothing. */
  boolean isHeld() {
    return held != null;
  }

  void expect(final Expect what) {
    expect = what;
    lastLine.expect(what);
  }

  /** All count from its line on. */
  void committed() {
    lastLine.countSent(sent);
    got.replaceAll((stream, number) -> number - lastLine.sentToHere(stream));
    got.values().removeIf(number -> number == 0);
  }

  /** The wave goes on while the program is held. */
  void progress() {
    if (held == null || hasDrained && leftOut != Rule.STILL_WHEN_DRAINED) {
      return;
    }
    if (expect != null || leftOut != Rule.DRAINED_WHILE_WAITING) {
      drain();
    }
    if (expect != null && (hasAll() || leftOut == Rule.DRAINED)) {
      expect = null;
      hasDrained = true;
      coordinator.drained(rank);
      if (leftOut == Rule.HELD_UNTIL_ALL_DRAINED) {
        takeImage();
      }
    }
  }

  /** What no open receive takes goes to memory, in the order in which it was sent. */
  private void drain() {
    handles.values().forEach(this::look);
    drained.all().forEach(this::look);
    for (final long communicator : collectives.keySet()) {
      final Pattern pattern = new Pattern(communicator, Pattern.ANY, Pattern.ANY);
      Optional<Stream> found;
      while ((found = mpi.iprobe(rank, pattern)).isPresent()) {
        final Handle one = Handle.drained(0, found.get());
        one.request = mpi.irecv(rank, one.pattern);
        drained.add(one);
      }
    }
  }

  private boolean hasAll() {
    return expect.late().entrySet().stream()
            .allMatch(late -> got.getOrDefault(late.getKey(), 0L) >= late.getValue())
        && drained.isComplete()
        && (leftOut == Rule.OPEN_COLLECTIVES
            || handles.values().stream().allMatch(one -> one.complete || one.collective == null));
  }

  /** Nothing is under way at any rank. */
  void takeImage() {
    if (held != null) {
      coordinator.taken(
          rank,
          new Image(
              held.copy(),
              Map.copyOf(sent),
              Map.copyOf(got),
              Map.copyOf(collectives),
              requests,
              handles.values().stream().map(Handle::image).toList(),
              drained.image()));
      goOn();
    }
  }

  /** All have their images, or the wave was given up. */
  void goOn() {
    held = null;
    expect = null;
    hasDrained = false;
    spot = 0;
  }
}
