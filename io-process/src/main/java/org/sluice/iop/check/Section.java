package org.sluice.iop.check;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.sluice.core.command.ErrorLine;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.posix.Quoting;

/** The findings about one thing, in the order in which they were made. Thread-safe. */
final class Section {
  private static final String LINE = "  %-8s %-19s %s%n";

  private final String about;
  private final String path;
  private final List<Finding> findings = new CopyOnWriteArrayList<>();

  /** The answer of a check: without limits, in part or at a price, or not at all. */
  enum Answer {
    YES,
    LIMITED,
    NO
  }

  /**
   * The finding of a check.
   *
   * @param name name of the finding, the same in each release
   * @param follows consequence for the user, and advice; empty when nothing follows
   * @param status exit status of a session that fails for want of it
   */
  record Finding(String name, Answer answer, String detail, String follows, ExitStatus status) {
    private String result() {
      return answer.name().toLowerCase(Locale.ROOT);
    }

    boolean stops() {
      return status != ExitStatus.OK;
    }

    String text() {
      return follows.isEmpty() ? detail : detail + "; " + follows;
    }

    private JsonObject toJson() {
      return new JsonObject()
          .with("name", name)
          .with("result", result())
          .with("detail", detail)
          .with("follows", follows.isEmpty() ? null : follows)
          .with("status", status.code());
    }
  }

  /**
   * @param path its path, see {@link org.sluice.core.posix.FileName}; null without a path
   */
  Section(final String about, final String path) {
    this.about = about;
    this.path = path;
  }

  void yes(final String name, final String detail) {
    findings.add(new Finding(name, Answer.YES, detail, "", ExitStatus.OK));
  }

  void limited(final String name, final String detail, final String follows) {
    findings.add(new Finding(name, Answer.LIMITED, detail, follows, ExitStatus.OK));
  }

  void no(final String name, final String detail, final String follows) {
    findings.add(new Finding(name, Answer.NO, detail, follows, ExitStatus.OK));
  }

  void stop(final String name, final ExitStatus status, final String detail, final String follows) {
    findings.add(new Finding(name, Answer.NO, detail, follows, status));
  }

  /** Adds a failure with which a session would end, with the same words. */
  void stop(final String name, final Exception failure) {
    stop(name, ExitStatus.of(failure), ErrorLine.message(failure), "");
  }

  void stop(final String name, final Exception failure, final String follows) {
    stop(name, ExitStatus.of(failure), failure.getMessage(), follows);
  }

  List<Finding> findings() {
    return List.copyOf(findings);
  }

  void print(final PrintWriter out) {
    out.println(path == null ? about : about + " " + Quoting.name(path));
    for (final Finding finding : findings()) {
      out.printf(
          LINE, finding.result(), finding.name().replace('_', ' '), Quoting.line(finding.text()));
    }
  }

  List<JsonObject> toJson() {
    final JsonObject subject = new JsonObject().with("about", about);
    if (path != null) {
      subject.withFile("path", path);
    }
    return findings().stream()
        .map(finding -> new JsonObject().with(subject).with(finding.toJson()))
        .toList();
  }
}
