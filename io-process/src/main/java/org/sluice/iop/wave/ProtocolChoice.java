package org.sluice.iop.wave;

import java.util.function.Supplier;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.Protocol;
import org.sluice.iop.wave.protocol.Verdict;
import org.sluice.iop.wave.protocol.Wave;

/**
 * The choice of the protocol for the waves of a job. Where the user leaves that to Sluice the first
 * wave tells whether the protocol that is tried suits the job; else the usual one does. Service
 * thread only.
 */
final class ProtocolChoice {
  private final Job job;
  private Protocol protocol;
  private Supplier<Wave> waves;
  private boolean open;
  private String why = "";

  /**
   * Creates the choice that the user wants: a protocol, or that one is chosen.
   *
   * @param chosen what an earlier attempt of the job chose, by its name; null for nothing
   */
  ProtocolChoice(final Job job, final String chosen) {
    this.job = job;
    this.open = job.protocol() == Control.AUTO && chosen == null;
    if (open) {
      take(Protocols.TRIED);
    } else {
      take(job.protocol() == Control.AUTO ? Protocols.of(chosen) : Protocols.of(job.protocol()));
    }
  }

  private void take(final Protocol one) {
    protocol = one;
    waves = one.begin(job.ranks(), job.patience());
  }

  Protocol protocol() {
    return protocol;
  }

  Wave begin() {
    return waves.get();
  }

  /** Returns the reason of the choice for the user, once; empty where nothing was chosen since. */
  String why() {
    final String said = why;
    why = "";
    return said;
  }

  /** Heeds what a wave tells of its protocol. Returns whether the next one has another one. */
  boolean hear(final Verdict verdict) {
    final boolean changes = open && !verdict.suits();
    if (changes) {
      take(Protocols.USUAL);
    }
    if (open) {
      open = false;
      why = "%s from here on: %s".formatted(protocol.name(), verdict.why());
    }
    return changes;
  }
}
