package org.sluice.iop.wave.protocol.c3;

import java.util.List;
import org.sluice.iop.wave.protocol.Collective;
import org.sluice.iop.wave.protocol.Line;
import org.sluice.iop.wave.protocol.Message;
import org.sluice.iop.wave.protocol.Pattern;
import org.sluice.iop.wave.protocol.Rule;

/** A closure that may lack a rule. */
public final class LaxClosure extends Closure {
  private final Rule leftOut;

  public LaxClosure(final Line line, final List<Recording> recordings, final Rule leftOut) {
    super(line, recordings);
    this.leftOut = leftOut;
  }

  @Override
  boolean isAvailable(final Message message) {
    return leftOut == Rule.CLOSURE_OVER_RECEIVES || super.isAvailable(message);
  }

  @Override
  boolean couldTake(final List<Pattern> free, final Message message) {
    return leftOut != Rule.EARLIER_RECEIVES_FORCED && super.couldTake(free, message);
  }

  @Override
  boolean isEntered(final int member, final Collective collective) {
    return leftOut == Rule.CLOSURE_OVER_COLLECTIVES || super.isEntered(member, collective);
  }
}
