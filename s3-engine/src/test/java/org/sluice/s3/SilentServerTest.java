package org.sluice.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.Silence;

/** A server that accepts connections and says nothing. */
class SilentServerTest {
  /** The kernel accepts connections that nobody takes. */
  @Test
  void aServerThatNeverAnswersIsAskedOnceAndTold() throws Exception {
    final List<String> told = new CopyOnWriteArrayList<>();
    Silence.listen(told::add);
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      final String there = "http://127.0.0.1:" + silent.getLocalPort();
      try (S3Engine engine = Server.impatient(URI.create(there))) {
        assertThatThrownBy(() -> engine.list(""))
            .isInstanceOf(EngineException.class)
            .hasMessageContaining("s3://bucket-1/ at " + there + ": no answer in time: ")
            .hasMessageContaining("; check AWS_ENDPOINT_URL_S3 and the network to it");
      }
      assertThat(told)
          .filteredOn(server -> server.endsWith(there)) // other tests' servers are silent, too
          .containsExactly("s3://bucket-1/ at " + there);
    } finally {
      Silence.listen(server -> {});
    }
  }
}
