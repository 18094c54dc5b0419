package org.sluice.iop.memory;

import static org.sluice.core.command.SizeConverter.format;

import java.io.IOException;
import java.util.Optional;
import org.sluice.iop.measure.Warnings;

/**
 * The limits of memory of this process's control groups. Beyond a limit the kernel would kill a
 * process as the buffer fills, and each resumed I/O process would end the same way. Not
 * thread-safe.
 */
public final class MemoryLimit {
  /**
   * The number of chunks between two looks at the limit. A look costs a tenth of the memory of so
   * many chunks.
   */
  private static final int CHUNKS_PER_LOOK = 8;

  /** The number of chunks, below a limit, that processes may make between two looks. */
  private static final int MOST_GRANTS = 64;

  /** The part of a group's memory, one in so many, that is left to its programs. */
  private static final int PROGRAMS_PART = 4;

  private final int chunkLength;
  private boolean unlimited;
  private ControlGroups groups;
  private long chunks;

  /**
   * @param chunkLength bytes of each chunk
   */
  public MemoryLimit(final int chunkLength) {
    this.chunkLength = chunkLength;
  }

  MemoryLimit(final int chunkLength, final ControlGroups groups) {
    this(chunkLength);
    this.groups = groups;
  }

  /**
   * Counts a chunk that the caller is about to make.
   *
   * @return whether it is to {@link #look} before
   */
  public boolean isDue() {
    return unlimited || chunks++ % CHUNKS_PER_LOOK == 0;
  }

  /** Tells whether there was no limit at the last look; looks cost nothing then. */
  public boolean isUnlimited() {
    return unlimited;
  }

  /**
   * Looks at the limit. Beside what processes make, the caller may make chunks until the next look
   * {@link #isDue}.
   *
   * @return how many chunks processes may make until the next look, with those they are making
   * @throws IOException when programs need what is left
   */
  public long look() throws IOException {
    if (unlimited) {
      return Integer.MAX_VALUE;
    }
    final Optional<ControlGroups.Memory> limit = limit();
    unlimited = limit.isEmpty();
    return unlimited ? Integer.MAX_VALUE : grants(limit.get());
  }

  private Optional<ControlGroups.Memory> limit() {
    try {
      if (groups == null) {
        groups = ControlGroups.own();
      }
      return groups.memory();
    } catch (final IOException e) {
      Warnings.warn("whether memory is limited is unknown: " + e.getMessage());
      return Optional.empty();
    }
  }

  private long grants(final ControlGroups.Memory limit) throws IOException {
    final long chunks = (limit.left() - limit.most() / PROGRAMS_PART) / chunkLength;
    if (chunks < CHUNKS_PER_LOOK) {
      throw new IOException(
          "%s has %s left of %s, and programs need some; ask for more memory"
              .formatted(limit.group(), format(limit.left()), format(limit.most())));
    }
    return Math.min(chunks - CHUNKS_PER_LOOK, MOST_GRANTS);
  }
}
