package org.sluice.s3;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineContract;

class ObjectServerTest extends EngineContract {
  private final ObjectServer server;

  ObjectServerTest(@TempDir final Path objects) throws IOException {
    server = new ObjectServer(objects, 0);
    server.createBucket(Server.BUCKET);
  }

  @Override
  protected Engine open() throws IOException {
    return Server.engine(server.endpoint(), "run 1/");
  }

  @AfterEach
  void close() {
    server.close();
  }
}
