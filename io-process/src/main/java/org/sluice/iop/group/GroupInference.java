package org.sluice.iop.group;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The inference of a {@code --group} pattern from paths that ranks write. A number in the paths
 * differs between ranks and equals the rank; another is the same for all ranks, and grows. Without
 * ranks one number grows. Where two numbers may be meant nothing is inferred. Temporary names,
 * which a file has only until it is whole, are ignored, and the pattern excludes them. Not
 * thread-safe; no I/O.
 */
final class GroupInference {
  /** The writer of a program that no launcher started, or of a job of one rank. */
  public static final int ALONE = -1;

  /** The number of paths from which on a program has no checkpoints that names could tell apart. */
  private static final int MOST_PATHS = 20_000;

  private static final int MOST_FAMILIES = 256;
  private static final int MOST_MARKS = 4;

  /** Parts of names that programs give a file before it is whole, or an old copy. */
  private static final Pattern TEMPORARY =
      Pattern.compile(
          "(?<start>(?:^|(?<=/))(?:[.#]|_?tmp(?![a-z])))"
              + "|(?<part>[._-]tmp)(?=$|[/._-])"
              + "|(?<end>[._-](?:temp|part|partial|new|incomplete|inprogress|unfinished|writing"
              + "|old|bak|swp|lock)|~)(?=$|/)",
          Pattern.CASE_INSENSITIVE);

  /** Paths that a line can show and that do not end a quoted word. */
  private static final Pattern PLAIN = Pattern.compile("[^\\p{Cntrl}\\p{Cs}']*");

  private static final Pattern SPECIAL = Pattern.compile("[\\\\.\\[\\](){}*+?^$|]");

  private final Set<String> seen = new HashSet<>();
  private final Set<String> marks = new LinkedHashSet<>();
  private final Map<String, PathFamily> ofRanks = new LinkedHashMap<>();
  private final Map<String, PathFamily> ofOne = new LinkedHashMap<>();

  /**
   * @param path path of the file, relative to the capture directory
   * @param rank rank of its writer, or {@link #ALONE}
   * @param localRanks number of the job's ranks on this node
   * @param order number that ascends in the order in which files came
   * @return an expression for {@code --group}; empty while there is none
   */
  public Optional<String> see(
      final String path, final int rank, final int localRanks, final int order) {
    if (isTemporary(path) || !PLAIN.matcher(path).matches()) {
      return Optional.empty();
    }
    final Map<String, PathFamily> families = rank == ALONE ? ofOne : ofRanks;
    final String key = PathFamily.key(path);
    final boolean known = families.containsKey(key);
    if (!known && families.size() >= MOST_FAMILIES
        || seen.size() >= MOST_PATHS
        || !seen.add(rank + " " + path)) {
      return Optional.empty();
    }
    final PathFamily family = families.computeIfAbsent(key, any -> new PathFamily(path));
    family.see(path, rank, order);
    return rank == ALONE ? ofOne(family) : ofRanks(family, localRanks);
  }

  private boolean isTemporary(final String path) {
    final Matcher matcher = TEMPORARY.matcher(path);
    if (!matcher.find()) {
      return false;
    }
    if (marks.size() < MOST_MARKS) {
      marks.add(
          matcher.group("start") != null
              ? "(?!(?:.*/)?%s)".formatted(escape(matcher.group()))
              : "(?!.*%s(?:$|[/._-]))".formatted(escape(matcher.group())));
    }
    return true;
  }

  private Optional<String> ofRanks(final PathFamily family, final int localRanks) {
    final int rank = family.rankPlace();
    final List<Integer> steps = family.candidates(true);
    if (rank < 0 || steps.size() != 1) {
      return Optional.empty();
    }
    final int step = steps.getFirst();
    final boolean known =
        localRanks == 1 ? family.grows(step) : family.ranks() > 1 && family.isShared(step);
    return known ? Optional.of(expression(family, step, rank, List.of())) : Optional.empty();
  }

  /**
   * Returns the pattern for processes without ranks. Where ranks write as well, files of processes
   * without a rank are their launcher's or a script's.
   */
  private Optional<String> ofOne(final PathFamily family) {
    final List<Integer> steps = family.candidates(false);
    if (!ofRanks.isEmpty() || steps.size() != 1 || !family.grows(steps.getFirst())) {
      return Optional.empty();
    }
    final Set<Long> numbers = family.values(steps.getFirst());
    final List<PathFamily> others =
        ofOne.values().stream()
            .filter(other -> other != family && !other.candidates(false).isEmpty())
            .toList();
    final boolean agree =
        others.stream()
            .allMatch(
                other ->
                    other.candidates(false).stream()
                        .anyMatch(place -> numbers.containsAll(other.values(place))));
    return agree ? Optional.of(expression(family, steps.getFirst(), -1, others)) : Optional.empty();
  }

