package org.sluice.core.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A commit as a log has it. Its directory may lack anything but images' own files.
 *
 * @param log the log's file
 * @param record what the log says
 * @param commit the same
 */
record LoggedCommit(Path log, LogRecord record, Commit commit) {
  static LoggedCommit of(final Path log, final LogRecord record) throws IOException {
    return new LoggedCommit(log, record, record.commit(log.toString()));
  }

  CheckpointDirectory directory(final StoreDirectory store) {
    return store.checkpoint(commit.number(), commit.id());
  }

  List<CommittedImage> images() throws IOException {
    return IndexCodec.decode(log.toString(), commit.id(), ByteBuffer.wrap(record.index()));
  }
}
