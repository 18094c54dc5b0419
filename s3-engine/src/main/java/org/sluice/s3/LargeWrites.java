package org.sluice.s3;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.urlconnection.ProxyConfiguration;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;

/**
 * An HTTP client that sends a large body in large writes. The SDK's client takes 4 KiB at a time.
 * The SDK's client still sends all other requests, and all through a proxy, which it can find.
 */
final class LargeWrites implements SdkHttpClient {
  /** The number of bytes that the JDK gives to a socket at once. */
  private static final int WRITE = 1 << 17;

  private static final int FAILURES = 400;

  private final Duration connect;
  private final Duration silence;
  private final SdkHttpClient usual;

  LargeWrites(final Duration connect, final Duration silence) {
    this.connect = connect;
    this.silence = silence;
    this.usual =
        UrlConnectionHttpClient.builder().connectionTimeout(connect).socketTimeout(silence).build();
  }

  @Override
  public ExecutableHttpRequest prepareRequest(final HttpExecuteRequest request) {
    final long length = length(request.httpRequest());
    return length < WRITE || isProxied(request.httpRequest())
        ? usual.prepareRequest(request)
        : new Sending(request, length);
  }

  /** Returns the length of the request's body; 0 without one. */
  private static long length(final SdkHttpRequest request) {
    return request.firstMatchingHeader("Content-Length").map(Long::parseLong).orElse(0L);
  }

  private static boolean isProxied(final SdkHttpRequest request) {
    return ProxyConfiguration.builder().scheme(request.protocol()).build().host() != null;
  }

  @Override
  public String clientName() {
    return usual.clientName();
  }

  @Override
  public void close() {
    usual.close();
  }

  /** A request, whose answer another thread may give up. */
  private final class Sending implements ExecutableHttpRequest {
    private final HttpExecuteRequest request;
    private final long length;
    private volatile HttpURLConnection connection;

    Sending(final HttpExecuteRequest request, final long length) {
      this.request = request;
      this.length = length;
    }

    @Override
    public HttpExecuteResponse call() throws IOException {
      final HttpURLConnection opened =
          (HttpURLConnection) request.httpRequest().getUri().toURL().openConnection();
      connection = opened;
      prepare(opened);
      try (InputStream from = request.contentStreamProvider().orElseThrow().newStream();
          OutputStream into = opened.getOutputStream()) {
        send(from, into);
      }
      return answer(opened);
    }

    private void prepare(final HttpURLConnection opened) throws IOException {
      opened.setConnectTimeout((int) connect.toMillis());
      opened.setReadTimeout((int) silence.toMillis());
      opened.setRequestMethod(request.httpRequest().method().name());
      request
          .httpRequest()
          .forEachHeader(
              (name, values) -> opened.setRequestProperty(name, String.join(",", values)));
      opened.setInstanceFollowRedirects(false);
      opened.setDoOutput(true);
      opened.setFixedLengthStreamingMode(length);
    }

    @Override
    public void abort() {
      final HttpURLConnection opened = connection;
      if (opened != null) {
        opened.disconnect();
      }
    }
  }

  private static void send(final InputStream from, final OutputStream into) throws IOException {
    final byte[] piece = new byte[WRITE];
    for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
      into.write(piece, 0, count);
    }
  }

  private static HttpExecuteResponse answer(final HttpURLConnection asked) throws IOException {
    final int status = asked.getResponseCode();
    final InputStream body = status < FAILURES ? asked.getInputStream() : asked.getErrorStream();
    final Map<String, List<String>> headers = new HashMap<>(asked.getHeaderFields());
    headers.remove(null); // the status line of the answer
    return HttpExecuteResponse.builder()
        .response(
            SdkHttpResponse.builder()
                .statusCode(status)
                .statusText(asked.getResponseMessage())
                .headers(headers)
                .build())
        .responseBody(body == null ? null : AbortableInputStream.create(body))
        .build();
  }
}
