package org.spillway.head.rollout;

/**
 * How careful a rollout is.
 *
 * @param canary nodes that have to pass before any other has the version; 0 to 1,000, 0 for none
 * @param batch nodes that may be away at a time, 1 to 10,000; 0 where {@code percent} says it
 * @param percent of the category's nodes, 1 to 100, at least one of them; 0 where {@code batch} says it
 * @param soakSeconds for so long a renewed node has to stay well before it counts; 0 to 7 days
 * @param withinSeconds after which a node whose jobs go on is named, and others go ahead of it; 1 minute to 30 days
 * @param maxFailures nodes that may fail in the version; one more halts the rollout; 0 to 1,000
 */
public record Terms(int canary, int batch, int percent, long soakSeconds, long withinSeconds, int maxFailures) {
    public static final int MOST_CANARIES = 1000;
    public static final int MOST_NODES = 10_000;
    /** A batch in words: a number of nodes, or a share of them. */
    public static final String BATCH = "[1-9]\\d{0,3}|10000|[1-9]\\d?%|100%";

    public static final String BATCHES = "1 to 10000 nodes, or 1% to 100% of them";
    public static final long LONGEST_SOAK = 7 * 86_400;
    public static final long LEAST_WITHIN = 60;
    public static final long LONGEST_WITHIN = 30 * 86_400;

    /** A node first, then a tenth at a time, each for five minutes; the first that fails halts the rollout. */
    public static final Terms USUAL = new Terms(1, 0, 10, 300, 3600, 0);

    public Terms {
        boolean good = within(canary, 0, MOST_CANARIES)
                && within(batch, 0, MOST_NODES)
                && within(percent, 0, 100)
                && (batch == 0) != (percent == 0)
                && within(soakSeconds, 0, LONGEST_SOAK)
                && within(withinSeconds, LEAST_WITHIN, LONGEST_WITHIN)
                && within(maxFailures, 0, MOST_CANARIES);
        if (!good) {
            throw new IllegalArgumentException("no terms of a rollout: canary " + canary + ", batch " + batch
                    + ", percent " + percent + ", soak " + soakSeconds + " s, within " + withinSeconds
                    + " s, failures " + maxFailures);
        }
    }

    /** @param batch as {@link #BATCH} has it */
    public static Terms of(int canary, String batch, long soakSeconds, long withinSeconds, int maxFailures) {
        boolean share = batch.endsWith("%");
        int number = Integer.parseInt(share ? batch.substring(0, batch.length() - 1) : batch);
        return new Terms(canary, share ? 0 : number, share ? number : 0, soakSeconds, withinSeconds, maxFailures);
    }

    /** The batch as {@link #BATCH} has it. */
    public String batchText() {
        return batch > 0 ? Integer.toString(batch) : percent + "%";
    }

    private static boolean within(long value, long least, long most) {
        return least <= value && value <= most;
    }

    /** The way back after a rollout that has ended well: to what was proven, so without canary, soak or halt. */
    public Terms back() {
        return new Terms(0, batch, percent, 0, withinSeconds, MOST_CANARIES);
    }

    /** Nodes that may be away at a time, of so many. */
    public int most(int nodes) {
        return batch > 0 ? batch : (int) Math.max(1, (long) nodes * percent / 100);
    }
}
