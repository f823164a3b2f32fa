package org.spillway.slurm.manager;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** The reservation that keeps Slurm from using nodes that are not there. @param start when it begins, if it is not put off */
record SlurmReservation(Set<String> nodes, Instant start, Instant end) {
    private static final Pattern FORM =
            Pattern.compile("(?s).* StartTime=(\\S+) EndTime=(\\S+) .* Nodes=(\\S*) NodeCnt=.*");

    SlurmReservation {
        nodes = Set.copyOf(nodes);
    }

    /** Reads {@code scontrol -o show reservation}; administrators' words only. */
    static SlurmReservation parse(String line) throws UnreadableAnswer {
        var matcher = FORM.matcher(line);
        if (!matcher.matches()) {
            throw new UnreadableAnswer("not a reservation");
        }
        try {
            return new SlurmReservation(
                    new HashSet<>(HostList.names(matcher.group(3))),
                    SlurmText.time(matcher.group(1)).orElse(Instant.EPOCH),
                    SlurmText.time(matcher.group(2)).orElse(Instant.EPOCH));
        } catch (NumberFormatException | DateTimeException e) {
            throw new UnreadableAnswer("not a reservation: " + e.getMessage());
        }
    }
}
