package org.spillway.cloud;

import java.util.Optional;

/** A provider account in one region. A role that is present is a capability; one that is absent is not emulated. */
public interface Site extends AutoCloseable {
    Compute compute();

    Diagnostics diagnostics();

    default Optional<Power> power() {
        return Optional.empty();
    }

    default Optional<Console> console() {
        return Optional.empty();
    }

    default Optional<Network> network() {
        return Optional.empty();
    }

    default Optional<Inventory> inventory() {
        return Optional.empty();
    }

    default Optional<Quotas> quotas() {
        return Optional.empty();
    }

    /** The provider's allowance for one account's calls; kept by a decorator, never by the driver. */
    default RateLimits rateLimits() {
        return RateLimits.NONE;
    }

    /** Calls that it has sent; empty for a provider that counts none. */
    default Optional<CallMeter> calls() {
        return Optional.empty();
    }

    @Override
    void close();
}
