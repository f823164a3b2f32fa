package org.spillway.cloud;

/** A provider's answer about one id. */
public sealed interface Look {
    /** The instance is there, as it is now; one that has ended may still be shown for a while. */
    record Found(Instance instance) implements Look {}

    /**
     * The provider says that there is no such instance, by its own code for that. A missing account, group or right is
     * never this.
     *
     * @param code as the provider calls it, such as {@code InvalidInstanceID.NotFound}
     */
    record Denied(String code) implements Look {}

    /** Neither: an answer from which nothing follows. */
    record Unsure(String why) implements Look {}
}
