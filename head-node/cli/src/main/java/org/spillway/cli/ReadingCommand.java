package org.spillway.cli;

/** A command that shows something and changes nothing. */
public abstract class ReadingCommand extends AnswerCommand {
    @Override
    public final Integer call() {
        return json ? showJson(json(head())) : show(page(head()));
    }

    /** The answer for programs. */
    protected byte[] json(HeadClient head) {
        return head.get(path());
    }

    /** The path to ask for. */
    protected abstract String path();

    protected abstract String page(HeadClient head);
}
