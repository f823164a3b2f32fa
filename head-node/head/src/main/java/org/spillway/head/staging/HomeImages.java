package org.spillway.head.staging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.port.SiteImages;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.Transfer;

/** The image trees at home, and the trees that lie beside them, as signed versions. */
public final class HomeImages implements SiteImages {
    private final HomeTree usual;
    private final Map<String, HomeTree> categories;
    private final Map<String, HomeTree> overlays;
    private final Path store;
    private final DirectorLink link;

    private HomeImages(
            HomeTree usual,
            Map<String, HomeTree> categories,
            Map<String, HomeTree> overlays,
            Path store,
            DirectorLink link) {
        this.usual = usual;
        this.categories = Map.copyOf(categories);
        this.overlays = Map.copyOf(overlays);
        this.store = store;
        this.link = link;
    }

    /**
     * @param roles whose categories have their own trees, or the image that is configured for all
     * @throws IOException if a tree cannot become an image; the message names the path
     */
    public static HomeImages of(
            HeadConfig.Image image, HeadConfig.Roles roles, Path store, SiteAuthority authority, DirectorLink link)
            throws IOException {
        HomeTree usual = new HomeTree(image.name(), image.tree(), store, authority);
        Map<String, HomeTree> categories = new LinkedHashMap<>();
        for (HeadConfig.Category category : roles.categories().values()) {
            Path tree = category.tree().orElse(null);
            categories.put(
                    category.name(), tree == null ? usual : new HomeTree(category.name(), tree, store, authority));
        }
        Map<String, HomeTree> overlays = new LinkedHashMap<>();
        for (Map.Entry<String, Path> overlay : roles.overlays().entrySet()) {
            overlays.put(
                    overlay.getKey(),
                    new HomeTree("overlay-" + overlay.getKey(), overlay.getValue(), store, authority));
        }
        return new HomeImages(usual, categories, overlays, store, link);
    }

    /** Looks whether trees have changed; blocks for a scan of them, so not on the loop's thread. */
    public void refresh(Instant now) {
        trees().forEach(tree -> tree.refresh(now));
    }

    private List<HomeTree> trees() {
        return Stream.of(List.of(usual), categories.values(), overlays.values())
                .flatMap(Collection::stream)
                .distinct()
                .toList();
    }

    @Override
    public ImageGrant current() {
        return usual.current();
    }

    @Override
    public ImageGrant category(String name) {
        HomeTree tree = name.isEmpty() ? usual : categories.get(name);
        return tree == null ? ImageGrant.NONE : tree.current();
    }

    @Override
    public ImageGrant overlay(String name) {
        HomeTree tree = overlays.get(name);
        return tree == null ? ImageGrant.NONE : tree.current();
    }

    @Override
    public List<ImageGrant> all() {
        return trees().stream().map(HomeTree::current).toList();
    }

    @Override
    public void replicate(DirectorTarget director, ImageGrant image) throws IOException, LinkDownException {
        String key = "images/" + image.sha256();
        try (Transfer transfer = link.staging(director);
                SeekableByteChannel archive = Files.newByteChannel(store.resolve(image.sha256() + ".tar"))) {
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
