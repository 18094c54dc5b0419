package org.sluice.s3;

import java.net.URI;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.EngineException.Reason;

/**
 * Where in a bucket an engine's objects are.
 *
 * @param bucket its name
 * @param prefix with what their keys begin there; empty, or with a {@code /} at its end
 */
record S3Location(String bucket, String prefix) {
  static S3Location of(final URI location) throws EngineException {
    final String bucket = location.getRawAuthority(); // getHost knows no underscores
    if (bucket == null
        || bucket.contains("@")
        || bucket.contains(":")
        || location.getRawQuery() != null
        || location.getRawFragment() != null) {
      throw new EngineException(
          Reason.ADDRESS,
          "%s names no bucket; write s3://BUCKET/PREFIX, and the endpoint into AWS_ENDPOINT_URL_S3"
              .formatted(location),
          null);
    }
    final String path = location.getPath().replaceAll("/+", "/").replaceAll("^/|/$", "");
    return new S3Location(bucket, path.isEmpty() ? "" : path + "/");
  }

  /** As a user writes it. */
  @Override
  public String toString() {
    return "s3://" + bucket + "/" + prefix.replaceAll("/$", "");
  }
}
