package org.sluice.iop.crash;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.Speaker;

/**
 * The way in which the I/O process ends at once when its own code fails, in any thread. The end
 * leaves all that a kill would leave: segment, journal, runtime directory, containers. No thread
 * sees half-done changes of the failing one then, and the next I/O process goes on from the
 * journal.
 *
 * <p>Before that, the thread writes where it failed into a file that was opened at the start, with
 * memory that was set aside. Another thread ends the process a few seconds later in any case:
 * writing may hang, or there may be no memory for anything.
 *
 * <p>The JVM's flag to exit at the first {@link OutOfMemoryError} would leave no trace, and miss
 * those that Java code throws.
 */
public final class FailStop {
  private static final int RESERVE = 1 << 20;
  private static final FileOutputStream STANDARD_ERROR = new FileOutputStream(FileDescriptor.err);
  private static final byte[] OUT_OF_MEMORY =
      "java.lang.OutOfMemoryError\n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] A_FAULT = "a fault of its own\n".getBytes(StandardCharsets.UTF_8);
  private static final int TRIES = 100;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The thread that fails first; written once. */
  private static final AtomicReference<Thread> FAILING = new AtomicReference<>();

  /** Memory that is given up at a failure, when there may be no other. */
  private static volatile byte[] reserve;

  private static volatile FileOutputStream report;
  private static volatile PrintStream trace;
  private static volatile byte[] firstLine = new byte[0];
  private static volatile byte[] errorLine = new byte[0];
  private static volatile InFlight inFlight;
  private static volatile Thread last;

  private FailStop() {}

  /**
   * Makes a failure of any thread end this process, from here on.
   *
   * @param file file for the crash report, which stays empty without a failure
   */
  public static void arm(final String name, final Path file) throws IOException {
    final String what =
        "the I/O process " + name + " (process " + ProcessHandle.current().pid() + ") failed";
    firstLine = (what + ": ").getBytes(StandardCharsets.UTF_8);
    errorLine =
        ("sluice: " + what + ", what it had is kept, another one can go on with it: ")
            .getBytes(StandardCharsets.UTF_8);
    report = new FileOutputStream(file.toFile());
    trace = new PrintStream(report, true, StandardCharsets.UTF_8);
    reserve = new byte[RESERVE];
    last =
        last != null
            ? last
            : Thread.ofPlatform().daemon().name("fail-stop").start(FailStop::awaitFailure);
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> now(failure));
  }

  /**
   * Ends {@link #arm}, since the session is over. Code that runs in this JVM from here on has
   * another way to fail.
   */
  public static void disarm() {
    Thread.setDefaultUncaughtExceptionHandler(null);
    inFlight = null;
  }

  /** Lets a report say what the threads handled, and the next I/O process count it. */
  public static void watch(final InFlight handled) {
    inFlight = handled;
  }

  public static void now(final Throwable failure) {
    if (!FAILING.compareAndSet(null, Thread.currentThread())) {
      while (FAILING.get() != Thread.currentThread()) {
        LockSupport.park(); // until the process is gone
      }
    }
    LockSupport.unpark(last);
    try {
      reserve = null;
      tell(failure);
    } finally {
      Runtime.getRuntime().halt(ExitStatus.CRASHED.code());
    }
  }

  private static void tell(final Throwable failure) {
    final Thread thread = Thread.currentThread();
    final InFlight handled = inFlight;
    final Lane lane = handled == null ? null : handled.failed(thread.getName());
    writeKnown(failure);
    if (trace != null) {
      write(failure, thread, lane);
    }
    Speaker.say("thread %s failed: %s".formatted(thread.getName(), failure));
    System.err.flush();
  }

  /** Reports the failure without allocating memory. */
  private static void writeKnown(final Throwable failure) {
    final byte[] reason = failure instanceof OutOfMemoryError ? OUT_OF_MEMORY : A_FAULT;
    try {
      if (report != null) {
        report.write(firstLine);
        report.write(reason);
      }
      STANDARD_ERROR.write(errorLine);
      STANDARD_ERROR.write(reason);
    } catch (final IOException e) {
      return; // the end of the process matters more than the report
    }
  }

  /**
   * Writes the report, again and again while memory lacks. Other threads end for lack of memory as
   * well, and leave some.
   */
  private static void write(final Throwable failure, final Thread thread, final Lane lane) {
    for (int i = 0; i < TRIES; i++) {
      try {
        writeTrace(failure, thread, lane);
        return;
      } catch (final OutOfMemoryError e) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private static void writeTrace(final Throwable failure, final Thread thread, final Lane lane) {
    trace.println("at " + Instant.now() + " in thread " + thread.getName());
    trace.println("while it handled " + (lane == null ? "nothing that can be left out" : lane));
    failure.printStackTrace(trace);
    trace.flush();
  }

  private static void awaitFailure() {
    while (FAILING.get() == null) {
      LockSupport.park();
    }
    final long end = System.nanoTime() + MOST_NANOS;
    long left = MOST_NANOS;
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = end - System.nanoTime();
    }
    Runtime.getRuntime().halt(ExitStatus.CRASHED.code());
  }
}
