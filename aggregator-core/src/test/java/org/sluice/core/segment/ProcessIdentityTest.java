package org.sluice.core.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("The process it starts has the locks of this JVM, until it executes.")
class ProcessIdentityTest {
  @Test
  void processIsAliveUntilItEnds() throws IOException, InterruptedException {
    final Process child = new ProcessBuilder("sleep", "60").start();
    final ProcessIdentity identity = ProcessIdentity.of((int) child.pid()).orElseThrow();
    assertThat(identity.isAlive()).isTrue();

    child.destroyForcibly().waitFor();
    assertThat(identity.isAlive()).isFalse();
  }

  @Test
  void sameProcessIdWithAnotherStartTimeIsAnotherProcess() {
    final ProcessIdentity self = ProcessIdentity.current();

    assertThat(self.isAlive()).isTrue();
    assertThat(new ProcessIdentity(self.pid(), self.startTime() - 1).isAlive()).isFalse();
  }

  @Test
  void oneThatWasKilledIsDeadBeforeItIsReaped() throws Exception {
    final Process parent =
        new ProcessBuilder("sh", "-c", "sleep 60 & echo $!; exec sleep 60").start();
    try {
      final int pid = Integer.parseInt(parent.inputReader().readLine());
      final ProcessIdentity child = ProcessIdentity.of(pid).orElseThrow();
      awaitProgram(parent, "sleep"); // a shell reaps
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
      awaitState(pid, 'Z');
      assertThat(ProcessIdentity.of(pid)).isEmpty();
      assertThat(child.isAlive()).isFalse();
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  void oneWhoseFirstThreadHasEndedLives() throws Exception {
    final String program =
        """
        import ctypes, threading, time
        threading.Thread(target=time.sleep, args=(60,)).start()
        libc = ctypes.CDLL(None)
        libc.syscall(%d, 0)
        """;
    final int exit = "aarch64".equals(System.getProperty("os.arch")) ? 93 : 60;
    final Process child =
        new ProcessBuilder("python3", "-c", program.formatted(exit)).inheritIO().start();
    try {
      awaitState((int) child.pid(), 'Z');
      assertThat(ProcessIdentity.of((int) child.pid()).orElseThrow().isAlive()).isTrue();
      child.destroyForcibly().waitFor();
      assertThat(ProcessIdentity.of((int) child.pid())).isEmpty();
    } finally {
      child.destroyForcibly();
    }
  }

  private static void awaitProgram(final Process process, final String name) throws Exception {
    final Path file = Path.of("/proc/%d/comm".formatted(process.pid()));
    while (!Files.readString(file).strip().equals(name)) {
      Thread.sleep(1);
    }
  }

  /** Of its first thread. */
  private static void awaitState(final int pid, final char state) throws Exception {
    final Path file = Path.of("/proc/%d/stat".formatted(pid));
    for (String stat = ""; !stat.contains(") " + state); stat = Files.readString(file)) {
      Thread.sleep(1);
    }
  }

  @Test
  void nobodyHasAnImpossiblePid() throws IOException {
    assertThat(ProcessIdentity.of(Integer.MAX_VALUE)).isEmpty();
  }
}
