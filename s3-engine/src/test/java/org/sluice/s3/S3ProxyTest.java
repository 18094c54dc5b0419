package org.sluice.s3;

import java.io.IOException;
import org.sluice.core.engine.Engine;
import org.sluice.core.engine.EngineContract;

class S3ProxyTest extends EngineContract {
  private final String prefix = Server.anyPrefix();

  @Override
  protected Engine open() throws IOException {
    return Server.engine(Server.S3PROXY.endpoint(), prefix);
  }
}
