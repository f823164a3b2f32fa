package org.spillway.head.loop.state;

/** Memory of jobs that are not worth a line in the journal; each part has its own verbs. Loop thread only, but for {@link Transfers} and {@link Expectations}. */
public record JobMemory(Transfers transfers, Failing failing, Unpaid unpaid, Expectations expectations) {
    JobMemory() {
        this(new Transfers(), new Failing(), new Unpaid(), new Expectations());
    }

    /** Nothing is kept in memory of a job that has ended. */
    public void forget(String job) {
        expectations.forget(job);
        unpaid.forget(job);
        failing.forget(job);
        transfers.forget(job);
    }
}
