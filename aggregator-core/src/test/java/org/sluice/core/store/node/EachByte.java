package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.format.ContainerDescriptor;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;

/**
 * Damages each byte, file and directory of a store in turn. Damage is named; or harmless, if all
 * that a restart reads is as it was; or silent.
 */
final class EachByte {
  private static final int CUT = 29;
  private static final int RUN = 32;
  private static final int FEW = 512;

  private final Path store;
  private final Opening opening;
  private final List<String> before;

  /** Of files and directories below the store, whose damage nobody names. */
  private final Set<String> harmless = new TreeSet<>();

  private final Set<String> silent = new TreeSet<>();
  private Path below;
  private Path without;
  private int oneOf = 1;
  private int tried;

  /** Opens the store, as a restart does. */
  interface Opening {
    CheckpointReader open() throws IOException;
  }

  EachByte(final Path store, final Opening opening) throws IOException {
    this.store = store;
    this.below = store;
    this.opening = opening;
    this.before = read();
  }

  /** Flips a byte of some only. */
  EachByte oneOf(final int some) {
    oneOf = some;
    return this;
  }

  /** Leaves out what another directory has the like of. */
  EachByte without(final String directory) {
    without = store.resolve(directory);
    return this;
  }

  /** Damages only what is below a directory of the store. */
  EachByte in(final String directory) {
    below = store.resolve(directory);
    return this;
  }

  /** What nobody needs whose damage nobody named; ids are left out. */
  Set<String> harmless() {
    return harmless;
  }

  /** What changed for a restart, and nobody named it. */
  Set<String> silent() {
    return silent;
  }

  int tried() {
    return tried;
  }

  /** Finds that each flipped byte is named. */
  EachByte flipped() throws IOException {
    flip();
    return named();
  }

  /** Finds that each cut is named. */
  EachByte cutAnywhere() throws IOException {
    cut();
    return named();
  }

  /** Finds that what is appended is named. */
  EachByte grown() throws IOException {
    grow();
    return named();
  }

  private EachByte named() {
    assertThat(silent).isEmpty();
    return this;
  }

  private void flip() throws IOException {
    for (final Path file : all(Files::isRegularFile)) {
      final byte[] whole = Files.readAllBytes(file);
      for (int at = 0; at < whole.length; at += oneOf) {
        if (!isWithinRun(whole, at)) {
          final byte[] flipped = whole.clone();
          flipped[at] ^= (byte) (1 << at % 8);
          Files.write(file, flipped);
          judge(file, "byte " + at + " flipped");
        }
      }
      Files.write(file, whole);
    }
  }

  /** Of a long run of equal bytes some are tried. */
  private static boolean isWithinRun(final byte[] bytes, final int at) {
    if (at % FEW == 0) {
      return false;
    }
    for (int i = Math.max(0, at - RUN); i <= at; i++) {
      if (bytes[i] != bytes[at]) {
        return false;
      }
    }
    return true;
  }

  private void cut() throws IOException {
    for (final Path file : all(Files::isRegularFile)) {
      final byte[] whole = Files.readAllBytes(file);
      for (int length = whole.length - 1; length >= 0; length -= cut(whole, length)) {
        Files.write(file, Arrays.copyOf(whole, length));
        judge(file, "cut at " + length);
      }
      Files.write(file, whole);
    }
  }

  private static int cut(final byte[] bytes, final int length) {
    return isWithinRun(bytes, length) ? ContainerDescriptor.BLOCK_LENGTH / 2 : CUT;
  }

  private void grow() throws IOException {
    for (final Path file : all(Files::isRegularFile)) {
      final byte[] whole = Files.readAllBytes(file);
      final byte[] longer = Arrays.copyOf(whole, whole.length + 1);
      longer[whole.length] = 'x';
      Files.write(file, longer);
      judge(file, "longer");
      Files.write(file, whole);
    }
  }

  void delete() throws IOException {
    for (final Path path : all(any -> true)) {
      final Path aside = store.resolveSibling("aside");
      Files.move(path, aside);
      judge(path, "deleted");
      Files.move(aside, path);
    }
  }

  private List<Path> all(final Predicate<Path> which) throws IOException {
    try (Stream<Path> all = Files.walk(below)) {
      return all.filter(
              path -> !path.equals(store) && !(without != null && path.startsWith(without)))
          .filter(which)
          .sorted()
          .toList();
    }
  }

  private void judge(final Path path, final String what) throws IOException {
    tried++;
    final List<IOException> named = looks();
    if (named.stream().noneMatch(e -> e.getMessage().contains(path.toString()))) {
      final String name =
          store.relativize(path).toString().replaceAll("(?<![0-9a-f])[0-9a-f]{16}", "ID");
      if (named.isEmpty() && read().equals(before)) {
        harmless.add(name);
      } else {
        silent.add(name + " " + what + named.stream().map(Exception::getMessage).toList());
      }
    }
  }

  /** What sluice verify does. */
  List<IOException> looks() {
    final List<IOException> damage = new ArrayList<>();
    final Step<IOException> looks =
        () -> {
          try (CheckpointReader opened = opening.open()) {
            opened.verifyStore(damage::add);
            for (final Commit commit : opened.commits(damage::add)) {
              opened.verify(commit, damage::add, bytes -> {});
            }
          }
        };
    try {
      looks.run();
    } catch (final IOException e) {
      damage.add(e);
    }
    return damage;
  }

  /** What a restart reads: checkpoints, and each byte of them. */
  private List<String> read() throws IOException {
    final List<String> all = new ArrayList<>();
    try (CheckpointReader opened = opening.open()) {
      opened.leftAsFiles().ifPresent(left -> all.add(left.toString()));
      for (final Commit commit : opened.commits(all("unreadable", all))) {
        all.add(commit.toString());
        for (final CommittedImage image : opened.images(commit)) {
          all.add(image + " " + Arrays.toString(rebuilt(opened, commit, image)));
        }
      }
    } catch (final IOException e) {
      all.add(e.toString());
    }
    return all;
  }

  private static Consumer<IOException> all(final String what, final List<String> all) {
    return e -> all.add(what + " " + e.getMessage());
  }

  private byte[] rebuilt(
      final CheckpointReader opened, final Commit commit, final CommittedImage image)
      throws IOException {
    final Path target = store.resolveSibling("rebuilt");
    Files.deleteIfExists(target);
    try (NativeFile file = NativeFile.open(target, Flag.WRITE, Flag.CREATE);
        Rebuilder rebuilder = opened.rebuilder(commit, false)) {
      rebuilder.rebuild(image, file);
    }
    return Files.readAllBytes(target);
  }
}
