package org.sluice.iop.wave.protocol;

import static org.sluice.iop.wave.protocol.Operation.Kind;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What the ranks of a job do, by a seed. All of them together never wait for each other in a
 * circle: in each round a rank posts, sends, waits and then calls collectives. What depends on the
 * state is never waited for, unless a probe has found it.
 */
final class Script {
  static final long WORLD = 1;
  private static final long ANYTHING = 3;
  private static final long PART = 4;

  /** The first communicator of those that are freed. */
  private static final long LEFT = 5;

  /** Tags of messages whose number does not depend on the state. */
  private static final int TAGS = 2;

  private static final int TO_MASTER = 5;
  private static final int GIVEN = 6;
  private static final int AHEAD = 7;
  private static final int FREE_TAG = 10;

  final int ranks;

  /** Whether the result does not depend on the order in which anything arrives. */
  final boolean deterministic;

  final Map<Long, List<Integer>> members = new TreeMap<>();
  final List<List<Operation>> programs = new ArrayList<>();
  private final Random random;

  /** Whether a program stops at its spots where the others do, so that none waits for another. */
  final boolean equalSpots;

  /** Whether nearly all receives take anything. */
  private final boolean wild;

  /** Whether ranks seldom wait for each other. Then one is far ahead. */
  private final boolean loose;

  Script(final Random random) {
    this.random = random;
    ranks = 2 + random.nextInt(3);
    deterministic = random.nextInt(3) == 0;
    wild = !deterministic && random.nextInt(3) == 0;
    equalSpots = random.nextInt(3) > 0;
    loose = !equalSpots && random.nextBoolean();
    final List<Integer> all = IntStream.range(0, ranks).boxed().toList();
    members.put(WORLD, all);
    members.put(ANYTHING, all);
    members.put(PART, all.subList(0, Math.max(2, ranks - 1)));
    all.forEach(rank -> programs.add(new ArrayList<>()));
    final int rounds = 6 + random.nextInt(18);
    for (int round = 0; round < rounds; round++) {
      round(round == rounds - 1);
      if (random.nextInt(4) == 0) {
        leave(LEFT + round);
      }
    }
  }

  /** That no collective was entered yet. */
  Map<Long, Long> counts(final int rank) {
    final Map<Long, Long> counts = new HashMap<>();
    members.forEach(
        (communicator, all) -> {
          if (all.contains(rank)) {
            counts.put(communicator, 0L);
          }
        });
    return counts;
  }

  private void add(final int rank, final Operation operation) {
    programs.get(rank).add(operation);
  }

  private void addSomewhere(final int rank, final int from, final Operation operation) {
    final List<Operation> program = programs.get(rank);
    program.add(from + random.nextInt(program.size() - from + 1), operation);
  }

  private void round(final boolean last) {
    final int[] begins = new int[ranks];
    final int giver = equalSpots && random.nextBoolean() ? random.nextInt(ranks) : -1;
    for (int rank = 0; rank < ranks; rank++) {
      if (rank == giver) {
        give(rank);
      }
      if (equalSpots) {
        add(rank, Operation.of(Kind.SPOT));
      }
      add(rank, Operation.of(Kind.ADOPT));
      if (giver >= 0 && rank != giver) {
        add(rank, Operation.of(Kind.POST, WORLD, giver, GIVEN));
      }
      begins[rank] = programs.get(rank).size();
    }
    final List<Exchange> exchanges = new ArrayList<>();
    for (int i = random.nextInt(loose ? 2 : wild ? 7 : 4); i > 0; i--) {
      exchanges.add(exchange());
    }
    exchanges.forEach(this::post);
    if (!last && random.nextInt(loose ? 6 : 2) == 0) {
      final Exchange ahead = new Exchange(WORLD, 1 + random.nextInt(ranks - 1), AHEAD, Form.NAMED);
      // The next round's begin: it is sent now, and waited for then.
      for (int rank = 0; rank < ranks; rank++) {
        add(rank, Operation.of(Kind.POST_AHEAD, WORLD, from(rank, ahead.shift()), ahead.tag()));
        add(rank, Operation.of(Kind.SEND, WORLD, to(rank, ahead.shift()), ahead.tag()));
      }
    }
    sendAll(exchanges);
    enter(last);
    for (int rank = 0; rank < ranks; rank++) {
      final int from = begins[rank];
      addFree(rank, from);
      add(rank, Operation.of(waiting()));
    }
    for (int i = random.nextInt(3) - 1; i > 0; i--) {
      collective();
    }
    for (int rank = 0; rank < ranks && !equalSpots; rank++) {
      if (random.nextInt(3) > 0) {
        addSomewhere(rank, begins[rank], Operation.of(Kind.SPOT));
      }
    }
  }

  /** Before its spot a rank waits until the others, behind theirs, have what it sends. */
  private void give(final int giver) {
    for (int rank = 0; rank < ranks; rank++) {
      if (rank != giver) {
        add(giver, Operation.of(Kind.SEND, WORLD, rank, GIVEN));
      }
    }
    add(giver, Operation.of(Kind.WAIT_ALL));
  }

  private Kind waiting() {
    return switch (random.nextInt(3)) {
      case 0 -> Kind.WAIT_ALL;
      case 1 -> Kind.WAIT_ANY;
      default -> Kind.WAIT_SOME;
    };
  }

