package org.spillway.api.form;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Pattern of a whole text, or of each text of a list; in a dialect that Java and ECMAScript share. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Matches {
    String value();

    /** Told to whom sends something else. */
    String allowed();
}
