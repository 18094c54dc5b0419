package org.sluice.iop.wave.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * MPI as one start of the job has it. Messages of a sender to a receiver on one communicator arrive
 * in order, and are matched with receives in the order of posting. A receive may complete long
 * after it was matched, if the message is large, and so behind later ones.
 */
final class Mpi {
  /** Of so many messages one is large. */
  private static final int LARGE = 8;

  private final Random random;
  private final Map<Long, List<Integer>> members;
  private final double slowness;
  private final int lag;
  private final Map<Stream, Deque<Letter>> wires = new HashMap<>();
  private final List<Stream> busy = new ArrayList<>();
  private final List<List<Letter>> unexpected = new ArrayList<>();
  private final List<List<Request>> posted = new ArrayList<>();
  private final List<Request> completing = new ArrayList<>();
  private final Map<Collective, Map<Integer, Long>> collectives = new TreeMap<>(Mpi::compare);
  private final Map<List<Long>, Long> calls = new HashMap<>();

  Mpi(final Random random, final Map<Long, List<Integer>> members, final int ranks) {
    this.random = random;
    this.members = members;
    this.slowness = random.nextDouble() * .6;
    this.lag = 4 + random.nextInt(20);
    for (int rank = 0; rank < ranks; rank++) {
      unexpected.add(new ArrayList<>());
      posted.add(new ArrayList<>());
    }
  }

  private static int compare(final Collective a, final Collective b) {
    final int order = Long.compare(a.communicator(), b.communicator());
    return order != 0 ? order : Long.compare(a.number(), b.number());
  }

  /** A request of MPI's own. */
  static final class Request {
    private Pattern pattern;
    private boolean complete;
    private int lag;
    private Payload payload;
    private long result;
    private Operation operation;

    Payload payload() {
      return payload;
    }

    long result() {
      return result;
    }
  }

  private record Letter(Stream stream, Payload payload, Request send) {}

  private record Operation(Collective collective, int member, Flow flow, int root) {}

  /** Which messages are kept in order: all of a sender to a receiver on a communicator. */
  private static Stream wire(final Stream stream) {
    return new Stream(stream.communicator(), stream.source(), stream.destination(), 0);
  }

  /** A large message is complete at its sender only when it was received. */
  Request isend(final Stream stream, final Payload payload) {
    final Request request = new Request();
    request.complete = random.nextBoolean();
    final Stream wire = wire(stream);
    final Deque<Letter> letters = wires.computeIfAbsent(wire, any -> new ArrayDeque<>());
    if (letters.isEmpty()) {
      busy.add(wire);
    }
    letters.add(new Letter(stream, payload, request));
    return request;
  }

  Request irecv(final int rank, final Pattern pattern) {
    final Request request = new Request();
    request.pattern = pattern;
    for (final Iterator<Letter> all = unexpected.get(rank).iterator(); all.hasNext(); ) {
      final Letter letter = all.next();
      if (pattern.matches(letter.stream())) {
        all.remove();
        match(request, letter);
        return request;
      }
    }
    posted.get(rank).add(request);
    return request;
  }

  Optional<Stream> iprobe(final int rank, final Pattern pattern) {
    return unexpected.get(rank).stream().map(Letter::stream).filter(pattern::matches).findFirst();
  }

  Request collective(
      final int rank, final long communicator, final Flow flow, final int root, final long value) {
    final long number = calls.merge(List.of((long) rank, communicator), 1L, Long::sum);
    final Collective collective = new Collective(communicator, number);
    collectives.computeIfAbsent(collective, any -> new TreeMap<>()).put(rank, value);
    final Request request = new Request();
    request.operation = new Operation(collective, rank, flow, root);
    return request;
  }

  boolean isComplete(final Request request) {
    if (!request.complete && request.operation != null && random.nextDouble() > slowness) {
      final Operation operation = request.operation;
      final Map<Integer, Long> values = collectives.get(operation.collective());
      final List<Integer> sources =
          sources(
              members,
              operation.collective(),
              operation.flow(),
              operation.member(),
              operation.root());
      request.complete = values.keySet().containsAll(sources);
      request.result = request.complete ? result(sources, values) : 0;
    }
    return request.complete;
  }

  static List<Integer> sources(
      final Map<Long, List<Integer>> members,
      final Collective collective,
      final Flow flow,
      final int member,
      final int root) {
    return members.get(collective.communicator()).stream()
        .filter(source -> flow.needs(source, member, root))
        .toList();
  }

  static long result(final List<Integer> sources, final Map<Integer, Long> values) {
    return Hash.of(sources.stream().mapToLong(values::get).toArray());
  }

  private void match(final Request request, final Letter letter) {
    request.payload = letter.payload();
    letter.send().complete = true;
    if (random.nextDouble() < slowness) {
      request.lag = random.nextInt(LARGE) == 0 ? 50 * lag : lag;
      completing.add(request);
    } else {
      request.complete = true;
    }
  }

  /** Something happens on the network. */
  void advance() {
    if (!busy.isEmpty() && random.nextDouble() > slowness) {
      final Stream wire = busy.get(random.nextInt(busy.size()));
      final Deque<Letter> letters = wires.get(wire);
      arrive(wire.destination(), letters.remove());
      if (letters.isEmpty()) {
        busy.remove(wire);
      }
    }
    completing.removeIf(this::completes);
  }

  private boolean completes(final Request request) {
    request.complete = random.nextInt(request.lag) == 0;
    return request.complete;
  }

  private void arrive(final int rank, final Letter letter) {
    for (final Iterator<Request> all = posted.get(rank).iterator(); all.hasNext(); ) {
      final Request request = all.next();
      if (request.pattern.matches(letter.stream())) {
        all.remove();
        match(request, letter);
        return;
      }
    }
    unexpected.get(rank).add(letter);
  }
}
