package org.sluice.restart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandResult;
import org.sluice.core.store.node.StoreFixture;

/** The commands from outside: what they print, leave behind and exit with. */
class RestartTest {
  private static final byte[] OLD = "checkpoint one".getBytes();
  private static final byte[] NEW = "checkpoint two, which is the newest".getBytes();

  @TempDir private Path directory;
  private Path store;
  private Path target;

  /** Checkpoint 1, of which rank 1 of 2 is missing, and checkpoint 2, which is whole. */
  @BeforeEach
  void commit() throws IOException {
    store = directory.resolve("store");
    target = directory.resolve("target");
    final Path captured = Files.createDirectory(directory.resolve("captured"));
    try (StoreFixture fixture = new StoreFixture(store, captured)) {
      fixture.logged("run/rank0.ckpt", 0, OLD).commit(1, 2);
      fixture.logged("run/rank0.ckpt", 0, NEW).filed("run/rank1.ckpt", 1, NEW).commit(2, 2);
    }
  }

  @Test
  void listsCheckpointsAndImages() throws Exception {
    final CommandResult ls = sluice("ls", "--json", "--images");
    assertThat(ls.status()).isZero();
    assertThat(ls.err()).isEmpty();
    final List<Map<String, Object>> checkpoints = list(json(ls), "checkpoints");
    assertThat(checkpoints).extracting(c -> c.get("number")).containsExactly(1, 2);
    assertThat(list(checkpoints.get(1), "images"))
        .extracting(image -> image.get("path"))
        .containsExactly("run/rank0.ckpt", "run/rank1.ckpt");
    assertThat(sluice("ls", "--checkpoint", "2").out()).contains("run/rank1.ckpt", "container");
  }

