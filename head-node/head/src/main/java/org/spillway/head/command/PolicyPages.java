package org.spillway.head.command;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.spillway.api.PoliciesView;
import org.spillway.api.PolicyDetail;
import org.spillway.api.PolicyView;
import org.spillway.api.TickView;
import org.spillway.cli.Table;

/** Policies as text. */
final class PolicyPages {
    private static final int DIGEST = 12;
    private static final double MILLI = 1000;

    private PolicyPages() {}

    static String list(PoliciesView all) {
        var table = new Table("POLICY", "STATE", "FILE", "VERSION", "STRIKES", "DETAIL");
        for (var one : all.policies()) {
            table.row(
                    one.name(),
                    one.state(),
                    one.file().isEmpty() ? "(built in)" : one.file(),
                    shortened(one.digest()),
                    one.strikes(),
                    one.detail());
        }
        var text = new StringBuilder(table.toString());
        text.append('\n').append(plain(all.deciding())).append(" decides");
        if (!all.note().isEmpty()) {
            text.append(": ").append(plain(all.note()));
        } else if (!all.wanted().equals(all.deciding())) {
            text.append(" until ").append(plain(all.wanted())).append(" can");
        }
        text.append("\nfrom ").append(plain(all.folder())).append(": a policy ");
        text.append(plain(all.containment())).append('\n');
        if (all.ticks().count() > 0) {
            text.append(ticks(all.ticks())).append('\n');
        }
        return text.toString();
    }

    private static String ticks(TickView last) {
        return String.format(
                Locale.ROOT,
                "the last %d ticks of the head took %.1f ms at the median, %.1f ms at p95 and %.1f ms at most; none was"
                        + " more than %.1f ms late",
                last.count(),
                last.medianMicros() / MILLI,
                last.p95Micros() / MILLI,
                last.mostMicros() / MILLI,
                last.lateMicros() / MILLI);
    }

    static String describe(PolicyDetail detail) {
        PolicyView one = detail.policy();
        var text = new StringBuilder("policy " + plain(one.name()) + " is " + one.state());
        if (!one.file().isEmpty()) {
            text.append(", of ").append(plain(one.file()));
            if (!one.digest().isEmpty()) {
                text.append(", version ").append(shortened(one.digest()));
            }
        }
        text.append('\n');
        detail.findings()
                .forEach(finding -> text.append("  ").append(plain(finding)).append('\n'));
        return text.append(settings(detail.settings())).toString();
    }

    static String settings(List<PolicyDetail.SettingView> settings) {
        if (settings.isEmpty()) {
            return "";
        }
        var table = new Table("SETTING", "DEFAULT", "ALLOWED", "WHAT IT DOES");
        settings.forEach(one -> table.row(one.name(), one.standard(), one.allowed(), one.description()));
        return "\n" + table;
    }

    static String history(PolicyDetail detail) {
        if (detail.versions().isEmpty()) {
            return "policy " + plain(detail.policy().name()) + " is built in and has no versions\n";
        }
        var table = new Table("VERSION", "SINCE", "UNTIL", "STRIKES", "WHAT BECAME OF IT");
        for (var one : detail.versions()) {
            table.row(
                    shortened(one.digest()),
                    time(one.since()),
                    one.taken() ? time(one.until()) : "",
                    one.strikes(),
                    (one.taken() ? "" : "refused: ") + one.why());
        }
        return table.toString();
    }

    /** With its date, in UTC: what is read here may be weeks old. */
    private static String time(@Nullable Instant at) {
        return at == null ? "" : at.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String shortened(String digest) {
        return digest.length() > DIGEST ? digest.substring(0, DIGEST) : digest;
    }

    private static String plain(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
    }
}
