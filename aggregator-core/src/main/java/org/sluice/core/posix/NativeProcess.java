package org.sluice.core.posix;

/** What Java does not do to its own process. */
public final class NativeProcess {
  private NativeProcess() {}

  /**
   * The user in whose name this process acts.
   *
   * @return the number of the effective user
   */
  public static int user() {
    return LibC.geteuid();
  }

  /** Ends this process at once, as {@code kill -9} does: nothing is tidied up. Does not return. */
  public static void killSelf() {
    LibC.kill((int) ProcessHandle.current().pid(), LibC.SIGKILL);
    throw new IllegalStateException("survived SIGKILL");
  }
}
