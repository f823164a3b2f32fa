package org.spillway.director.reach;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.reach.Reply.Status;

/** Home as one attempt sees it: what it was told a moment ago is not asked again. */
final class HomeView {
    private static final Duration FRESH = Duration.ofSeconds(10);
    private static final int MOST_KNOWN = 20_000;

    private final HomeQuestions questions;
    private final Supplier<Optional<HomeQuestions.Asker>> who;
    private final InstantSource steady;
    private final Map<String, Known> known = new LinkedHashMap<>();

    private record Known(Entry entry, Instant at) {}

    HomeView(HomeQuestions questions, Supplier<Optional<HomeQuestions.Asker>> who, InstantSource steady) {
        this.questions = questions;
        this.who = who;
        this.steady = steady;
    }

    /** An answer other than what was asked for. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1;
        private final Status status;

        Refused(Status status) {
            super("home says " + status);
            this.status = status;
        }

        Status status() {
            return status;
        }
    }

    Entry entry(String path) throws IOException, InterruptedException {
        Optional<Entry> fresh = fresh(path);
        if (fresh.isPresent()) {
            return fresh.get();
        }
        return ask(path);
    }

    /** As home has it now. */
    Entry ask(String path) throws IOException, InterruptedException {
        List<Entry> told = answer(Question.stat(path)).entries();
        if (told.size() != 1) {
            throw new Refused(Status.FAILED);
        }
        remember(path, told.getFirst());
        return told.getFirst();
    }

    List<Entry> list(String path) throws IOException, InterruptedException {
        List<Entry> told = answer(Question.list(path)).entries();
        String above = path.equals("/") ? path : path + "/";
        told.forEach(entry -> remember(above + entry.name(), entry));
        return told;
    }

    byte[] read(String path, String identity, long offset, int length) throws IOException, InterruptedException {
        return answer(new Question(Question.Kind.READ, path, identity, offset, length))
                .body();
    }

    private Reply answer(Question question) throws IOException, InterruptedException {
        HomeQuestions.Asker asker = who.get().orElseThrow(() -> new Refused(Status.DENIED));
        Reply reply = questions.ask(asker, question);
        if (reply.status() != Status.OK) {
            throw new Refused(reply.status());
        }
        return reply;
    }

    private synchronized Optional<Entry> fresh(String path) {
        return Optional.ofNullable(known.get(path))
                .filter(one -> one.at().isAfter(steady.instant().minus(FRESH)))
                .map(Known::entry);
    }

    private synchronized void remember(String path, Entry entry) {
        if (known.size() >= MOST_KNOWN) {
            known.clear();
        }
        known.put(path, new Known(entry, steady.instant()));
    }
}
