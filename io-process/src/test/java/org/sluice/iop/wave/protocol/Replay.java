package org.sluice.iop.wave.protocol;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.sluice.iop.wave.protocol.c3.Event;
import org.sluice.iop.wave.protocol.c3.Plan;

/** A rank's plan while it is carried out. */
final class Replay {
  private final Plan plan;
  private final C3Record.Late late;
  private final Rule leftOut;
  private final Deque<Event> events;

  Replay(final Plan plan, final C3Record.Late late, final Rule leftOut) {
    this.plan = plan;
    this.late = late;
    this.leftOut = leftOut;
    this.events = new ArrayDeque<>(leftOut == Rule.RECORD ? List.of() : plan.events());
  }

  boolean isOn() {
    return !events.isEmpty();
  }

  /** One more call is answered. */
  void next() {
    if (events.remove() instanceof final Event.Nothing one && one.calls() > 1) {
      events.addFirst(new Event.Nothing(one.calls() - 1));
    }
  }

  /** The program must do what it did. */
  void check(final Event event) {
    if (isOn() && !events.remove().equals(event)) {
      throw new Broken("a program did something else on recovery");
    }
  }

  private <T extends Event> T head(final Class<T> kind) {
    if (!isOn()) {
      return null;
    }
    if (!kind.isInstance(events.peek())) {
      throw new Broken("a program did something else on recovery");
    }
    return kind.cast(events.peek());
  }

  /** Compares a message that its receiver has. */
  boolean suppresses(final Message message, final int check) {
    final Event.Sent was = head(Event.Sent.class);
    if (was != null) {
      next();
      if (!was.message().equals(message) || was.check() != check) {
        throw new Broken("a message differs from its first sending");
      }
    }
    final boolean repeated = was != null || leftOut == Rule.SUPPRESSED_IN_REPLAY;
    return repeated && Crossing.isSuppressed(plan, message) && leftOut != Rule.SUPPRESSION;
  }

  /** What a call said before; null where it is free to say what it likes. */
  List<Integer> completed(final List<Integer> asked, final Layer.Wait how) {
    final boolean nothing = events.peek() instanceof Event.Nothing;
    final Event.Completed was = nothing ? null : head(Event.Completed.class);
    if (was == null && !nothing) {
      return null;
    }
    final List<Integer> requests = nothing ? List.of() : was.requests();
    if (!asked.containsAll(requests)) {
      throw new Broken("a program did something else on recovery");
    }
    if (leftOut == Rule.OUTCOMES && how != Layer.Wait.ALL) {
      next();
      return null;
    }
    return requests;
  }

  /** A find, or none; null where the call is free to say what it likes. */
  Event probed() {
    final Event was =
        events.peek() instanceof final Event.Nothing nothing ? nothing : head(Event.Probed.class);
    if (was != null) {
      next();
    }
    return leftOut == Rule.OUTCOMES ? null : was;
  }

  Optional<Stream> found(final Event.Probed probed) {
    return Optional.ofNullable(plan.found().get(probed.request())).map(Message::stream);
  }

  /** Late messages that the layer had taken, and that no receive takes again. */
  List<Handle> drained() {
    return late.drained().stream()
        .filter(message -> !plan.forced().containsValue(message))
        .map(
            message -> {
              final Handle handle = Handle.drained(0, message.stream());
              handle.message = message;
              handle.complete(late.messages().get(message));
              return handle;
            })
        .toList();
  }

  Message forced(final int request) {
    return plan.forced().get(request);
  }

  Payload late(final Message message) {
    return message == null || leftOut == Rule.LATE_MESSAGES ? null : late.messages().get(message);
  }

  /** The result of a collective that was open at the line. */
  Optional<Long> open(final Collective collective) {
    return leftOut == Rule.OPEN_COLLECTIVES ? Optional.empty() : result(collective);
  }

  private Optional<Long> result(final Collective collective) {
    return Optional.ofNullable(late.results().get(collective));
  }

  /** The result of a straddling collective, which nobody calls again. */
  Optional<Long> straddling(final Event.Entered entered) {
    final boolean asked =
        leftOut == Rule.STRADDLING_FROM_RECORD
            || leftOut == Rule.STRADDLING_BARRIER && entered.flow() == Flow.ALL;
    return asked ? Optional.empty() : result(entered.collective());
  }
}
