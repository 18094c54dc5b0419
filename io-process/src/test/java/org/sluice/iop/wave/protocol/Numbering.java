package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * Numbers the messages that a rank receives.
 *
 * <p>MPI gives the messages of a stream to the receives in the order in which these were posted,
 * but completes them in any order. So the number of a message is known when all receives are
 * complete that were posted earlier and match the stream. Such a one does not wait for a message,
 * or the later one would not have got its own. It waits for data, so the number is known soon.
 */
final class Numbering {
  private final Map<Stream, Long> got;
  private final Map<Integer, Receive> receives = new LinkedHashMap<>();

  /**
   * Begins where a line left off.
   *
   * @param got how many messages of each stream were received
   */
  public Numbering(final Map<Stream, Long> got) {
    this.got = new LinkedHashMap<>(got);
  }

  /** A receive, or a probe that found a message. */
  private record Receive(Pattern pattern, Stream stream, boolean takes) {}

  /**
   * A receive was posted.
   *
   * @param request its request
   * @param pattern what it asks for
   */
  public void posted(final int request, final Pattern pattern) {
    receives.put(request, new Receive(pattern, null, true));
  }

  /**
   * A receive is complete.
   *
   * @param request its request
   * @param stream what it took a message of
   */
  public void completed(final int request, final Stream stream) {
    receives.computeIfPresent(request, (key, was) -> new Receive(was.pattern(), stream, true));
  }

  /**
   * A probe found a message, which stays where it is.
   *
   * @param request the number of the find
   * @param stream what it found a message of
   */
  public void found(final int request, final Stream stream) {
    receives.put(request, new Receive(Pattern.of(stream), stream, false));
  }

  /**
   * The number of the message that a probe finds.
   *
   * @param stream its stream
   * @return empty when it is not known yet
   */
  public OptionalLong next(final Stream stream) {
    return receives.values().stream().anyMatch(receive -> receive.pattern().matches(stream))
        ? OptionalLong.empty()
        : OptionalLong.of(got.getOrDefault(stream, 0L) + 1);
  }

  /**
   * Numbers what can be numbered. Receives are complete or not at one moment: a caller tells of all
   * that it knows before it asks.
   *
   * @return the messages that have a number now, by request
   */
  public Map<Integer, Message> settle() {
    final Map<Integer, Message> numbered = new LinkedHashMap<>();
    final List<Pattern> incomplete = new ArrayList<>();
    for (final Iterator<Map.Entry<Integer, Receive>> all = receives.entrySet().iterator();
        all.hasNext(); ) {
      final Map.Entry<Integer, Receive> entry = all.next();
      final Receive receive = entry.getValue();
      final Stream stream = receive.stream();
      if (stream == null) {
        incomplete.add(receive.pattern());
      } else if (incomplete.stream().noneMatch(pattern -> pattern.matches(stream))) {
        final long number = got.getOrDefault(stream, 0L) + 1;
        if (receive.takes()) {
          got.put(stream, number);
        }
        numbered.put(entry.getKey(), new Message(stream, number));
        all.remove();
      }
    }
    return numbered;
  }

  /**
   * Counts from a line on, as the sender does once the wave is committed. A stream that is not used
   * any more is forgotten.
   *
   * @param before how many messages of a stream were sent before the sender's line
   */
  public void countFrom(final ToLongFunction<Stream> before) {
    got.replaceAll((stream, number) -> number - before.applyAsLong(stream));
    got.values().removeIf(number -> number == 0);
  }

  /**
   * Whether every complete receive has its number. Only then do the counts say which messages were
   * received, and a line can be taken.
   *
   * @return whether nothing waits for its number
   */
  public boolean isSettled() {
    return receives.values().stream().allMatch(receive -> receive.stream() == null);
  }

  /**
   * How many messages of each stream were received and have their number.
   *
   * @return a copy of the counts
   */
  public Map<Stream, Long> got() {
    return Map.copyOf(got);
  }
}
