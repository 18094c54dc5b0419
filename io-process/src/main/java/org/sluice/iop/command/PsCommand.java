package org.sluice.iop.command;

import static java.util.Comparator.comparing;
import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ErrorLine;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.LocalTimes;
import org.sluice.core.posix.Quoting;
import org.sluice.core.request.RuntimePath;
import org.sluice.iop.session.NodeSession;
import org.sluice.iop.session.NodeSession.State;
import picocli.CommandLine.Model.CommandSpec;

/** The command that lists the sessions of a node, and removes what dead ones left in memory. */
public final class PsCommand implements Subcommand {
  private final JsonOption json = new JsonOption();
  private List<String> names = List.of();
  private boolean clean;

  private final CommandSpec spec =
      Model.of(this, "ps")
          .describe(
              "Lists the sessions of this node: your own, for root those of all users.",
              "RANKS are the processes that are attached. STATE is running, killed (the I/O process is"
                  + " gone, and sluice serve --resume goes on with the session), or dead: nothing can.",
              "Where SLUICE_RUNTIME is set, only the sessions there are looked at.")
          .exits(ExitStatus.NOT_FOUND, ExitStatus.BUSY, ExitStatus.DENIED)
          .add(json)
          .add(
              flag(value -> clean = value, "--clean")
                  .description(
                      "Give back the memory and mounts of dead sessions. A killed one stays unless it is"
                          + " named: what was not drained of it is lost then."))
          .add(
              parameters(String.class, value -> names = value)
                  .paramLabel("NAME")
                  .description("Only sessions of these names."))
          .examples(
              "  sluice ps", "  sluice ps --clean", "  sluice ps --json | jq '.sessions[].name'")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    final List<NodeSession> sessions = chosen();
    final List<NodeSession> removed = new ArrayList<>();
    for (final NodeSession each : clean ? sessions : List.<NodeSession>of()) {
      if (each.state() == State.DEAD || each.state() == State.KILLED && !names.isEmpty()) {
        each.remove();
        removed.add(each);
      }
    }
    if (json.wanted()) {
      printJson(sessions, removed);
    } else {
      print(sessions, removed);
    }
    return ExitStatus.OK.code();
  }

  private List<NodeSession> chosen() throws IOException {
    final List<NodeSession> all = new ArrayList<>(NodeSession.all());
    all.sort(comparing(NodeSession::since));
    for (final String name : names) {
      if (all.stream().noneMatch(each -> each.name().equals(name))) {
        throw new CommandException(
            ExitStatus.NOT_FOUND,
            "there is no session %s in %s; sluice ps shows those there are"
                .formatted(name, RuntimePath.base()));
      }
    }
    all.removeIf(each -> !names.isEmpty() && !names.contains(each.name()));
    return all;
  }

  private void print(final List<NodeSession> sessions, final List<NodeSession> removed)
      throws IOException {
    if (sessions.isEmpty()) {
      ErrorLine.say(spec, "there is no session in " + RuntimePath.base());
      return;
    }
    line(
        "%-16s %8s  %-10s %5s  %-16s %7s  %s",
        "NAME", "PID", "USER", "RANKS", "SINCE", "MEMORY", "STATE");
    for (final NodeSession each : sessions) {
      line(
          "%-16s %8d  %-10s %5d  %-16s %7s  %s",
          Quoting.name(each.name()),
          each.segment().pid(),
          removed.contains(each) ? "-" : each.user(),
          each.segment().ranks(),
          LocalTimes.minutes(each.since()),
          SizeConverter.format(each.segment().memory()),
          removed.contains(each) ? "removed" : label(each.state()));
      if (!each.segment().store().isEmpty()) {
        line(
            "  %s%s",
            each.segment().capture().isEmpty()
                ? ""
                : Quoting.name(each.segment().capture()) + " -> ",
            Quoting.name(each.segment().store()));
      }
      if (each.state() == State.KILLED && !removed.contains(each)) {
        line(
            "  sluice serve --resume --name %s --store %s",
            Quoting.name(each.name()), Quoting.name(each.segment().store()));
      }
    }
  }

  private void line(final String format, final Object... values) {
    spec.commandLine().getOut().println(format.formatted(values));
  }

  private static String label(final State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  private void printJson(final List<NodeSession> sessions, final List<NodeSession> removed)
      throws IOException {
    final List<Map<String, Object>> all = new ArrayList<>();
    for (final NodeSession each : sessions) {
      all.add(
          new JsonObject()
              .with("name", each.name())
              .with("directory", each.directory().toString())
              .with("pid", each.segment().pid())
              .with("user", removed.contains(each) ? null : each.user())
              .with("store", each.segment().store())
              .withFile("capture", each.segment().capture())
              .with("ranks", each.segment().ranks())
              .with("since", each.since().toString())
              .with("memory_bytes", each.segment().memory())
              .with("state", removed.contains(each) ? "removed" : label(each.state())));
    }
    json.print(new JsonObject().with("sessions", all));
  }
}
