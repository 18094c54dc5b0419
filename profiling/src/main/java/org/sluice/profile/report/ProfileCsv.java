package org.sluice.profile.report;

import java.io.PrintWriter;
import java.util.Locale;
import org.sluice.profile.trace.Tally;

/** The table of size classes, with the column names of the published table. */
final class ProfileCsv {
  private ProfileCsv() {}

  static void print(final Profile profile, final PrintWriter out) {
    out.println(
        "size_from_bytes,size_to_bytes,percent_of_writes,percent_of_data,percent_of_time,"
            + "writes,bytes,seconds");
    for (int i = 0; i < SizeClasses.COUNT; i++) {
      final Tally tally = profile.sizeClass(i);
      out.printf(
          Locale.ROOT,
          "%d,%s,%.2f,%.2f,%.2f,%d,%d,%.9f%n",
          SizeClasses.from(i),
          i == SizeClasses.COUNT - 1 ? "" : SizeClasses.to(i),
          tally.percentOfWrites(profile.total()),
          tally.percentOfBytes(profile.total()),
          tally.percentOfTime(profile.total()),
          tally.writes(),
          tally.bytes(),
          tally.seconds());
    }
  }
}
