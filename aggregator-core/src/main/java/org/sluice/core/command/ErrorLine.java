package org.sluice.core.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Quoting;
import org.sluice.core.posix.Speaker;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/** The words of a failing command: one line on standard error, and an exit status. */
public final class ErrorLine {
  private ErrorLine() {}

  /** Makes a command and all below it fail with such a line. */
  public static CommandLine of(final CommandLine command) {
    return command
        .setParameterExceptionHandler((e, given) -> usage(e, given))
        .setExecutionStrategy(ErrorLine::run)
        .setExecutionExceptionHandler((e, failed, parsed) -> failure(e, failed));
  }

  private static int run(final ParseResult parsed) {
    final CommandSpec called = parsed.asCommandLineList().getLast().getCommandSpec();
    Speaker.is(called.qualifiedName());
    final int status = new RunLast().execute(parsed);
    try {
      JsonOption.end(called);
      return status;
    } catch (final IOException e) {
      return failure(e, called.commandLine());
    }
  }

  /** Tells what is wrong with a command line. */
  static int usage(final ParameterException e, final String... given) {
    final CommandSpec command = e.getCommandLine().getCommandSpec();
    final String wrong =
        "%s; see %s --help".formatted(joined(UsageLine.of(e, List.of(given))), name(command));
    say(command, wrong);
    try {
      JsonOption.refuse(command, wrong, given);
    } catch (final IOException unprintable) {
      say(command, message(unprintable));
    }
    return ExitStatus.USAGE.code();
  }

  private static int failure(final Exception e, final CommandLine command) {
    say(command.getCommandSpec(), message(e));
    if (System.getenv("SLUICE_TRACE") != null) {
      final StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      trace.toString().lines().map(Quoting::line).forEach(command.getErr()::println);
    }
    final ExitStatus status = ExitStatus.of(e);
    try {
      JsonOption.fail(command.getCommandSpec(), status, message(e));
    } catch (final IOException unprintable) {
      say(command.getCommandSpec(), message(unprintable));
    }
    return status.code();
  }

  /**
   * Some have no more than a file's name.
   *
   * @return a line: what, where; what to do
   */
  public static String message(final Exception e) {
    return switch (e) {
      case AccessDeniedException denied ->
          "permission denied: " + denied.getFile() + "; check its owner and mode";
      case NoSuchFileException missing ->
          "no such file or directory: "
              + missing.getFile()
              + "; check it and the directories above it";
      case FileAlreadyExistsException exists ->
          "%s exists already; name another or remove it".formatted(exists.getFile());
      case CommandException known -> known.getMessage();
      case PosixException known -> known.getMessage();
      case DamagedException known -> known.getMessage();
      case FileSystemException known -> known.getMessage();
      case IOException known -> joined(String.valueOf(known.getMessage()));
      default -> "unexpected " + e + "; SLUICE_TRACE=1 shows where";
    };
  }

  private static String joined(final String message) {
    return message.replaceAll("\\s*\\R\\s*", " ");
  }

  /**
   * @param message a line, in which names may be raw
   */
  public static void say(final CommandSpec command, final String message) {
    command.commandLine().getErr().println(name(command) + ": " + Quoting.line(message));
  }

  /** Returns the beginning of lines on standard error: the command that the user has called. */
  public static String name(final CommandSpec command) {
    Speaker.is(command.qualifiedName());
    return Speaker.name();
  }
}
