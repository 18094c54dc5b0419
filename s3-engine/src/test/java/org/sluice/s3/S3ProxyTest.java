package org.sluice.s3;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineContract;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

class S3ProxyTest extends EngineContract {
  private final String prefix = Server.anyPrefix();

  @Override
  protected Engine open() throws IOException {
    return Server.engine(Server.S3PROXY.endpoint(), prefix);
  }

  @Test
  void aWrongSecretIsToldWithWhatToCheck() throws IOException {
    final URI endpoint = Server.S3PROXY.endpoint();
    final S3Location location = new S3Location(Server.BUCKET, prefix);
    final StaticCredentialsProvider wrong =
        StaticCredentialsProvider.create(AwsBasicCredentials.create("somebody", "wrong"));
    final S3Connection connection =
        S3Connection.open(
            location, each -> each.endpointOverride(endpoint).credentialsProvider(wrong));
    try (Engine engine = new S3Engine(location, connection)) {
      assertThatThrownBy(() -> engine.putIfAbsent("log/1", new byte[1]))
          .hasMessageContainingAll(
              "create log/1", "403 SignatureDoesNotMatch; check the credentials");
    }
  }
}
