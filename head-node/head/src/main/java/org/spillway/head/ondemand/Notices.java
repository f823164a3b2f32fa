package org.spillway.head.ondemand;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ClusterState;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NoticeRecord;
import org.spillway.head.journal.NoticeRecord.Status;
import org.spillway.head.loop.LoopPart;
import org.spillway.head.loop.port.Effects;
import org.spillway.head.mail.Addresses;
import org.spillway.head.mail.Letter;
import org.spillway.head.mail.MailRefused;
import org.spillway.head.mail.Mailer;
import org.spillway.policy.Money;

/**
 * Tells owners of clusters on demand what becomes of them. It takes its turn before that part of the loop which ends
 * clusters, so that a warning is written down before the end that it warns of. A letter is sent after it is written
 * down, those of one cluster in their order; a head that is killed before it knows of a letter's arrival sends it again
 * under the same Message-ID. One thread, the loop's.
 */
public final class Notices implements LoopPart {
    private static final Logger LOG = LoggerFactory.getLogger(Notices.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);
    /** Nobody needs to hear later that a cluster is about to end. */
    private static final Duration GIVEN_UP = Duration.ofHours(24);

    private final Journal journal;
    private final Effects effects;
    private final Warnings.Settings settings;
    private final NoticeTexts texts;
    private final Optional<Post> post;
    private final BiFunction<ClusterRecord, Instant, Money> spent;
    private final Supplier<List<String>> approvers;
    private final Supplier<Instant> clock;
    private final Map<String, Trying> trying = new HashMap<>();

    /** How letters go. */
    public record Post(Mailer mailer, Addresses addresses) {}

    /** The tries for one letter in this life of the head. */
    private record Trying(int tries, Instant next) {}

    /**
     * @param approvers login names of those who may agree to one that waits for it
     * @param post empty where no mail is sent: then notices stand in the timeline only
     * @param clock the time at which an effect's end is handed back
     */
    Notices(
            Journal journal,
            Effects effects,
            Warnings.Settings settings,
            NoticeTexts texts,
            Optional<Post> post,
            BiFunction<ClusterRecord, Instant, Money> spent,
            Supplier<List<String>> approvers,
            Supplier<Instant> clock) {
        this.journal = journal;
        this.effects = effects;
        this.settings = settings;
        this.texts = texts;
        this.post = post;
        this.spent = spent;
        this.approvers = approvers;
        this.clock = clock;
    }

    /** As the configuration says. */
    public static Notices of(
            HeadConfig config,
            Journal journal,
            Effects effects,
            Optional<Post> post,
            BiFunction<ClusterRecord, Instant, Money> spent,
            Approvers approvers,
            InstantSource clock) {
        return new Notices(
                journal,
                effects,
                new Warnings.Settings(
                        config.clusters().warnBefore(), config.clusters().warnSpent()),
                new NoticeTexts(config.currency()),
                post,
                spent,
                approvers::logins,
                clock::instant);
    }

    @Override
    public boolean isBusy() {
        return journal.notices().stream().anyMatch(notice -> notice.status() == Status.WAITING);
    }

    @Override
    public void advance(Instant now, boolean releasing) {
        for (ClusterRecord child : journal.clusters()) {
            Money cost = spent.apply(child, now);
            List<NoticeRecord> due = Warnings.due(child, cost, now, settings, asked(child), journal::hasNotice).stream()
                    .map(one -> notice(child, one, cost, now))
                    .toList();
            journal.commit(now, due);
            due.forEach(one -> LOG.info("to {}: {}", recipient(one, child), one.sentence()));
        }
        send(now);
    }

    private List<String> asked(ClusterRecord child) {
        return child.clusterState() == ClusterState.WAITING_FOR_APPROVAL ? approvers.get() : List.of();
    }

    private static String recipient(NoticeRecord notice, ClusterRecord child) {
        return notice.to().isEmpty() ? child.spec().owner().name() : notice.to();
    }

