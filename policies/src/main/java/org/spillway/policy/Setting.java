package org.spillway.policy;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says in one sentence what a component of a policy's settings record does, for {@code spillway policy describe}. Allowed
 * types are those that can be written as one word: {@code int}, {@code long}, {@code boolean}, {@code String}, an enum,
 * {@link java.time.Duration} and {@link Money}. What the record's constructor refuses is shown to the administrator.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
    String value();
}
