package org.sluice.iop.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.sluice.iop.checkpoint.PathPattern;

class GroupInferenceTest {
  /** Files that are looked at in the order in which they came. */
  private static final class Ordered {
    private final GroupInference inference = new GroupInference();
    private int order;

    Optional<String> see(final String path, final int rank, final int localRanks) {
      return inference.see(path, rank, localRanks, ++order);
    }

    String obstacle() {
      return inference.obstacle();
    }
  }

  @Example
  void numbersGrowInTheOrderInWhichFilesCameHoweverTheyAreLookedAt() {
    final GroupInference inference = new GroupInference();
    assertThat(inference.see("ckpt-15.dat", GroupInference.ALONE, 0, 3)).isEmpty();
    assertThat(inference.see("ckpt-5.dat", GroupInference.ALONE, 0, 1)).contains("^ckpt-(\\d+)");
    final GroupInference falling = new GroupInference();
    assertThat(falling.see("ckpt-15.dat", GroupInference.ALONE, 0, 1)).isEmpty();
    assertThat(falling.see("ckpt-5.dat", GroupInference.ALONE, 0, 2)).isEmpty();
    assertThat(falling.see("ckpt-10.dat", GroupInference.ALONE, 0, 3)).isEmpty();
  }

  /** A file that a rank has written. */
  private record Written(String path, long number, int rank) {}

  /**
   * How a program calls its files.
   *
   * @param template with S for the checkpoint, R for the rank, F for the file of the rank
   * @param pad digits of a number, at least
   * @param files of each rank
   * @param first checkpoint
   * @param every how far it is to the next one
   */
  private record Names(String template, int pad, int ranks, int files, long first, long every) {
    String path(final long number, final int rank, final int file) {
      return template
          .replace("S", padded(number))
          .replace("R", padded(rank))
          .replace("F", Integer.toString(file));
    }

    private String padded(final long number) {
      return ("%0" + pad + "d").formatted(number);
    }

