package org.sluice.profile.report;

import java.io.PrintWriter;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.posix.Quoting;
import org.sluice.profile.source.Traces;
import org.sluice.profile.trace.Tally;

/** A profile as the two tables of the paper and a few lines. */
final class ProfileText {
  private final PrintWriter out;

  private ProfileText(final PrintWriter out) {
    this.out = out;
  }

  static void print(final Profile profile, final PrintWriter out) {
    final ProfileText text = new ProfileText(out);
    out.printf("%s: %s%n%n%s%n%n", Quoting.name(profile.name), profile.kind, Headline.of(profile));
    if (!profile.isEmpty()) {
      text.printNodes(profile);
      text.printClasses(profile);
      text.printPattern(profile);
    }
    Traces.print(profile.omissions, out);
  }

  private void printNodes(final Profile profile) {
    out.printf(
        "%-20s %9s %10s %10s %12s %10s %10s%n",
        "NODE", "PROCESSES", "WRITES", "PER PROC", "DATA", "IN WRITES", "SPAN");
    profile.nodes.forEach(
        (host, node) ->
            out.printf(
                "%-20s %9d %10d %10d %12s %8.3f s %8.3f s%n",
                host,
                node.origins().size(),
                node.tally().writes(),
                node.tally().writes() / node.origins().size(),
                SizeConverter.format(node.tally().bytes()),
                node.tally().seconds(),
                node.spanSeconds()));
    out.println();
  }

  private void printClasses(final Profile profile) {
    out.printf(
        "%-14s %10s %12s %12s %12s %12s%n",
        "SIZE", "WRITES", "DATA", "% OF WRITES", "% OF DATA", "% OF TIME");
    for (int i = 0; i < SizeClasses.COUNT; i++) {
      final Tally tally = profile.sizeClass(i);
      out.printf(
          "%-14s %10d %12s %12.2f %12.2f %12.2f%n",
          SizeClasses.label(i),
          tally.writes(),
          SizeConverter.format(tally.bytes()),
          tally.percentOfWrites(profile.total()),
          tally.percentOfBytes(profile.total()),
          tally.percentOfTime(profile.total()));
    }
    out.println();
  }

  private void printPattern(final Profile profile) {
    final Bursts bursts = profile.bursts;
    out.printf(
        "sequential: %s of the writes, %s of the data%n",
        Headline.percent(profile.sequential.percentOfWrites(profile.total())),
        Headline.percent(profile.sequential.percentOfBytes(profile.total())));
    out.printf(
        "bursts of %d or more writes below 4 KiB: %d, with %s of the writes; the longest has %d%n",
        Bursts.LEAST_WRITES,
        bursts.count(),
        Headline.percent(100.0 * bursts.tally().writes() / profile.total().writes()),
        bursts.longest());
    out.printf("files: %d; phases of writing: %d%n", profile.files().size(), profile.phases.size());
  }
}
