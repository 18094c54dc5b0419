package org.sluice.profile.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.sluice.profile.trace.Tally;

/** The summary of a profile in a sentence or two. */
final class Headline {
  private static final double WORTH_SAYING = 20;
  private static final double MOST = 50;

  private final Profile profile;

  private Headline(final Profile profile) {
    this.profile = profile;
  }

  static String of(final Profile profile) {
    return profile.isEmpty() ? "No write of a file was found." : new Headline(profile).text();
  }

  private String text() {
    final List<String> clauses = new ArrayList<>(concentration().stream().toList());
    final int most = largest(tally -> tally.percentOfWrites(profile.total()));
    clauses.add(
        "%s of the writes are %s and carry %s of the data"
            .formatted(
                percent(profile.sizeClass(most).percentOfWrites(profile.total())),
                words(most),
                percent(profile.sizeClass(most).percentOfBytes(profile.total()))));
    final int slowest = largest(tally -> tally.percentOfTime(profile.total()));
    final double time = profile.sizeClass(slowest).percentOfTime(profile.total());
    if (slowest != most && time >= WORTH_SAYING) {
      clauses.add("those %s take %s of the time".formatted(words(slowest), percent(time)));
    }
    return String.join("; ", clauses) + ".";
  }

  /** Returns a clause on the size above which few writes have most of the data. */
  private Optional<String> concentration() {
    final int split =
        IntStream.range(0, SizeClasses.COUNT)
            .boxed()
            .max(
                Comparator.comparingDouble((Integer i) -> above(i, true) - above(i, false))
                    .thenComparing(Comparator.naturalOrder()))
            .orElseThrow();
    if (split == 0 || above(split, true) - above(split, false) < WORTH_SAYING) {
      final int most = largest(tally -> tally.percentOfBytes(profile.total()));
      return profile.sizeClass(most).percentOfBytes(profile.total()) > MOST
          ? Optional.empty() // the next clause says so
          : Optional.of("The data is spread over writes of all sizes");
    }
    return Optional.of(
        "%s of the data is in %s of the writes, those of %s or more"
            .formatted(
                percent(above(split, true)),
                percent(above(split, false)),
                SizeClasses.words(SizeClasses.from(split))));
  }

  private double above(final int first, final boolean data) {
    double sum = 0;
    for (int i = first; i < SizeClasses.COUNT; i++) {
      final Tally tally = profile.sizeClass(i);
      sum += data ? tally.percentOfBytes(profile.total()) : tally.percentOfWrites(profile.total());
    }
    return sum;
  }

  private int largest(final ToDoubleFunction<Tally> share) {
    return IntStream.range(0, SizeClasses.COUNT)
        .boxed()
        .max(Comparator.comparingDouble(i -> share.applyAsDouble(profile.sizeClass(i))))
        .orElseThrow();
  }

  private static String words(final int sizeClass) {
    if (sizeClass == 0) {
      return "below " + SizeClasses.words(SizeClasses.to(0));
    }
    return sizeClass == SizeClasses.COUNT - 1
        ? "of 1 MiB or more"
        : "of %s to %s"
            .formatted(
                SizeClasses.words(SizeClasses.from(sizeClass)),
                SizeClasses.words(SizeClasses.to(sizeClass)));
  }

  static String percent(final double percent) {
    if (percent > 0 && percent < 0.1) {
      return "less than 0.1 %";
    }
    return percent < 10 && percent != Math.rint(percent)
        ? "%.1f %%".formatted(percent)
        : "%.0f %%".formatted(percent);
  }
}
