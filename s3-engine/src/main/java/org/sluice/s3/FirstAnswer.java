package org.sluice.s3;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.sluice.core.posix.Speaker;
import org.sluice.core.store.objects.Silence;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * An HTTP client that tells users when no answer comes, and does not repeat the first request to a
 * server. The SDK would send such a request three times, as if an answer was lost. Thread-safe.
 */
final class FirstAnswer implements SdkHttpClient {
  /**
   * The factor by which the wait without a message is longer for a server that has answered before.
   */
  private static final int KNOWN = 5;

  private final SdkHttpClient usual;
  private final Duration quiet;
  private final String server;
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile boolean answered;

  /**
   * @param quiet time after which users are told that no answer has come
   */
  FirstAnswer(final SdkHttpClient usual, final Duration quiet, final String server) {
    this.usual = usual;
    this.quiet = quiet;
    this.server = server;
  }

  @Override
  public ExecutableHttpRequest prepareRequest(final HttpExecuteRequest request) {
    final ExecutableHttpRequest prepared = usual.prepareRequest(request);
    return new ExecutableHttpRequest() {
      @Override
      public HttpExecuteResponse call() throws IOException {
        return ask(prepared);
      }

      @Override
      public void abort() {
        prepared.abort();
      }
    };
  }

  private HttpExecuteResponse ask(final ExecutableHttpRequest request) throws IOException {
    final long most = (answered ? KNOWN : 1) * quiet.toMillis();
    final Executor later = CompletableFuture.delayedExecutor(most, TimeUnit.MILLISECONDS);
    final CompletableFuture<Void> word = CompletableFuture.runAsync(this::say, later);
    try {
      final HttpExecuteResponse response = request.call();
      answered = true;
      return response;
    } catch (final SocketTimeoutException e) {
      if (answered) {
        throw e;
      }
      throw SdkClientException.create(noneInTime(e)); // the SDK does not repeat this exception
    } finally {
      word.cancel(false);
    }
  }

  static String noneInTime(final SocketTimeoutException why) {
    return "no answer in time: " + why.getMessage();
  }

  private void say() {
    Silence.tell(server);
    if (!told.getAndSet(true)) {
      Speaker.say("waiting for %s, which does not answer".formatted(server));
    }
  }

  @Override
  public String clientName() {
    return usual.clientName();
  }

  @Override
  public void close() {
    usual.close();
  }
}
