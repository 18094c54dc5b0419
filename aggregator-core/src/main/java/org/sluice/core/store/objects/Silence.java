package org.sluice.core.store.objects;

import java.util.function.Consumer;

/**
 * Tells a process that starts of each request to storage that has no answer yet: it gets on, though
 * it takes no processor time.
 */
public final class Silence {
  private static volatile Consumer<String> listener = server -> {};

  private Silence() {}

  /**
   * Lets one be told from here on.
   *
   * @param told gets what is waited for; any thread
   */
  public static void listen(final Consumer<String> told) {
    listener = told;
  }

  /**
   * A request has no answer.
   *
   * @param server where it went
   */
  public static void tell(final String server) {
    listener.accept(server);
  }
}
