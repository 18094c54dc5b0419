package org.sluice.iop.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a class that share an I/O process for each layout, as long as they do not end it: what
 * one did to it must not harm the next either. Each has a folder of its own in the directory that
 * is captured.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SharedServeTest extends ServeTest {
  private final Map<String, ServeProcess> processes = new HashMap<>();
  private Path shared;
  private int tests;

  @BeforeAll
  void makeSharedDirectory(@TempDir final Path directory) throws IOException {
    shared = directory.toRealPath();
    Files.createDirectory(shared.resolve("capture"));
  }

  @BeforeEach
  void captureInAFolder() throws IOException {
    tests++;
    capture = Files.createDirectory(shared.resolve("capture/" + tests));
  }

  /** The one of this layout, which goes on when the test is over. */
  ServeProcess shared(final String layout) throws IOException {
    ServeProcess process = processes.get(layout);
    if (process == null) {
      final Path own = createRuntime(shared.resolve(layout));
      process =
          ServeProcess.start(own, options(own.resolve("store"), shared.resolve("capture"), layout));
      processes.put(layout, process);
    }
    process.forgetErrors();
    return process;
  }

  @AfterAll
  void endProcesses() {
    processes.values().forEach(ServeProcess::close);
  }
}
