package org.sluice.iop.wave.protocol;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Consumer;
import org.sluice.iop.wave.protocol.c3.Event;
import org.sluice.iop.wave.protocol.c3.Plan;
import org.sluice.iop.wave.protocol.c3.Recording;

/** C3 at one rank, between its program and MPI: what the layer in C does. */
final class C3Rank implements Layer {
  /** What a rank tells the coordinator. */
  interface Coordinator {
    void marker(Marker marker, Image image);

    void ready(int rank);

    void stopped(Recording recording, C3Record.Late late);
  }

  private final int rank;
  private final Mpi mpi;
  private final Random random;
  private final Rule leftOut;
  private final Map<Stream, Long> sent;
  private final Map<Long, Long> collectives;
  private final Numbering numbering;
  private final Map<Integer, Handle> handles = new LinkedHashMap<>();
  private final Drained drained;
  private final LastLine lastLine;

  /** Which receive has a drained message that has no number yet. */
  private final Map<Integer, Integer> takenBy = new HashMap<>();

  private int requests;
  private int drains;
  private Coordinator coordinator;
  private C3Record record;
  private final Replay replay;

  /** A rank that begins with an image, and repeats what a plan has. */
  C3Rank(
      final Mpi mpi,
      final Random random,
      final Rule leftOut,
      final Image image,
      final Plan plan,
      final C3Record.Late late) {
    this.rank = image.program().rank;
    this.mpi = mpi;
    this.random = random;
    this.leftOut = leftOut;
    this.sent = new HashMap<>(image.sent());
    this.collectives = new HashMap<>(image.collectives());
    this.requests = image.requests();
    this.replay = new Replay(plan, late, leftOut);
    this.drained = new Drained(image.drained(), leftOut);
    this.lastLine = new LastLine(leftOut);
    final Map<Stream, Long> got = new HashMap<>(image.got());
    for (final Handle one : replay.drained()) {
      drained.add(one);
      got.merge(one.stream, 1L, Long::sum);
    }
    this.numbering = new Numbering(got);
    final List<Handle> open = image.open().stream().map(Handle::image).toList();
    (leftOut == Rule.OPEN_RECEIVES_IN_ORDER ? open.reversed() : open).forEach(this::reopen);
  }

  private void reopen(final Handle handle) {
    handles.put(handle.number, handle);
    if (!handle.complete && handle.pattern != null) {
      post(handle);
    } else if (!handle.complete) {
      replay.open(handle.collective).ifPresent(handle::complete);
    }
  }

  // ---- the calls of the program ----

  @Override
  public int isend(final Stream stream, final Payload payload) {
    final Message message = new Message(stream, sent.merge(stream, 1L, Long::sum));
    final Handle handle = open(null, null);
    write(new Event.Sent(message, payload.check()));
    final boolean again = replay.isOn();
    if (replay.suppresses(message, payload.check())) {
      handle.complete(null);
      return handle.number;
    }
    handle.request = mpi.isend(stream, payload);
    if (again && leftOut != Rule.SENDS_BUFFERED_IN_REPLAY) {
      handle.complete(null); // it was complete when the record says so: the layer keeps the data
    }
    return handle.number;
  }

  @Override
  public int irecv(final Pattern pattern) {
    final Handle handle = open(pattern, null);
    write(new Event.Posted(handle.number, pattern));
    replay.check(new Event.Posted(handle.number, pattern));
    post(handle);
    return handle.number;
  }

  @Override
  public int collective(
      final long communicator, final Flow flow, final int root, final long value) {
    final Collective one =
        new Collective(communicator, collectives.merge(communicator, 1L, Long::sum));
    final Handle handle = open(null, one);
    final Event.Entered event =
        new Event.Entered(handle.number, one, flow, root, (int) Hash.of(value));
    write(event);
    replay.check(event);
    replay
        .straddling(event)
        .ifPresentOrElse(
            handle::complete,
            () -> handle.request = mpi.collective(rank, communicator, flow, root, value));
    return handle.number;
  }

