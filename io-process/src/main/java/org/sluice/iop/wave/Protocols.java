package org.sluice.iop.wave;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.Protocol;
import org.sluice.iop.wave.protocol.c3.C3;
import org.sluice.iop.wave.protocol.pcl.Pcl;

/** The protocols that there are. A new protocol has a package of its own, and is named here. */
public final class Protocols {
  /** The name by which the user leaves the choice to Sluice. */
  private static final String AUTO = "auto";

  /** The protocol of a job that names none. */
  static final Protocol USUAL = new C3();

  /**
   * The protocol that is tried first where Sluice chooses: its waves tell whether it suits the job.
   */
  static final Protocol TRIED = new Pcl();

  private static final List<Protocol> ALL = List.of(USUAL, TRIED);

  private Protocols() {}

  /** Returns all protocols, the one of a job that names none first. */
  public static List<Protocol> all() {
    return ALL;
  }

  /** Returns the names that users may ask for, the usual one first, the choice last. */
  public static List<String> names() {
    return Stream.concat(ALL.stream().map(Protocol::name), Stream.of(AUTO)).toList();
  }

  /** Returns the meaning of the names, in sentences for the help of an option. */
  public static String help() {
    return "%s; %s: %s where that costs no wait, else %s. A job goes on from checkpoints of its own protocol, by %s from all. Default: %s."
        .formatted(
            ALL.stream()
                .map(one -> one.name() + ": " + one.summary())
                .collect(Collectors.joining("; ")),
            AUTO,
            TRIED.name(),
            USUAL.name(),
            AUTO,
            USUAL.name());
  }

  /** The protocol that ranks call by a number, if it is not {@link Control#AUTO}. */
  static Protocol of(final int number) {
    return ALL.stream()
        .filter(one -> one.number() == number)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no protocol " + number));
  }

  static Protocol of(final String name) {
    return ALL.stream().filter(one -> one.name().equals(name)).findFirst().orElse(USUAL);
  }
}
