package org.spillway.proof.faultsim;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Directive.Root;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.port.SiteImages;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.rollout.Version;

/** Images of two categories, one with an overlay; in a site once a director of it has them. */
final class SimImages implements SiteImages {
    /** Whose jobs run on nodes of {@link #OTHER}; those of other queues on nodes without a category. */
    static final String QUEUE = "r";

    static final String OTHER = "other";
    static final String OVERLAY = "lay";
    static final Roles ROLES = new Roles(
            Map.of(
                    OTHER,
                    new Roles.Category(
                            Set.of(QUEUE),
                            List.of(),
                            List.of(OVERLAY),
                            Duration.ofSeconds(5),
                            Optional.empty(),
                            Optional.empty())),
            Set.of(OVERLAY),
            Duration.ofSeconds(2));

    private final SimWorld world;
    private Set<Version> held = Set.of();

    SimImages(SimWorld world) {
        this.world = world;
    }

    /** The image that a node must name when jobs of the queue may run there. */
    static String imageFor(String queue) {
        return queue.equals(QUEUE) ? "image-" + OTHER + "+" + OVERLAY : "image-";
    }

    private static ImageGrant grant(String name) {
        return ImageGrant.archive(name, "%064x".formatted(name.hashCode() & 0xffffffffL), 1, "signed");
    }

    @Override
    public ImageGrant current() {
        return category("");
    }

    @Override
    public ImageGrant category(String name) {
        String version = world.version;
        return name.equals(OTHER) && !version.isEmpty()
                ? new ImageGrant("image-" + name, version, 1, "signed", new Root(version, "-", 1))
                : grant("image-" + name);
    }

    @Override
    public ImageGrant version(Version version) {
        return new ImageGrant(version.image(), version.digest(), 1, "signed", new Root(version.digest(), "-", 1));
    }

    @Override
    public void hold(Set<Version> versions) {
        held = Set.copyOf(versions);
    }

    @Override
    public ImageGrant overlay(String name) {
        return grant(name);
    }

    @Override
    public List<ImageGrant> all() {
        return Stream.concat(
                        Stream.of(current(), category(OTHER), overlay(OVERLAY)),
                        held.stream().map(this::version))
                .distinct()
                .toList();
    }

    @Override
    public void replicate(DirectorTarget director, ImageGrant image) {
        world.site(director.site()).director(director.instance()).ifPresent(its -> its.images.add(image.sha256()));
    }
}
