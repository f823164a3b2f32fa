package org.spillway.cli;

import org.spillway.head.service.Answers;

/** The texts that commands write of a head that lives in a simulated world. */
public final class ShownText {
    private final Answers answers;
    private final Pages pages = new Pages();

    public ShownText(Answers answers) {
        this.answers = answers;
    }

    public String queue() {
        return pages.queue(answers.live());
    }

    public String job(String id) {
        return pages.job(answers.detail(id));
    }

    public String nodes() {
        return pages.nodes(answers.nodes());
    }

    public String sites() {
        return pages.sites(answers.sites(), answers.spend());
    }

    public String queues() {
        return pages.queues(answers.queues());
    }
}
