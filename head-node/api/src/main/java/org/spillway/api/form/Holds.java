package org.spillway.api.form;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** How much a text, a list or a map may hold. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Holds {
    /** Items of a list or names of a map. */
    int most() default Integer.MAX_VALUE;

    /** Of UTF-8: of a text, or of all texts of a list or map together. */
    int bytes() default Integer.MAX_VALUE;
}
