package org.sluice.iop.measure;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.sluice.core.segment.Segment;

/** Serves the metrics to Prometheus, on this host only. */
public final class MetricsEndpoint implements AutoCloseable {
  private final HttpServer server;

  private MetricsEndpoint(final HttpServer server) {
    this.server = server;
  }

  /**
   * Opens the endpoint.
   *
   * @param port where; null for no endpoint
   * @param segment the segment
   * @param statistics what happened
   * @return to be closed at the end
   * @throws IOException when the port is not to be had
   */
  public static MetricsEndpoint open(
      final Integer port, final Segment segment, final Statistics statistics) throws IOException {
    if (port == null) {
      return new MetricsEndpoint(null);
    }
    final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new Metrics(segment, statistics).bindTo(registry);
    final HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext("/metrics", exchange -> answer(exchange, registry));
    return new MetricsEndpoint(server);
  }

  /** Begins to serve. */
  public void start() {
    if (server != null) {
      server.start();
    }
  }

  private static void answer(final HttpExchange exchange, final PrometheusMeterRegistry registry)
      throws IOException {
    try (exchange) {
      final byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
      exchange.sendResponseHeaders(200, text.length);
      exchange.getResponseBody().write(text);
    }
  }

  @Override
  public void close() {
    if (server != null) {
      server.stop(0);
    }
  }
}
