package org.sluice.restart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandResult;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.StoreFixture;

/** What the commands make of a checkpoint that a file joined after its commit. */
class IncompleteTest {
  private static final byte[] OLD = "checkpoint one".getBytes();
  private static final byte[] NEW = "checkpoint two, in part".getBytes();

  @TempDir private Path directory;
  private Path target;
  private StoreFixture fixture;
  private Commit second;

  /** Checkpoint 1 is complete, checkpoint 2 is not. */
  @BeforeEach
  void commit() throws IOException {
    target = directory.resolve("target");
    final Path captured = Files.createDirectory(directory.resolve("captured"));
    fixture = new StoreFixture(directory.resolve("store"), captured);
    fixture.logged("rank0", 0, OLD).commit(1, 0);
    second = fixture.logged("rank0", 0, NEW).commit(2, 0);
    assertThat(fixture.store().markIncomplete(2, second.id())).isTrue();
  }

  @AfterEach
  void close() throws IOException {
    fixture.close();
  }

  @Test
  void isListedButNotTheNewest() throws Exception {
    assertThat(sluice("ls").out())
        .containsPattern("BY +NODE")
        .containsPattern(" 1 .* count .*")
        .containsPattern(" 2 .* count .*B  incomplete: files joined it after its commit");
    final List<?> checkpoints =
        (List<?>) JSON.std.mapFrom(sluice("ls", "--json").out()).get("checkpoints");
    assertThat(checkpoints.toString())
        .containsPattern("number=1.*complete=count, incomplete=false")
        .containsPattern("number=2.*complete=count, incomplete=true");
    assertThat(restore().status()).isZero();
    assertThat(target.resolve("rank0")).hasBinaryContent(OLD);
    assertThat(restore("--force", "--fallback").status()).isZero();
    assertThat(target.resolve("rank0")).hasBinaryContent(OLD);
  }

  @Test
  void isRestoredByItsNumber() throws Exception {
    for (final String option : List.of("--partial", "--fallback")) {
      final CommandResult restore = restore("--checkpoint", "2", "--force", option);
      assertThat(restore.status()).isZero();
      assertThat(restore.out()).contains("it is incomplete: files joined it after its commit");
      assertThat(target.resolve("rank0")).hasBinaryContent(NEW);
    }
    assertThat(sluice("verify").out())
        .containsPattern("verified checkpoint 2: .* it is incomplete");
  }

  @Test
  void isTheNewestOnceItIsCommittedAgain() throws Exception {
    fixture.logged("rank0", 0, NEW).logged("rank1", 1, NEW).commit(2, 0);
    assertThat(fixture.store().markIncomplete(2, second.id())).isFalse();
    assertThat(sluice("ls").out()).doesNotContain("incomplete");
    assertThat(restore().out()).contains("checkpoint 2", "2 images").doesNotContain("incomplete");
  }

  @Test
  void neverCountsForWhatIsKept() throws Exception {
    assertThat(sluice("rm", "--keep", "1").out()).isEmpty();
    assertThat(sluice("rm", "1").err()).contains("checkpoint 1 is the newest");
    assertThat(sluice("gc").out()).contains("0");
    assertThat(sluice("rm", "2").out()).contains("removed checkpoint 2");
  }

  @Test
  void aloneIsRestoredOnlyByItsNumber() throws Exception {
    fixture.store().remove(fixture.store().find(1).orElseThrow());
    final CommandResult restore = restore();
    assertThat(restore.status()).isEqualTo(4);
    assertThat(restore.err())
        .contains("files joined checkpoint 2 after its commit; --checkpoint 2 restores it");
    assertThat(target).doesNotExist();
    assertThat(restore("--fallback").status()).isEqualTo(4);
    assertThat(restore("--checkpoint", "2").status()).isZero();
  }

  private CommandResult restore(final String... options) {
    final List<String> arguments = new ArrayList<>(List.of("--to", target.toString()));
    arguments.addAll(List.of(options));
    return sluice("restore", arguments.toArray(String[]::new));
  }

  private CommandResult sluice(final String command, final String... arguments) {
    final List<String> all =
        new ArrayList<>(List.of(command, "--store", directory.resolve("store").toString()));
    all.addAll(List.of(arguments));
    return CommandResult.of(all.toArray(String[]::new));
  }
}
