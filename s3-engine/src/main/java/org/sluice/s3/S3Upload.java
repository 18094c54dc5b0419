package org.sluice.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.sluice.core.store.objects.Upload;
import software.amazon.awssdk.core.exception.SdkException;

/** An object on its way to a bucket. An object of a single piece is stored at once. */
final class S3Upload implements Upload {
  private final S3Engine engine;
  private final S3Failure failure;
  private final String key;
  private final MultipartUpload parts;

  S3Upload(
      final S3Engine engine,
      final S3Failure failure,
      final String key,
      final MultipartUpload parts) {
    this.engine = engine;
    this.failure = failure;
    this.key = key;
    this.parts = parts;
  }

  @Override
  public void append(final ByteBuffer piece) throws IOException {
    try {
      add(piece);
    } catch (final SdkException e) {
      throw failed(e);
    }
  }

  @Override
  public void finish(final ByteBuffer last) throws IOException {
    if (parts.isEmpty()) {
      engine.put(key, List.of(last));
      return;
    }
    try {
      add(last);
      parts.complete();
    } catch (final SdkException e) {
      throw failed(e);
    }
  }

  private void add(final ByteBuffer piece) {
    parts.add(new ObjectBuffers(List.of(piece)), 0, piece.remaining());
  }

  private IOException failed(final SdkException e) {
    return failure.of("write %s of".formatted(key), e);
  }

  @Override
  public void close() throws IOException {
    try {
      parts.close();
    } catch (final SdkException e) {
      throw failure.of("give up writing %s of".formatted(key), e);
    }
  }
}
