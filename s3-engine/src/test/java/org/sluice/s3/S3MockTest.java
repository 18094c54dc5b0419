package org.sluice.s3;

import java.io.IOException;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineContract;

/** A second server that others made: {@code -Dsluice.s3mock=yes}, as it takes long to start. */
@EnabledIfSystemProperty(named = "sluice.s3mock", matches = "yes")
class S3MockTest extends EngineContract {
  private final String prefix = Server.anyPrefix();

  @Override
  protected Engine open() throws IOException {
    return Server.engine(Server.S3MOCK.endpoint(), prefix);
  }

  /** S3Mock 5.2 looks for the object and stores it in two steps: several of 32 succeed at once. */
  @Override
  @Disabled("S3Mock creates an object several times at once")
  protected void ofManyAtOnceOneStoresItsObject() {}
}