    List<Written> checkpoint(final int ordinal) {
      final long number = first + ordinal * every;
      final List<Written> all = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        for (int file = 0; file < files; file++) {
          all.add(new Written(path(number, rank, file), number, rank));
        }
      }
      return all;
    }
  }

  /** Where each number may be, without one that tells the files of a rank apart. */
  private static final List<String> TEMPLATES =
      List.of(
          "ckpt-S/rank-R.dat",
          "ckpt-S/rank-R/data",
          "rank-R/ckpt-S/data",
          "rank-R/ckpt-S.dat",
          "ckpt-S-R.dat",
          "ckpt.R.S",
          "a/b c/S/R",
          "S-R.h5",
          "dump(S)[R]+x.bin",
          "rR/state-S-of-R.h5");

  /** Where each rank writes several files. */
  private static final List<String> OF_SEVERAL_FILES =
      List.of("ckpt-S/rank-R.F.dat", "ckpt-S/F/rank-R", "ckpt-S-R.F", "rank-R/S/part-F.dat");

  private static final List<String> OF_ONE_WRITER =
      List.of("ckpt-S.dat", "S/data.h5", "ckpt-S/a/b.txt", "state.S", "S");

  private static Arbitrary<Names> names(final List<String> templates, final int ranks, int files) {
    return Combinators.combine(
            Arbitraries.of(templates),
            Arbitraries.integers().between(1, 6),
            Arbitraries.integers().between(Math.min(2, ranks), ranks),
            Arbitraries.integers().between(Math.min(2, files), files),
            Arbitraries.longs().between(0, 1_000_000),
            Arbitraries.longs().between(1, 1000))
        .as(Names::new);
  }

  @Provide
  Arbitrary<Names> ranks() {
    return names(TEMPLATES, 9, 1);
  }

  @Provide
  Arbitrary<Names> severalFiles() {
    return names(OF_SEVERAL_FILES, 9, 4);
  }

  @Provide
  Arbitrary<Names> oneWriter() {
    return names(OF_ONE_WRITER, 1, 1);
  }

  /** What is found when files are closed one after the other; empty for nothing. */
  private static Optional<PathPattern> find(
      final Ordered inference, final int ranks, final List<Written> files) {
    for (final Written file : files) {
      final Optional<String> found =
          inference.see(file.path(), ranks == 1 ? GroupInference.ALONE : file.rank(), ranks);
      if (found.isPresent()) {
        return found.map(Pattern::compile).map(PathPattern::new);
      }
    }
    return Optional.empty();
  }

  private static void check(final Names names, final PathPattern found, final List<Written> files) {
    for (final Written file : files) {
      assertThat(found.number(file.path())).as(file.path()).hasValue(file.number());
      final OptionalLong rank = found.rank(file.path());
      if (rank.isPresent() && names.ranks() > 1) {
        assertThat(rank).as(file.path()).hasValue(file.rank());
      }
    }
  }

  @Property
  void ranksTellBeforeTheFirstCheckpointIsOver(@ForAll("ranks") final Names names) {
    final List<Written> first = names.checkpoint(0);
    final Optional<PathPattern> found = find(new Ordered(), names.ranks(), first);
    // A rank may have the checkpoint's number by chance, and then another one tells.
    assertThat(found.isPresent() || names.first() < names.ranks() && names.ranks() == 2).isTrue();
    found.ifPresent(
        its -> {
          assertThat(its.tellsRanks()).isTrue();
          for (int ordinal = 0; ordinal < 12; ordinal++) {
            check(names, its, names.checkpoint(ordinal));
          }
        });
  }

  @Property
  void theFilesOfEachRankAreNoCheckpoints(@ForAll("severalFiles") final Names names) {
    final Ordered inference = new Ordered();
    assertThat(find(inference, names.ranks(), names.checkpoint(0))).isEmpty();
    assertThat(inference.obstacle()).contains("not clear");
    final Optional<PathPattern> found = find(inference, names.ranks(), names.checkpoint(1));
    found.ifPresent(its -> check(names, its, names.checkpoint(3)));
    assertThat(found.isPresent() || names.first() + names.every() < names.ranks()).isTrue();
  }

  @Property
  void oneWriterTellsByItsSecondCheckpoint(@ForAll("oneWriter") final Names names) {
    final Ordered inference = new Ordered();
    assertThat(find(inference, 1, names.checkpoint(0))).isEmpty();
    assertThat(inference.obstacle()).contains("there was one number alone, as in ");
    final Optional<PathPattern> found = find(inference, 1, names.checkpoint(1));
    assertThat(found).isPresent();
    check(names, found.get(), names.checkpoint(0));
    check(names, found.get(), names.checkpoint(5));
  }

  @Property
  void temporaryNamesAreOfNoCheckpoint(
      @ForAll("ranks") final Names names, @ForAll final boolean directory) {
    final Ordered inference = new Ordered();
    for (int ordinal = 0; ordinal < 2; ordinal++) {
      for (final Written file : names.checkpoint(ordinal)) {
        final String before = temporary(file.path(), directory);
        assertThat(inference.see(before, file.rank(), names.ranks())).isEmpty();
        final Optional<PathPattern> found =
            inference
                .see(file.path(), file.rank(), names.ranks())
                .map(Pattern::compile)
                .map(PathPattern::new);
        found.ifPresent(
            its -> {
              check(names, its, names.checkpoint(4));
              names
                  .checkpoint(4)
                  .forEach(
                      each ->
                          assertThat(its.number(temporary(each.path(), directory)))
                              .as(its.pattern() + " " + temporary(each.path(), directory))
                              .isEmpty());
            });
      }
    }
  }

  /** A file's name until it is whole, or that of its directory. */
  private static String temporary(final String path, final boolean directory) {
    final int slash = path.indexOf('/');
    return directory && slash > 0
        ? path.substring(0, slash) + ".tmp" + path.substring(slash)
        : path + ".tmp";
  }

  @Property
  void twoNumbersThatGrowAreAmbiguous(
      @ForAll("ranks") final Names names, @ForAll("oneWriter") final Names alone) {
    for (final Names each : List.of(names, alone)) {
      final Names both =
          new Names("S_t" + each.template(), each.pad(), each.ranks(), 1, 1000, each.every());
      final Ordered inference = new Ordered();
      for (int ordinal = 0; ordinal < 4; ordinal++) {
        assertThat(find(inference, each.ranks(), both.checkpoint(ordinal))).isEmpty();
      }
      assertThat(inference.obstacle()).contains("is not clear");
    }
  }

  @Property
  void namesWithoutNumbersTellNothing(@ForAll("ranks") final Names names) {
    final Ordered inference = new Ordered();
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      for (final Written file : names.checkpoint(ordinal)) {
        final String name = file.path().replaceAll("\\d+", "n");
        assertThat(inference.see(name, file.rank(), names.ranks())).isEmpty();
      }
    }
    assertThat(inference.obstacle()).isEqualTo("no number in their names tells checkpoints apart");
  }

  @Example
  void filesThatDifferInAWordAreOfOneCheckpoint() {
    final Ordered inference = new Ordered();
    assertThat(inference.see("fields-5.dat", GroupInference.ALONE, 0)).isEmpty();
    assertThat(inference.see("atoms-5.dat", GroupInference.ALONE, 0)).isEmpty();
    assertThat(inference.see("fields-10.dat", GroupInference.ALONE, 0))
        .contains("^(?:atoms-|fields-)(\\d+)");
  }

  @Example
  void filesOfOtherNumbersMakeItAmbiguous() {
    final Ordered inference = new Ordered();
    for (final String path : List.of("ckpt-5.dat", "plot-1.png", "plot-2.png", "ckpt-10.dat")) {
      assertThat(inference.see(path, GroupInference.ALONE, 0)).isEmpty();
    }
    assertThat(inference.obstacle())
        .isEqualTo("files such as ckpt-5.dat and plot-1.png have different numbers");
  }

  /** Each part would be a checkpoint of its own, and the last one the newest. */
  @Example
  void partsThatOneWriterCountsAreNoCheckpoints() {
    for (final String part : List.of("rank-%d", "out/Rank_%d.bin", "worker%d", "model-shard-%d")) {
      final Ordered inference = new Ordered();
      for (int number = 0; number < 4; number++) {
        assertThat(inference.see(part.formatted(number), GroupInference.ALONE, 0)).isEmpty();
      }
      assertThat(inference.obstacle())
          .isEqualTo("no number in their names tells checkpoints apart");
    }
    final Ordered inference = new Ordered();
    assertThat(inference.see("5/worker-0.pt", GroupInference.ALONE, 0)).isEmpty();
    assertThat(inference.see("5/worker-1.pt", GroupInference.ALONE, 0)).isEmpty();
    assertThat(inference.see("10/worker-0.pt", GroupInference.ALONE, 0)).contains("^(\\d+)/");
  }

  @Example
  void whatAScriptLeavesBesideRanksTellsNothing() {
    final Ordered inference = new Ordered();
    inference.see("ckpt-5/rank-0", 0, 2);
    assertThat(inference.see("log-1", GroupInference.ALONE, 0)).isEmpty();
    assertThat(inference.see("log-2", GroupInference.ALONE, 0)).isEmpty();
    assertThat(inference.see("ckpt-5/rank-1", 1, 2))
        .contains("^ckpt-(\\d+)/(?:rank-(?<rank>\\d+))?");
  }

  @Example
  void aNumberThatIsNotTheRankTellsNoRank() {
    final Ordered inference = new Ordered();
    for (final int rank : List.of(0, 1, 2)) {
      assertThat(inference.see("ckpt-5/pid-" + (4000 + rank), rank, 3)).isEmpty();
    }
    assertThat(inference.obstacle()).contains("is not clear");
  }

  /** Its other ranks are on other nodes. */
  @Example
  void aRankAloneOnItsNodeTellsByItsSecondCheckpoint() {
    final Ordered inference = new Ordered();
    assertThat(inference.see("ckpt-5/rank-3", 3, 1)).isEmpty();
    assertThat(inference.see("ckpt-10/rank-3", 3, 1))
        .contains("^ckpt-(\\d+)/(?:rank-(?<rank>\\d+))?");
  }

  @Example
  void aNameThatALineCannotShowTellsNothing() {
    final Ordered inference = new Ordered();
    for (final String number : List.of("1", "2", "3")) {
      assertThat(inference.see("it's-" + number, GroupInference.ALONE, 0)).isEmpty();
      assertThat(inference.see("new\nline-" + number, GroupInference.ALONE, 0)).isEmpty();
    }
  }
}
