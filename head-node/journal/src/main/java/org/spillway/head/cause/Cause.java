package org.spillway.head.cause;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Why something is as it is. Programs ask for the type or the code and its parameters; people read {@link #text()}, which
 * nothing reads back.
 *
 * <p>A code never changes its meaning. A parameter may be added where older writings can do without it; anything else is
 * a new code, or a new {@link #VERSION} with a migration of what is stored.
 */
public sealed interface Cause
        permits Cause.None,
                Told,
                NodeCause,
                JobCause,
                WaitCause,
                PlaceCause,
                SiteCause,
                RecoveryCause,
                RolloutCause,
                BreakerCause,
                LaunchCause,
                ClusterCause {
    /** Of the written form; a reader refuses a larger one. In 1, some parameters were words that are causes now. */
    int VERSION = 2;

    Cause NONE = new None();

    /** Nothing needs saying. */
    record None() implements Cause {}

    /** Stable name, such as {@code POWERED_ON}: a constant's own, or its record's. */
    default String code() {
        return this instanceof Enum<?> constant ? constant.name() : codeOf(getClass());
    }

    /** For a person; empty when nothing needs saying. */
    default String text() {
        return CauseText.of(this);
    }

    /** Causes that it names. */
    default List<Cause> parts() {
        return List.of();
    }

    /** This one, and all that it names, directly or not. */
    default Stream<Cause> all() {
        return Stream.concat(Stream.of(this), parts().stream().flatMap(Cause::all));
    }

    default boolean isNone() {
        return this instanceof None;
    }

    /** This one, or another where this one says nothing. */
    default Cause or(Cause other) {
        return isNone() ? other : this;
    }

    /** Of all causes of a record's type. */
    static String codeOf(Class<?> type) {
        return type.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
    }
}
