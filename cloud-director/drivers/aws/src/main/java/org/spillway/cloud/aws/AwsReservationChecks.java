package org.spillway.cloud.aws;

import java.util.List;
import java.util.stream.Collectors;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;

/** Words of doctor about what is reserved: what is used, what is named and not there, what nobody may use. */
final class AwsReservationChecks {
    private static final String CHECK = "reservations";

    private AwsReservationChecks() {}

    /** @throws software.amazon.awssdk.core.exception.SdkException without the right */
    static void say(AwsReservations reservations, List<Finding> findings) {
        AwsReservations.Known known = reservations.look();
        if (!known.missing().isEmpty()) {
            findings.add(new Finding(
                    CHECK,
                    Verdict.BROKEN,
                    String.join(", ", known.missing()) + " not active in this account and region",
                    "correct the option reservations"));
            return;
        }
        List<AwsReservations.Reservation> usable = known.usable();
        List<AwsReservations.Reservation> others = known.others();
        String used = usable.isEmpty()
                ? "none is used"
                : usable.stream().map(AwsReservationChecks::line).collect(Collectors.joining("; "));
        if (others.isEmpty()) {
            findings.add(new Finding(CHECK, Verdict.GOOD, used, ""));
            return;
        }
        findings.add(new Finding(
                CHECK,
                reservations.areNamed() ? Verdict.GOOD : Verdict.WARNING,
                used + "; not for this site: "
                        + others.stream().map(AwsReservationChecks::line).collect(Collectors.joining("; ")),
                reservations.areNamed()
                        ? ""
                        : "to use targeted reservations and capacity blocks, name them: option reservations"));
    }

    private static String line(AwsReservations.Reservation each) {
        return each.id() + " (" + (each.block() ? "capacity block, " : "") + each.type() + " in " + each.zone() + "): "
                + (each.total() - each.available()) + " of " + each.total() + " in use";
    }
}
