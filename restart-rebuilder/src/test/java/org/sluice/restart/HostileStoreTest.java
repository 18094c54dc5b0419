package org.sluice.restart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandResult;
import org.sluice.core.store.node.StoreFixture;

/**
 * Stores in which something else lies in the place of a file or a directory. Every command comes to
 * an end, in one line that names it, and without what is none of the store's being touched.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class HostileStoreTest {
  /** Each kind once. {@code scripts/soaks/fuzz} tries more, with seeds of its own. */
  private static final int TRIES = Integer.getInteger("sluice.hostile.tries", Kind.values().length);

  /** With this one it is a file that is read, or a directory that is listed, in most tries. */
  private static final long SEED = Long.getLong("sluice.seed", 55324);

  private static final long HUGE = 8L << 30;

  /** What hangs never ends; what only waits for a busy disk does by then. */
  private static final int SECONDS = 180;

  /** What lies in the place of a part of a store. */
  private enum Kind {
    FIFO,
    SOCKET,
    DIRECTORY,
    FULL_DIRECTORY,
    LINK_TO_ZEROS,
    LINK_TO_OUTSIDE,
    LINK_TO_FILE,
    LINK_TO_NOTHING,
    HOLES,
    EMPTY,
    UNREADABLE
  }

  @TempDir private Path directory;
  private Path store;
  private Path outside;
  private int tried;

  @Test
  void everyCommandEndsWhateverLiesInAStore() throws Exception {
    final Random random = new Random(SEED);
    final List<Kind> kinds = List.of(Kind.values());
    for (int i = 0; i < TRIES; i++) {
      makeStore();
      final List<Path> parts = parts();
      final Path part = parts.get(random.nextInt(parts.size()));
      final Kind kind = kinds.get(i % kinds.size());
      replace(part, kind);
      final String what = "try %d of seed %d: %s as %s".formatted(i, SEED, kind, part);
      commands(part, kind, what);
      serves(what);
      assertThat(outside.resolve("kept.data")).as(what).hasContent("kept");
      removeStore();
    }
  }

  /** The other checkpoint is listed, verified and restored. */
  @Test
  void othersAreNotHeldUpByAHostileCheckpoint() throws Exception {
    for (final String part : List.of("manifest.json", "index", "images", "")) {
      for (final Kind kind : List.of(Kind.FIFO, Kind.LINK_TO_ZEROS, Kind.HOLES, Kind.DIRECTORY)) {
        makeStore();
        final Path hostile = checkpoint(1).resolve(part);
        if (part.isEmpty() && kind == Kind.DIRECTORY
            || part.equals("images") && kind == Kind.HOLES) {
          continue;
        }
        replace(part.isEmpty() ? checkpoint(1) : hostile, kind);
        final String what = kind + " as " + hostile;
        assertThat(sluice("ls", "--images").out()).as(what).contains("two-filed");
        final CommandResult verify = sluice("verify");
        assertThat(verify.out()).as(what).contains("verified checkpoint 2");
        assertThat(verify.err()).as(what).contains("0000000001-");
        assertThat(verify.status()).as(what).isEqualTo(5);
        final String to = directory.resolve("target" + tried).toString();
        assertThat(sluice("restore", "--checkpoint", "2", "--to", to).status()).isZero();
        assertThat(sluice("rm", "1").status()).as(what).isZero();
        assertThat(sluice("verify").status()).as(what).isZero();
        removeStore();
      }
    }
  }

  @Test
  void whatIsNoFileIsNotTakenForASpareContainerNorDeleted() throws Exception {
    makeStore();
    final Path fifo = store.resolve("containers/0123456789abcdef.data");
    final Path link = store.resolve("staging/fedcba9876543210");
    final Path alias = store.resolve("containers/0123456789abcdf0.data");
    make(fifo, Kind.FIFO);
    make(link, Kind.LINK_TO_OUTSIDE);
    make(alias, Kind.LINK_TO_FILE);
    age(fifo, link, alias);
    final CommandResult gc = sluice("gc");
    assertThat(gc.err()).contains(fifo + " is damaged at offset 0: it is a FIFO, not a file");
    assertThat(gc.status()).isEqualTo(5);
    serves("a FIFO and a link among containers");
    assertThat(List.of(fifo, link, alias)).allMatch(Files::exists);
    assertThat(outside.resolve("kept.data")).hasContent("kept");
    removeStore();
  }

  /** A collection would delete it. */
  @Test
  void whatLiesBehindALinkIsNotTheStores() throws Exception {
    for (final String name : List.of("containers", "checkpoints", "staging")) {
      makeStore();
      final Path part = store.resolve(name);
      final Path behind = Files.move(part, outside.resolve(name));
      final List<Path> all = parts(behind);
      Files.createSymbolicLink(part, behind);
      for (final CommandResult result : List.of(sluice("gc"), sluice("rm", "1"))) {
        assertThat(result.err()).contains(part + " is damaged", "a symbolic link");
        assertThat(result.status()).isEqualTo(5);
      }
      serves("a link in the place of " + name);
      assertThat(parts(behind)).isEqualTo(all);
      removeStore();
    }
  }

  private void commands(final Path part, final Kind kind, final String what) throws Exception {
    final String to = directory.resolve("target" + tried).toString();
    ends(what, part, kind, "ls");
    ends(what, part, kind, "ls", "--images", "--json");
    ends(what, part, kind, "verify");
    ends(what, part, kind, "restore", "--to", to);
    ends(what, part, kind, "restore", "--to", to, "--fallback", "--force");
    ends(what, part, kind, "gc", "--dry-run");
    ends(what, part, kind, "gc");
    ends(what, part, kind, "rm", "1");
    ends(what, part, kind, "rm", "--keep", "1");
  }

  private void ends(
      final String what, final Path part, final Kind kind, final String command, final String... o)
      throws Exception {
    final CommandResult result = sluice(command, o);
    final String said = what + ": " + command + " " + List.of(o) + " says " + result.err();
    assertThat(result.err()).as(said).doesNotContain("unexpected", "Exception", "\tat ");
    if (result.status() == 0 || result.status() == 11) {
      return;
    }
    assertThat(result.err()).as(said).startsWith("sluice " + command + ": ");
    assertThat(result.err().lines()).as(said).hasSize(1);
    final boolean nothingThere = result.status() == 4;
    if (Set.of("ls", "verify", "restore").contains(command)
        && kind != Kind.UNREADABLE
        && !nothingThere) {
      assertThat(result.status()).as(said).isIn(1, 3, 5);
      assertThat(result.err()).as(said).contains(part.toString());
    }
  }

  /** An I/O process opens it, makes a container and commits, or says in one message why not. */
  private void serves(final String what) throws Exception {
    within(
        () -> {
          try (StoreFixture fixture = new StoreFixture(store, directory.resolve("captured"))) {
            fixture.filed("three-filed", 0, "three".getBytes()).commit(3, 0);
          } catch (final IOException e) {
            assertThat(e.getMessage()).as(what).contains(store.toString());
          }
          return null;
        },
        what);
  }

  private CommandResult sluice(final String command, final String... options) throws Exception {
    return within(
        () ->
            CommandResult.of(
                Stream.concat(Stream.of(command, "--store", store.toString()), Stream.of(options))
                    .toArray(String[]::new)),
        command);
  }

  /** Something that may hang. */
  @FunctionalInterface
  private interface Step<T> {
    T run() throws Exception;
  }

  private static <T> T within(final Step<T> step, final String what) throws Exception {
    final CompletableFuture<T> done = new CompletableFuture<>();
    final Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    done.complete(step.run());
                  } catch (final Throwable e) {
                    done.completeExceptionally(e);
                  }
                });
    try {
      return done.orTimeout(SECONDS, TimeUnit.SECONDS).join();
    } catch (final RuntimeException e) {
      throw new AssertionError(what + " is at " + List.of(thread.getStackTrace()), e);
    }
  }

  /** Checkpoints 1 and 2, a spare container, an abandoned commit and an abandoned image's file. */
  private void makeStore() throws Exception {
    final Path root = Files.createDirectory(directory.resolve("try" + ++tried));
    store = root.resolve("store");
    outside = Files.createDirectory(root.resolve("outside"));
    age(Files.writeString(outside.resolve("kept.data"), "kept"));
    final Path captured = directory.resolve("captured");
    Files.createDirectories(captured);
    try (StoreFixture fixture = new StoreFixture(store, captured)) {
      fixture.logged("one-logged", 0, "one".getBytes()).filed("one-filed", 0, "one".getBytes());
      fixture.commit(1, 0);
    }
    try (StoreFixture fixture = new StoreFixture(store, captured)) {
      fixture.logged("two-logged", 0, "two".getBytes()).filed("two-filed", 0, "two".getBytes());
      fixture.commit(2, 0);
    }
    leaveLog(captured);
    Files.write(store.resolve("containers/00000000000000aa.data"), new byte[8192]);
    Files.write(store.resolve("staging/00000000000000bb"), new byte[100]);
    final Path cut =
        Files.createDirectory(store.resolve("checkpoints/0000000009-00000000000000cc"));
    Files.write(cut.resolve("manifest.tmp"), new byte[10]);
    age(parts().toArray(Path[]::new));
  }

  /** A log that has checkpoint 4, as of a process that was killed. */
  private void leaveLog(final Path captured) throws IOException {
    final Path log;
    final byte[] content;
    try (StoreFixture fixture = new StoreFixture(store, captured)) {
      fixture.store().prepareCommits();
      fixture.logged("four", 0, "four".getBytes()).commit(4, 0);
      log = parts(store.resolve("log")).getFirst();
      content = Files.readAllBytes(log);
    }
    Files.write(log, content);
  }

  /** Nobody used it lately. */
  private static void age(final Path... parts) throws IOException, InterruptedException {
    final List<String> touch = new ArrayList<>(List.of("touch", "-h", "-d", "@0"));
    Stream.of(parts).map(Path::toString).forEach(touch::add);
    assertThat(new ProcessBuilder(touch).start().waitFor()).isZero();
  }

  /** JUnit would warn of links. */
  private void removeStore() throws IOException, InterruptedException {
    final String[] rm = {"rm", "-rf", store.getParent().toString()};
    assertThat(new ProcessBuilder(rm).start().waitFor()).isZero();
  }

  private List<Path> parts() throws IOException {
    return parts(store);
  }

  private static List<Path> parts(final Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(path -> !path.equals(directory)).sorted().toList();
    }
  }

  private Path checkpoint(final int number) throws IOException {
    try (Stream<Path> checkpoints = Files.list(store.resolve("checkpoints"))) {
      final String begin = "%010d-".formatted(number);
      return checkpoints
          .filter(path -> path.getFileName().toString().startsWith(begin))
          .findFirst()
          .orElseThrow();
    }
  }

  private void replace(final Path part, final Kind kind) throws Exception {
    if (kind == Kind.UNREADABLE) {
      Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("---------"));
      return;
    }
    Files.move(part, directory.resolve("away" + tried));
    make(part, kind);
    age(part);
  }

  private void make(final Path part, final Kind kind) throws Exception {
    switch (kind) {
      case FIFO ->
          assertThat(new ProcessBuilder("mkfifo", part.toString()).start().waitFor()).isZero();
      case SOCKET -> {
        final Path made = Path.of("/tmp", "sluice-hostile-" + System.nanoTime());
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            .bind(UnixDomainSocketAddress.of(made))
            .close();
        Files.createLink(part, made);
        Files.delete(made);
      }
      case DIRECTORY -> Files.createDirectory(part);
      case FULL_DIRECTORY -> Files.writeString(Files.createDirectory(part).resolve("in"), "it");
      case LINK_TO_ZEROS -> Files.createSymbolicLink(part, Path.of("/dev/zero"));
      case LINK_TO_OUTSIDE -> Files.createSymbolicLink(part, outside);
      case LINK_TO_FILE -> Files.createSymbolicLink(part, outside.resolve("kept.data"));
      case LINK_TO_NOTHING -> Files.createSymbolicLink(part, outside.resolve("nothing"));
      case HOLES -> {
        try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "rw")) {
          file.setLength(HUGE);
        }
      }
      case EMPTY -> Files.createFile(part);
      case UNREADABLE -> throw new IllegalArgumentException();
    }
    assertThat(Files.exists(part, LinkOption.NOFOLLOW_LINKS)).isTrue();
  }
}
