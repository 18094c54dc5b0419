package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The program of one rank and the state that it is in. What it does next is a function of the two.
 * Where the script is deterministic, results count in the order in which they were asked for, else
 * in the order in which they come.
 */
final class Program {
  private static final int MOST_FREE = 6;

  final int rank;
  private final Script script;
  private final History history;
  private int step;
  private long hash;
  private Stream found;

  /** How many receives that it waits for were complete in this round. */
  private int received;

  private final List<Integer> must = new ArrayList<>();
  private final List<Integer> ahead = new ArrayList<>();
  private final List<Integer> free = new ArrayList<>();
  private final Map<Integer, Object> results = new TreeMap<>();

  Program(final Script script, final int rank) {
    this(script, rank, new History());
  }

  private Program(final Script script, final int rank, final History history) {
    this.script = script;
    this.rank = rank;
    this.history = history;
    this.hash = Hash.of(rank);
  }

  /** An image of the state. */
  Program copy() {
    final Program copy = new Program(script, rank, history.copy());
    copy.step = step;
    copy.hash = hash;
    copy.found = found;
    copy.received = received;
    copy.must.addAll(must);
    copy.ahead.addAll(ahead);
    copy.free.addAll(free);
    copy.results.putAll(results);
    return copy;
  }

  History history() {
    return history;
  }

  long hash() {
    return hash;
  }

  boolean hasEnded() {
    return step == script.programs.get(rank).size();
  }

  /** Does the next step. Returns whether it is done, and not blocked. */
  boolean step(final Layer layer) {
    final Operation operation = script.programs.get(rank).get(step);
    switch (operation.kind()) {
      case WAIT_ALL, WAIT_ANY, WAIT_SOME -> {
        return await(layer, operation.kind());
      }
      case WAIT_FIRST -> {
        return awaitFirst(layer, operation.peer());
      }
      case TEST -> {
        return test(layer, must);
      }
      case FREE_TEST -> {
        return test(layer, free);
      }
      case SPOT -> {
        step++;
        layer.spot(this);
      }
      default -> {
        doOne(operation, layer);
        step++;
      }
    }
    return true;
  }

  private void doOne(final Operation operation, final Layer layer) {
    final long communicator = operation.communicator();
    final long choice = Hash.of(hash, step);
    switch (operation.kind()) {
      case SEND -> must.add(send(layer, communicator, operation.peer(), operation.tag()));
      case SEND_BUFFERED -> free.add(send(layer, communicator, operation.peer(), operation.tag()));
      case POST -> must.add(post(layer, communicator, operation.peer(), operation.tag()));
      case POST_AHEAD -> ahead.add(post(layer, communicator, operation.peer(), operation.tag()));
      case ENTER -> must.add(enter(layer, operation));
      case ENTER_AHEAD -> ahead.add(enter(layer, operation));
      case LEAVE -> layer.free(communicator);
      case ADOPT -> {
        must.addAll(ahead);
        ahead.clear();
        received = 0;
      }
      case FREE_SEND ->
          free.add(send(layer, communicator, peer(choice, communicator), tag(choice)));
      case FREE_POST -> freePost(layer, communicator, choice);
      case FREE_PROBE -> probe(layer, pattern(communicator, choice));
      case FREE_RECEIVE -> receiveFound(layer);
      default -> throw new IllegalStateException(operation.toString());
    }
  }

  private int send(final Layer layer, final long communicator, final int to, final int tag) {
    final Stream stream = new Stream(communicator, rank, to, tag);
    return layer.isend(stream, history.send(stream, Hash.of(hash, step)));
  }

  private int post(final Layer layer, final long communicator, final int from, final int tag) {
    final Pattern pattern = new Pattern(communicator, from, tag);
    final int request = layer.irecv(pattern);
    history.post(request, pattern);
    return request;
  }

