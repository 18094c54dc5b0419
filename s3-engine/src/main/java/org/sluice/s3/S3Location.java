package org.sluice.s3;

import java.net.URI;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.EngineException.Reason;

/**
 * The location of an engine's objects: a bucket and a prefix.
 *
 * @param prefix begin of the objects' keys; empty, or ending with {@code /}
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

  @Override
  public String toString() {
    return "s3://" + bucket + "/" + prefix.replaceAll("/$", "");
  }
}
