package org.sluice.iop.check;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;

/** The table of the points in the life of a checkpoint at which a fault can be asked for. */
final class FaultTable {
  private static final String LINE = "%-18s %-56s %-48s %s%n";

  private FaultTable() {}

  static Map<String, Object> toJson() {
    final List<Object> points =
        Arrays.stream(FaultPoint.values()).<Object>map(FaultTable::members).toList();
    return Map.of("variable", Fault.VARIABLE, "points", points);
  }

  private static Map<String, Object> members(final FaultPoint point) {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("point", point.label());
    members.put("step", point.step());
    members.put("killed", point.killed());
    members.put("failed", point.failed());
    members.put(
        "actions", point.actions().stream().map(a -> a.name().toLowerCase(Locale.ROOT)).toList());
    return members;
  }

  static void print(final PrintWriter out) {
    out.printf(LINE, "POINT", "WHAT IT DOES", "IF KILLED", "IF IT FAILS");
    for (final FaultPoint point : FaultPoint.values()) {
      out.printf(LINE, point.label(), point.step(), point.killed(), point.failed());
    }
    out.printf(
        "%n:short and :torn at %s%n",
        Arrays.stream(FaultPoint.values())
            .filter(point -> point.actions().contains(Fault.Action.TORN))
            .map(FaultPoint::label)
            .collect(Collectors.joining(", ")));
    out.flush();
  }
}
