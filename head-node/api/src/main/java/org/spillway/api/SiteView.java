package org.spillway.api;

import java.util.List;

/**
 * A site.
 *
 * @param state {@code idle} without a director, {@code starting}, {@code up}, {@code away} when the link is down, or
 *     {@code ending}
 * @param director node id of its director; empty for none
 * @param nodes compute nodes that may cost money now (see {@link NodeState#mayCost()})
 * @param maxNodes the configured limit
 * @param jobs jobs that are bound to it and have not ended
 * @param home whether it is at home: what is pinned may run there
 * @param address of its director; empty for none
 * @param image digest of the image at home; {@code images} those that its director has
 * @param users entries of its replica of the directory; {@code directoryConnected} whether it follows the head's now
 * @param reason its trouble, for a person; empty when there is none
 * @param cause the same, for programs
 */
public record SiteView(
        String name,
        String driver,
        boolean home,
        String state,
        String director,
        String address,
        int nodes,
        int maxNodes,
        int jobs,
        String image,
        List<String> images,
        int users,
        boolean directoryConnected,
        String reason,
        CauseView cause) {
    public SiteView {
        // An older head does not say it.
        cause = cause == null ? CauseView.NONE : cause;
        images = List.copyOf(images);
    }
}
