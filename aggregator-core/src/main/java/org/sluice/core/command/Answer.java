package org.sluice.core.command;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.sluice.core.posix.Speaker;

/**
 * The standard output of a command. A print stream tells that it failed, and keeps the reason to
 * itself.
 */
final class Answer extends FilterOutputStream {
  private static final int BUFFERED = 8192;

  /** The reason of a pipe that nobody reads any more, in the locale of {@code scripts/sluice}. */
  private static final String UNREAD = "Broken pipe";

  /** The reason for which bytes are lost; null for none. */
  private IOException failure;

  private Answer() {
    super(new FileOutputStream(FileDescriptor.out));
  }

  /** Begins the standard output of this process. */
  static Answer begin() {
    final Answer answer = new Answer();
    System.setOut(
        new PrintStream(new BufferedOutputStream(answer, BUFFERED), false, StandardCharsets.UTF_8));
    return answer;
  }

  @Override
  public void write(final byte[] bytes, final int offset, final int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (final IOException e) {
      failure = failure == null ? e : failure;
      throw e;
    }
  }

  /**
   * Ends the answer. A reader that is gone has all that it wanted.
   *
   * @param status the exit status of the command
   * @return the exit status of the process
   */
  int end(final int status) {
    System.out.flush();
    if (failure == null || UNREAD.equals(failure.getMessage())) {
      return status;
    }
    Speaker.say("standard output did not take all of the answer: " + failure.getMessage());
    return status == ExitStatus.OK.code() ? ExitStatus.UNTOLD.code() : status;
  }
}
