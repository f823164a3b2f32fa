package org.spillway.cloud;

/** A kind of provider. Stateless; found by {@link java.util.ServiceLoader}. */
public interface CloudDriver {
    /** Lower-case name as written in {@code driver:} in the configuration. */
    String name();

    /**
     * Prepares to use one account in one region. Makes no call that changes anything and none that has to succeed: a
     * provider that is away shows itself in {@link Site#diagnostics()} and in the first call.
     *
     * @throws SiteSettings.Invalid if a setting is missing, unknown or malformed
     */
    Site open(SiteSettings settings);

    /** Whether one of its machines can be the head of a cluster on demand: not where a cluster on demand buys itself. */
    default boolean makesHeads() {
        return true;
    }

    /** Whether its machines are made of this very one: a program that is missing here is missing there. */
    default boolean isOfThisMachine() {
        return false;
    }
}
