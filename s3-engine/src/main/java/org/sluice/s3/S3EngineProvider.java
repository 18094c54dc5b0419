package org.sluice.s3;

import java.io.IOException;
import java.net.URI;
import java.util.function.UnaryOperator;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineProvider;

/** The provider of engines for buckets. */
public final class S3EngineProvider implements EngineProvider {
  @Override
  public String scheme() {
    return "s3";
  }

  @Override
  public Engine open(final URI location) throws IOException {
    final S3Location place = S3Location.of(location);
    return new S3Engine(place, S3Connection.open(place, UnaryOperator.identity()));
  }
}
