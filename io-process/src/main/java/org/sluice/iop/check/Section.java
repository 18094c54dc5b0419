package org.sluice.iop.check;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.sluice.core.command.ErrorLine;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.posix.Quoting;
import org.sluice.iop.check.Finding.Answer;

/** The findings about one thing, in the order in which they were made. Thread-safe. */
final class Section {
  private static final String LINE = "  %-8s %-19s %s%n";

  private final String about;
  private final String path;
  private final List<Finding> findings = new CopyOnWriteArrayList<>();

  /**
   * None so far.
   *
   * @param about what is looked at
   * @param path where it is, see {@link org.sluice.core.posix.FileName}; null without a path
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

  /** Without it there can be no session. */
  void stop(final String name, final ExitStatus status, final String detail, final String follows) {
    findings.add(new Finding(name, Answer.NO, detail, follows, status));
  }

  /** Without it there can be no session, which would say the same. */
  void stop(final String name, final Exception failure) {
    stop(name, ExitStatus.of(failure), ErrorLine.message(failure), "");
  }

  List<Finding> findings() {
    return List.copyOf(findings);
  }

  void print(final PrintWriter out) {
    out.println(path == null ? about : about + " " + Quoting.name(path));
    for (final Finding finding : findings()) {
      out.printf(
          LINE, finding.answer(), finding.name().replace('_', ' '), Quoting.line(finding.text()));
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
