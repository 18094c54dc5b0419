package org.sluice.iop.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.iop.crash.InFlight;

/** What becomes of work at which storage fails. */
class PipelineTest {
  @TempDir private Path root;
  private final List<String> done = new CopyOnWriteArrayList<>();

  private final class Failing implements Work {
    private final String stage;

    Failing(final String stage) {
      this.stage = stage;
    }

    private void step(final String name) throws IOException {
      done.add(name);
      if (name.equals(stage)) {
        throw new IOException(name);
      }
    }

    @Override
    public void validate() throws IOException {
      step("validate");
    }

    @Override
    public void write() throws IOException {
      step("write");
    }

    @Override
    public void commit() throws IOException {
      step("commit");
    }

    @Override
    public void fail(final IOException failure) {
      done.add("fail " + failure.getMessage());
    }
  }

  private void publish(final String failing) throws IOException {
    done.clear();
    try (InFlight inFlight = InFlight.open(root.resolve("inflight"), 1);
        Pipeline pipeline = new Pipeline(8, () -> {}, inFlight)) {
      pipeline.publish(new Failing(failing));
      pipeline.publish(new Failing("none"));
    }
  }

  @Test
  void laterStagesLeaveItAlone() throws IOException {
    publish("validate");
    assertThat(done).containsOnlyOnce("fail validate").doesNotContain("fail write");
    assertThat(done.stream().filter("write"::equals)).hasSize(1);
    assertThat(done.stream().filter("commit"::equals)).hasSize(1);
    publish("write");
    assertThat(done).containsOnlyOnce("fail write");
    assertThat(done.stream().filter("commit"::equals)).hasSize(1);
    publish("commit");
    assertThat(done).containsOnlyOnce("fail commit");
    assertThat(done.stream().filter("commit"::equals)).hasSize(2);
  }
}
