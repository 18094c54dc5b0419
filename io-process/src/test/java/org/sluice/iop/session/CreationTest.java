package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;

/** Images of checkpoints by request that are created more than once. */
class CreationTest extends GroupServeTest {
  private static final Request.Create CREATE = new Request.Create(1, 0, 1, "state");

  private static int created(final RawProcess process) throws Exception {
    return ((Reply.Created) process.call(CREATE)).opened().imageId();
  }

  @Test
  void aNameThatMayLeadOutOfItsCheckpointIsRefusedWhateverTheClientLetsThrough() throws Exception {
    try (ServeProcess serve = serve("files");
        RawProcess process = RawProcess.attach(serve.directory())) {
      process.call(new Request.Begin(1, 1, 0));
      for (final String name : List.of("", "/etc/passwd", "a/../b", "..", "./a", "a//b", "a/")) {
        assertThat(process.call(new Request.Create(1, 0, 1, name)))
            .isInstanceOfSatisfying(
                Reply.Failed.class, failed -> assertThat(failed.errno()).isEqualTo(Errno.EINVAL));
      }
    }
  }

  @Test
  void whatAProcessHasWrittenItCreatesOnce() throws Exception {
    try (ServeProcess serve = serve("container");
        RawProcess process = RawProcess.attach(serve.directory());
        RawProcess successor = RawProcess.attach(serve.directory())) {
      process.call(new Request.Begin(1, 1, 0));
      assertThat(created(process)).isNotEqualTo(created(process)); // as a request that is repeated
      final int image = created(process);
      process.write(image, 0, new byte[] {1});
      process.end(image);
      assertThat(process.call(CREATE))
          .isInstanceOfSatisfying(
              Reply.Failed.class, failed -> assertThat(failed.errno()).isEqualTo(Errno.EEXIST));
      assertThat(successor.call(CREATE)).isInstanceOf(Reply.Created.class);
    }
  }
}
