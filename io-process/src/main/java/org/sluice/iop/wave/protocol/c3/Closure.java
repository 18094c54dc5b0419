package org.sluice.iop.wave.protocol.c3;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.sluice.iop.wave.protocol.Collective;
import org.sluice.iop.wave.protocol.Line;
import org.sluice.iop.wave.protocol.Marker;
import org.sluice.iop.wave.protocol.Message;
import org.sluice.iop.wave.protocol.OpenReceive;
import org.sluice.iop.wave.protocol.Pattern;

/**
 * Computes the longest prefixes of all recordings that can be repeated together. The computation
 * begins with all that was recorded, and shortens a prefix before the first event that the other
 * prefixes do not bring about:
 *
 * <ul>
 *   <li>a receive, or a probe that found a message, needs that message to be recorded as late, or
 *       sent again within its sender's prefix;
 *   <li>a collective that ended, and does not straddle, needs those whose data it has to enter it
 *       within their prefixes.
 * </ul>
 *
 * <p>Ranks stop recording only after all were ready. So all that happened before is recorded, and
 * has its causes recorded. Late messages, early ones and straddling collectives are of that time.
 * The prefixes have them without being asked to, and {@link #check} only makes sure.
 */
public class Closure {
  private final Line line;
  private final List<Recording> recordings;
  private final Map<Message, Integer> sent = new HashMap<>();
  private final List<Map<Collective, Integer>> entered = new ArrayList<>();
  private final List<Map<Integer, Event.Entered>> collectives = new ArrayList<>();
  private final Map<Long, List<Integer>> members = new HashMap<>();
  private final Map<Long, Long> straddling = new HashMap<>();
  private final int[] lengths;

  /**
   * @param recordings what all ranks recorded, in the order of the ranks
   */
  public Closure(final Line line, final List<Recording> recordings) {
    this.line = line;
    this.recordings = List.copyOf(recordings);
    this.lengths = recordings.stream().mapToInt(recording -> recording.events().size()).toArray();
    for (final Recording recording : recordings) {
      entered.add(new HashMap<>());
      collectives.add(new HashMap<>());
      for (int i = 0; i < recording.events().size(); i++) {
        index(recording.rank(), i, recording.events().get(i));
      }
    }
  }

  private void index(final int rank, final int at, final Event event) {
    if (event instanceof final Event.Sent one) {
      sent.put(one.message(), at);
    } else if (event instanceof final Event.Entered one) {
      entered.get(rank).put(one.collective(), at);
      collectives.get(rank).put(one.request(), one);
    }
  }

  /** Computes the cut: the prefixes, and the receives that are forced in them. */
  public final Cut cut() {
    List<Takes> takes;
    boolean shorter;
    do {
      takes = IntStream.range(0, lengths.length).mapToObj(this::takes).toList();
      shorter = false;
      for (int rank = 0; rank < lengths.length; rank++) {
        final int length = repeatable(rank, takes.get(rank));
        shorter |= length < lengths[rank];
        lengths[rank] = length;
      }
    } while (shorter);
    return new Cut(
        IntStream.of(lengths).boxed().toList(),
        takes.stream().map(Takes::forced).toList(),
        takes.stream().map(Takes::found).toList());
  }

  /**
   * The receives of a rank that take again what they took. A receive that takes anything could take
   * what a later one is to have. So a receive is forced only if all are that were posted before and
   * match its stream. A receive may be forced although it was completed behind the prefix.
   */
  private Takes takes(final int rank) {
    final Recording recording = recordings.get(rank);
    final Takes takes = new Takes(recording.taken());
    line.markers().get(rank).open().forEach(one -> takes.posted(one.request(), one.pattern()));
    for (final Event event : recording.events().subList(0, lengths[rank])) {
      if (event instanceof final Event.Posted posted) {
        takes.posted(posted.request(), posted.pattern());
      } else if (event instanceof final Event.Probed probed) {
        takes.probed(probed);
      }
    }
    return takes;
  }

  /**
   * The messages that the receives of a rank take again, in the order in which the receives were
   * posted.
   */
  private final class Takes {
    private final Map<Integer, Message> taken;
    private final Map<Integer, Message> forced = new HashMap<>();
    private final Map<Integer, Message> found = new HashMap<>();
    private final List<Pattern> free = new ArrayList<>();

    Takes(final Map<Integer, Message> taken) {
      this.taken = taken;
    }

    void posted(final int request, final Pattern pattern) {
      final Message message = taken.get(request);
      if (isCertain(message)) {
        forced.put(request, message);
      } else {
        free.add(pattern);
      }
    }

