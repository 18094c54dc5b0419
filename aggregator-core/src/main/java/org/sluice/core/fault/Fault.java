package org.sluice.core.fault;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Hazard;
import org.sluice.core.posix.Speaker;
import org.sluice.core.process.NativeProcess;

/**
 * The fault that is to strike at a {@link FaultPoint}, as the environment variable {@code
 * SLUICE_FAULT} asks for it:
 *
 * <pre>
 * POINT          the process kills itself before that step
 * after-POINT    the process kills itself after that step
 * POINT:torn     the process kills itself when half is written
 * POINT:short    half is written at first
 * POINT:ERRNO    the step fails, as with ENOSPC, EDQUOT, EIO or EROFS, and is not done
 * POINT:stop     the process stops itself before that step, until it gets SIGCONT
 * POINT:slow     the thread sleeps for 20 ms before that step, while others go on
 * POINT:exception  the thread throws what nobody expects, before that step
 * POINT:oom      the heap is full before that step
 * </pre>
 *
 * <p>All of them at the first time, {@code @N} at the Nth, {@code @N-M} from the Nth to the Mth,
 * {@code @N-} from the Nth on. Commas part several, of which the first that is due strikes.
 *
 * <p>Thread-safe once armed.
 */
public final class Fault implements Hazard.Mishap {
  public static final String VARIABLE = "SLUICE_FAULT";

  private static final Pattern TEXT =
      Pattern.compile(
          "(?<after>after-)?(?<point>[a-z-]+)(:(?<action>\\w+))?(@(?<first>\\d{1,9})(?<to>-(?<last>\\d{1,9})?)?)?");
  private static final int BLOCK = 4096;
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The armed faults, set before the threads start that come to any point. */
  private static List<Fault> armed = List.of();

  private static volatile Object hoard;

  private final String text;
  private final FaultPoint point;
  private final Action action;
  private final boolean after;
  private final int errno;
  private final long first;
  private final long last;
  private final AtomicLong times = new AtomicLong();

  /** The kinds of faults. */
  public enum Action {
    KILL,
    FAIL,
    SHORT,
    TORN,
    STOP,
    SLOW,
    EXCEPTION,
    OOM
  }

  /** A step that can fail. */
  @FunctionalInterface
  public interface Step<E extends IOException> {
    void run() throws E;
  }

  private Fault(final String text, final FaultPoint point, final Matcher parts) {
    this.text = text;
    this.point = point;
    this.after = parts.group("after") != null;
    final String what = parts.group("action");
    this.action = what == null ? Action.KILL : action(what);
    this.errno = action == Action.FAIL ? Errno.named(what) : 0;
    this.first = parts.group("first") == null ? 1 : Long.parseLong(parts.group("first"));
    this.last = last(parts);
    if (action == Action.FAIL && errno == 0) {
      throw wrong("there is no error %s; give one such as ENOSPC or EIO".formatted(what));
    }
    if (!point.actions().contains(action) || after && action != Action.KILL) {
      throw wrong("that cannot happen there; sluice check --faults tells what can");
    }
    if (first < 1 || last < first) {
      throw wrong("the times are counted from 1, upwards");
    }
  }

  /**
   * @throws IllegalArgumentException when it makes no sense; the message says why
   */
  public static List<Fault> parse(final String text) {
    return text.isEmpty() ? List.of() : Arrays.stream(text.split(",", -1)).map(Fault::one).toList();
  }

