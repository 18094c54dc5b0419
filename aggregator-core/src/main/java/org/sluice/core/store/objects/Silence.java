package org.sluice.core.store.objects;

import java.util.function.Consumer;

/**
 * The announcement of each request to storage that has no answer yet, made to a starting process. A
 * process that waits so makes progress, though it takes no processor time.
 */
public final class Silence {
  private static volatile Consumer<String> listener = server -> {};

  private Silence() {}

  public static void listen(final Consumer<String> told) {
    listener = told;
  }

  public static void tell(final String server) {
    listener.accept(server);
  }
}
