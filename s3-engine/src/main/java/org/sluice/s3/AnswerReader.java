package org.sluice.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * A reader of an answer into a buffer. The SDK may call the reader again when an answer was cut
 * short. Each call begins at the buffer's position, which the caller moves in the end.
 */
final class AnswerReader implements ResponseTransformer<GetObjectResponse, Integer> {
  private static final int COPY = 1 << 16;

  /** The header with the offset of the answer and the size of the object. */
  private static final Pattern RANGE = Pattern.compile("bytes (\\d+)-\\d+/(\\d+)");

  private final ByteBuffer target;
  private final long offset;

  AnswerReader(final ByteBuffer target, final long offset) {
    this.target = target;
    this.offset = offset;
  }

  /** Returns how many bytes the object has from the offset, up to the buffer's limit. */
  @Override
  public Integer transform(final GetObjectResponse answer, final AbortableInputStream bytes) {
    final ByteBuffer into = target.duplicate();
    final Matcher range = RANGE.matcher(String.valueOf(answer.contentRange()));
    if (!range.matches() || Long.parseLong(range.group(1)) != offset) {
      bytes.abort();
      throw RetryableException.create(
          "the answer is not of the range that begins at %d, but: %s"
              .formatted(offset, answer.contentRange()));
    }
    final int expected = (int) Math.min(Long.parseLong(range.group(2)) - offset, into.remaining());
    try {
      into.limit(into.position() + expected);
      read(bytes, into);
    } catch (final IOException e) {
      throw RetryableException.create(e.getMessage(), e);
    }
    if (into.hasRemaining()) {
      throw RetryableException.create(
          "the answer lacks %d of %d bytes".formatted(into.remaining(), expected));
    }
    return expected;
  }

  private static void read(final InputStream from, final ByteBuffer into) throws IOException {
    final byte[] copied = into.hasArray() ? null : new byte[Math.min(COPY, into.remaining())];
    int count = 0;
    while (into.hasRemaining() && count >= 0) {
      if (into.hasArray()) {
        count = from.read(into.array(), into.arrayOffset() + into.position(), into.remaining());
        into.position(into.position() + Math.max(0, count));
      } else {
        count = from.read(copied, 0, Math.min(copied.length, into.remaining()));
        into.put(copied, 0, Math.max(0, count));
      }
    }
  }
}
