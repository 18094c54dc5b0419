package org.sluice.iop.wave.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Messages that the layer took off the network before the program asked for them, in the order in
 * which they came. They are older than what is on the network, so a receive or a probe looks here
 * first.
 */
final class Drained {
  private final List<Handle> messages = new ArrayList<>();
  private final Rule leftOut;

  Drained(final List<Handle> image, final Rule leftOut) {
    image.forEach(message -> messages.add(message.image()));
    this.leftOut = leftOut;
  }

  void add(final Handle message) {
    messages.add(message);
  }

  List<Handle> all() {
    return messages;
  }

  List<Handle> image() {
    return leftOut == Rule.FED ? List.of() : messages.stream().map(Handle::image).toList();
  }

  boolean isComplete() {
    return messages.stream().allMatch(one -> one.complete);
  }

  /** Counts from a line on. What came before it then has a number of 0 or less. */
  void countFrom(final ToLongFunction<Stream> before) {
    for (final Handle one : messages) {
      if (one.message != null && leftOut != Rule.DRAINED_COUNTED_FROM_LINE) {
        final long number = one.message.number() - before.applyAsLong(one.stream);
        one.message = new Message(one.stream, number);
      }
    }
  }

  /** The oldest one that something would take. */
  Optional<Handle> find(final Pattern pattern) {
    return (leftOut == Rule.FED_IN_ORDER ? messages.reversed() : messages)
        .stream().filter(one -> pattern.matches(one.stream)).findFirst();
  }

  /** Takes it out. */
  Optional<Handle> take(final Pattern pattern) {
    final Optional<Handle> taken = find(pattern);
    taken.ifPresent(messages::remove);
    return taken;
  }
}
