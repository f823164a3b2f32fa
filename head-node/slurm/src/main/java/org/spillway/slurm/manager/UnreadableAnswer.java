package org.spillway.slurm.manager;

/** Slurm's answer is cut off or has another form than was asked for: nothing is concluded from it. */
public final class UnreadableAnswer extends Exception {
    private static final long serialVersionUID = 1;

    public UnreadableAnswer(String message) {
        super(message);
    }
}
