package org.sluice.s3;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineContract;
import org.sluice.core.store.objects.EngineProbe;
import software.amazon.awssdk.services.s3.model.BucketAlreadyOwnedByYouException;

/**
 * Any server at all: {@code -Dsluice.bucket=s3://BUCKET}, with endpoint and credentials in the
 * environment. It makes the bucket where there is none.
 */
@EnabledIfSystemProperty(named = "sluice.bucket", matches = ".+")
class BucketAtHandTest extends EngineContract {
  private static final URI BUCKET = URI.create(System.getProperty("sluice.bucket", "s3://none"));

  private final S3Location location;

  BucketAtHandTest() throws IOException {
    location = new S3Location(S3Location.of(BUCKET).bucket(), Server.anyPrefix());
  }

  @Override
  protected Engine open() throws IOException {
    final S3Connection connection = S3Connection.open(location, UnaryOperator.identity());
    try {
      connection.client().createBucket(each -> each.bucket(location.bucket()));
    } catch (final BucketAlreadyOwnedByYouException there) {
      // by an earlier test
    }
    return new S3Engine(location, connection);
  }

  @Test
  void itIsFitForASeries() throws IOException {
    try (Engine engine = open()) {
      EngineProbe.conditionalCreate(engine);
    }
  }

  @Test
  void aMissingBucketIsTold() throws IOException {
    final S3Location missing = new S3Location("no-such-bucket-1", "");
    try (Engine engine =
        new S3Engine(missing, S3Connection.open(missing, UnaryOperator.identity()))) {
      assertThatThrownBy(() -> engine.getAll("a", 1)).hasMessageContaining("there is no bucket");
    }
  }
}
