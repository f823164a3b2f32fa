package org.spillway.policy;

/** How capacity is bought: at the list price, as reclaimable spare capacity, or against a reservation. */
public enum Market {
    ON_DEMAND,
    SPOT,
    RESERVED
}
