package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.image.ImageBuilder;
import org.spillway.image.ImageVersion;
import org.spillway.stage.Checksum;

/** A tree at home as a signed version, made again when the tree has changed. */
final class HomeTree implements HomeSource {
    private static final Logger LOG = LoggerFactory.getLogger(HomeTree.class);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

    private final String name;
    private final Path tree;
    private final Path store;
    private final SiteAuthority authority;
    private volatile ImageGrant current;
    private String fingerprint;
    private Instant looked = Instant.MIN;

    /** @throws IOException if the tree cannot become an image; the message names the path */
    HomeTree(String name, Path tree, Path store, SiteAuthority authority) throws IOException {
        this.name = name;
        this.tree = tree;
        this.store = store;
        this.authority = authority;
        this.fingerprint = ImageBuilder.fingerprint(tree);
        this.current = build();
    }

    private ImageGrant build() throws IOException {
        Checksum archive = ImageBuilder.build(tree, name, store).archive();
        String text = new String(ImageVersion.signedText(name, archive), java.nio.charset.StandardCharsets.UTF_8);
        LOG.info("image {} is version {}, {} bytes", name, archive.sha256(), archive.bytes());
        return ImageGrant.archive(name, archive.sha256(), archive.bytes(), authority.signImage(text));
    }

    @Override
    public synchronized void refresh(Instant now) {
        if (looked.plus(LOOK_AGAIN).isAfter(now)) {
            return;
        }
        looked = now;
        try {
            String seen = ImageBuilder.fingerprint(tree);
            if (!seen.equals(fingerprint)) {
                current = build();
                fingerprint = seen;
            }
        } catch (IOException e) {
            LOG.warn("{} stays at version {}: {}", name, current.sha256(), e.getMessage());
        }
    }

    @Override
    public ImageGrant current() {
        return current;
    }

    @Override
    public Optional<Path> file(String sha256) {
        Path archive = store.resolve(sha256 + ".tar");
        return Files.exists(archive) ? Optional.of(archive) : Optional.empty();
    }

    /** The folder is at hand: an archive that is not what it was is made again. */
    @Override
    public synchronized void doubt(String sha256) {
        try {
            if (current.sha256().equals(sha256)) {
                current = build();
            }
        } catch (IOException e) {
            LOG.warn("the archive of {} cannot be made again: {}", name, e.getMessage());
        }
    }
}
