package org.spillway.head.workload;

/** Role of a manager that its users give jobs to: what the head has to say about those, each by {@link ForeignJob#key}. */
public interface ForeignQueue {
    /** Why the job is where it is, to be shown where its user looks. */
    void tell(String key, String sentence);

    /** The job cannot go on: it is taken off its nodes and ended. @param why shown to its user */
    void end(String key, String why);

    /**
     * The manager takes the run that it says the job has for one that goes on, and it is over: one that was killed forgets
     * ends. The job is taken off its nodes and run again, or ended if it may not be. Or the manager says that the job has
     * ended, and nothing of that run can be had: then it is run again if the manager still knows it. Idempotent for a run.
     *
     * @param why shown to its user
     */
    void again(String key, String why);
}
