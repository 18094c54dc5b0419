package org.sluice.core.store.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.format.IndexCodec;
import org.sluice.core.store.format.LogRecord;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;

/**
 * A commit as a log has it. Its directory may lack any file but images' own files, and an index
 * that is too long for a record.
 */
public record LoggedCommit(Path log, LogRecord record, Commit commit) {
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
