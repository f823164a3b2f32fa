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
}
