package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.sluice.iop.wave.protocol.c3.Event;

/** What a rank records under C3, from its line until it is told to stop. */
final class C3Record {
  /** What crossed the line: data of late messages, results of straddling collectives. */
  record Late(
      Map<Message, Payload> messages, List<Message> drained, Map<Collective, Long> results) {
    static final Late NONE = new Late(Map.of(), List.of(), Map.of());
  }

  /** What was received before the line. */
  private final Map<Stream, Long> got;

  final List<Event> events = new ArrayList<>();
  final Map<Integer, Message> taken = new HashMap<>();
  final Map<Integer, Payload> payloads = new HashMap<>();
  final Map<Collective, Long> results = new HashMap<>();
  final List<Integer> drained = new ArrayList<>();
  Expect expect;

  /** The streams of late messages, in an order that does not depend on hashes. */
  List<Stream> late = List.of();

  boolean ready;
  boolean stop;

  C3Record(final Map<Stream, Long> got) {
    this.got = got;
  }

  void write(final Event event) {
    if (event instanceof final Event.Nothing one
        && !events.isEmpty()
        && events.getLast() instanceof final Event.Nothing last) {
      events.set(events.size() - 1, new Event.Nothing(last.calls() + one.calls()));
    } else {
      events.add(event);
    }
  }

  void expect(final Expect what) {
    expect = what;
    late = what.late().keySet().stream().sorted(Comparator.comparing(Stream::toString)).toList();
  }

  /** All late messages have come and have their numbers, all straddling collectives ended. */
  boolean hasAll(
      final Map<Stream, Long> now,
      final Map<Long, Long> collectives,
      final Collection<Handle> handles) {
    return expect != null
        && expect.late().entrySet().stream()
            .allMatch(one -> now.getOrDefault(one.getKey(), 0L) >= one.getValue())
        && expect.straddling().entrySet().stream()
            .allMatch(one -> collectives.getOrDefault(one.getKey(), 0L) >= one.getValue())
        && handles.stream()
            .allMatch(
                handle ->
                    handle.complete
                        || handle.collective == null
                        || !Crossing.straddles(expect, handle.collective));
  }

  /** A recovery must know what each receive took that the program knows to be complete. */
  boolean isNumbered() {
    return events.stream()
        .allMatch(
            event ->
                switch (event) {
                  case final Event.Completed completed ->
                      completed.requests().stream()
                          .allMatch(one -> !payloads.containsKey(one) || taken.containsKey(one));
                  case final Event.Probed probed -> taken.containsKey(probed.request());
                  default -> true;
                });
  }

  List<Message> drained() {
    return drained.stream().map(taken::get).filter(Objects::nonNull).toList();
  }

  Late late() {
    final Map<Message, Payload> messages = new HashMap<>();
    taken.forEach(
        (request, message) -> {
          if (Crossing.isLate(expect, message)
              && message.number() > got.getOrDefault(message.stream(), 0L)
              && payloads.containsKey(request)) {
            messages.put(message, payloads.get(request));
          }
        });
    results.keySet().removeIf(collective -> !Crossing.straddles(expect, collective));
    return new Late(messages, drained(), results);
  }
}
