package org.spillway.head.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.api.AccountsView;
import org.spillway.api.AccountsView.DifferenceView;
import org.spillway.api.AccountsView.GroupView;
import org.spillway.api.AccountsView.PlaceView;

/** Compares what places say of a user with the directory, by which jobs run. Pure. */
public final class AccountPlaces {
    private AccountPlaces() {}

    /**
     * @param places the directory first
     * @param minUid below it groups stay at home: only the name services know them
     */
    public static AccountsView compared(String user, List<PlaceView> places, long minUid) {
        PlaceView directory = places.getFirst();
        List<DifferenceView> differences = new ArrayList<>();
        if (!isKnown(directory)) {
            differences.add(new DifferenceView(
                    directory.kind(),
                    "",
                    "UNKNOWN",
                    directory.note(),
                    "",
                    "jobs of " + user + " are refused: see what the directory has (docs/directories.md)"));
        }
        for (PlaceView place : places.subList(1, places.size())) {
            if (isKnown(directory) && isKnown(place)) {
                differences.addAll(between(directory, place, minUid));
            } else if (isKnown(directory)
                    && place.kind().equals("COPY")
                    && place.word().equals("UNKNOWN")) {
                differences.add(differs(place, "UNKNOWN", "not there", "there"));
            }
        }
        boolean waiting = places.stream().anyMatch(place -> place.word().equals("WAITING"));
        return new AccountsView(user, waiting, places, differences);
    }

    private static boolean isKnown(PlaceView place) {
        return place.word().equals("KNOWN");
    }

    private static List<DifferenceView> between(PlaceView directory, PlaceView place, long minUid) {
        List<DifferenceView> differences = new ArrayList<>();
        if (directory.uid() != place.uid()) {
            differences.add(differs(place, "UID", number(place.uid()), number(directory.uid())));
        }
        if (directory.gid() != place.gid()) {
            differences.add(differs(place, "GID", number(place.gid()), number(directory.gid())));
        }
        String lacking = missing(directory.groups(), place.groups(), 0);
        if (!lacking.isEmpty()) {
            differences.add(differs(place, "LACKS", "", lacking));
        }
        String more = missing(place.groups(), directory.groups(), place.kind().equals("COPY") ? 0 : minUid);
        if (!more.isEmpty()) {
            differences.add(differs(place, "HAS", more, ""));
        }
        return differences;
    }

    /** Groups of the first that the second has not, by number. */
    private static String missing(List<GroupView> has, List<GroupView> lacks, long minGid) {
        Set<Long> known = lacks.stream().map(GroupView::gid).collect(Collectors.toSet());
        return has.stream()
                .filter(group -> group.gid() >= minGid && !known.contains(group.gid()))
                .map(AccountPlaces::shown)
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** For a person: the name with its number. */
    public static String shown(GroupView group) {
        return group.name().isEmpty() ? number(group.gid()) : group.name() + "(" + group.gid() + ")";
    }

    private static String number(long id) {
        return Long.toString(id);
    }

    private static DifferenceView differs(PlaceView place, String what, String there, String directory) {
        return new DifferenceView(place.kind(), place.site(), what, there, directory, repair(place.kind(), what));
    }

    private static String repair(String kind, String what) {
        boolean number = what.equals("UID") || what.equals("GID");
        return switch (kind) {
            case "HEAD" ->
                number
                        ? "give the same number in both: jobs are refused, or their files are another's at home"
                        : "let this machine and 'directory:' ask the same source: jobs have the directory's groups";
            case "NODE" ->
                number
                        ? "take the account out of the image: jobs have the directory's numbers, names there are wrong"
                        : "take the account out of the image, or let it ask the directory: jobs have the directory's groups";
            default -> "ask again in a minute; then see whether the copy follows ('sites --json': directoryConnected)";
        };
    }
}
