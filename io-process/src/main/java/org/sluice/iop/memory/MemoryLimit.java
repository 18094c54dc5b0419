package org.sluice.iop.memory;

import static org.sluice.core.command.SizeConverter.format;

import java.io.IOException;
import java.util.Optional;
import org.sluice.iop.measure.Warnings;

/**
 * A provider of chunk memory that keeps the limits of this process's control groups. Beyond a limit
 * the kernel would kill a process as the buffer fills, and each resumed I/O process would end the
 * same way. Not thread-safe.
 */
public final class MemoryLimit implements Provision.Provider {
  /**
   * The number of chunks between two looks at the limit. A look costs a tenth of the memory of so
   * many chunks.
   */
  private static final int CHUNKS_PER_LOOK = 8;

  /** The part of a group's memory, one in so many, that is left to its programs. */
  private static final int PROGRAMS_PART = 4;

  private final Provision.Provider provider;
  private final long bytesPerLook;
  private boolean unlimited;
  private ControlGroups groups;

  /**
   * @param chunkLength bytes of each chunk
   */
  public MemoryLimit(final Provision.Provider provider, final int chunkLength) {
    this.provider = provider;
    this.bytesPerLook = (long) CHUNKS_PER_LOOK * chunkLength;
  }

  MemoryLimit(
      final Provision.Provider provider, final int chunkLength, final ControlGroups groups) {
    this(provider, chunkLength);
    this.groups = groups;
  }

  @Override
  public void provide(final int chunk) throws IOException {
    if (chunk % CHUNKS_PER_LOOK == 0 && !unlimited) {
      final Optional<ControlGroups.Memory> limit = limit();
      unlimited = limit.isEmpty();
      if (limit.isPresent()) {
        check(limit.get());
      }
    }
    provider.provide(chunk);
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

  private void check(final ControlGroups.Memory limit) throws IOException {
    if (limit.left() - bytesPerLook < limit.most() / PROGRAMS_PART) {
      throw new IOException(
          "%s has %s left of %s, and programs need some; ask for more memory"
              .formatted(limit.group(), format(limit.left()), format(limit.most())));
    }
  }
}
