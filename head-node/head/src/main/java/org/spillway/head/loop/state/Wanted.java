package org.spillway.head.loop.state;

import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.rollout.Version;

/** The image that a node is to have now. */
public final class Wanted {
    private Wanted() {}

    /** Of a category that names a version, as its rollout says; of any other, what the configuration names. */
    public static ImageGrant of(World world, NodeRecord node) {
        var images = world.ports().images();
        String category = node.profile().category();
        return isVersioned(world, category)
                ? world.journal()
                        .rollout(category)
                        .map(record -> images.version(record.wanted(node.id())))
                        .orElseGet(() -> images.category(category))
                : images.category(category);
    }

    /** Whether another version comes to its nodes by a rollout. */
    public static boolean isVersioned(World world, String category) {
        var known = world.settings().roles().categories().get(category);
        return known != null && known.rollout().isPresent();
    }

    /** The version that the configuration names now; none until its file system has been made. */
    public static Version named(World world, String category) {
        ImageGrant grant = world.ports().images().category(category);
        return grant.version().isEmpty() ? Version.NONE : new Version(grant.name(), grant.version());
    }
}
