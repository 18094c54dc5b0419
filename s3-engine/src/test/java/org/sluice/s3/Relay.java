package org.sluice.s3;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands between an engine and a server. It takes one request of each connection, and lets a test
 * say what becomes of it and of its answer.
 */
final class Relay implements AutoCloseable {
  private static final Pattern LENGTH =
      Pattern.compile("(?im)^content-length: *(\\d+)\\r$", Pattern.UNIX_LINES);

  private final URI server;
  private final ServerSocket socket;
  private final Mishap mishap;
  private final List<String> requests = new CopyOnWriteArrayList<>();

  /** What happens to a request. */
  interface Mishap {
    /**
     * Answers it.
     *
     * @param request head and body
     * @param relay asks the server by {@link #ask}
     * @return what the engine gets before the connection ends
     */
    byte[] answer(byte[] request, Relay relay) throws IOException;
  }

  Relay(final URI server, final Mishap mishap) throws IOException {
    this.server = server;
    this.mishap = mishap;
    this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::serve);
  }

  URI endpoint() {
    return URI.create("http://127.0.0.1:" + socket.getLocalPort());
  }

  /** The first line of each request so far, without the version. */
  List<String> requests() {
    return requests;
  }

  private void serve() {
    try {
      while (true) {
        final Socket one = socket.accept();
        Thread.ofVirtual().start(() -> serve(one));
      }
    } catch (final IOException closed) {
      return; // the test is over
    }
  }

  private void serve(final Socket one) {
    try (one) {
      final byte[] request = read(one.getInputStream());
      if (request.length > 0) {
        requests.add(text(request).replaceAll("(?s) HTTP/1.1\r\n.*", ""));
        one.getOutputStream().write(mishap.answer(request, this));
      }
    } catch (final IOException gone) {
      return; // the engine sees it as well
    }
  }

  /** What the server says to a request. */
  byte[] ask(final byte[] request) throws IOException {
    final byte[] last = bytes(text(request).replaceFirst("\r\n", "\r\nConnection: close\r\n"));
    try (Socket asked = new Socket(server.getHost(), server.getPort())) {
      asked.getOutputStream().write(last);
      return bytes(
          text(asked.getInputStream().readAllBytes())
              .replaceFirst("(?i)connection: [a-z-]+\r\n", "")
              .replaceFirst("\r\n", "\r\nConnection: close\r\n"));
    }
  }

  private static byte[] read(final InputStream in) throws IOException {
    final ByteArrayOutputStream request = new ByteArrayOutputStream();
    int last = 0;
    for (int next = in.read(); next >= 0; next = in.read()) {
      request.write(next);
      last = last << 8 | next;
      if (last == ('\r' << 24 | '\n' << 16 | '\r' << 8 | '\n')) {
        final Matcher length = LENGTH.matcher(text(request.toByteArray()));
        request.write(in.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0));
        break;
      }
    }
    return request.toByteArray();
  }

  /** A character for each byte. */
  static String text(final byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  static byte[] bytes(final String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** An answer of the server's that has a code and a text. */
  static byte[] error(final String status, final String code) {
    final String body =
        "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>so it is</Message></Error>"
            .formatted(code);
    return bytes(
        "HTTP/1.1 %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
            .formatted(status, body.length(), body));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