  @Override
  public Map<Integer, Object> complete(final List<Integer> asked, final Wait how) {
    final List<Integer> again = replay.completed(asked, how);
    final List<Integer> looked = again == null ? asked : again;
    looked.forEach(request -> look(handles.get(request)));
    final List<Integer> answer =
        again == null
            ? Waiting.answer(asked, handles, how, random)
            : Waiting.answer(again, handles, Wait.ALL, random);
    if (answer == null) {
      return null;
    }
    if (again != null) {
      replay.next();
    }
    write(answer.isEmpty() ? new Event.Nothing(1) : new Event.Completed(answer));
    return Waiting.handOver(answer, handles);
  }

  @Override
  public void free(final long communicator) {
    if (leftOut == Rule.FREED_COUNTED) {
      collectives.remove(communicator);
    }
  }

  @Override
  public Optional<Stream> iprobe(final Pattern pattern) {
    final Event again = replay.probed();
    if (again instanceof final Event.Probed probed) {
      requests = Math.max(requests, probed.request());
      return replay.found(probed);
    } else if (again != null) {
      return Optional.empty();
    }
    final Optional<Handle> old = drained.find(pattern);
    final Optional<Stream> found =
        old.isPresent()
            ? old.filter(one -> one.message != null).map(one -> one.stream)
            : mpi.iprobe(rank, pattern);
    if (found.isPresent()) {
      requests++;
      old.ifPresentOrElse(
          one -> take(requests, one.message), () -> numbering.found(requests, found.get()));
    }
    write(found.isPresent() ? new Event.Probed(requests) : new Event.Nothing(1));
    return found;
  }

  private Handle open(final Pattern pattern, final Collective collective) {
    final Handle handle = new Handle(++requests, pattern, collective);
    handles.put(handle.number, handle);
    return handle;
  }

  /** Gives a receive to MPI, unless a recovery has what it took. */
  private void post(final Handle handle) {
    final Message message = replay.forced(handle.number);
    final Pattern pattern =
        message == null || leftOut == Rule.FORCED_BY_NAME
            ? handle.pattern
            : Pattern.of(message.stream());
    final Payload late = replay.late(message);
    if (late != null) {
      numbering.posted(handle.number, pattern);
      handle.complete(late);
      numbering.completed(handle.number, message.stream());
      settle();
      return;
    }
    final Optional<Handle> old = drained.take(pattern);
    old.ifPresentOrElse(one -> takeOver(handle, one), () -> askFor(handle, pattern));
  }

  private void askFor(final Handle handle, final Pattern pattern) {
    if (leftOut != Rule.NUMBERED_BY_POSTING) {
      numbering.posted(handle.name, pattern);
    }
    handle.request = mpi.irecv(rank, pattern);
  }

  private void takeOver(final Handle handle, final Handle old) {
    handle.takeOver(old);
    if (handle.complete) {
      keep(handle);
    }
    if (handle.message != null) {
      take(handle.number, handle.message);
    } else {
      takenBy.put(handle.name, handle.number);
    }
  }

  private void look(final Handle handle) {
    if (handle.look(mpi)) {
      keep(handle);
      if (handle.pattern != null) {
        final Payload payload = (Payload) handle.result;
        final Stream stream =
            new Stream(payload.communicator(), payload.source(), rank, payload.tag());
        if (leftOut == Rule.NUMBERED_BY_POSTING) {
          numbering.posted(handle.name, Pattern.of(stream));
        }
        numbering.completed(handle.name, stream);
      }
    }
  }

  /** It may be late: that is known when it has its number, and all lines were taken. */
  private void keep(final Handle handle) {
    if (record != null && handle.pattern != null) {
      record.payloads.put(handle.number, (Payload) handle.result);
    } else if (record != null && handle.collective != null) {
      record.results.put(handle.collective, (Long) handle.result);
    }
  }

  private void take(final int request, final Message message) {
    if (record != null) {
      record.taken.put(request, message);
    }
  }

