package org.sluice.profile.replay;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.sluice.core.posix.Speaker;

/**
 * The handling of Ctrl-C, by which long work ends early with a partial result. In its shutdown the
 * virtual machine waits for {@link #close}, while the working thread looks at {@link #isRequested}.
 */
public final class Interruption implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 10;

  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook = new Thread(this::shutDown);
  private volatile boolean requested;

  public Interruption() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void shutDown() {
    requested = true;
    try {
      if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        Speaker.say("gave up waiting for the partial answer");
      }
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public boolean isRequested() {
    return requested;
  }

  /** A hook of a shutdown under way cannot be removed, and need not be. */
  @Override
  public void close() {
    done.countDown();
    if (!requested) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (final IllegalStateException e) {
        requested = true;
      }
    }
  }
}
