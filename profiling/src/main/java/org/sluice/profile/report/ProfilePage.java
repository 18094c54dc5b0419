package org.sluice.profile.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A profile as one HTML file that needs no other file, no network and no server. */
final class ProfilePage {
  private ProfilePage() {}

  static void write(final Profile profile, final Path file) throws IOException {
    final String page =
        resource("page.html")
            .replace("/* page.css */", resource("page.css"))
            .replace("/* page.js */", resource("page.js"))
            .replace("{/* profile */}", json(profile));
    Files.writeString(file, page);
  }

  /**
   * Returns the profile as JSON, safe inside a script even if a file is called {@code </script>}.
   */
  private static String json(final Profile profile) throws IOException {
    return JSON.std.asString(ProfileJson.of(profile)).replace("<", "\\u003c");
  }

  private static String resource(final String name) throws IOException {
    try (InputStream in = ProfilePage.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}
