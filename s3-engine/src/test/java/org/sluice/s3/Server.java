package org.sluice.s3;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/**
 * Servers that speak the protocol of S3, as processes that end with this one. Each is started when
 * a test first asks for it.
 */
enum Server {
  S3MOCK("s3mock", Pattern.compile("Tomcat started on .* (\\d+) \\(http\\).*")),
  S3PROXY("s3proxy", Pattern.compile(".*Started .*ServerConnector.*127\\.0\\.0\\.1:(\\d+).*"));

  static final String BUCKET = "bucket-1";

  private static final StaticCredentialsProvider SOMEBODY =
      StaticCredentialsProvider.create(AwsBasicCredentials.create("somebody", "secret"));

  private final String jar;
  private final Pattern ready;
  private URI endpoint;

  Server(final String jar, final Pattern ready) {
    this.jar = jar;
    this.ready = ready;
  }

  /** An engine on objects of nobody else's, by whichever way to this server. */
  static S3Engine engine(final URI endpoint, final String prefix) throws IOException {
    return engine(endpoint, new S3Location(BUCKET, prefix));
  }

  static S3Engine engine(final URI endpoint, final S3Location location) throws IOException {
    return new S3Engine(location, connection(endpoint, location));
  }

  /** One that is to answer within a second, as is told at once. */
  static S3Engine impatient(final URI endpoint) throws IOException {
    final S3Location location = new S3Location(BUCKET, "");
    final Duration second = Duration.ofSeconds(1);
    return new S3Engine(
        location,
        S3Connection.open(
            location,
            builder -> builder.endpointOverride(endpoint).credentialsProvider(SOMEBODY),
            new LargeWrites(second, second),
            Duration.ofMillis(1)));
  }

  private static S3Connection connection(final URI endpoint, final S3Location location)
      throws IOException {
    return S3Connection.open(
        location, builder -> builder.endpointOverride(endpoint).credentialsProvider(SOMEBODY));
  }

  static String anyPrefix() {
    return UUID.randomUUID() + "/run 1/";
  }

  synchronized URI endpoint() throws IOException {
    if (endpoint == null) {
      final URI started = URI.create("http://127.0.0.1:" + port(start()));
      try (S3Connection connection = connection(started, new S3Location(BUCKET, ""))) {
        connection.client().createBucket(each -> each.bucket(BUCKET));
      }
      endpoint = started;
    }
    return endpoint;
  }

  /** The shell waits for the end of this process, whose pipe its input is. */
  private Process start() throws IOException {
    final Path memory = Path.of("/dev/shm");
    final Path folder =
        Files.createTempDirectory(
            Files.isWritable(memory) ? memory : Path.of("/tmp"), "sluice-test-" + jar + ".");
    final List<String> command =
        new ArrayList<>(
            List.of("sh", "-c", "\"$@\" & cat; kill $!; wait; rm -rf \"$0\"", folder.toString()));
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
    command.addAll(List.of("-Djava.io.tmpdir=" + folder, "-jar", jar()));
    command.addAll(arguments(folder));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private String jar() throws IOException {
    for (final String path : Files.readString(Path.of("target/servers.classpath")).split(":")) {
      if (Path.of(path).getFileName().toString().startsWith(jar)) {
        return path;
      }
    }
    throw new IOException("the build left no path to " + jar);
  }

  private List<String> arguments(final Path folder) throws IOException {
    if (this == S3MOCK) {
      return List.of(
          "--server.port=0",
          "--http.port=0",
          "--server.address=127.0.0.1",
          "--com.adobe.testing.s3mock.store.root=" + folder.resolve("objects"));
    }
    final Path properties = folder.resolve("properties");
    Files.writeString(
        properties,
        """
        s3proxy.endpoint=http://127.0.0.1:0
        s3proxy.authorization=aws-v2-or-v4
        s3proxy.identity=somebody
        s3proxy.credential=secret
        jclouds.provider=transient-nio2
        jclouds.identity=somebody
        jclouds.credential=secret
        """);
    return List.of("--properties", properties.toString());
  }

  private int port(final Process process) throws IOException {
    final StringBuilder said = new StringBuilder();
    final BufferedReader lines = process.inputReader();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      final Matcher matcher = ready.matcher(line);
      if (matcher.find()) {
        Thread.ofVirtual().start(() -> drain(lines));
        return Integer.parseInt(matcher.group(1));
      }
      said.append(line).append('\n');
    }
    throw new IOException(jar + " did not start: " + said);
  }

  private static void drain(final BufferedReader lines) {
    try {
      while (lines.readLine() != null) {}
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
