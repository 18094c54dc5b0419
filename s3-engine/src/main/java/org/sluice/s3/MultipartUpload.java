package org.sluice.s3;

import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * The upload of a large object in parts. The object is not visible before all parts are there. A
 * killed process leaves an upload, which a bucket's lifecycle rules delete.
 */
final class MultipartUpload implements AutoCloseable {
  private static final int NOT_FOUND = 404;

  private final S3Client client;
  private final String bucket;
  private final String key;
  private final List<CompletedPart> parts = new ArrayList<>();

  /** The id of the upload; null before the first part and after the end. */
  private String id;

  private long length;

  MultipartUpload(final S3Client client, final String bucket, final String key) {
    this.client = client;
    this.bucket = bucket;
    this.key = key;
  }

  boolean isEmpty() {
    return parts.isEmpty();
  }

  void add(final ObjectBuffers pieces, final long offset, final long count) {
    if (id == null) {
      id = client.createMultipartUpload(each -> each.bucket(bucket).key(key)).uploadId();
    }
    final int number = parts.size() + 1;
    final String tag =
        client
            .uploadPart(
                each -> each.bucket(bucket).key(key).uploadId(id).partNumber(number),
                pieces.body(offset, count))
            .eTag();
    parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
    length += count;
  }

  /**
   * Completes the upload. The SDK repeats a request whose answer was lost: then the upload is gone,
   * and the object is there.
   */
  void complete() {
    try {
      client.completeMultipartUpload(
          each ->
              each.bucket(bucket).key(key).uploadId(id).multipartUpload(all -> all.parts(parts)));
    } catch (final S3Exception e) {
      if (e.statusCode() != NOT_FOUND || !isThere()) {
        throw e;
      }
    }
    id = null;
  }

  /** No other process puts other bytes under this key. */
  private boolean isThere() {
    try {
      return client.headObject(each -> each.bucket(bucket).key(key)).contentLength() == length;
    } catch (final S3Exception e) {
      return false;
    }
  }

  /** Makes the server forget the parts, unless the upload is complete. */
  @Override
  public void close() {
    if (id != null) {
      client.abortMultipartUpload(each -> each.bucket(bucket).key(key).uploadId(id));
      id = null;
    }
  }
}