    private NoticeRecord notice(ClusterRecord child, Warnings.Due due, Money cost, Instant now) {
        String sentence = texts.sentence(child, due.about(), cost, now);
        boolean letter = post.isPresent() && due.about() != Warnings.About.ENDING;
        return new NoticeRecord(
                due.id(),
                child.id(),
                sentence,
                letter ? texts.letter(child, due.about(), cost, sentence, results(child)) : "",
                now,
                letter ? Status.WAITING : Status.TOLD,
                "",
                due.to());
    }

    private String results(ClusterRecord child) {
        return journal.notices(child.id()).stream()
                .filter(one -> one.id().equals(Homecoming.notice(child)))
                .map(NoticeRecord::sentence)
                .findFirst()
                .orElse("");
    }

    /** The first of each cluster and reader that was not sent yet. */
    private void send(Instant now) {
        Collection<NoticeRecord> all = journal.notices();
        Set<String> begun = new HashSet<>();
        all.stream()
                .filter(NoticeRecord::isLive)
                .sorted(Comparator.comparing(NoticeRecord::at).thenComparing(NoticeRecord::id))
                .filter(notice -> begun.add(key(notice)))
                .forEach(notice -> send(notice, now));
        trying.keySet().removeIf(id -> all.stream().noneMatch(one -> one.id().equals(id) && one.isLive()));
    }

    private void send(NoticeRecord notice, Instant now) {
        Trying before = trying.get(notice.id());
        if (effects.isUnderWay(key(notice)) || (before != null && now.isBefore(before.next()))) {
            return;
        }
        Optional<Post> way = post;
        Optional<ClusterRecord> child = journal.cluster(notice.cluster());
        if (way.isEmpty() || child.isEmpty()) {
            close(notice, Status.NOT_SENT, "no mail is set up", now);
            return;
        }
        String reader = recipient(notice, child.get());
        Optional<Letter> letter = way.get()
                .addresses()
                .of(reader)
                .map(address -> new Letter(notice.id(), address, "[spillway] " + notice.sentence(), notice.text()));
        if (letter.isEmpty()) {
            close(notice, Status.NOT_SENT, "no mail address of " + reader + " is known", now);
            return;
        }
        effects.begin(
                key(notice),
                () -> {
                    way.get().mailer().send(letter.get());
                    return true;
                },
                done -> close(notice, Status.SENT, "", clock.get()),
                failure -> failed(notice, failure, clock.get()));
    }

    private void failed(NoticeRecord notice, Exception failure, Instant now) {
        String why = String.valueOf(failure.getMessage());
        if (failure instanceof MailRefused) {
            close(notice, Status.NOT_SENT, why, now);
        } else if (!now.isBefore(notice.at().plus(GIVEN_UP))) {
            close(notice, Status.NOT_SENT, "given up after " + GIVEN_UP.toHours() + " h: " + why, now);
        } else {
            Trying before = trying.get(notice.id());
            int tries = before == null ? 1 : before.tries() + 1;
            trying.put(notice.id(), new Trying(tries, now.plus(pause(tries))));
            if (notice.status() == Status.WAITING) {
                LOG.warn("a letter waits: {}: {}", notice.sentence(), why);
                journal.commit(now, notice.with(Status.DELAYED, why));
            }
        }
    }

    private void close(NoticeRecord notice, Status status, String why, Instant now) {
        if (status == Status.NOT_SENT) {
            LOG.warn("a letter was not sent: {}: {}", notice.sentence(), why);
        }
        journal.commit(now, notice.with(status, why));
        trying.remove(notice.id());
    }

    private static Duration pause(int tries) {
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(tries - 1, 10));
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    /** The key of a letter's work: one at a time for each cluster and reader. */
    private static String key(NoticeRecord notice) {
        return "mail:" + notice.cluster() + ":" + notice.to();
    }
}
