package org.sluice.core.command;

/** Options that several commands have. */
public interface SharedOptions {
  void addTo(Model model);
}
