package org.spillway.proof.demo;

import java.io.IOException;
import java.util.List;

/** The work of a demo: given to the head, or to a workload manager beside it. */
interface DemoWork {
    /** The scene at the start, for people. */
    String introduction();

    /** Prepares the things that must be there besides the head, which is up. */
    default void prepare() throws IOException, InterruptedException {}

    /** @return what was submitted, for people */
    String submit() throws IOException, InterruptedException;

    /** @return the id of a job that its machine may be taken from */
    default String submitSteps(int count, int syncSeconds) throws IOException, InterruptedException {
        throw new UnsupportedOperationException("no such job here");
    }

    /** @param scene what the head shows now; it may not know of all jobs yet */
    boolean hasEnded(Scene scene) throws IOException, InterruptedException;

    /** After the end of all jobs. */
    Outcome outcome() throws IOException, InterruptedException;

    /** @param ranAsUser every job has run with the numbers of the user who submitted it */
    record Outcome(List<DemoReport.JobPart> jobs, DemoReport.GangPart gang, boolean ranAsUser) {
        public Outcome {
            jobs = List.copyOf(jobs);
        }
    }
}
