package org.spillway.cloud;

import java.util.Collection;

/** Stopping and starting instances that keep their disk. Both are idempotent; {@code list} tells when it is so. */
public interface Power {
    void stop(Collection<String> instanceIds) throws CloudException;

    /** A start may be refused for want of capacity, like a launch. */
    void start(Collection<String> instanceIds) throws CloudException;
}