  private String expression(
      final PathFamily family, final int step, final int rank, final List<PathFamily> others) {
    final String text = "^" + String.join("", marks);
    final int directory = directoryBehind(family, step);
    if (directory >= 0 && rank < directory) {
      return text + upTo(family, directory, step, rank) + head(family.literal(directory));
    }
    if (directory >= 0) {
      final String its = head(family.literal(directory));
      final String whole = upTo(family, rank + 1, step, rank);
      final String outer = upTo(family, directory, step, rank) + its;
      return "%s%s(?:%s)?".formatted(text, outer, whole.substring(outer.length()));
    }
    final boolean inFile = rank >= 0 && literals(family, Math.min(step, rank) + 1, rank, step);
    return text
        + (inFile
            ? anyName(family, step, rank)
            : names(family, step, others) + rest(family, step, rank));
  }

  /**
   * Returns the index of the first literal behind a number that ends a directory's name; -1 for
   * none.
   */
  private static int directoryBehind(final PathFamily family, final int step) {
    for (int i = step + 1; i <= family.numbers(); i++) {
      if (family.literal(i).contains("/")) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the literal up to the end of the directory's name. */
  private static String head(final String literal) {
    return escape(literal.substring(0, literal.indexOf('/') + 1));
  }

  /** Returns whether both numbers are in the file's name. */
  private static boolean literals(
      final PathFamily family, final int from, final int rank, final int step) {
    for (int i = from; i <= Math.max(rank, step); i++) {
      if (family.literal(i).contains("/")) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns a pattern that allows any name before the first number, as files of one checkpoint may
   * have several.
   */
  private static String anyName(final PathFamily family, final int step, final int rank) {
    final int first = Math.min(step, rank);
    final String literal = family.literal(first);
    final String directory = literal.substring(0, literal.lastIndexOf('/') + 1);
    final String before = upTo(family, first, step, rank);
    final String whole = upTo(family, Math.max(step, rank) + 1, step, rank);
    return before
        + escape(directory)
        + "[^\\d/]*"
        + whole.substring(before.length() + escape(literal).length());
  }

  /** Returns the literals before the step's number, of all families that differ in nothing else. */
  private static String names(
      final PathFamily family, final int step, final List<PathFamily> others) {
    final Set<String> names = new LinkedHashSet<>(Set.of(family.literal(0)));
    if (step == 0) {
      others.stream()
          .filter(other -> directoryBehind(other, 0) < 0 && !other.literal(0).isEmpty())
          .forEach(other -> names.add(other.literal(0)));
    }
    return names.size() == 1
        ? escape(family.literal(0))
        : names.stream()
            .sorted()
            .map(GroupInference::escape)
            .collect(Collectors.joining("|", "(?:", ")"));
  }

  private static String rest(final PathFamily family, final int step, final int rank) {
    return upTo(family, Math.max(step, rank) + 1, step, rank)
        .substring(escape(family.literal(0)).length());
  }

  /** Returns the pattern of the literals and numbers before an index. */
  private static String upTo(
      final PathFamily family, final int end, final int step, final int rank) {
    final StringBuilder text = new StringBuilder();
    for (int i = 0; i < end; i++) {
      final int place = i;
      text.append(escape(family.literal(i)));
      if (i == step) {
        text.append("(\\d+)");
      } else if (i == rank) {
        text.append("(?<rank>\\d+)");
      } else {
        text.append(
            family.constant(i).filter(its -> rank < 0 || !family.isOfRank(place)).orElse("\\d+"));
      }
    }
    return text.toString();
  }

  private static String escape(final String literal) {
    return SPECIAL.matcher(literal).replaceAll("\\\\$0");
  }

  /**
   * Returns the reason for which nothing was inferred, for users.
   *
   * @return the end of a sentence
   */
  public String obstacle() {
    final Map<String, PathFamily> families = ofRanks.isEmpty() ? ofOne : ofRanks;
    final Optional<PathFamily> unclear =
        families.values().stream()
            .filter(its -> its.candidates(!ofRanks.isEmpty()).size() > 1)
            .findFirst();
    if (unclear.isPresent()) {
      return "which number of %s is the checkpoint's is not clear"
          .formatted(unclear.get().example());
    }
    final List<PathFamily> numbered = numbered();
    if (numbered.isEmpty()) {
      return "no number in their names tells checkpoints apart";
    }
    final String example = numbered.getFirst().example();
    if (!ofRanks.isEmpty() && numbered.getFirst().rankPlace() < 0) {
      return "no number of %s is that of the rank which wrote it".formatted(example);
    }
    final Set<Long> numbers = numbers(numbered.getFirst());
    return numbered.stream()
        .filter(its -> !numbers(its).equals(numbers))
        .findFirst()
        .map(
            other ->
                "files such as %s and %s have different numbers"
                    .formatted(example, other.example()))
        .orElse("there was one number alone, as in " + example);
  }

  /** Returns whether no number could be a checkpoint's. */
  public boolean isUnnumbered() {
    return numbered().isEmpty();
  }

  private List<PathFamily> numbered() {
    return (ofRanks.isEmpty() ? ofOne : ofRanks)
        .values().stream().filter(its -> !its.candidates(!ofRanks.isEmpty()).isEmpty()).toList();
  }

  /** Returns the values of the family's only number that may be a checkpoint's. */
  private Set<Long> numbers(final PathFamily family) {
    return family.values(family.candidates(!ofRanks.isEmpty()).getFirst());
  }
}
