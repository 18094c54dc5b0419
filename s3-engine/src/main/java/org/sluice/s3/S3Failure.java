package org.sluice.s3;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.EngineException.Reason;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** The translation of a failed request into an error that tells users what to do. */
final class S3Failure {
  private final S3Location location;
  private final String server;

  S3Failure(final S3Location location, final String server) {
    this.location = location;
    this.server = server;
  }

  /**
   * @param what the attempted action, such as {@code write log/1 of}
   */
  IOException of(final String what, final SdkException failure) {
    final String tried = "cannot %s %s at %s: ".formatted(what, location, server);
    return switch (failure) {
      case AbortedException interrupted -> {
        Thread.currentThread().interrupt();
        yield failed(Reason.UNREACHABLE, tried + "it was interrupted", failure);
      }
      case S3Exception answer -> answered(tried, answer);
      default -> unanswered(tried, failure);
    };
  }

  private IOException answered(final String tried, final S3Exception answer) {
    final AwsErrorDetails details = answer.awsErrorDetails();
    final String code = details == null ? "" : String.valueOf(details.errorCode());
    final String said = tried + answer.statusCode() + " " + code;
    return switch (code) {
      case "NoSuchBucket" ->
          failed(
              Reason.MISSING,
              "%sthere is no bucket %s; create it, or check its name and AWS_ENDPOINT_URL_S3"
                  .formatted(tried, location.bucket()),
              answer);
      case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "TooManyBuckets" ->
          failed(Reason.FULL, said + "; raise the quota or make room there", answer);
      case "NotImplemented" ->
          failed(Reason.UNFIT, said + "; take storage that knows If-None-Match", answer);
      case "RequestTimeTooSkewed" ->
          failed(Reason.DENIED, said + "; set this node's clock", answer);
      default -> byStatus(said, answer);
    };
  }

  private IOException byStatus(final String said, final S3Exception answer) {
    return switch (answer.statusCode()) {
      case 401, 403 ->
          failed(
              Reason.DENIED,
              "%s; check the credentials, and that they may list %s and get, put and delete there"
                  .formatted(said, location),
              answer);
      case 301, 307, 400 ->
          failed(
              Reason.ADDRESS,
              "%s: %s; check AWS_REGION and AWS_ENDPOINT_URL_S3".formatted(said, text(answer)),
              answer);
      case 507 -> failed(Reason.FULL, said + "; make room there", answer);
      default ->
          failed(
              Reason.UNREACHABLE,
              "%s: %s; look at that server, then try again".formatted(said, text(answer)),
              answer);
    };
  }

  private static String text(final S3Exception answer) {
    final AwsErrorDetails details = answer.awsErrorDetails();
    return details == null || details.errorMessage() == null
        ? answer.getMessage()
        : details.errorMessage();
  }

  private IOException unanswered(final String tried, final SdkException failure) {
    return failed(
        Reason.UNREACHABLE,
        tried + why(failure) + "; check AWS_ENDPOINT_URL_S3 and the network to it",
        failure);
  }

  private static String why(final SdkException failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && !(cause instanceof IOException)) {
      cause = cause.getCause();
    }
    return switch (cause) {
      case UnknownHostException e -> "no such host: " + e.getMessage();
      case ConnectException e -> "no connection: " + e.getMessage();
      case SocketTimeoutException e -> FirstAnswer.noneInTime(e);
      case SSLException e -> "no secure connection: " + e.getMessage();
      case IOException e -> "the connection broke off: " + e.getMessage();
      default -> String.valueOf(failure.getMessage()).replaceAll(" \\(SDK Attempt.*", "");
    };
  }

  private static IOException failed(
      final Reason reason, final String message, final Throwable cause) {
    return new EngineException(reason, message, cause);
  }
}
