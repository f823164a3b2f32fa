package org.spillway.api;

import java.util.List;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;

/** A site. */
public record SiteView(
        String name,

        String driver,

        @Describes("whether it is at home: what is pinned may run there")
        boolean home,

        @OneOf({"idle", "starting", "up", "away", "ending"})
        @Describes("idle without a director; away when the link is down")
        String state,

        @Describes("node id of its director; empty for none")
        String director,

        @Describes("of its director; empty for none") String address,

        @Describes("compute nodes that may cost money now") int nodes,

        @Describes("the configured limit, without what clusters on demand have of it")
        int maxNodes,

        @Describes("jobs that are bound to it and have not ended")
        int jobs,

        @Describes("digest of the image at home") String image,

        @Describes("that its director has") List<String> images,

        @Describes("entries of its replica of the directory")
        int users,

        @Describes("whether that replica follows the head's directory now")
        boolean directoryConnected,

        @Describes("its trouble, for a person; empty when there is none")
        String reason,

        @Describes("the same, for programs") CauseView cause,

        @Describes("to its provider, and how many that allows")
        CallsView calls,

        @Describes(
                "why its users and groups may be out of date, the same for all sites; none while the head's directory is there")
        CauseView directory) {
    public SiteView {
        // An older head does not say it.
        cause = cause == null ? CauseView.NONE : cause;
        calls = calls == null ? CallsView.NONE : calls;
        directory = directory == null ? CauseView.NONE : directory;
        images = List.copyOf(images);
    }
}
