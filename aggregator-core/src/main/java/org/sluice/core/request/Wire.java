package org.sluice.core.request;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The form of a request on the wire; its body is the components of its record, in order. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Wire {
  /** Returns a number over 0 that never changes. */
  int type();

  /** The request's name in the format; empty where that is the record's name. */
  String name() default "";

  /** Tells whether the request has no reply. */
  boolean told() default false;

  /** The reply, unless the request is refused. */
  Class<? extends Reply> reply() default Reply.Done.class;

  /**
   * The reply's meaning, in the words of the documentation; empty where the reply's fields say it.
   */
  String replyMeans() default "";

  /**
   * The meaning of a field, in the words of the documentation: unit, range, values; and its
   * padding.
   */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.RECORD_COMPONENT)
  @interface Means {
    /** The field's meaning; empty where its name says it. */
    String value() default "";

    /** Tells whether 32 reserved bits follow. */
    boolean padded() default false;
  }
}
