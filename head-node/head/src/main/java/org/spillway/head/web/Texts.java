package org.spillway.head.web;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.policy.Money;

/** Quantities in the words of a page that is read at a glance. Pure. */
final class Texts {
    private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Texts() {}

    /** Two units at most, such as {@code 2 h 05 min}; below a minute with tenths of a second. */
    static String duration(Duration length) {
        long seconds = length.toSeconds();
        if (seconds < 60) {
            return seconds + "." + length.toMillisPart() / 100 + " s";
        } else if (seconds < 3600) {
            return String.format(Locale.ROOT, "%d min %02d s", seconds / 60, seconds % 60);
        } else if (seconds < 86_400) {
            return String.format(Locale.ROOT, "%d h %02d min", seconds / 3600, seconds / 60 % 60);
        }
        return String.format(Locale.ROOT, "%d d %02d h", seconds / 86_400, seconds / 3600 % 24);
    }

    /** As {@link #duration}, in whole minutes, for what would change each second. */
    static String minutes(Duration length) {
        return length.toMinutes() < 60 ? length.toMinutes() + " min" : duration(length);
    }

    static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < BINARY.length - 1) {
            value /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value, BINARY[unit]);
    }

    /** Two decimals, or four below one: the cost of a job of seconds is not nothing. */
    static String money(Money amount) {
        int decimals = Math.abs(amount.micros()) < 1_000_000 && amount.micros() % 10_000 != 0 ? 4 : 2;
        return BigDecimal.valueOf(amount.micros(), 6)
                .setScale(decimals, RoundingMode.HALF_UP)
                .toPlainString();
    }

    /** Which of the page's colours a state has. The word is always there too. */
    static String tone(Object state) {
        return switch (state) {
            case JobState job -> job(job);
            case NodeState node -> node(node);
            default ->
                switch (state.toString()) {
                    case "up", "published", "VERIFIED" -> "good";
                    case "starting", "RUNNING" -> "busy";
                    case "away", "missing" -> "warn";
                    case "failed", "FAILED" -> "bad";
                    default -> "calm";
                };
        };
    }

    private static String job(JobState state) {
        return switch (state) {
            case RUNNING -> "go";
            case STAGING_IN, STAGING_OUT -> "busy";
            case DONE -> "good";
            case HELD -> "warn";
            case FAILED -> "bad";
            case SUBMITTED, QUEUED, CANCELLED -> "calm";
        };
    }

    private static String node(NodeState state) {
        return switch (state) {
            case READY -> "good";
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING, REPURPOSING -> "busy";
            case UNREACHABLE, RECLAIMING -> "warn";
            case FAILED -> "bad";
            case DRAINING, STOPPING, STOPPED, TERMINATING, TERMINATED -> "calm";
        };
    }
}
