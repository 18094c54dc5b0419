package org.sluice.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandResult;
import org.sluice.core.process.NativeProcess;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.node.OvertakenReader;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.node.StoreFixture;

/** What restore makes of modes, names and owners, and of checkpoints that do not wait for it. */
@Timeout(300)
class RestorationTest {
  private static final byte[] CONTENT = "some bytes".getBytes();
  private static final int STRANGER = 65534;

  @TempDir private Path directory;
  private Path store;
  private Path target;

  @BeforeEach
  void name() {
    store = directory.resolve("store");
    target = directory.resolve("target");
  }

  @Test
  void specialBitsComeBackOnlyWhenAskedFor() throws Exception {
    commit(1, 04755);
    final CommandResult plain = restore();
    assertThat(plain.status()).isZero();
    assertThat(plain.err()).contains("sticky bits are left out: files=1, such as a;");
    assertThat(mode("a")).isEqualTo(0755);
    assertThat(restore("--force", "--special-bits").err()).isEmpty();
    assertThat(mode("a")).isEqualTo(04755);
  }

  @Test
  void whoeverRestoresAStrangersStoreIsToldAndGetsNoSpecialBits() throws Exception {
    assumeTrue(NativeProcess.user() == 0, "only root can give a store away");
    commit(1, 06755);
    final Path manifest = only(store.resolve("checkpoints")).resolve("manifest.json");
    for (final Path part : List.of(manifest, store)) {
      Files.setAttribute(part, "unix:uid", STRANGER);
      final CommandResult plain = restore("--force");
      assertThat(plain.status()).isZero();
      assertThat(plain.err()).contains("is not yours but of nobody");
      assertThat(mode("a")).isEqualTo(0755);
      final CommandResult special = restore("--force", "--special-bits");
      assertThat(special.status()).isEqualTo(9);
      assertThat(special.err()).contains("is of nobody; restore without");
      assertThat(mode("a")).isEqualTo(0755);
      Files.setAttribute(part, "unix:uid", 0);
    }
    assertThat(restore("--force", "--special-bits").status()).isZero();
  }

  @Test
  void namesOfOneFileAreNamesOfOneFile() throws Exception {
    try (StoreFixture fixture = new StoreFixture(store, captured())) {
      fixture.filed("a", -1, CONTENT).alsoCalled("b/c").alsoCalled("d");
      fixture.filed("e", -1, CONTENT).logged("f", -1, CONTENT).alsoCalled("g");
      fixture.commit(1, 0);
    }
    assertThat(restore().err()).isEmpty();
    assertThat(inode("a")).isEqualTo(inode("b/c")).isEqualTo(inode("d")).isNotEqualTo(inode("e"));
    assertThat(inode("f")).isEqualTo(inode("g")).isNotEqualTo(inode("e"));
    assertThat(target.resolve("b/c")).hasBinaryContent(CONTENT);
    assertThat(target.resolve("g")).hasBinaryContent(CONTENT);
    assertThat(Files.getAttribute(target.resolve("a"), "unix:nlink")).isEqualTo(3);
    assertThat(restore("--force").status()).isZero();
    assertThat(inode("a")).isEqualTo(inode("d"));
  }

  /** As beside a session that keeps one checkpoint; an older one, which is left, is damaged. */
  @Test
  void theNextIsReadWhenTheNewestIsRemoved() throws Exception {
    try (StoreFixture fixture = new StoreFixture(store, captured());
        PosixStore reader = PosixStore.open(store)) {
      fixture.logged("a", -1, CONTENT).commit(0, 0);
      Files.write(only(store.resolve("checkpoints")).resolve("index"), new byte[0]);
      fixture.logged("a", -1, CONTENT).commit(1, 0);
      for (long number = 2; number < 10; number += 2) {
        final CheckpointReader first = new OvertakenReader(fixture, CONTENT, number);
        final List<Commit> read =
            Selection.read(
                first,
                () -> List.of(first.newest().orElseThrow()),
                commit -> reader.images(commit));
        assertThat(read).extracting(Commit::number).containsExactly(number);
        final List<Commit> used = new ArrayList<>();
        new Fallback(new OvertakenReader(fixture, CONTENT, number + 1))
            .run(
                null,
                commit -> {
                  reader.images(commit);
                  used.add(commit);
                });
        assertThat(used).extracting(Commit::number).containsExactly(number + 1);
      }
    }
  }

  private void commit(final long number, final int mode) throws IOException {
    try (StoreFixture fixture = new StoreFixture(store, captured())) {
      fixture.mode(mode).filed("a", -1, CONTENT).commit(number, 0);
    }
  }

  private Path captured() throws IOException {
    return Files.createDirectories(directory.resolve("captured"));
  }

  private CommandResult restore(final String... options) {
    final List<String> line = new ArrayList<>();
    line.addAll(List.of("restore", "--store", store.toString(), "--to", target.toString()));
    line.addAll(List.of(options));
    return CommandResult.of(line.toArray(String[]::new));
  }

  private int mode(final String name) throws IOException {
    return (int) Files.getAttribute(target.resolve(name), "unix:mode") & 07777;
  }

  private Object inode(final String name) throws IOException {
    return Files.getAttribute(target.resolve(name), "unix:ino");
  }

  private static Path only(final Path parent) throws IOException {
    try (Stream<Path> entries = Files.list(parent)) {
      return entries.findFirst().orElseThrow();
    }
  }
}
