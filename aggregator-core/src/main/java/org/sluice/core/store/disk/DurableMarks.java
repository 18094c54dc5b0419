package org.sluice.core.store.disk;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;

/**
 * Objects of a directory of which their makers say, by a bit of the file's mode, that their names
 * are durable. Any thread; one that is missed costs a sync.
 */
public final class DurableMarks {
  /** A file of Sluice's is made without it: its owner may execute it. */
  private static final int MARK = 0100;

  private static final int MOST = 10_000;

  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  /** Whether this mount shows the mark only where it was made. Once it is set it stays. */
  private volatile boolean shown;

  /** The mode of a file with the mark. */
  public static int marked(final NativeFile file) throws PosixException {
    return file.mode() | MARK;
  }

  private static boolean isMarked(final NativeFile file) throws PosixException {
    return (file.mode() & MARK) != 0;
  }

  /** A draft of this node has no mark; some mounts show all files alike. */
  public void draft(final NativeFile draft) throws PosixException {
    shown = shown || !isMarked(draft);
  }

  /** An object was found. */
  public void found(final String key, final NativeFile file) throws PosixException {
    if (shown && isMarked(file)) {
      if (seen.size() > MOST) {
        seen.clear();
      }
      seen.add(key);
    }
  }

  /** Whether an object was found with the mark. */
  public boolean has(final String key) {
    return seen.contains(key);
  }
}
