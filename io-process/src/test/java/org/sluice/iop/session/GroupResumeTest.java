package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;

/**
 * A rank of a group asks once more for the opening of its file, since the I/O process that had
 * counted it was killed before it answered. Until then the file is open to nobody, but not whole.
 */
class GroupResumeTest extends GroupServeTest {
  private static final int NONE = 0;

  /** How the session goes on, in which one rank has closed its file and another was opening one. */
  @FunctionalInterface
  private interface Sequel {
    void of(RawProcess closed, RawProcess opening) throws Exception;
  }

  @Test
  void checkpointWaitsForAnOpeningThatIsToBeRepeated() throws Exception {
    killedInAnOpening(
        (closed, opening) -> {
          try (ServeProcess resumed = serveGroups("--resume");
              RawProcess other = closed.resume(resumed.directory(), 2);
              RawProcess opener = opening.resume(resumed.directory(), NONE)) {
            renamed(other, capture.resolve("step-1.0")); // whereupon the group is looked at
            other.call(new Request.Stats());
            expectCommittedWhenWritten(opener);
          }
        });
  }

  @Test
  void checkpointWaitsForAnOpeningThatIsToBeRepeatedAfterAnotherKill() throws Exception {
    killedInAnOpening(
        (closed, opening) -> {
          try (ServeProcess killed = serveGroups("--resume");
              RawProcess again = opening.resume(killed.directory(), NONE)) {
            assertThat(again.slot()).isEqualTo(opening.slot());
            killed.kill(); // while the process is there: who hangs up gives its slot back
          }
          try (ServeProcess resumed = serveGroups("--resume");
              RawProcess opener = opening.resume(resumed.directory(), NONE)) {
            expectCommittedWhenWritten(opener);
          }
        });
  }

  private void killedInAnOpening(final Sequel sequel) throws Exception {
    try (ServeProcess killed = serveGroups();
        RawProcess closed = rank(killed, 0, 2);
        RawProcess opening = rank(killed, 1, 2)) {
      closed.end(write(closed, capture.resolve("step-1.0"), "zero").imageId());
      opening.create(capture.resolve("step-1.1")); // and says later that it got no answer
      killed.kill();
      sequel.of(closed, opening);
    }
  }

  /** The opening would be refused if the file were part of a commit by now. */
  private void expectCommittedWhenWritten(final RawProcess opener) throws IOException {
    final Path file = capture.resolve("step-1.1");
    final Reply.Opened opened =
        opener.open(file, RequestDescriptor.OPEN_CREATED | RequestDescriptor.OPEN_WRITE);
    opener.write(opened.imageId(), 0, bytes("one"));
    opener.end(opened.imageId());
    assertThat(committed(opener, 1)).isEqualTo(new Reply.Done());
    assertThat(restored(1, "step-1.1")).isEqualTo("one");
  }
}
