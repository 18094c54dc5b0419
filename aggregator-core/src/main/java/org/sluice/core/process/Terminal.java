package org.sluice.core.process;

import java.lang.foreign.Arena;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;

/** The terminal of a person who watches, and its width. */
public final class Terminal {
  private static final int STDERR = 2;
  private static final int USUAL = 80;

  /** The length of struct winsize: rows, columns, and the same in pixels. */
  private static final int WINSIZE = 4 * Short.BYTES;

  private static final int COLUMNS_OFFSET = Short.BYTES;

  private Terminal() {}

  public static boolean watchesErrors() {
    return LibC.ISATTY.call(STDERR) == 1;
  }

  /** Returns the columns of the terminal of standard error; 80 where it does not say so. */
  public static int columns() {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct size = new NativeStruct(arena, WINSIZE);
      final boolean known = LibC.IOCTL.call(STDERR, LibC.TIOCGWINSZ, size.address()) == 0;
      final int columns = known ? Short.toUnsignedInt(size.getShort(COLUMNS_OFFSET)) : 0;
      return columns > 0 ? columns : USUAL;
    }
  }
}
