package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a program knows to have happened to it: part of its state, so it goes back with it.
 * Protocols do not look at it.
 */
final class History {
  /** Messages to one receiver on one communicator. */
  record Channel(long communicator, int source, int destination) {
    static Channel of(final Stream stream) {
      return new Channel(stream.communicator(), stream.source(), stream.destination());
    }
  }

  /** A receive; without a payload while the program knows of none. */
  record Receive(Pattern pattern, Payload payload) {}

  /** A collective; without a result while the program knows of none. */
  record Entry(Collective collective, Flow flow, int root, long value, Long result) {}

  final Map<Channel, List<Payload>> sent = new HashMap<>();
  final Map<Integer, Receive> receives = new LinkedHashMap<>();
  final Map<Integer, Entry> entries = new LinkedHashMap<>();
  final Map<Long, Long> entered = new HashMap<>();

  History copy() {
    final History copy = new History();
    sent.forEach((channel, list) -> copy.sent.put(channel, new ArrayList<>(list)));
    copy.receives.putAll(receives);
    copy.entries.putAll(entries);
    copy.entered.putAll(entered);
    return copy;
  }

  Payload send(final Stream stream, final long content) {
    final List<Payload> list = sent.computeIfAbsent(Channel.of(stream), any -> new ArrayList<>());
    final Payload payload =
        new Payload(stream.communicator(), stream.source(), stream.tag(), list.size(), content);
    list.add(payload);
    return payload;
  }

  void post(final int request, final Pattern pattern) {
    receives.put(request, new Receive(pattern, null));
  }

  void enter(
      final int request,
      final long communicator,
      final Flow flow,
      final int root,
      final long value) {
    final long number = entered.merge(communicator, 1L, Long::sum);
    entries.put(request, new Entry(new Collective(communicator, number), flow, root, value, null));
  }

  void complete(final int request, final Object result) {
    receives.computeIfPresent(request, (key, was) -> new Receive(was.pattern(), (Payload) result));
    entries.computeIfPresent(
        request,
        (key, was) ->
            new Entry(was.collective(), was.flow(), was.root(), was.value(), (Long) result));
  }
}
