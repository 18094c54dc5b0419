package org.sluice.profile.text;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.CallTime;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.Write;

/**
 * A reader of the output of {@code strace -f -ttt -T -y}. Without {@code -y} files are known by the
 * calls that opened them. The offset of a plain {@code write} follows from the calls before it.
 */
final class StraceReader extends LineReader {
  private static final Pattern LINE =
      Pattern.compile("(?:\\[pid +(\\d+)] +|(\\d+) +)?(\\d{9,}\\.\\d{1,9}) (.*)");
  private static final Pattern CALL =
      Pattern.compile(
          "(\\w+)\\((.*)\\) += (-?\\d+|0x[0-9a-f]+|\\?)(<.*?>(?=$| <))?[^<]*(?: <(\\d+\\.\\d+)>)?");
  private static final Pattern RESUMED = Pattern.compile("<\\.\\.\\. (\\w+) resumed>(.*)");
  private static final String UNFINISHED = " <unfinished ...>";
  private static final Pattern OF_STRACE = Pattern.compile("strace: Process \\d+ (at|de)tached");

  /** A call whose end comes in a later line. */
  private record Begun(long line, long time, String text) {}

  private final StraceProcesses processes;
  private final Map<Integer, Begun> begun = new HashMap<>();
  private final StraceFiles files = new StraceFiles();
  private boolean withoutDurations;

  StraceReader(
      final StraceProcesses processes, final Omissions omissions, final Consumer<Write> sink) {
    super(omissions, sink);
    this.processes = processes;
  }

  /** Returns whether only strace can have printed a line. */
  static boolean isCall(final String line) {
    final Matcher matcher = LINE.matcher(line);
    return matcher.matches()
        && (CALL.matcher(matcher.group(4)).matches() || matcher.group(4).endsWith(UNFINISHED));
  }

  @Override
  boolean isRead(final long number, final String line) {
    final Matcher matcher = LINE.matcher(line);
    if (!matcher.matches()) {
      return line.isBlank() || OF_STRACE.matcher(line).matches();
    }
    final String pid = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    try {
      final int thread = pid == null ? 0 : Integer.parseInt(pid);
      return event(number, thread, nanos(matcher.group(3)), matcher.group(4));
    } catch (final NumberFormatException | ArithmeticException e) {
      return false;
    }
  }

  private static long nanos(final String seconds) {
    return new BigDecimal(seconds).movePointRight(9).longValueExact();
  }

  private boolean event(final long number, final int thread, final long time, final String text) {
    if (text.startsWith("--- ") || text.startsWith("+++ ")) {
      return true;
    }
    if (text.endsWith(UNFINISHED)) {
      final String begin = text.substring(0, text.length() - UNFINISHED.length());
      begun.put(thread, new Begun(number, time, begin));
      return true;
    }
    final Matcher resumed = RESUMED.matcher(text);
    if (!resumed.matches()) {
      return call(thread, time, text);
    }
    final Begun begin = begun.remove(thread);
    return begin != null
        && begin.text().startsWith(resumed.group(1) + "(")
        && call(thread, begin.time(), begin.text() + resumed.group(2));
  }

  private boolean call(final int thread, final long time, final String text) {
    final Matcher matcher = CALL.matcher(text);
    if (!matcher.matches()) {
      return false;
    }
    final String result = matcher.group(3);
    if (result.startsWith("-") || result.equals("?") || result.startsWith("0x")) {
      return true;
    }
    final String name = matcher.group(1);
    final StraceArguments arguments = new StraceArguments(matcher.group(2));
    final long value = Long.parseLong(result);
    if (name.equals("clone") || name.equals("clone3") || name.endsWith("fork")) {
      begin(thread, Math.toIntExact(value), matcher.group(2));
      return true;
    }
    final int process = processes.processOf(thread);
    final Call call = StraceFiles.writeCall(name);
    if (call == Call.OTHER) {
      files.follow(process, name, arguments, value, matcher.group(4));
      return true;
    }
    withoutDurations |= matcher.group(5) == null;
    final long duration = matcher.group(5) == null ? 0 : nanos(matcher.group(5));
    files
        .write(process, name, arguments, value)
        .ifPresent(
            place ->
                sink.accept(
                    new Write(
                        processes.origin(process),
                        place.path(),
                        call,
                        Route.UNKNOWN,
                        new CallTime(time, duration),
                        place.offset(),
                        value)));
    return true;
  }

  private void begin(final int parent, final int child, final String flags) {
    if (flags.contains("CLONE_THREAD")) {
      processes.isThread(child, parent);
    } else if (child > 0) {
      files.fork(processes.processOf(parent), child);
    }
  }

  @Override
  void end() {
    begun.values().stream()
        .filter(call -> call.text().matches("p?writev?(64|2)?\\(.*"))
        .forEach(call -> omissions.skip("line " + call.line(), call.text()));
    if (withoutDurations) {
      omissions.note("Some writes have no duration; strace -T tells it.");
    }
    omissions.note("Ranks are numbered in the order of the process ids.");
  }
}
