package org.spillway.head.staging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.port.SiteImages;
import org.spillway.head.rollout.Version;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.image.store.Reference;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.ChecksumMismatch;
import org.spillway.stage.transfer.Transfer;

/** The image trees at home, and the trees that lie beside them, as signed versions. */
public final class HomeImages implements SiteImages {
    private final HomeTree usual;
    private final Map<String, HomeSource> categories;
    private final Map<String, HomeTree> overlays;
    private final HeldVersions held;
    private final DirectorLink link;

    private HomeImages(
            HomeTree usual,
            Map<String, HomeSource> categories,
            Map<String, HomeTree> overlays,
            HeldVersions held,
            DirectorLink link) {
        this.held = held;
        this.usual = usual;
        this.categories = Map.copyOf(categories);
        this.overlays = Map.copyOf(overlays);
        this.link = link;
    }

    /**
     * @param roles whose categories have their own trees or versions, or the image that is configured for all
     * @param store of archives
     * @param versions the folder of versions
     * @throws IOException if a tree cannot become an image; the message names the path
     */
    public static HomeImages of(
            HeadConfig.Image image,
            HeadConfig.Roles roles,
            Path store,
            Path versions,
            SiteAuthority authority,
            DirectorLink link)
            throws IOException {
        HomeTree usual = new HomeTree(image.name(), image.tree(), store, authority);
        Map<String, HomeSource> categories = new LinkedHashMap<>();
        Map<Reference, HomeSource> roots = new LinkedHashMap<>();
        for (HeadConfig.Category category : roles.categories().values()) {
            Path tree = category.tree().orElse(null);
            Reference version = category.version().orElse(null);
            if (version != null) {
                categories.put(
                        category.name(),
                        roots.computeIfAbsent(
                                version, named -> new HomeVersion(named, versions, HeadSeal.of(authority))));
            } else {
                categories.put(
                        category.name(), tree == null ? usual : new HomeTree(category.name(), tree, store, authority));
            }
        }
        Map<String, HomeTree> overlays = new LinkedHashMap<>();
        for (Map.Entry<String, Path> overlay : roles.overlays().entrySet()) {
            overlays.put(
                    overlay.getKey(),
                    new HomeTree("overlay-" + overlay.getKey(), overlay.getValue(), store, authority));
        }
        return new HomeImages(usual, categories, overlays, new HeldVersions(versions, HeadSeal.of(authority)), link);
    }

    /** Looks whether trees have changed; blocks for a scan of them, so not on the loop's thread. */
    public void refresh(Instant now) {
        held.look();
        sources().forEach(source -> source.refresh(now));
    }

    private List<HomeSource> sources() {
        return Stream.<Collection<? extends HomeSource>>of(
                        List.of(usual), categories.values(), overlays.values(), held.all())
                .flatMap(Collection::stream)
                .<HomeSource>map(source -> source)
                .distinct()
                .toList();
    }

    @Override
    public ImageGrant current() {
        return usual.current();
    }

    @Override
    public ImageGrant category(String name) {
        HomeSource source = name.isEmpty() ? usual : categories.get(name);
        return source == null ? ImageGrant.NONE : source.current();
    }

    @Override
    public ImageGrant version(Version version) {
        return held.current(version);
    }

    @Override
    public void hold(Set<Version> versions) {
        held.want(versions);
    }

    /** The same, looked for at once. Blocks. */
    public void begin(Set<Version> versions) {
        held.want(versions);
        held.look();
    }

    @Override
    public ImageGrant overlay(String name) {
        HomeTree tree = overlays.get(name);
        return tree == null ? ImageGrant.NONE : tree.current();
    }

    @Override
    public List<ImageGrant> all() {
        return sources().stream()
                .flatMap(source -> Stream.of(source.current(), source.beside()))
                .distinct()
                .toList();
    }

    @Override
    public void replicate(DirectorTarget director, ImageGrant image) throws IOException, LinkDownException {
        for (HomeSource source : sources()) {
            var file = source.file(image.sha256());
            if (file.isPresent()) {
                try {
                    send(director, image, file.get());
                } catch (ChecksumMismatch other) {
                    // The file here may be what is rotten; the site has thrown its copy away.
                    source.doubt(image.sha256());
                    throw other;
                }
                return;
            }
        }
        throw new NoSuchFileException(image.sha256(), null, "its file is not at home any more");
    }

    private void send(DirectorTarget director, ImageGrant image, Path file) throws IOException, LinkDownException {
        String key = "images/" + image.sha256();
        try (Transfer transfer = link.staging(director);
                SeekableByteChannel archive = Files.newByteChannel(file)) {
            if (transfer.isSealed(key)) {
                return;
            }
            long offset = Math.min(transfer.received(key), archive.size());
            archive.position(offset);
            InputStream bytes = Channels.newInputStream(archive);
            transfer.send(key, offset, bytes);
            transfer.seal(key, new Checksum(image.bytes(), image.sha256()));
        }
    }
}
