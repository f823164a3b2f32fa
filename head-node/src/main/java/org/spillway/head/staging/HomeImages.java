package org.spillway.head.staging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.SiteImages;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.image.ImageBuilder;
import org.spillway.image.ImageVersion;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.Transfer;

/** The image tree at home as a signed version, made again when the tree has changed. */
public final class HomeImages implements SiteImages {
    private static final Logger LOG = LoggerFactory.getLogger(HomeImages.class);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

    private final String name;
    private final Path tree;
    private final Path store;
    private final SiteAuthority authority;
    private final DirectorLink link;
    private volatile ImageGrant current;
    private String fingerprint;
    private Instant looked = Instant.MIN;

    /** @throws IOException if the tree cannot become an image; the message names the path */
    public HomeImages(String name, Path tree, Path store, SiteAuthority authority, DirectorLink link)
            throws IOException {
        this.name = name;
        this.tree = tree;
        this.store = store;
        this.authority = authority;
        this.link = link;
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
            LOG.warn("image {} stays at version {}: {}", name, current.sha256(), e.getMessage());
        }
    }

    @Override
    public ImageGrant current() {
        return current;
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
