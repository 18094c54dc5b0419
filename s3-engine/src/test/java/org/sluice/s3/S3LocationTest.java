package org.sluice.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.command.ExitStatus;

class S3LocationTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"s3:/a/b", "s3:///a", "s3://me@a/b", "s3://a:80/b", "s3://a/b?c", "s3://a/b#c"})
  void whatNamesNoBucketIsRefused(final String store) {
    assertThatThrownBy(() -> S3Location.of(URI.create(store)))
        .hasMessageStartingWith(store + " names no bucket; write s3://BUCKET/PREFIX")
        .satisfies(e -> assertThat(ExitStatus.of(e)).isEqualTo(ExitStatus.USAGE));
  }

  @Test
  void aLocationIsABucketAndAPrefix() throws IOException {
    assertThat(S3Location.of(URI.create("s3://a_b.c"))).isEqualTo(new S3Location("a_b.c", ""));
    assertThat(S3Location.of(URI.create("s3://a//b%20c/d/")))
        .isEqualTo(new S3Location("a", "b c/d/"))
        .hasToString("s3://a/b c/d");
  }
}