  private static Fault one(final String text) {
    final Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw wrong(text, "it reads [after-]POINT[:ACTION][@N]; sluice check --faults says more");
    }
    final String label = parts.group("point");
    return new Fault(
        text,
        FaultPoint.of(label)
            .orElseThrow(
                () ->
                    wrong(
                        text,
                        "there is no fault point %s; sluice check --faults lists them"
                            .formatted(label))),
        parts);
  }

  private static Action action(final String what) {
    return switch (what) {
      case "short" -> Action.SHORT;
      case "torn" -> Action.TORN;
      case "exception" -> Action.EXCEPTION;
      case "oom" -> Action.OOM;
      case "stop" -> Action.STOP;
      case "slow" -> Action.SLOW;
      default -> Action.FAIL;
    };
  }

  private long last(final Matcher parts) {
    if (parts.group("to") == null) {
      return first;
    }
    return parts.group("last") == null ? Long.MAX_VALUE : Long.parseLong(parts.group("last"));
  }

  private IllegalArgumentException wrong(final String reason) {
    return wrong(text, reason);
  }

  private static IllegalArgumentException wrong(final String text, final String reason) {
    return new IllegalArgumentException("%s=%s: %s".formatted(VARIABLE, text, reason));
  }

  /** Lets faults happen from here on in this process, and no others. */
  public static void arm(final List<Fault> faults) {
    armed = faults;
  }

  /** Returns the fault that strikes this time; null nearly always. */
  public static Fault at(final FaultPoint point) {
    if (armed.isEmpty()) {
      return null;
    }
    Fault struck = null;
    for (final Fault fault : armed) {
      if (fault.point == point && fault.isDue() && struck == null) {
        struck = fault;
      }
    }
    return struck;
  }

  /** The faults that never struck, as this process did not come to their point so often. */
  public static List<String> unreached() {
    return armed.stream()
        .filter(fault -> fault.times.get() < fault.first)
        .map(Fault::rest)
        .toList();
  }

  private String rest() {
    return "%s=%s never struck: that point was reached %d times"
        .formatted(VARIABLE, text, times.get());
  }

  static boolean isArmed(final FaultPoint point) {
    return armed.stream().anyMatch(fault -> fault.point == point);
  }

  /**
   * Does a step, at which a fault may strike.
   *
   * @param what the step, and its object, for the message of an error
   * @throws PosixException when it is to fail
   */
  public static <E extends IOException> void at(
      final FaultPoint point, final String what, final Step<E> step) throws E, PosixException {
    final Fault fault = at(point);
    if (fault != null) {
      fault.begin(what);
    }
    step.run();
    if (fault != null) {
      fault.end();
    }
  }

  /** Lets a thread fail at its step, if a fault says so. */
  public static void strike(final FaultPoint point) {
    final Fault fault = at(point);
    if (fault != null) {
      fault.strike();
    }
  }

  private void strike() {
    switch (action) {
      case EXCEPTION -> throw new IllegalStateException("as %s=%s says".formatted(VARIABLE, text));
      case OOM -> fillHeap();
      default -> kill();
    }
  }

  /** Fills the heap: every thread that allocates fails from here on. */
  private static void fillHeap() {
    OutOfMemoryError first = null;
    for (int length = 1 << 20; length >= 16; length /= 256) { // the JVM has few with a stack trace
      try {
        while (true) {
          hoard = new Object[] {hoard, new byte[length]};
        }
      } catch (final OutOfMemoryError e) {
        first = first == null ? e : first;
      }
    }
    throw first;
  }

  private boolean isDue() {
    final long time = times.incrementAndGet();
    return time >= first && time <= last;
  }

  @Override
  public void begin(final String what) throws PosixException {
    if (action == Action.FAIL) {
      throw new PosixException(what, errno);
    }
    if (action == Action.KILL && !after) {
      kill();
    }
    if (action == Action.STOP) {
      stop();
    }
    if (action == Action.SLOW) {
      LockSupport.parkNanos(SLOW_NANOS);
    }
  }

  /** A whole number of blocks stays one, as it would on any disk. */
  @Override
  public long cut(final long length) {
    if (action != Action.SHORT && action != Action.TORN) {
      return length;
    }
    final long half = (length + 1) / 2;
    return length % BLOCK == 0 ? (half + BLOCK - 1) / BLOCK * BLOCK : half;
  }

  @Override
  public void end() {
    if (action == Action.KILL || action == Action.TORN) {
      kill();
    }
  }

  private void stop() {
    Speaker.say("the I/O process stops itself, as %s=%s says".formatted(VARIABLE, text));
    NativeProcess.stopSelf();
  }

  private void kill() {
    Speaker.say("the I/O process kills itself, as %s=%s says".formatted(VARIABLE, text));
    NativeProcess.killSelf();
  }
}
