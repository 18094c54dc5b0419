package org.sluice.core.store.disk;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;

/**
 * The marks of objects in a directory: a bit of the file's mode, by which the maker says that the
 * name is durable. Any thread; a missed mark costs a sync.
 */
public final class DurableMarks {
  /** The bit of the mark. Sluice makes files without it: their owner may execute a marked file. */
  private static final int MARK = 0100;

  private static final int MOST = 10_000;

  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  /** True once this mount has shown a file without the mark, so that the mark means something. */
  private volatile boolean shown;

  public static int marked(final NativeFile file) throws PosixException {
    return file.mode() | MARK;
  }

  private static boolean isMarked(final NativeFile file) throws PosixException {
    return (file.mode() & MARK) != 0;
  }

  /** Looks at a draft of this node, which has no mark; some mounts show all files alike. */
  public void draft(final NativeFile draft) throws PosixException {
    shown = shown || !isMarked(draft);
  }

  /** Remembers a found object if it has the mark. */
  public void found(final String key, final NativeFile file) throws PosixException {
    if (shown && isMarked(file)) {
      if (seen.size() > MOST) {
        seen.clear();
      }
      seen.add(key);
    }
  }

  public boolean has(final String key) {
    return seen.contains(key);
  }
}
