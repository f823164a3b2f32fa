package org.spillway.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** A command with its help and its two streams; one that asks no head is no more than this. */
public abstract class OwnCommand extends HelpedCommand implements Callable<Integer> {
    protected PrintWriter out() {
        return spec.commandLine().getOut();
    }

    protected PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Text that ends with its own line end. */
    protected int show(String text) {
        out().print(text);
        out().flush();
        return 0;
    }
}