    void probed(final Event.Probed probed) {
      final Message message = taken.get(probed.request());
      if (isCertain(message)) {
        found.put(probed.request(), message);
      }
    }

    private boolean isCertain(final Message message) {
      return message != null && isAvailable(message) && !couldTake(free, message);
    }

    Map<Integer, Message> forced() {
      return forced;
    }

    Map<Integer, Message> found() {
      return found;
    }
  }

  /** Returns whether a receive that is not forced could take a message. */
  boolean couldTake(final List<Pattern> free, final Message message) {
    return free.stream().anyMatch(pattern -> pattern.matches(message.stream()));
  }

  /** Returns whether a recovery has a message: from the record of its receiver, or sent again. */
  boolean isAvailable(final Message message) {
    final int at = sent.getOrDefault(message, Integer.MAX_VALUE);
    return message.number() <= line.sent(message.stream())
        || at < lengths[message.stream().source()];
  }

  private int repeatable(final int rank, final Takes takes) {
    final List<Event> events = recordings.get(rank).events();
    final Set<Integer> receives =
        IntStream.concat(
                line.markers().get(rank).open().stream().mapToInt(OpenReceive::request),
                events.stream()
                    .filter(Event.Posted.class::isInstance)
                    .mapToInt(event -> ((Event.Posted) event).request()))
            .boxed()
            .collect(Collectors.toSet());
    for (int i = 0; i < lengths[rank]; i++) {
      final boolean ready =
          switch (events.get(i)) {
            case final Event.Completed completed ->
                completed.requests().stream()
                    .allMatch(
                        request ->
                            receives.contains(request)
                                ? takes.forced().containsKey(request)
                                : hasEnded(rank, collectives.get(rank).get(request)));
            case final Event.Probed probed -> takes.found().containsKey(probed.request());
            default -> true;
          };
      if (!ready) {
        return i;
      }
    }
    return lengths[rank];
  }

  /**
   * Returns whether a collective ends again. A request that is no collective, or was open at the
   * line, does.
   */
  private boolean hasEnded(final int rank, final Event.Entered one) {
    return one == null
        || straddles(one.collective())
        || members.computeIfAbsent(one.collective().communicator(), line::members).stream()
            .filter(source -> one.flow().needs(source, rank, one.root()))
            .allMatch(source -> isEntered(source, one.collective()));
  }

  private boolean straddles(final Collective collective) {
    return collective.number()
        <= straddling.computeIfAbsent(collective.communicator(), line::entered);
  }

  /** Returns whether a member enters a collective within its prefix. */
  boolean isEntered(final int member, final Collective collective) {
    return entered.get(member).getOrDefault(collective, Integer.MAX_VALUE) < lengths[member];
  }

  /**
   * Returns what a cut lacks of all that crosses the line; empty for nothing. A wave that lacks
   * something must not be committed.
   */
  public final String check(final Cut cut) {
    return line.markers().stream()
        .flatMap(
            marker ->
                Stream.of(late(marker.rank(), cut), early(marker), straddling(marker))
                    .flatMap(Function.identity()))
        .findFirst()
        .orElse("");
  }

  private Stream<String> late(final int rank, final Cut cut) {
    final Set<Message> has = new HashSet<>(cut.forced().get(rank).values());
    has.addAll(recordings.get(rank).drained());
    return line.expect(rank).late().entrySet().stream()
        .flatMap(late -> messages(late.getKey(), line.got(late.getKey()), late.getValue()))
        .filter(message -> !has.contains(message))
        .map(message -> "late " + message);
  }

  private Stream<String> early(final Marker marker) {
    return marker.got().entrySet().stream()
        .flatMap(got -> messages(got.getKey(), line.sent(got.getKey()), got.getValue()))
        .filter(message -> !isAvailable(message))
        .map(message -> "early " + message);
  }

  private Stream<String> straddling(final Marker marker) {
    return marker.collectives().entrySet().stream()
        .flatMap(
            count ->
                LongStream.rangeClosed(count.getValue() + 1, line.entered(count.getKey()))
                    .mapToObj(number -> new Collective(count.getKey(), number)))
        .filter(collective -> !isEntered(marker.rank(), collective))
        .map(collective -> "straddling " + collective + " at rank " + marker.rank());
  }

  private static Stream<Message> messages(
      final org.sluice.iop.wave.protocol.Stream stream, final long after, final long last) {
    return LongStream.rangeClosed(after + 1, last).mapToObj(number -> new Message(stream, number));
  }
}
