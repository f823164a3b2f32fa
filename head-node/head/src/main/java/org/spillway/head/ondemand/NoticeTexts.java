package org.spillway.head.ondemand;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.spillway.api.ClusterState;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.policy.Money;

/** Texts that owners read. Pure. @param currency three letters */
record NoticeTexts(String currency) {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final int MOST_SENTENCE = 180;

    String sentence(ClusterRecord child, Warnings.About about, Money spent, Instant now) {
        String name = "cluster " + child.spec().name();
        return line(
                switch (about) {
                    case TIME -> {
                        Duration rest = Duration.between(now, child.spec().expires());
                        yield name + (rest.isPositive() ? " ends in " + length(rest) : " ends now: its time is over");
                    }
                    case BUDGET ->
                        name + " has spent " + percent(spent, child.spec().budget()) + "% of its budget";
                    case WAITING -> name + " waits for approval: " + why(child);
                    case ASKED -> child.spec().owner().name() + " asks for " + name + ": " + why(child);
                    case DECIDED -> name + (child.isLive() ? " is " : " was not made: ") + decision(child);
                    case ENDING -> name + " is being removed: " + child.reason();
                    case ENDED ->
                        name + (child.clusterState() == ClusterState.FAILED ? " could not be made" : " has ended")
                                + " and has cost " + money(spent)
                                + (child.clusterState() == ClusterState.FAILED ? "" : ": " + child.reason());
                });
    }

    /** @param results what became of them; empty for nothing */
    String letter(ClusterRecord child, Warnings.About about, Money spent, String sentence, String results) {
        var text = new StringBuilder(Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1) + ".\n\n");
        var spec = child.spec();
        line(text, "cluster", spec.name() + " (" + child.id() + ") in site " + spec.site());
        boolean made = about != Warnings.About.WAITING && about != Warnings.About.ASKED && child.isMade();
        if (!made) {
            request(text, child);
            return end(text, spec.name(), about);
        }
        line(text, "made", TIME.format(spec.createdAt()));
        line(text, "ends", TIME.format(child.isLive() ? spec.expires() : child.since()));
        line(text, "spent", money(spent) + " of " + money(spec.budget()));
        line(text, "failure", child.failure().text());
        line(text, "results", results);
        text.append('\n');
        text.append(
                switch (about) {
                    case TIME ->
                        "It is removed then, with its nodes, and jobs that still run are ended." + files(child);
                    case BUDGET ->
                        "It is removed when all of it is spent, with its nodes, and jobs that still run are ended."
                                + files(child);
                    case ENDING, ENDED -> "Nothing of it is left at the provider.\n";
                    case WAITING, ASKED, DECIDED -> "Its time counts from now.\n";
                });
        return end(text, spec.name(), about);
    }

    private void request(StringBuilder text, ClusterRecord child) {
        var spec = child.spec();
        line(text, "owner", spec.owner().name());
        line(text, "nodes", spec.nodes() + " x " + spec.nodeType());
        line(text, "time", length(spec.ttl()));
        line(text, "budget", money(spec.budget()));
        ClusterRecord.Approval approval = child.approval();
        if (approval != null && approval.decidedAt() == null) {
            line(text, "until", TIME.format(approval.until()));
        }
        text.append('\n');
    }

    private static String end(StringBuilder text, String name, Warnings.About about) {
        if (about == Warnings.About.ASKED) {
            text.append("'spillway cluster approve " + name + "' has it made; 'spillway cluster reject " + name
                    + " --why REASON' does not. Nothing is bought before.\n");
        } else if (about == Warnings.About.WAITING) {
            text.append("Nothing is bought before somebody agrees; without an answer it is not made.\n");
        }
        return text.append("'spillway cluster show " + name + "' tells more.\n").toString();
    }

    private static String why(ClusterRecord child) {
        ClusterRecord.Approval approval = child.approval();
        return approval == null ? "" : approval.why().text();
    }

    /** Later states have later reasons. */
    private static String decision(ClusterRecord child) {
        ClusterRecord.Approval approval = child.approval();
        return child.isLive() && approval != null ? new ClusterCause.ApprovedBy(approval.by()).text() : child.reason();
    }

    private static String files(ClusterRecord child) {
        String results = child.spec().results();
        return results.isEmpty()
                ? " Its files go with its machines.\n"
                : " Results of its jobs are brought to " + line(results) + " before.\n";
    }

    private static void line(StringBuilder text, String what, String value) {
        if (!value.isEmpty()) {
            text.append(String.format(Locale.ROOT, "  %-8s %s%n", what, line(value)));
        }
    }

    /** Reasons may be a machine's words: one line, and nothing in it that steers. */
    static String line(String text) {
        String plain = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
        return plain.length() > MOST_SENTENCE ? plain.substring(0, MOST_SENTENCE) : plain;
    }

    private String money(Money amount) {
        return amount + " " + currency;
    }

    private static long percent(Money spent, Money budget) {
        return spent.micros() / Math.max(1, budget.micros() / 100);
    }

    private static String length(Duration rest) {
        long seconds = rest.plusMillis(999).toSeconds();
        if (seconds <= 120) {
            return seconds + " s";
        }
        long minutes = (seconds + 59) / 60;
        return minutes <= 120 ? minutes + " min" : (minutes + 59) / 60 + " h";
    }
}