  @Test
  void restoresTheNewestCheckpoint() throws Exception {
    final CommandResult restore = sluice("restore", "--to", target.toString());
    assertThat(restore.err()).isEmpty();
    assertThat(restore.status()).isZero();
    assertThat(restore.out()).contains("checkpoint 2", "2 images");
    assertThat(files(target)).containsExactly("run/rank0.ckpt", "run/rank1.ckpt");
    for (final String name : files(target)) {
      final Path image = target.resolve(name);
      assertThat(image).hasBinaryContent(NEW);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(image)))
          .isEqualTo("rw-r-----");
    }
  }

  @Test
  void takesTheStoreFromTheEnvironment() throws Exception {
    final Map<String, String> environment = Map.of("SLUICE_STORE", store.toString());
    assertThat(CommandResult.of(environment, "verify").status()).isZero();
  }

  @Test
  void restoresOneRankOrWhatThereIsOfAnIncompleteCheckpoint() throws Exception {
    final String to = target.toString();
    fails(4, "1 of its 2 ranks", "restore", "--checkpoint", "1", "--to", to);
    fails(4, "no image of rank 7", "restore", "--rank", "7", "--to", to);
    assertThat(target).doesNotExist();
    assertThat(sluice("restore", "--checkpoint", "1", "--partial", "--to", to).status()).isZero();
    assertThat(target.resolve("run/rank0.ckpt")).hasBinaryContent(OLD);
    assertThat(sluice("restore", "--rank", "1", "--to", to).status()).isZero();
    assertThat(target.resolve("run/rank1.ckpt")).hasBinaryContent(NEW);
  }

  @Test
  void overwritesOnlyWhenForced() throws Exception {
    final Path mine = target.resolve("run/rank1.ckpt");
    Files.createDirectories(mine.getParent());
    Files.writeString(mine, "mine");
    fails(
        6,
        mine + " exists; move it or restore elsewhere; sluice restore --force overwrites it",
        "restore",
        "--to",
        target.toString());
    assertThat(files(target)).containsExactly("run/rank1.ckpt");
    assertThat(mine).hasContent("mine");
    assertThat(sluice("restore", "--force", "--to", target.toString()).status()).isZero();
    assertThat(mine).hasBinaryContent(NEW);
  }

  @Test
  void leavesNoFileWhenAnImageIsDamaged() throws Exception {
    final Path damaged = imageFile();
    Files.write(damaged, new byte[] {1, 2, 3});
    fails(5, damaged.toString(), "restore", "--to", target.resolve("made/for/it").toString());
    assertThat(target).doesNotExist();
    fails(5, damaged.toString(), "restore", "--to", target.toString());
    Files.createDirectory(target);
    fails(5, damaged.toString(), "restore", "--to", target.toString());
    assertThat(target).isEmptyDirectory();
    fails(5, damaged + " is damaged at offset 3: it is truncated", "verify");
    final CommandResult verify = sluice("verify", "--json");
    assertThat(list(json(verify), "damage"))
        .containsExactly(
            Map.of("file", damaged.toString(), "offset", 3, "reason", "it is truncated"));
  }

  @Test
  void restoresAnUndamagedCheckpointBesideADamagedOne() throws Exception {
    Files.writeString(checkpoint("0000000001").resolve("manifest.json"), "{}");
    final String to = target.toString();
    assertThat(sluice("restore", "--checkpoint", "2", "--to", to).status()).isZero();
    final CommandResult newest = sluice("restore", "--to", to, "--force");
    assertThat(newest.status()).isZero();
    assertThat(newest.out()).contains("restored checkpoint 2");
    assertThat(newest.err()).contains("an older checkpoint cannot be read: ", "manifest.json");
    final CommandResult fallback = sluice("restore", "--fallback", "--to", to, "--force", "--json");
    assertThat(fallback.status()).isZero();
    assertThat(json(fallback)).containsEntry("checkpoint", 2).containsEntry("skipped", List.of());
    fails(5, "manifest.json", "restore", "--checkpoint", "1", "--to", to, "--force");
    final CommandResult ls = sluice("ls");
    assertThat(ls.status()).isEqualTo(5);
    assertThat(ls.out()).contains("container");
  }

  @Test
  void refusesWhenADamagedCheckpointMayBeTheNewest() throws Exception {
    Files.writeString(checkpoint("0000000002").resolve("manifest.json"), "{}");
    fails(
        5,
        "may be the newest checkpoint: sluice restore --fallback",
        "restore",
        "--to",
        "elsewhere",
        "--partial");
    fails(5, "sluice restore --fallback takes", "get", "--name", "run/rank0.ckpt");
  }

  @Test
  void fallsBackToTheNewestIntactCheckpoint() throws Exception {
    final String to = target.toString();
    final CommandResult whole = sluice("restore", "--fallback", "--to", to, "--json");
    assertThat(whole.status()).isZero();
    assertThat(json(whole)).containsEntry("checkpoint", 2).containsEntry("skipped", List.of());
    final Path damaged = imageFile();
    Files.write(damaged, new byte[] {1, 2, 3});
    final String[] fallback = {"--fallback", "--partial", "--force", "--to", to};
    final CommandResult older = sluice("restore", fallback);
    assertThat(older.status()).isEqualTo(11);
    assertThat(older.out()).contains("restored checkpoint 1");
    assertThat(older.err())
        .startsWith("sluice restore: checkpoint 2 is skipped: " + damaged)
        .contains("at offset 3: it is truncated");
    assertThat(target.resolve("run/rank0.ckpt")).hasBinaryContent(OLD);
    final CommandResult json =
        sluice("restore", "--fallback", "--rank", "0", "--force", "--json", "--to", to);
    assertThat(json.status()).as("of a rank whose own image is intact").isEqualTo(11);
    assertThat(json(json)).containsEntry("checkpoint", 1);
    assertThat(list(json(json), "skipped"))
        .containsExactly(
            Map.of(
                "checkpoint",
                2,
                "file",
                damaged.toString(),
                "offset",
                3,
                "reason",
                "it is truncated"));
  }

  @Test
  void fallsBackFromADamagedManifestAndSaysWhenNothingIsIntact() throws Exception {
    final String[] fallback = {"--fallback", "--partial", "--to", target.toString()};
    Files.writeString(checkpoint("0000000002").resolve("manifest.json"), "{}");
    assertThat(sluice("restore", fallback).status()).isEqualTo(11);
    assertThat(target.resolve("run/rank0.ckpt")).hasBinaryContent(OLD);
    assertThat(sluice("verify").status()).isEqualTo(5);
    Files.writeString(checkpoint("0000000001").resolve("index"), "");
    fails(5, "no checkpoint is intact", "restore", fallback);
    fails(4, "no checkpoint 9", "restore", "--fallback", "--checkpoint", "9", "--to", "elsewhere");
  }

  @Test
  void removesCheckpointsButNeverTheNewest() throws Exception {
    fails(1, "checkpoint 2 is the newest", "rm", "1", "2");
    fails(4, "no checkpoint 9", "rm", "1", "9");
    fails(2, "--keep", "rm");
    fails(2, "--keep", "rm", "--keep", "0");
    assertThat(json(sluice("rm", "1", "--dry-run", "--json")))
        .containsEntry("removed", List.of(1))
        .containsEntry("dry_run", true);
    assertThat(list(json(sluice("ls", "--json")), "checkpoints")).hasSize(2);
    assertThat(sluice("rm", "--keep", "1").out()).isEqualTo("removed checkpoint 1\n");
    assertThat(list(json(sluice("ls", "--json")), "checkpoints"))
        .extracting(c -> c.get("number"))
        .containsExactly(2);
    assertThat(sluice("rm", "--keep", "1").out()).isEmpty();
  }

  @Test
  void removesADamagedCheckpoint() throws Exception {
    Files.writeString(checkpoint("0000000002").resolve("manifest.json"), "{}");
    fails(5, "until sluice rm removed it", "gc");
    fails(1, "checkpoint 1 is the newest", "rm", "1");
    assertThat(sluice("rm", "2").status()).isZero();
    assertThat(sluice("gc").status()).isZero();
    assertThat(sluice("verify").status()).isZero();
  }

  @Test
  void collectsGarbage() throws Exception {
    Files.delete(checkpoint("0000000001").resolve("manifest.json"));
    final CommandResult dry = sluice("gc", "--dry-run");
    assertThat(dry.out()).contains("unfinished", "checkpoints/0000000001-", "would free");
    assertThat(list(json(sluice("gc", "--json")), "removed"))
        .singleElement()
        .satisfies(removed -> assertThat(removed).containsEntry("kind", "unfinished"));
    assertThat(sluice("gc").out()).isEqualTo("freed 0B\n");
    assertThat(sluice("verify").status()).isZero();
  }

  @Test
  void neverFollowsASymbolicLinkOutOfItsTarget() throws Exception {
    final Path outside = Files.createDirectory(directory.resolve("outside"));
    Files.createDirectory(target);
    Files.createSymbolicLink(target.resolve("run"), outside);
    fails(1, "symbolic link", "restore", "--to", target.toString());
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void saysWhatIsMissing() throws Exception {
    fails(4, "no checkpoint 9", "restore", "--checkpoint", "9", "--to", target.toString());
    fails(2, "--to", "restore");
    assertThat(target).doesNotExist();
    store = directory.resolve("nowhere");
    fails(3, "there is no store", "ls");
    assertThat(store).doesNotExist();
    store = directory;
    fails(3, "is not a store", "verify");
    store = directory.resolve("empty");
    new StoreFixture(store, directory).close();
    fails(4, "no checkpoint is committed", "restore", "--to", target.toString());
    Files.writeString(store.resolve("format"), "sluice store 99\n");
    fails(10, "format version 99", "ls");
  }

  @Test
  void explainsItself() throws Exception {
    for (final String command : List.of("ls", "verify", "restore", "rm", "gc")) {
      final CommandResult help = CommandResult.of(command, "--help");
      assertThat(help.status()).isZero();
      assertThat(help.out()).contains("Exit status:", "other format version", "Examples:");
    }
  }

  private CommandResult sluice(final String command, final String... args)
      throws IOException, InterruptedException {
    return CommandResult.of(
        Stream.concat(Stream.of(command, "--store", store.toString()), Stream.of(args))
            .toArray(String[]::new));
  }

  private void fails(
      final int status, final String words, final String command, final String... args)
      throws IOException, InterruptedException {
    final CommandResult process = sluice(command, args);
    assertThat(process.err())
        .startsWith("sluice " + command + ": ")
        .contains(words)
        .doesNotContain("\n");
    assertThat(process.status()).isEqualTo(status);
  }

  private Path imageFile() throws IOException {
    return checkpoint("0000000002").resolve("images/1");
  }

  private Path checkpoint(final String number) throws IOException {
    try (Stream<Path> checkpoints = Files.list(store.resolve("checkpoints"))) {
      return checkpoints
          .filter(path -> path.getFileName().toString().startsWith(number))
          .findFirst()
          .orElseThrow();
    }
  }

  private static List<String> files(final Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  private static Map<String, Object> json(final CommandResult process) throws IOException {
    return JSON.std.mapFrom(process.out());
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> list(
      final Map<String, Object> parent, final String name) {
    return (List<Map<String, Object>>) parent.get(name);
  }
}
