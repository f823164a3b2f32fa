package org.spillway.api;

import java.util.List;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;

/** A user as each place knows it, and where a place differs from the directory. */
public record AccountsView(
        String user,

        @Describes("a node has not answered yet: ask again") boolean waiting,

        @Describes("the directory first, by which jobs run") List<PlaceView> places,

        List<DifferenceView> differences) {
    public AccountsView {
        places = List.copyOf(places);
        differences = List.copyOf(differences);
    }

    /** A place. */
    public record PlaceView(
            @OneOf({"DIRECTORY", "HEAD", "COPY", "NODE"})
            @Describes(
                    "the head's directory, the name service of its machine, the copy of a site, the name service of a node")
            String kind,

            @Describes("empty for the head's own") String site,

            @Describes("that was asked; empty for none") String node,

            @OneOf({"KNOWN", "UNKNOWN", "WAITING", "UNASKED"})
            @Describes("UNASKED where there is nobody to ask, or no answer")
            String word,

            @Describes("-1 unless it is known") long uid,

            @Describes("of the primary group; -1 unless it is known")
            long gid,

            List<GroupView> groups,

            @Describes("why it was not asked; empty else") String note) {
        public PlaceView {
            groups = List.copyOf(groups);
        }

        /** A place that knows nobody of that name, or was not heard. */
        public static PlaceView without(String kind, String site, String node, String word, String note) {
            return new PlaceView(kind, site, node, word, -1, -1, List.of(), note);
        }
    }

    /** A group. */
    public record GroupView(
            long gid, @Describes("empty where it has none") String name) {}

    /** A difference from the directory. */
    public record DifferenceView(
            @OneOf({"HEAD", "COPY", "NODE", "DIRECTORY"}) String kind,

            @Describes("empty for the head's own") String site,

            @OneOf({"UNKNOWN", "UID", "GID", "LACKS", "HAS"})
            @Describes("not known there; another number; groups that it lacks or has more")
            String what,

            String there,

            String directory,

            @Describes("what to do about it") String repair) {}
}
