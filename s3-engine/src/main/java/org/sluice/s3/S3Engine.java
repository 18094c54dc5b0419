package org.sluice.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.NoObjectException;
import org.sluice.core.store.objects.Upload;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * An engine whose objects are those of a bucket. A condition is sent with a plain PUT only, since
 * some servers ignore it at the end of an upload in parts. An object can be found by its key at
 * once. The README lists what a server needs beyond the protocol. The SDK tries a request without
 * an answer, or with a busy one, three times in all.
 */
final class S3Engine implements Engine {
  private static final int CONFLICT = 409;
  private static final int CONDITION_FAILED = 412;
  private static final int BEHIND_THE_END = 416;
  private static final int MOST_CONFLICTS = 12;
  private static final long LONGEST_PAUSE = 200_000_000;

  private final S3Location location;
  private final S3Connection connection;
  private final S3Client client;
  private final S3Failure failure;

  S3Engine(final S3Location location, final S3Connection connection) {
    this.location = location;
    this.connection = connection;
    this.client = connection.client();
    this.failure = new S3Failure(location, connection.server());
  }

  @Override
  public void put(final String key, final List<ByteBuffer> pieces) throws IOException {
    final ObjectBuffers content = new ObjectBuffers(pieces);
    try {
      if (content.length() > Upload.PIECE) {
        putInParts(key, content);
      } else {
        client.putObject(
            each -> each.bucket(location.bucket()).key(object(key)),
            content.body(0, content.length()));
      }
    } catch (final SdkException e) {
      throw failure.of("write %s of".formatted(key), e);
    }
  }

  private void putInParts(final String key, final ObjectBuffers content) {
    final long length =
        Math.max(Upload.PIECE, (content.length() + Upload.MOST_PIECES - 1) / Upload.MOST_PIECES);
    try (MultipartUpload upload = parts(key)) {
      for (long offset = 0; offset < content.length(); offset += length) {
        upload.add(content, offset, Math.min(length, content.length() - offset));
      }
      upload.complete();
    }
  }

  @Override
  public Upload upload(final String key) {
    return new S3Upload(this, failure, key, parts(key));
  }

  private MultipartUpload parts(final String key) {
    return new MultipartUpload(client, location.bucket(), object(key));
  }

  /**
   * Creates an object. A request that loses a race may be told so (409) before the winner's object
   * is there.
   */
  @Override
  public boolean putIfAbsent(final String key, final byte[] bytes) throws IOException {
    for (int conflicts = 0; ; conflicts++) {
      try {
        final ObjectBuffers content = new ObjectBuffers(List.of(ByteBuffer.wrap(bytes)));
        client.putObject(
            each -> each.bucket(location.bucket()).key(object(key)).ifNoneMatch("*"),
            content.body(0, content.length()));
        return true;
      } catch (final S3Exception e) {
        if (e.statusCode() == CONDITION_FAILED) {
          return false;
        }
        if (e.statusCode() != CONFLICT || conflicts == MOST_CONFLICTS) {
          throw failure.of("create %s of".formatted(key), e);
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE));
      } catch (final SdkException e) {
        throw failure.of("create %s of".formatted(key), e);
      }
    }
  }

  @Override
  public void get(final String key, final long offset, final ByteBuffer into) throws IOException {
    final long last = offset + Math.max(1, into.remaining()) - 1;
    try {
      final int length =
          client.getObject(
              each ->
                  each.bucket(location.bucket())
                      .key(object(key))
                      .range("bytes=" + offset + "-" + last),
              new AnswerReader(into, offset));
      into.position(into.position() + length);
    } catch (final NoSuchKeyException e) {
      throw new NoObjectException(this, key);
    } catch (final SdkException e) {
      if (!(e instanceof final S3Exception answer) || answer.statusCode() != BEHIND_THE_END) {
        throw failure.of("read %s of".formatted(key), e);
      }
    }
  }

  @Override
  public List<String> list(final String prefix) throws IOException {
    try {
      return client
          .listObjectsV2Paginator(each -> each.bucket(location.bucket()).prefix(object(prefix)))
          .contents()
          .stream()
          .map(S3Object::key)
          .map(key -> key.substring(location.prefix().length()))
          .sorted() // not all servers sort
          .toList();
    } catch (final SdkException e) {
      throw failure.of("list %s of".formatted(prefix), e);
    }
  }

  @Override
  public List<String> folders() throws IOException {
    final String prefix = location.prefix();
    try {
      return client
          .listObjectsV2Paginator(
              each -> each.bucket(location.bucket()).prefix(prefix).delimiter("/"))
          .commonPrefixes()
          .stream()
          .map(CommonPrefix::prefix)
          .map(folder -> folder.substring(prefix.length(), folder.length() - 1))
          .sorted()
          .toList();
    } catch (final SdkException e) {
      throw failure.of("list", e);
    }
  }

  @Override
  public long size(final String key) throws IOException {
    try {
      return client
          .headObject(each -> each.bucket(location.bucket()).key(object(key)))
          .contentLength();
    } catch (final NoSuchKeyException none) {
      return 0;
    } catch (final SdkException e) {
      throw failure.of("look at %s of".formatted(key), e);
    }
  }

  @Override
  public void delete(final String key) throws IOException {
    try {
      client.deleteObject(each -> each.bucket(location.bucket()).key(object(key)));
    } catch (final NoSuchKeyException e) {
      return; // most servers report no error for a missing object
    } catch (final SdkException e) {
      throw failure.of("delete %s of".formatted(key), e);
    }
  }

  private String object(final String key) {
    return location.prefix() + key;
  }

  @Override
  public String toString() {
    return location.toString();
  }

  @Override
  public void close() {
    connection.close();
  }
}
