package org.sluice.iop.check;

import java.util.Locale;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;

/**
 * Whether something can be had.
 *
 * @param name what, the same in each release
 * @param answer whether
 * @param detail what was found
 * @param follows what that means for the user, and what to do; empty when nothing follows
 * @param status what a session would end with for want of it
 */
record Finding(String name, Answer answer, String detail, String follows, ExitStatus status) {
  /** Whether it can be had. */
  enum Answer {
    /** It can. */
    YES,
    /** In part, or at a price. */
    LIMITED,
    /** It cannot. */
    NO;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whether there can be no session. */
  boolean stops() {
    return status != ExitStatus.OK;
  }

  /** What a user reads behind the name. */
  String text() {
    return follows.isEmpty() ? detail : detail + "; " + follows;
  }

  JsonObject toJson() {
    return new JsonObject()
        .with("name", name)
        .with("result", answer.toString())
        .with("detail", detail)
        .with("follows", follows.isEmpty() ? null : follows)
        .with("status", status.code());
  }
}
