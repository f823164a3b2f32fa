package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.image.ImageBuilder;
import org.spillway.image.ImageVersion;
import org.spillway.stage.Checksum;

/** A tree at home as a signed version, made again when the tree has changed. */
final class HomeTree {
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
        return new ImageGrant(name, archive.sha256(), archive.bytes(), authority.signImage(text));
    }

    /** Looks whether the tree has changed; blocks for a scan of it, so not on the loop's thread. */
    synchronized void refresh(Instant now) {
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

    ImageGrant current() {
        return current;
    }
}
