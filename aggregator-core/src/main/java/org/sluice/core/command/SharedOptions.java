package org.sluice.core.command;

/** Options that several commands have. */
public interface SharedOptions {
  /**
   * Adds the options to a command.
   *
   * @param model the command's model
   */
  void addTo(Model model);
}
