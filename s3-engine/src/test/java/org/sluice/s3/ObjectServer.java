package org.sluice.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server of what the engine asks of S3, which starts in a moment. It needs nothing but the JDK.
 * It looks at who asks, and at no signature: that is for servers that others made.
 */
final class ObjectServer implements AutoCloseable {
  static {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // otherwise an answer takes 40 ms
  }

  private static final String IDENTITY = "somebody";
  private static final int OK = 200;
  private static final int NO_CONTENT = 204;
  private static final int PARTIAL = 206;
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");
  private static final String XML = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

  private final ObjectFiles files;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Serves until it is closed.
   *
   * @param directory has a directory for each bucket, in which each object is a file
   * @param port 0 for any
   */
  ObjectServer(final Path directory, final int port) throws IOException {
    files = new ObjectFiles(directory);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /**
   * Serves until it is killed, and says where.
   *
   * @param arguments the directory and the port
   */
  public static void main(final String[] arguments) throws IOException {
    final ObjectServer one =
        new ObjectServer(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
    System.out.println(one.endpoint());
  }

  URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  void createBucket(final String bucket) throws IOException {
    files.createBucket(bucket);
  }

  /** What is to be told to who asks. */
  static final class Refusal extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;

    Refusal(final int status, final String code) {
      super(code);
      this.status = status;
    }
  }

  private void handle(final HttpExchange exchange) throws IOException {
    try (exchange) {
      try {
        answer(new Request(exchange));
      } catch (final Refusal e) {
        refuse(exchange, e.status, e.getMessage());
      } catch (final NoSuchFileException e) {
        refuse(exchange, 404, "NoSuchKey");
      } catch (final NoSuchElementException e) {
        refuse(exchange, 400, "InvalidRequest");
      }
    }
  }

  private static void refuse(final HttpExchange exchange, final int status, final String code)
      throws IOException {
    exchange.getRequestBody().readAllBytes();
    say(
        exchange,
        status,
        "<Error><Code>%s</Code><Message>so it is</Message></Error>".formatted(code));
  }

  private static void say(final HttpExchange exchange, final int status, final String xml)
      throws IOException {
    final byte[] body = (XML + xml).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/xml");
    final boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, head ? -1 : body.length);
    if (!head) {
      exchange.getResponseBody().write(body);
    }
  }

  /** A request, and what its URI names. */
  private record Request(
      HttpExchange exchange, String bucket, String key, Map<String, String> query) {
    Request(final HttpExchange exchange) throws Refusal {
      final String[] path = exchange.getRequestURI().getPath().split("/", 3);
      this(exchange, path[1], path.length > 2 ? path[2] : "", query(exchange.getRequestURI()));
    }

    private static Map<String, String> query(final URI uri) {
      final Map<String, String> query = new HashMap<>();
      for (final String one : String.valueOf(uri.getRawQuery()).split("&")) {
        final String[] parts = one.split("=", 2);
        query.put(
            parts[0], parts.length > 1 ? URLDecoder.decode(parts[1], StandardCharsets.UTF_8) : "");
      }
      return query;
    }

    String header(final String name) {
      return String.valueOf(exchange.getRequestHeaders().getFirst(name));
    }

    String method() {
      return exchange.getRequestMethod();
    }
  }

  private void answer(final Request request) throws IOException {
    if (!request.header("Authorization").contains("Credential=" + IDENTITY + "/")) {
      throw new Refusal(403, "InvalidAccessKeyId");
    }
    if (request.key().isEmpty() && request.method().equals("PUT")) {
      files.createBucket(request.bucket());
      say(request.exchange(), OK, "<Created/>");
      return;
    }
    files.checkBucket(request.bucket());
    if (request.key().isEmpty()) {
      list(request);
    } else if (request.query().containsKey("uploads")) {
      say(
          request.exchange(),
          OK,
          "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>"
              .formatted(files.beginUpload()));
    } else if (request.query().containsKey("uploadId")) {
      answerOfUpload(request, request.query().get("uploadId"));
    } else {
      answerOfObject(request);
    }
  }

  private void answerOfUpload(final Request request, final String id) throws IOException {
    switch (request.method()) {
      case "PUT" -> {
        final int number = Integer.parseInt(request.query().get("partNumber"));
        files.putPart(id, number, request.exchange().getRequestBody());
        stored(request.exchange());
      }
      case "POST" -> {
        request.exchange().getRequestBody().readAllBytes();
        files.completeUpload(id, request.bucket(), request.key());
        say(request.exchange(), OK, "<CompleteMultipartUploadResult/>");
      }
      default -> {
        files.abortUpload(id);
        request.exchange().sendResponseHeaders(NO_CONTENT, -1);
      }
    }
  }

  private void answerOfObject(final Request request) throws IOException {
    switch (request.method()) {
      case "PUT" -> {
        final boolean absent = request.header("If-None-Match").equals("*");
        final InputStream content = request.exchange().getRequestBody();
        if (!files.put(request.bucket(), request.key(), content, absent)) {
          throw new Refusal(412, "PreconditionFailed");
        }
        stored(request.exchange());
      }
      case "DELETE" -> {
        files.delete(request.bucket(), request.key());
        request.exchange().sendResponseHeaders(NO_CONTENT, -1);
      }
      default -> read(request);
    }
  }

  private static void stored(final HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("ETag", "\"stored\"");
    exchange.sendResponseHeaders(OK, -1);
  }

  private void read(final Request request) throws IOException {
    final HttpExchange exchange = request.exchange();
    try (FileChannel file = files.open(request.bucket(), request.key())) {
      final Matcher range = RANGE.matcher(request.header("Range"));
      final long size = file.size();
      long first = 0;
      long end = size;
      int status = OK;
      if (range.matches()) {
        first = Long.parseLong(range.group(1));
        end = Math.min(size, Long.parseLong(range.group(2)) + 1);
        status = PARTIAL;
        if (first >= size) {
          throw new Refusal(416, "InvalidRange");
        }
        exchange
            .getResponseHeaders()
            .set("Content-Range", "bytes %d-%d/%d".formatted(first, end - 1, size));
      }
      if (request.method().equals("HEAD")) {
        exchange.getResponseHeaders().set("Content-Length", Long.toString(size));
      }
      final boolean none = first == end || request.method().equals("HEAD");
      exchange.sendResponseHeaders(status, none ? -1 : end - first);
      if (!none) {
        send(file, first, end, exchange.getResponseBody());
      }
    }
  }

  private static void send(
      final FileChannel file, final long first, final long end, final OutputStream to)
      throws IOException {
    long sent = first;
    while (sent < end) {
      sent += file.transferTo(sent, end - sent, Channels.newChannel(to));
    }
  }

  private void list(final Request request) throws IOException {
    final ObjectFiles.Page page =
        files.list(
            request.bucket(),
            request.query().getOrDefault("prefix", ""),
            request.query().getOrDefault("delimiter", ""),
            request.query().getOrDefault("continuation-token", ""));
    final StringBuilder xml = new StringBuilder("<ListBucketResult>");
    page.keys().forEach(key -> xml.append(element("Contents", element("Key", escape(key)))));
    page.folders()
        .forEach(each -> xml.append(element("CommonPrefixes", element("Prefix", escape(each)))));
    xml.append(element("IsTruncated", Boolean.toString(page.next() != null)));
    if (page.next() != null) {
      xml.append(element("NextContinuationToken", escape(page.next())));
    }
    say(request.exchange(), OK, xml.append("</ListBucketResult>").toString());
  }

  private static String element(final String name, final String content) {
    return "<%s>%s</%s>".formatted(name, content, name);
  }

  private static String escape(final String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
