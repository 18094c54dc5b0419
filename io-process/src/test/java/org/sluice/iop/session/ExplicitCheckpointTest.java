package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.client.Checkpoint;
import org.sluice.client.CheckpointClient;
import org.sluice.client.ImageChannel;

class ExplicitCheckpointTest extends ServeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void checkpointOfTwoRanksComesBackAsWritten(final String layout) throws Exception {
    try (ServeProcess serve = serve(layout);
        CheckpointClient zero = CheckpointClient.connect(serve.directory(), 0, 2);
        CheckpointClient one = CheckpointClient.connect(serve.directory(), 1, 2)) {
      final Checkpoint first = zero.begin(12);
      final Checkpoint second = one.begin(12);
      final byte[] model = writeAtRandom(first, "state");
      writeAtRandom(second, "state");
      first.complete();
      assertThat(zero.checkpoints()).isEmpty();
      second.complete();
      assertThat(first.awaitDurable(PATIENCE)).isTrue();
      assertThat(second.awaitDurable(PATIENCE)).isTrue();
      assertThat(zero.checkpoints()).containsExactly(12L);
      assertThat(read(zero, CheckpointClient.NEWEST)).isEqualTo(model);
      assertThat(read(zero, 12)).isEqualTo(model);
    }
    try (Stream<java.nio.file.Path> files = Files.list(store.resolve("staging"))) {
      assertThat(files).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void numberBegunAgainSupersedes(final String layout) throws Exception {
    try (ServeProcess serve = serve(layout);
        CheckpointClient client = CheckpointClient.connect(serve.directory(), 0, 1)) {
      byte[] model = {};
      for (int i = 0; i < 2; i++) {
        final Checkpoint checkpoint = client.begin(5);
        model = writeAtRandom(checkpoint, "state");
        checkpoint.complete();
        assertThat(checkpoint.awaitDurable(PATIENCE)).isTrue();
      }
      assertThat(client.checkpoints()).containsExactly(5L);
      assertThat(read(client, 5)).isEqualTo(model);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void unknownImageIsNamed(final String layout) throws Exception {
    try (ServeProcess serve = serve(layout);
        CheckpointClient client = CheckpointClient.connect(serve.directory(), 0, 1)) {
      assertThatThrownBy(() -> client.restart(3, "state")).isInstanceOf(IOException.class);
      final Checkpoint checkpoint = client.begin(3);
      writeAtRandom(checkpoint, "other");
      checkpoint.complete();
      assertThat(checkpoint.awaitDurable(PATIENCE)).isTrue();
      assertThatThrownBy(() -> client.restart(3, "state")).hasMessageContaining("rank-0000/state");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void whatARankHasNotCompletedIsDroppedAtTheEnd(final String layout) throws Exception {
    try (ServeProcess serve = serve(layout)) {
      try (CheckpointClient zero = CheckpointClient.connect(serve.directory(), 0, 2);
          CheckpointClient one = CheckpointClient.connect(serve.directory(), 1, 2)) {
        final Checkpoint first = zero.begin(12);
        writeAtRandom(first, "state");
        writeAtRandom(one.begin(12), "state");
        first.complete();
      }
      assertThat(serve.stop()).isZero();
      assertThat(serve.errors()).contains("checkpoint 12 is dropped: 1 of 2 ranks completed it");
    }
    try (ServeProcess serve = serve(layout);
        CheckpointClient client = CheckpointClient.connect(serve.directory(), 0, 1)) {
      assertThat(client.checkpoints()).isEmpty();
    }
    try (Stream<java.nio.file.Path> files = Files.list(store.resolve("staging"))) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void aNameThatMayLeadOutOfItsCheckpointIsRefused() throws Exception {
    try (ServeProcess serve = serve("files");
        CheckpointClient client = CheckpointClient.connect(serve.directory(), 0, 1)) {
      final Checkpoint checkpoint = client.begin(1);
      for (final String name : List.of("", "/etc/passwd", "a/../b", "..", "./a", "a//b", "a/")) {
        assertThatThrownBy(() -> checkpoint.image(name))
            .hasMessageMatching(
                "no name of an image of checkpoint 1, as .*: '%s'.*".formatted(name));
      }
    }
  }

  private static byte[] writeAtRandom(final Checkpoint checkpoint, final String name)
      throws IOException {
    final Random random = new Random();
    final byte[] model = new byte[500_000];
    try (ImageChannel image = checkpoint.image(name)) {
      for (int i = 0; i < 500; i++) {
        final byte[] bytes = new byte[random.nextInt(4000)];
        random.nextBytes(bytes);
        final int offset = random.nextInt(model.length - bytes.length);
        System.arraycopy(bytes, 0, model, offset, bytes.length);
        image.position(offset).write(ByteBuffer.wrap(bytes));
      }
      image.position(model.length - 1).write(ByteBuffer.wrap(model, model.length - 1, 1));
    }
    return model;
  }

  private static byte[] read(final CheckpointClient client, final long checkpoint)
      throws IOException {
    try (SeekableByteChannel image = client.restart(checkpoint, "state")) {
      final ByteBuffer bytes = ByteBuffer.allocate((int) image.size());
      while (bytes.hasRemaining()) {
        image.read(bytes);
      }
      return bytes.array();
    }
  }
}
