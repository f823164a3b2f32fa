package org.spillway.cloud;

/**
 * A provider's token buckets for one account in one region, as published; each driver names its source.
 *
 * @param instances tokens taken by a launch, one for each instance
 * @param launches tokens taken by each call that launches, however many instances it asks for; where they are counted apart
 * @param changes tokens taken by each call that changes something
 * @param reads tokens taken by each call that does not
 * @param listings of the calls that a listing of instances is made of, where they are counted apart from other reads; by
 *     them a head chooses how often it lists
 */
public record RateLimits(Bucket instances, Bucket launches, Bucket changes, Bucket reads, Bucket listings) {
    public static final RateLimits NONE = new RateLimits(Bucket.ENDLESS, Bucket.ENDLESS, Bucket.ENDLESS);

    public RateLimits(Bucket instances, Bucket changes, Bucket reads) {
        this(instances, Bucket.ENDLESS, changes, reads, reads);
    }

    /** The same, with calls that launch counted apart as well. */
    public RateLimits withLaunches(Bucket calls) {
        return new RateLimits(instances, calls, changes, reads, listings);
    }

    /** The same, with the calls of listings counted apart from other reads. */
    public RateLimits withListings(Bucket calls) {
        return new RateLimits(instances, launches, changes, reads, calls);
    }

    /** Whether its provider counts listings at all. */
    public boolean countsListings() {
        return !listings.isEndless();
    }

    /**
     * @param size tokens when full, 1 or more
     * @param perSecond tokens that come back each second, above 0
     */
    public record Bucket(int size, double perSecond) {
        static final Bucket ENDLESS = new Bucket(Integer.MAX_VALUE, Integer.MAX_VALUE);

        /** Whether nobody counts. */
        public boolean isEndless() {
            return size == Integer.MAX_VALUE;
        }

        public Bucket {
            if (size < 1 || !(perSecond > 0)) {
                throw new IllegalArgumentException("a bucket of " + size + " tokens, " + perSecond + " a second");
            }
        }
    }
}
