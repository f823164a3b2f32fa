package org.spillway.head.journal;

import java.nio.file.Path;
import org.spillway.head.past.Start;

/** Sentences for an administrator whose journal is not what its secrets remember. */
final class PastText {
    /** Advice for whoever has a damaged journal. */
    static final String REPAIR = "'spillway state check' lists what is damaged, 'spillway state restore FILE' puts a"
            + " backup in its place, 'spillway state salvage' saves what can be read";

    private PastText() {}

    static String refusal(Start.Why why, Path state, Path file) {
        String journal = state.resolve("journal.db").toString();
        String running = "; instances may be running, and nothing was changed: ";
        return switch (why) {
            case EMPTY ->
                "the journal " + journal + " is empty or missing, and the secrets or images beside it are those of"
                        + " a cluster that has run" + running
                        + "put the journal back from a backup ('spillway state restore FILE'), or start with"
                        + " --new-epoch, which ends nothing that it does not know";
            case FOREIGN ->
                "the journal " + journal + " belongs to another state than " + file + running
                        + "put back the two that belong together";
            case UNMARKED ->
                "the journal " + journal + " has an identity and " + file + " is missing" + running
                        + "put that file back from a backup, or start with --new-epoch, which ends nothing that it does"
                        + " not know";
            case OLDER -> "the journal " + journal + " is an older copy";
        };
    }

    static String quarantine(Start.Why why, Path state) {
        String journal = "the journal " + state.resolve("journal.db");
        String found = switch (why) {
            case OLDER -> journal + " is older than the secrets beside it";
            case EMPTY -> journal + " was empty";
            case UNMARKED, FOREIGN -> journal + " was not known to the secrets beside it";
        };
        return found + ": quarantine, nothing that it does not know is ended ('spillway recover' shows it)";
    }
}
