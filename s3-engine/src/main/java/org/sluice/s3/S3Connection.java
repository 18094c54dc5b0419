package org.sluice.s3;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.EngineException.Reason;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * A client of the SDK. The SDK finds credentials, region and endpoint as for every program of the
 * user. Their sources are the environment, a profile, and on a machine of AWS its metadata.
 */
record S3Connection(S3Client client, String server) implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration SILENCE = Duration.ofSeconds(15);

  /** The time after which a user is told that no answer has come. */
  private static final Duration QUIET = Duration.ofSeconds(2);

  /**
   * The region's sources, without the metadata of AWS, for which a machine elsewhere waits seconds.
   */
  private static final AwsRegionProvider CONFIGURED =
      new AwsRegionProviderChain(
          new SystemSettingsRegionProvider(), new AwsProfileRegionProvider());

  /**
   * @param settings changes of the settings that the SDK finds itself
   */
  static S3Connection open(final S3Location location, final UnaryOperator<S3ClientBuilder> settings)
      throws IOException {
    return open(location, settings, new LargeWrites(CONNECT, SILENCE), QUIET);
  }

  /**
   * Opens a client with another sender of requests, or another time until users are told that no
   * answer comes.
   */
  static S3Connection open(
      final S3Location location,
      final UnaryOperator<S3ClientBuilder> settings,
      final SdkHttpClient sender,
      final Duration quiet)
      throws IOException {
    final DefaultCredentialsProvider credentials = DefaultCredentialsProvider.builder().build();
    try {
      final S3ClientBuilder builder =
          settings.apply(
              common(S3Client.builder().credentialsProvider(credentials).httpClient(sender)));
      final Optional<URI> elsewhere = endpoint(builder).filter(uri -> !isAws(uri));
      builder.region(elsewhere.isPresent() ? configuredRegion() : null);
      final String server = elsewhere.map(URI::toString).orElse("AWS");
      builder.httpClient(new FirstAnswer(sender, quiet, "%s at %s".formatted(location, server)));
      final S3Client client = builder.forcePathStyle(elsewhere.isPresent()).build();
      final S3Connection connection =
          new S3Connection(
              client, elsewhere.map(URI::toString).orElseGet(() -> "AWS in " + regionOf(client)));
      connection.findCredentials(location);
      return connection;
    } catch (final SdkException | NullPointerException | IllegalArgumentException e) {
      throw new EngineException( // the SDK has no exception of its own for a wrong endpoint
          Reason.ADDRESS,
          "cannot look for %s: %s; set AWS_REGION, or AWS_ENDPOINT_URL_S3 to a URI, or a profile"
              .formatted(location, said(e)),
          e);
    }
  }

  /** Returns the message without the list of all places in which the SDK has looked. */
  private static String said(final RuntimeException e) {
    return String.valueOf(e.getMessage()).replaceFirst("(?s) from any of the providers .*", "");
  }

  /**
   * Sets the options common to all clients. The SDK's own checksums are unknown to Ceph's gateway
   * of release 16, which answers them with 400. Chunks carry their own.
   */
  private static S3ClientBuilder common(final S3ClientBuilder builder) {
    return builder
        .putAuthScheme(new LargeUnsigned())
        .overrideConfiguration(each -> each.retryStrategy(RetryMode.STANDARD))
        .serviceConfiguration(
            each -> each.chunkedEncodingEnabled(false).expectContinueEnabled(false))
        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
  }

  /** Returns the endpoint that the user names, by any of the SDK's ways. */
  private static Optional<URI> endpoint(final S3ClientBuilder builder) {
    try (S3Client any = builder.region(Region.US_EAST_1).build()) {
      return any.serviceClientConfiguration().endpointOverride();
    }
  }

  private static boolean isAws(final URI endpoint) {
    return String.valueOf(endpoint.getHost()).matches("(.*\\.)?amazonaws\\.com(\\.cn)?");
  }

  /** Other servers know one region, and hardly any looks at its name. */
  private static Region configuredRegion() {
    try {
      return CONFIGURED.getRegion();
    } catch (final SdkException none) {
      return Region.US_EAST_1;
    }
  }

  private static Region regionOf(final S3Client client) {
    return client.serviceClientConfiguration().region();
  }

  private void findCredentials(final S3Location location) throws EngineException {
    try {
      client.serviceClientConfiguration().credentialsProvider().resolveIdentity().join();
    } catch (final RuntimeException e) {
      client.close();
      throw new EngineException(
          Reason.DENIED,
          "no credentials for %s at %s; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
              .formatted(location, server),
          e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
