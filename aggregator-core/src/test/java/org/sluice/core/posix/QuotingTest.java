package org.sluice.core.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuotingTest {
  /** As an attacker would call a file: ESC, OSC, C1, a new line, the direction of writing. */
  private static final List<String> HOSTILE =
      List.of(
          "a\u001b[31mb",
          "\u001b]0;title\u0007",
          "\u009b31m",
          "two\nlines",
          "\r",
          "\u007f",
          "tab\there",
          "\u001b'\u001b",
          "'\n'");

  private static final List<String> HARMLESS =
      List.of(
          "a b", "a'b", "$x", "ckpt-1/rank0.dat", "\u00fcber", "\u6587\u4ef6", "a\\b", "~", "#a");

  @TempDir private Path directory;

  @Test
  void namesAreWhatBashReadsAsThem() throws Exception {
    for (final String name : all()) {
      final Process bash =
          new ProcessBuilder("bash", "-c", "printf %s " + Quoting.name(name)).start();
      assertThat(new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .as(Quoting.name(name))
          .isEqualTo(name);
      assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void namesAreWhatLsPrints() throws Exception {
    for (final String name : List.of("a\u001b[31mb", "two\nlines", "tab\there", "a b", "plain")) {
      assertThat(Quoting.name(name)).isEqualTo(ls(name));
    }
    assertThat(Quoting.name("\u009b31m")).isEqualTo(ls("\u009b31m"));
  }

  @Test
  void nothingThatATerminalObeysIsLeft() {
    for (final String name : all()) {
      assertThat(Quoting.name(name)).matches("[^\\p{Cntrl}\\p{Cf}\u0080-\u009f]*");
      assertThat(Quoting.line("cannot open /x/" + name + ": no"))
          .matches("[^\\p{Cntrl}\\p{Cf}\u0080-\u009f]*");
    }
    assertThat(Quoting.line("cannot open /x/a\u001bb: no"))
        .isEqualTo("cannot open /x/a$'\\033'b: no");
    assertThat(Quoting.name("\u202egnp.exe")).isEqualTo("''$'\\342\\200\\256''gnp.exe'");
    assertThat(Quoting.line("plain, 'as it is'")).isEqualTo("plain, 'as it is'");
    assertThat(Quoting.name("")).isEqualTo("''");
  }

  private static List<String> all() {
    final List<String> all = new ArrayList<>(HOSTILE);
    all.addAll(HARMLESS);
    all.add("\u202egnp.exe");
    all.add("\u2066x\u2069\u200b\ufeff");
    return all;
  }

  private String ls(final String name) throws IOException {
    final Path own = Files.createDirectory(directory.resolve(Integer.toString(name.hashCode())));
    Files.createFile(own.resolve(name));
    final ProcessBuilder ls =
        new ProcessBuilder("ls", "-1", "--quoting-style=shell-escape", own.toString());
    ls.environment().put("LC_ALL", "C.UTF-8");
    return new String(ls.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }
}