  private int enter(final Layer layer, final Operation operation) {
    final long value = Hash.of(hash, step, rank);
    final int request =
        layer.collective(operation.communicator(), operation.flow(), operation.peer(), value);
    history.enter(request, operation.communicator(), operation.flow(), operation.peer(), value);
    return request;
  }

  private int peer(final long choice, final long communicator) {
    final List<Integer> others =
        script.members.get(communicator).stream().filter(other -> other != rank).toList();
    return others.get(Hash.pick(choice, 8, others.size()));
  }

  private static int tag(final long choice) {
    return 10 + Hash.pick(choice, 16, 2);
  }

  /** On the world anything would take what others wait for. */
  private Pattern pattern(final long communicator, final long choice) {
    final int source = Hash.pick(choice, 24, 2) == 0 ? Pattern.ANY : peer(choice, communicator);
    final boolean any = communicator != Script.WORLD && Hash.pick(choice, 32, 2) == 0;
    return new Pattern(communicator, source, any ? Pattern.ANY : tag(choice));
  }

  private void freePost(final Layer layer, final long communicator, final long choice) {
    if (free.size() < MOST_FREE) {
      final Pattern pattern = pattern(communicator, choice);
      free.add(post(layer, communicator, pattern.source(), pattern.tag()));
    }
  }

  private void probe(final Layer layer, final Pattern pattern) {
    final Optional<Stream> one = layer.iprobe(pattern);
    found = one.orElse(null);
    hash = one.map(it -> Hash.of(hash, it.source(), it.tag())).orElse(Hash.of(hash, 1));
  }

  private void receiveFound(final Layer layer) {
    if (found != null) {
      must.add(post(layer, found.communicator(), found.source(), found.tag()));
      found = null;
    }
  }

  /** A test blocks where a recovery knows that it did not fail. */
  private boolean test(final Layer layer, final List<Integer> requests) {
    if (!requests.isEmpty()) {
      final Map<Integer, Object> done = layer.complete(List.copyOf(requests), Layer.Wait.TEST);
      if (done == null) {
        return false;
      }
      finish(requests, done);
      if (done.isEmpty() && !script.deterministic) {
        hash = Hash.of(hash, 2);
      }
    }
    step++;
    return true;
  }

  private boolean awaitFirst(final Layer layer, final int receives) {
    if (received >= receives) {
      step++;
      return true;
    }
    final Map<Integer, Object> done = layer.complete(List.copyOf(must), Layer.Wait.ANY);
    if (done != null) {
      finish(must, done);
    }
    return done != null;
  }

  private boolean await(final Layer layer, final Operation.Kind kind) {
    if (!must.isEmpty()) {
      final boolean all = kind == Operation.Kind.WAIT_ALL;
      final List<Integer> requests = new ArrayList<>(must);
      if (!all) {
        requests.addAll(free);
      }
      final Map<Integer, Object> done =
          layer.complete(
              requests,
              all
                  ? Layer.Wait.ALL
                  : kind == Operation.Kind.WAIT_ANY ? Layer.Wait.ANY : Layer.Wait.SOME);
      if (done == null) {
        return false;
      }
      finish(free, done);
      finish(must, done);
    }
    if (must.isEmpty()) {
      results.values().forEach(this::count);
      results.clear();
      step++;
    }
    return true;
  }

  private void finish(final List<Integer> requests, final Map<Integer, Object> done) {
    done.forEach(
        (request, result) -> {
          if (requests.remove(request)) {
            history.complete(request, result);
            received += requests == must && result instanceof Payload ? 1 : 0;
            if (script.deterministic) {
              results.put(request, result == null ? 0L : result);
            } else {
              count(result);
            }
          }
        });
  }

  private void count(final Object result) {
    hash =
        Hash.of(
            hash,
            switch (result) {
              case null -> 0;
              case final Payload payload -> payload.check();
              case final Long value -> value;
              default -> throw new IllegalStateException();
            });
  }
}
