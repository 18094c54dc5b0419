package org.sluice.s3;

import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.scheme.AwsV4AuthScheme;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignRequest;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignedRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.IdentityProviders;

/**
 * A signer of requests that leaves out large bodies. The SDK signs the head alone for {@code
 * https:}; here also for {@code http:}. Hashing all bytes of a checkpoint takes several times as
 * long as sending them. Small objects are signed as a whole: they decide what counts, and have the
 * checksums of the large ones.
 */
final class LargeUnsigned implements AwsV4AuthScheme {
  /** The largest body in bytes that is signed. Objects created under a condition are no larger. */
  private static final long LARGEST_SIGNED = 1 << 20;

  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  private final AwsV4AuthScheme scheme = AwsV4AuthScheme.create();

  @Override
  public String schemeId() {
    return scheme.schemeId();
  }

  @Override
  public IdentityProvider<AwsCredentialsIdentity> identityProvider(
      final IdentityProviders providers) {
    return scheme.identityProvider(providers);
  }

  @Override
  public AwsV4HttpSigner signer() {
    final AwsV4HttpSigner signer = scheme.signer();
    return new AwsV4HttpSigner() {
      @Override
      public SignedRequest sign(final SignRequest<? extends AwsCredentialsIdentity> request) {
        return isToBeHashed(request.request()) ? signer.sign(request) : unhashed(signer, request);
      }

      @Override
      public CompletableFuture<AsyncSignedRequest> signAsync(
          final AsyncSignRequest<? extends AwsCredentialsIdentity> request) {
        return signer.signAsync(request);
      }
    };
  }

  private static boolean isToBeHashed(final SdkHttpRequest request) {
    return !"http".equals(request.protocol())
        || request
            .firstMatchingHeader("Content-Length")
            .filter(length -> Long.parseLong(length) > LARGEST_SIGNED)
            .isEmpty();
  }

  /**
   * Signs the head alone, by showing the SDK the protocol https. The default port of each protocol
   * is left out of what is signed.
   */
  private static SignedRequest unhashed(
      final AwsV4HttpSigner signer, final SignRequest<? extends AwsCredentialsIdentity> request) {
    final int port = request.request().port();
    final SdkHttpRequest shown =
        request.request().toBuilder().protocol("https").port(port == HTTP ? HTTPS : port).build();
    final SignedRequest signed = signer.sign(request.copy(each -> each.request(shown)));
    return signed.toBuilder()
        .request(signed.request().toBuilder().protocol("http").port(port).build())
        .build();
  }
}
