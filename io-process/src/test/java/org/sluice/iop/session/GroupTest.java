package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.ImageDescriptor;

/** Checkpoints that files with a number in their names make. */
class GroupTest extends GroupServeTest {
  @Test
  void checkpointIsCommittedWhenAllRanksHaveClosedTheirImages() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      final int first = write(zero, capture.resolve("step-7.0"), "zero").imageId();
      zero.end(first);
      assertThat(zero.call(new Request.Await(7, 100))).isInstanceOf(Reply.Failed.class);
      final int second = write(one, capture.resolve("step-7.1"), "one").imageId();
      one.end(second);
      assertThat(committed(zero, 7)).isEqualTo(new Reply.Done());
      assertThat(restored(7, "step-7.0")).isEqualTo("zero");
      assertThat(restored(7, "step-7.1")).isEqualTo("one");
    }
  }

  @Test
  void fewerWritersThanRanksCommitIfToldSo() throws Exception {
    try (ServeProcess serve = serveGroups("--writers", "1");
        RawProcess process = rank(serve, 5, 8)) {
      process.end(write(process, capture.resolve("step-4"), "alone").imageId());
      assertThat(committed(process, 4)).isEqualTo(new Reply.Done());
    }
  }

  @Test
  void rewrittenImageIsCommittedAgain() throws Exception {
    final Path file = capture.resolve("step-2");
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      final Reply.Opened opened = write(process, file, "old old old");
      process.end(opened.imageId());
      committed(process, 2);
      assertThat(process.segment().imageTable().state(opened.entry()))
          .isEqualTo(ImageDescriptor.STATE_COMMITTED);
      replace(process, file, RequestDescriptor.REPLACE_TRUNCATE);
      assertThat(file).isEmptyFile();
      process.end(write(process, file, "new").imageId());
      await(() -> restored(2, "step-2").equals("new"));
    }
  }

  @Test
  void checkpointNeverMixesTwoRoundsOfWriting() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      writeStep(2, "old", zero, one);
      committed(zero, 2);

      replace(zero, capture.resolve("step-2.0"), RequestDescriptor.REPLACE_TRUNCATE);
      zero.end(write(zero, capture.resolve("step-2.0"), "new").imageId());
      writeStep(3, "later", zero, one);
      committed(zero, 3);
      assertThat(restored(2, "step-2.0")).isEqualTo("old");

      Files.delete(capture.resolve("step-2.1"));
      one.end(write(one, capture.resolve("step-2.1"), "new").imageId());
      await(() -> restored(2, "step-2.0").equals("new"));
      assertThat(restored(2, "step-2.1")).isEqualTo("new");
    }
  }

  @Test
  void appendingToACommittedImageCommitsTheWholeAgain() throws Exception {
    final Path file = capture.resolve("step-2");
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      process.end(write(process, file, "old").imageId());
      committed(process, 2);
      replace(process, file, 0);
      assertThat(file).hasContent("old");
      final Reply.Opened again = process.open(file, RequestDescriptor.OPEN_WRITE);
      assertThat(again.disposition()).isEqualTo(RequestDescriptor.DIVERT);
      assertThat(again.size()).isEqualTo(3);
      process.write(again.imageId(), 3, bytes(" and new"));
      process.end(again.imageId());
      await(() -> restored(2, "step-2").equals("old and new"));
    }
  }

  @Test
  void openingACommittedImageGivesItsNameAWholeFile() throws Exception {
    final Path file = capture.resolve("step-2");
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      process.end(write(process, file, "whole").imageId());
      committed(process, 2);
      try (NativeFile opened = NativeFile.open(file)) {
        final Reply reply =
            process.call(new Request.Open(opened.device(), opened.inode(), 0, file.toString()));
        assertThat(((Reply.Failed) reply).errno()).isEqualTo(116);
      }
      assertThat(file).hasContent("whole");
      assertThat(process.open(file, 0).disposition()).isEqualTo(RequestDescriptor.DIRECT);
      assertThat(restored(2, "step-2")).isEqualTo("whole");
    }
  }

  @Test
  void checkpointIsCommittedWhenEachRankHasAllItsFiles() throws Exception {
    try (ServeProcess serve = serveGroups("--files-per-rank", "2");
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      writeStep(1, "first", zero, one);
      zero.end(write(zero, capture.resolve("step-1.0.more"), "second").imageId());
      assertThat(zero.call(new Request.Await(1, 100))).isInstanceOf(Reply.Failed.class);
      one.end(write(one, capture.resolve("step-1.1.more"), "second").imageId());
      assertThat(committed(zero, 1)).isEqualTo(new Reply.Done());
      assertThat(restored(1, "step-1.0.more")).isEqualTo("second");
    }
  }
}