  private enum Form {
    NAMED,
    MASTER,
    ANYTHING
  }

  /** Messages from each rank to another one, or from all to one. */
  private record Exchange(long communicator, int shift, int tag, Form form) {}

  private Exchange exchange() {
    final int shift = 1 + random.nextInt(ranks - 1);
    return switch (deterministic ? 0 : wild ? 2 : random.nextInt(3)) {
      case 0 -> new Exchange(WORLD, shift, random.nextInt(TAGS), Form.NAMED);
      case 1 -> new Exchange(WORLD, random.nextInt(ranks), TO_MASTER, Form.MASTER);
      default -> new Exchange(ANYTHING, shift, random.nextInt(3), Form.ANYTHING);
    };
  }

  private int to(final int rank, final int shift) {
    return (rank + shift) % ranks;
  }

  private int from(final int rank, final int shift) {
    return (rank + ranks - shift) % ranks;
  }

  private void post(final Exchange one) {
    for (int rank = 0; rank < ranks; rank++) {
      switch (one.form()) {
        case NAMED -> add(rank, Operation.of(Kind.POST, WORLD, from(rank, one.shift()), one.tag()));
        case ANYTHING -> add(rank, Operation.of(Kind.POST, ANYTHING, Pattern.ANY, Pattern.ANY));
        case MASTER -> {
          for (int i = 1; i < ranks && rank == one.shift(); i++) {
            add(rank, Operation.of(Kind.POST, WORLD, Pattern.ANY, TO_MASTER));
          }
        }
      }
    }
  }

  /** Some are sent only when some have come. */
  private void sendAll(final List<Exchange> exchanges) {
    final int first = random.nextInt(exchanges.size() + 1);
    exchanges.subList(0, first).forEach(this::send);
    final int come =
        (int) exchanges.subList(0, first).stream().filter(one -> one.form() != Form.MASTER).count();
    if (come > 0) {
      final int some = 1 + random.nextInt(come);
      for (int rank = 0; rank < ranks; rank++) {
        add(rank, Operation.of(Kind.WAIT_FIRST, WORLD, some, 0));
      }
    }
    exchanges.subList(first, exchanges.size()).forEach(this::send);
  }

  private void send(final Exchange one) {
    for (int rank = 0; rank < ranks; rank++) {
      switch (one.form()) {
        case NAMED -> add(rank, Operation.of(Kind.SEND, WORLD, to(rank, one.shift()), one.tag()));
        case ANYTHING ->
            add(
                rank,
                Operation.of(
                    Kind.SEND_BUFFERED, ANYTHING, to(rank, one.shift()), random.nextInt(3)));
        case MASTER -> {
          if (rank != one.shift()) {
            add(rank, Operation.of(Kind.SEND_BUFFERED, WORLD, one.shift(), TO_MASTER));
          }
        }
      }
    }
  }

  /** A collective that does not block, in the same order among all at each member. */
  private void enter(final boolean last) {
    if (random.nextInt(3) == 0) {
      final Kind kind = !last && random.nextBoolean() ? Kind.ENTER_AHEAD : Kind.ENTER;
      addToMembers(kind);
    }
  }

  private void collective() {
    final long communicator = addToMembers(Kind.ENTER);
    members.get(communicator).forEach(rank -> add(rank, Operation.of(Kind.WAIT_ALL)));
  }

  /** A communicator is freed behind its one collective. Its members may come to that much later. */
  private void leave(final long communicator) {
    members.put(communicator, members.get(WORLD));
    addToMembers(Kind.ENTER, communicator);
    for (int rank = 0; rank < ranks; rank++) {
      add(rank, Operation.of(Kind.WAIT_ALL));
      add(rank, Operation.of(Kind.LEAVE, communicator, 0, 0));
    }
  }

  private long addToMembers(final Kind kind) {
    final long communicator = List.of(WORLD, ANYTHING, PART).get(random.nextInt(3));
    addToMembers(kind, communicator);
    return communicator;
  }

  private void addToMembers(final Kind kind, final long communicator) {
    final List<Integer> all = members.get(communicator);
    final Flow flow = Flow.values()[random.nextInt(Flow.values().length)];
    final int root = all.get(random.nextInt(all.size()));
    all.forEach(rank -> add(rank, new Operation(kind, communicator, root, 0, flow)));
  }

  private void addFree(final int rank, final int from) {
    if (deterministic) {
      for (int i = random.nextInt(3); i > 0; i--) {
        addSomewhere(rank, from, Operation.of(Kind.TEST));
      }
      return;
    }
    for (int i = random.nextInt(8); i > 0; i--) {
      final long communicator =
          members.get(PART).contains(rank) && random.nextBoolean() ? PART : WORLD;
      final Kind kind =
          List.of(
                  Kind.FREE_SEND,
                  Kind.FREE_SEND,
                  Kind.FREE_POST,
                  Kind.FREE_TEST,
                  Kind.TEST,
                  Kind.FREE_PROBE)
              .get(random.nextInt(6));
      addSomewhere(rank, from, Operation.of(kind, communicator, 0, FREE_TAG));
    }
    final List<Operation> program = programs.get(rank);
    for (int i = program.size() - 1; i >= from; i--) {
      if (program.get(i).kind() == Kind.FREE_PROBE) {
        program.add(i + 1, Operation.of(Kind.FREE_RECEIVE));
      }
    }
  }
}
