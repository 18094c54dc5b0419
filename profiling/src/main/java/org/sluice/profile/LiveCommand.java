package org.sluice.profile;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Exits;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.NameOption;
import org.sluice.core.request.CommandConnection;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.profile.report.LiveText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Shows the counters of an I/O process that runs. */
@Exits("NOT_FOUND")
@Command(
    name = "live",
    description = {
      "Shows how the writes of a running I/O process divide by size.",
      "Also which of them went into the buffer. It always counts them, so nothing has to be"
          + " recorded."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice profile live",
      "  watch sluice profile live --name job-17",
      "  sluice profile live --json | jq .drained_bytes"
    })
public final class LiveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private NameOption name;
  @Mixin private JsonOption json;

  /** For picocli. */
  public LiveCommand() {}

  @Override
  public Integer call() throws IOException {
    final String statistics;
    try (CommandConnection connection = name.connect()) {
      statistics = ((Reply.Text) connection.call(new Request.Stats())).text();
    }
    if (json.wanted()) {
      json.print(spec, JSON.std.mapFrom(statistics));
    } else {
      LiveText.print(JSON.std.mapFrom(statistics), spec.commandLine().getOut());
    }
    return ExitStatus.OK.code();
  }
}
