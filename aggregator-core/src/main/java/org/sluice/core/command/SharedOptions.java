package org.sluice.core.command;

/** Options that several commands have. */
public interface SharedOptions {
  /**
   * Adds them to a command.
   *
   * @param model the command's
   */
  void addTo(Model model);
}
