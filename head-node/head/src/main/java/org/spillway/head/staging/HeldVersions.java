package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.rollout.Version;
import org.spillway.image.store.Reference;
import org.spillway.image.store.Seal;
import org.spillway.image.store.VersionStore;

/** Versions that rollouts want, whatever tags name: each is made a file system, and no collection removes it. */
final class HeldVersions {
    private static final Logger LOG = LoggerFactory.getLogger(HeldVersions.class);

    private final Path folder;
    private final Seal seal;
    private final ConcurrentMap<Version, HomeVersion> sources = new ConcurrentHashMap<>();
    private volatile Set<Version> wanted = Set.of();
    private Set<Version> written = Set.of();

    HeldVersions(Path folder, Seal seal) {
        this.folder = folder;
        this.seal = seal;
    }

    /** Takes effect with the next look. */
    void want(Set<Version> versions) {
        wanted = Set.copyOf(versions);
    }

    /** {@link ImageGrant#NONE} until it is there. */
    ImageGrant current(Version version) {
        HomeVersion source = sources.get(version);
        return source == null ? ImageGrant.NONE : source.current();
    }

    Collection<HomeVersion> all() {
        return sources.values();
    }

    /** Blocks for the disk. */
    synchronized void look() {
        Set<Version> now = wanted;
        sources.keySet().retainAll(now);
        for (Version version : now) {
            if (!sources.containsKey(version)) {
                sources.put(version, new HomeVersion(reference(version), folder, seal));
            }
        }
        if (!now.equals(written)) {
            keep(now);
        }
    }

    /** The list is read by whoever collects what no version needs. */
    private void keep(Set<Version> now) {
        List<Reference> all = now.stream().map(HeldVersions::reference).toList();
        try (VersionStore store = VersionStore.open(folder, seal)) {
            store.hold(all);
            written = now;
        } catch (IOException full) {
            LOG.warn("the versions of rollouts are not written down: {}", full.getMessage());
        }
    }

    private static Reference reference(Version version) {
        return new Reference(version.image(), "", version.digest());
    }
}
