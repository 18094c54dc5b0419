package org.sluice.iop.command;

import static org.sluice.core.command.Model.parameter;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.NameOption;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.Subcommand;
import org.sluice.core.request.CommandConnection;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.HeaderDescriptor;
import picocli.CommandLine.Model.CommandSpec;

/** The command that shows or changes the threshold of a running I/O process. */
public final class ThresholdCommand implements Subcommand {

  private final NameOption name = new NameOption();

  private final JsonOption json = new JsonOption();

  private OptionalLong threshold;

  private final CommandSpec spec =
      Model.of(this, "threshold")
          .describe(
              "Shows the threshold of a running I/O process, or changes it.",
              "Every rank heeds the new one from its next write on.")
          .exits(ExitStatus.NOT_FOUND)
          .add(name)
          .add(json)
          .add(
              parameter(OptionalLong.class, value -> threshold = value)
                  .paramLabel("auto|fixed:SIZE")
                  .required(false)
                  .arity("0..1")
                  .converters(new ThresholdConverter())
                  .description("The new threshold, as --threshold of serve."))
          .examples(
              "  sluice threshold",
              "  sluice threshold fixed:64K",
              "  sluice threshold --name default auto")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    try (CommandConnection connection = name.connect()) {
      show((Reply.Threshold) connection.call(request()));
    }
    return ExitStatus.OK.code();
  }

  private Request request() {
    if (threshold == null) {
      return new Request.Threshold(0, 0);
    }
    return threshold.isPresent()
        ? new Request.Threshold(HeaderDescriptor.POLICY_FIXED, threshold.getAsLong())
        : new Request.Threshold(HeaderDescriptor.POLICY_AUTO, Long.MAX_VALUE);
  }

  private void show(final Reply.Threshold reply) throws IOException {
    final boolean fixed = reply.policy() == HeaderDescriptor.POLICY_FIXED;
    final boolean none = reply.bytes() == Long.MAX_VALUE;
    if (json.wanted()) {
      final Map<String, Object> map = new LinkedHashMap<>();
      map.put("policy", fixed ? "fixed" : "auto");
      map.put("threshold_bytes", none ? null : reply.bytes());
      map.put("free_chunks", reply.freeChunks());
      map.put("chunks", reply.chunks());
      json.print(map);
      return;
    }
    spec.commandLine()
        .getOut()
        .printf(
            "%s: %s, %d of %d chunks are free%n",
            fixed ? "fixed" : "auto",
            none
                ? "everything is aggregated"
                : "writes of %s and more go direct".formatted(SizeConverter.format(reply.bytes())),
            reply.freeChunks(),
            reply.chunks());
  }
}
