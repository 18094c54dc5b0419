package org.sluice.iop.measure;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.segment.Segment;
import org.sluice.iop.crash.FailStop;

/**
 * The server of the metrics for Prometheus, on this host only. Every user of the host may connect.
 * So only a few may at a time, each with a thread of its own, and none for long with half a
 * request.
 */
public final class MetricsEndpoint implements AutoCloseable {
  private static final String MOST_CONNECTIONS = "16";
  private static final String MOST_SECONDS = "2";

  private final HttpServer server;
  private final ExecutorService answering =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("metrics").factory());

  private MetricsEndpoint(final HttpServer server) {
    this.server = server;
  }

  /**
   * @param port TCP port; 0 for any that is free
   * @param segment the session's segment; stays the caller's
   */
  public static MetricsEndpoint open(
      final int port, final Segment segment, final Statistics statistics) throws IOException {
    final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new Metrics(segment, statistics).bindTo(registry);
    System.setProperty("jdk.httpserver.maxConnections", MOST_CONNECTIONS);
    System.setProperty("sun.net.httpserver.maxReqTime", MOST_SECONDS);
    final HttpServer server = listen(port);
    server.createContext("/metrics", exchange -> answer(exchange, registry));
    return new MetricsEndpoint(server);
  }

  private static HttpServer listen(final int port) throws IOException {
    try {
      return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (final BindException e) {
      throw new CommandException(
          ExitStatus.FAILED,
          "cannot serve metrics at 127.0.0.1:%d: %s; give another --metrics, or 0 for any that is free"
              .formatted(port, e.getMessage()));
    }
  }

  public String address() {
    return "http://127.0.0.1:%d/metrics".formatted(server.getAddress().getPort());
  }

  public void start() {
    server.setExecutor(answering);
    server.start();
  }

  private static void answer(final HttpExchange exchange, final PrometheusMeterRegistry registry)
      throws IOException {
    try (exchange) {
      Fault.strike(FaultPoint.METRICS);
      final byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
      exchange.sendResponseHeaders(200, text.length);
      exchange.getResponseBody().write(text);
    } catch (final RuntimeException | Error e) {
      FailStop.now(e); // the server would log it, or nothing
    }
  }

  @Override
  public void close() {
    server.stop(0);
    answering.shutdownNow();
  }
}
