package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Whether what the ranks remember at the end could have happened to them with MPI alone: each
 * message was received as it was sent, once, and in the order that MPI promises; each collective's
 * result is that of what its members remember to have contributed.
 */
final class Legality {
  private final List<Program> programs;
  private final Map<Long, List<Integer>> members;

  Legality(final List<Program> programs, final Map<Long, List<Integer>> members) {
    this.programs = programs;
    this.members = members;
  }

  void check() {
    for (final Program receiver : programs) {
      for (final Program sender : programs) {
        for (final long communicator : members.keySet()) {
          checkChannel(new History.Channel(communicator, sender.rank, receiver.rank));
        }
      }
      checkCollectives(receiver);
    }
  }

  private void checkChannel(final History.Channel channel) {
    final List<Payload> sent =
        programs.get(channel.source()).history().sent.getOrDefault(channel, List.of());
    final Set<Integer> received = new HashSet<>();
    final List<Pattern> unknown = new ArrayList<>();
    for (final History.Receive receive :
        programs.get(channel.destination()).history().receives.values()) {
      final Payload payload = receive.payload();
      if (receive.pattern().communicator() != channel.communicator()) {
        continue;
      } else if (payload == null) {
        unknown.add(receive.pattern());
      } else if (payload.source() == channel.source()) {
        if (payload.sequence() >= sent.size() || !sent.get(payload.sequence()).equals(payload)) {
          throw new Broken("a message was received that was not sent");
        }
        if (!received.add(payload.sequence())) {
          throw new Broken("a message was received twice");
        }
        for (final Payload earlier : sent.subList(0, payload.sequence())) {
          if (!received.contains(earlier.sequence())
              && matches(receive.pattern(), channel, earlier)
              && !isTaken(unknown, channel, earlier)) {
            throw new Broken("a message overtook another one");
          }
          // That one was taken by a receive of which the program does not know yet.
        }
      }
    }
  }

  private static boolean matches(
      final Pattern pattern, final History.Channel channel, final Payload payload) {
    return pattern.matches(
        new Stream(channel.communicator(), channel.source(), channel.destination(), payload.tag()));
  }

  private static boolean isTaken(
      final List<Pattern> unknown, final History.Channel channel, final Payload payload) {
    for (final Iterator<Pattern> all = unknown.iterator(); all.hasNext(); ) {
      if (matches(all.next(), channel, payload)) {
        return true;
      }
    }
    return false;
  }

  private void checkCollectives(final Program program) {
    for (final History.Entry entry : program.history().entries.values()) {
      if (entry.result() == null) {
        continue;
      }
      final Map<Integer, Long> values = new TreeMap<>();
      for (final int member : members.get(entry.collective().communicator())) {
        values(programs.get(member))
            .computeIfPresent(
                entry.collective(), (key, value) -> values.merge(member, value, Long::sum));
      }
      final List<Integer> sources =
          Mpi.sources(members, entry.collective(), entry.flow(), program.rank, entry.root());
      if (!values.keySet().containsAll(sources) || Mpi.result(sources, values) != entry.result()) {
        throw new Broken("a collective has a result that its members did not make");
      }
    }
  }

  private static Map<Collective, Long> values(final Program program) {
    final Map<Collective, Long> values = new HashMap<>();
    program.history().entries.values().forEach(one -> values.put(one.collective(), one.value()));
    return values;
  }
}
