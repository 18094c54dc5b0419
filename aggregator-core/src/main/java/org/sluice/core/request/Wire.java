package org.sluice.core.request;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a request is on the wire; its body is the components of its record, in order. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Wire {
  /**
   * Its type.
   *
   * @return over 0; never changes
   */
  int type();

  /**
   * What the format calls it.
   *
   * @return empty where that is the record's name
   */
  String name() default "";

  /**
   * Whether it is told only, and nobody answers.
   *
   * @return true where the client waits for no reply
   */
  boolean told() default false;

  /**
   * What it is answered with, unless it is refused.
   *
   * @return a record
   */
  Class<? extends Reply> reply() default Reply.Done.class;

  /**
   * What the reply means, as the documentation says it.
   *
   * @return empty where the reply's fields say it
   */
  String replyMeans() default "";

  /**
   * What a field means, as the documentation says it: unit, range, values. And whether four bytes
   * of zero follow it.
   */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.RECORD_COMPONENT)
  @interface Means {
    /**
     * Its meaning.
     *
     * @return empty where its name says it
     */
    String value() default "";

    /**
     * Whether 32 reserved bits follow.
     *
     * @return true where they do
     */
    boolean padded() default false;
  }
}
