package org.sluice.core.command;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** With which statuses a command ends, besides those that every command can end with. */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Exits {
  /**
   * The statuses that its help tells, besides OK, FAILED and USAGE.
   *
   * @return names of {@link ExitStatus}, parted by blanks
   */
  String value();
}
