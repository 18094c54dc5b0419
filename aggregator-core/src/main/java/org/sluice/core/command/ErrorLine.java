package org.sluice.core.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What a command says when it fails: one line on standard error, and an exit status. */
public final class ErrorLine {
  /** What the user has called where that is not the command itself, as {@code sluice exec}. */
  private static final String CALLED = "SLUICE_CALLED";

  private ErrorLine() {}

  /**
   * Lets a command and all below it fail that way.
   *
   * @param command the command
   * @return the same
   */
  public static CommandLine of(final CommandLine command) {
    return command
        .setParameterExceptionHandler((e, arguments) -> usage(e))
        .setExecutionExceptionHandler((e, failed, parsed) -> failure(e, failed));
  }

  private static int usage(final ParameterException e) {
    report(
        e.getCommandLine(),
        "%s; see %s --help".formatted(e.getMessage(), name(e.getCommandLine())));
    return ExitStatus.USAGE.code();
  }

  private static int failure(final Exception e, final CommandLine command) {
    report(command, message(e));
    if (System.getenv("SLUICE_TRACE") != null) {
      e.printStackTrace(command.getErr());
    }
    return ExitStatus.of(e).code();
  }

  /** The messages of some exceptions are no more than a file's name. */
  static String message(final Exception e) {
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
      case IOException known -> String.valueOf(known.getMessage());
      default -> "unexpected " + e + "; SLUICE_TRACE=1 shows where";
    };
  }

  private static void report(final CommandLine command, final String message) {
    command.getErr().println(name(command) + ": " + message.replaceAll("\\s*\\R\\s*", " "));
  }

  private static String name(final CommandLine command) {
    return name(command.getCommandSpec());
  }

  /**
   * What the user has called.
   *
   * @param command the command that runs
   * @return with what lines on standard error begin
   */
  public static String name(final CommandSpec command) {
    final String called = System.getenv(CALLED);
    return called == null ? command.qualifiedName() : called;
  }
}
