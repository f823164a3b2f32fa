package org.spillway.scaler.plan;

/**
 * Something that keeps a plan from doing what was wished. Programs ask for the kind and the name.
 *
 * @param name of what is in the way: an offering, a breaker by its id, a limit as {@code SCOPE NAME}, a site, a licence;
 *     empty where there is only one
 * @param text for a person
 */
public record Bound(Kind kind, String name, String text) {
    static final Bound NONE = new Bound(Kind.OTHER, "", "");

    /** The kind of the obstacle. */
    public enum Kind {
        /** The offering is not sold, or its price cannot be counted. */
        OFFERING,
        /** The offering was refused a short time ago. */
        HEALTH,
        BREAKER,
        /** The site has all nodes that it may have. */
        SITE,
        BUDGET,
        LIMIT,
        LICENCE,
        /** A gang would not be whole. */
        GANG,
        /** The policy says so in its own words, or asked for nothing. */
        POLICY,
        /** The policy gave no answer. */
        POLICY_FAILED,
        /** The wish cannot be carried out as it is. */
        WISH,
        /** Journalled by an earlier release, which did not say. */
        OTHER
    }

    boolean isEmpty() {
        return text.isEmpty();
    }
}
