package org.sluice.s3;

import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Stores a large object in parts. Nothing of it is to be seen before all of it is there. A killed
 * process leaves an upload, which a bucket's lifecycle rules delete.
 */
final class MultipartUpload {
  /** Of a part, and of the largest object that is stored at once. */
  static final int PART = 8 << 20;

  private static final int MOST_PARTS = 10_000;
  private static final int NOT_FOUND = 404;

  private final S3Client client;
  private final String bucket;
  private final String key;

  MultipartUpload(final S3Client client, final String bucket, final String key) {
    this.client = client;
    this.bucket = bucket;
    this.key = key;
  }

  void put(final Pieces pieces) {
    final String upload =
        client.createMultipartUpload(each -> each.bucket(bucket).key(key)).uploadId();
    try {
      complete(upload, parts(upload, pieces), pieces.length());
    } catch (final SdkException e) {
      abort(upload, e);
      throw e;
    }
  }

  private List<CompletedPart> parts(final String upload, final Pieces pieces) {
    final long length = Math.max(PART, (pieces.length() + MOST_PARTS - 1) / MOST_PARTS);
    final List<CompletedPart> parts = new ArrayList<>();
    for (long offset = 0; offset < pieces.length(); offset += length) {
      final int number = parts.size() + 1;
      final String tag =
          client
              .uploadPart(
                  each -> each.bucket(bucket).key(key).uploadId(upload).partNumber(number),
                  pieces.body(offset, Math.min(length, pieces.length() - offset)))
              .eTag();
      parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
    }
    return parts;
  }

  /** The SDK repeats a request whose answer was lost: the upload is gone then, the object there. */
  private void complete(final String upload, final List<CompletedPart> parts, final long length) {
    try {
      client.completeMultipartUpload(
          each ->
              each.bucket(bucket)
                  .key(key)
                  .uploadId(upload)
                  .multipartUpload(all -> all.parts(parts)));
    } catch (final S3Exception e) {
      if (e.statusCode() != NOT_FOUND || !isThere(length)) {
        throw e;
      }
    }
  }

  /** Nobody puts other bytes under this key. */
  private boolean isThere(final long length) {
    try {
      return client.headObject(each -> each.bucket(bucket).key(key)).contentLength() == length;
    } catch (final S3Exception e) {
      return false;
    }
  }

  private void abort(final String upload, final SdkException failure) {
    try {
      client.abortMultipartUpload(each -> each.bucket(bucket).key(key).uploadId(upload));
    } catch (final SdkException e) {
      failure.addSuppressed(e);
    }
  }
}
