package org.spillway.head.command;

import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.spillway.api.AccountsView;
import org.spillway.api.AccountsView.PlaceView;
import org.spillway.cli.Table;
import org.spillway.head.doctor.AccountPlaces;

/** A user as each place knows it, as text. */
final class AccountPages {
    private static final long LOOK_MILLIS = 300;
    private static final int MOST_LOOKS = 40;

    private AccountPages() {}

    /** Asks until each node has answered, or twelve seconds have gone. @param progress told what is awaited; empty at the end */
    static AccountsView heard(Supplier<AccountsView> ask, Consumer<String> progress) throws InterruptedException {
        AccountsView found = ask.get();
        for (int n = 0; found.waiting() && n < MOST_LOOKS; n++) {
            progress.accept("waiting for "
                    + found.places().stream()
                            .filter(place -> place.word().equals("WAITING"))
                            .map(PlaceView::node)
                            .collect(Collectors.joining(", ")));
            Thread.sleep(LOOK_MILLIS);
            found = ask.get();
        }
        progress.accept("");
        return found;
    }

    static String page(AccountsView found) {
        var places = new Table("PLACE", "UID", "GID", "GROUPS", "NOTE");
        for (var place : found.places()) {
            boolean known = place.word().equals("KNOWN");
            places.row(
                    name(place.kind(), place.site()) + (place.node().isEmpty() ? "" : " " + place.node()),
                    known ? place.uid() : "",
                    known ? place.gid() : "",
                    place.groups().stream().map(AccountPlaces::shown).collect(Collectors.joining(", ")),
                    note(place));
        }
        if (found.differences().isEmpty()) {
            return places + "\n" + found.user() + " is the same in all places that know it.\n";
        }
        var differences = new Table("PLACE", "WHAT", "THERE", "DIRECTORY", "REPAIR");
        found.differences()
                .forEach(one -> differences.row(
                        name(one.kind(), one.site()), what(one.what()), one.there(), one.directory(), one.repair()));
        return places + "\n" + differences + "\n" + found.user() + " differs from the directory.\n";
    }

    private static String name(String kind, String site) {
        return switch (kind) {
            case "DIRECTORY" -> "directory";
            case "HEAD" -> "name service here";
            case "COPY" -> site + ": copy";
            default -> site + ": node";
        };
    }

    private static String note(PlaceView place) {
        return switch (place.word()) {
            case "UNKNOWN" -> place.note().isEmpty() ? "not known" : "not known: " + place.note();
            case "WAITING" -> "no answer in time";
            default -> place.note();
        };
    }

    private static String what(String what) {
        return switch (what) {
            case "UNKNOWN" -> "not known";
            case "UID" -> "uid";
            case "GID" -> "gid";
            case "LACKS" -> "groups missing";
            default -> "groups more";
        };
    }
}