  private void settle() {
    numbering
        .settle()
        .forEach(
            (name, message) -> {
              take(name, message);
              Optional.ofNullable(takenBy.remove(name)).ifPresent(by -> take(by, message));
              drained.all().stream()
                  .filter(one -> one.message == null && one.name == name)
                  .forEach(one -> one.message = message);
            });
  }

  // ---- the wave ----

  private void write(final Event event) {
    if (record != null && !record.stop) {
      record.write(event);
    }
  }

  /** The coordinator asks for a checkpoint. */
  void please(final Coordinator one) {
    coordinator = one;
    record = null;
  }

  /** The wave was given up, or its record was taken. */
  void forget() {
    coordinator = null;
    record = null;
  }

  @Override
  public void spot(final Program program) {
    if (coordinator != null && record == null && canTakeLine()) {
      takeLine(program);
    }
  }

  /** Else the line is put off to the next spot. */
  private boolean canTakeLine() {
    handles.values().forEach(this::look);
    drained.all().forEach(this::look);
    settle();
    return (!replay.isOn() || leftOut == Rule.LINE_BEHIND_REPLAY)
        && drained.isComplete()
        && (numbering.isSettled() || leftOut == Rule.LINE_WHERE_NUMBERED);
  }

  private void takeLine(final Program program) {
    final Map<Stream, Long> got = numbering.got();
    final List<Handle> open = handles.values().stream().map(Handle::image).toList();
    record = new C3Record(got);
    lastLine.taken(sent, got);
    coordinator.marker(
        new Marker(
            rank,
            sent,
            got,
            collectives,
            open.stream()
                .filter(handle -> handle.pattern != null && !handle.complete)
                .map(handle -> new OpenReceive(handle.number, handle.pattern))
                .toList()),
        new Image(
            program.copy(),
            Map.copyOf(sent),
            got,
            Map.copyOf(collectives),
            requests,
            open,
            drained.image()));
  }

  void expect(final Expect expect) {
    ifRecording(one -> one.expect(expect));
    lastLine.expect(expect);
  }

  /** All count from its line on. */
  void committed() {
    lastLine.countSent(sent);
    numbering.countFrom(lastLine::sentToHere);
    drained.countFrom(lastLine::sentToHere);
  }

  void stop() {
    ifRecording(one -> one.stop = true);
  }

  private void ifRecording(final Consumer<C3Record> then) {
    if (record != null) {
      then.accept(record);
    }
  }

  /** The wave goes on, whatever the program does: within any call. */
  void progress() {
    if (record == null) {
      return;
    }
    handles.values().forEach(this::look);
    drained.all().forEach(this::look);
    settle();
    if (record.expect != null && leftOut != Rule.LATE_DRAINED) {
      record.late.forEach(this::drain);
    }
    if (!record.ready && record.hasAll(numbering.got(), collectives, handles.values())) {
      record.ready = true;
      record.stop |= leftOut == Rule.STOP_TOGETHER;
      coordinator.ready(rank);
    }
    if (record.stop && (record.isNumbered() || leftOut == Rule.STOP_WHEN_NUMBERED)) {
      final C3Record done = record;
      record = null;
      final Coordinator one = coordinator;
      coordinator = null;
      one.stopped(new Recording(rank, done.events, done.taken, done.drained()), done.late());
    }
  }

  /**
   * Takes a late message that the program has not asked for: it may never do so. On a channel all
   * late ones come before any other.
   */
  private void drain(final Stream stream) {
    mpi.iprobe(rank, new Pattern(stream.communicator(), stream.source(), Pattern.ANY))
        .filter(found -> isLate(found))
        .ifPresent(
            found -> {
              final Handle one = Handle.drained(- ++drains, found);
              drained.add(one);
              record.drained.add(one.number);
              askFor(one, one.pattern);
            });
  }

  private boolean isLate(final Stream found) {
    final OptionalLong number = numbering.next(found);
    return number.isPresent()
        && Crossing.isLate(record.expect, new Message(found, number.getAsLong()));
  }

  /** Whether the rank still repeats what it did. */
  boolean isReplaying() {
    return replay.isOn();
  }
}
