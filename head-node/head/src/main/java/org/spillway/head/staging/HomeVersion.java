package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Directive.Root;
import org.spillway.image.store.Reference;
import org.spillway.image.store.RootRecord;
import org.spillway.image.store.Seal;
import org.spillway.image.store.VersionRecord;
import org.spillway.image.store.VersionStore;
import org.spillway.image.store.Watch;
import org.spillway.stage.Checksum;

/**
 * A version of the image store, as the configuration names it: a tag is looked up again and again, and the file system of the
 * version that it names is made in the background. Until it is there the one before is granted.
 */
final class HomeVersion implements HomeSource {
    private static final Logger LOG = LoggerFactory.getLogger(HomeVersion.class);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);
    private static final Duration MAKE_AGAIN = Duration.ofMinutes(5);

    private final Reference named;
    private final Path folder;
    private final Seal seal;
    private final AtomicBoolean making = new AtomicBoolean();
    private volatile ImageGrant current = ImageGrant.NONE;
    private volatile @Nullable RootRecord made;
    private volatile @Nullable Manifest manifest;
    private volatile Failure last = new Failure("", "", Instant.MIN);
    private Instant looked = Instant.MIN;

    /** The text by which nodes look whether what they have is still the version. */
    private record Manifest(ImageGrant grant, Path file) {}

    /** @param version empty where it was not found */
    private record Failure(String version, String said, Instant at) {}

    HomeVersion(Reference named, Path folder, Seal seal) {
        this.named = named;
        this.folder = folder;
        this.seal = seal;
        look(Instant.EPOCH, false);
    }

    @Override
    public ImageGrant current() {
        return current;
    }

    @Override
    public ImageGrant beside() {
        Manifest has = manifest;
        return has == null ? ImageGrant.NONE : has.grant();
    }

    @Override
    public synchronized void refresh(Instant now) {
        if (!looked.plus(LOOK_AGAIN).isAfter(now) && !making.get()) {
            looked = now;
            look(now, true);
        }
    }

    private void look(Instant now, boolean makes) {
        try (VersionStore store = VersionStore.open(folder, seal)) {
            VersionRecord wanted = store.find(named);
            RootRecord has = made;
            if (has != null && has.version().equals(wanted.digest()) && Files.exists(has.file())) {
                return;
            }
            Optional<RootRecord> there = store.madeRoot(wanted);
            if (there.isPresent()) {
                take(wanted, store, there.get());
            } else if (makes && !isTooEarly(wanted, now) && making.compareAndSet(false, true)) {
                Thread.ofVirtual().name("root of " + named.name()).start(() -> make(wanted, now));
            }
        } catch (IOException refused) {
            failed("", refused, now);
        }
    }

    private boolean isTooEarly(VersionRecord wanted, Instant now) {
        return last.version().equals(wanted.digest())
                && last.at().plus(MAKE_AGAIN).isAfter(now);
    }

    private void make(VersionRecord wanted, Instant now) {
        try (VersionStore store = VersionStore.open(folder, seal)) {
            LOG.info("the file system of {}@{} is being made", wanted.name(), wanted.digest());
            take(wanted, store, store.root(wanted, Watch.NONE));
        } catch (IOException refused) {
            failed(wanted.digest(), refused, now);
        } catch (InterruptedException ends) {
            Thread.currentThread().interrupt();
        } finally {
            making.set(false);
        }
    }

    private void take(VersionRecord version, VersionStore store, RootRecord root) {
        Checksum text = version.manifest();
        manifest = new Manifest(
                ImageGrant.archive(version.name(), text.sha256(), text.bytes(), version.signature()),
                store.manifestFile(text.sha256()));
        made = root;
        current = new ImageGrant(
                root.name(),
                root.whole().sha256(),
                root.whole().bytes(),
                root.signature(),
                new Root(root.version(), root.verity(), root.data()));
        LOG.info(
                "image {} is version {}, {} bytes as a file system",
                root.name(),
                root.version(),
                root.whole().bytes());
    }

    /** A failure is told once, and again when it is another. */
    private void failed(String version, IOException why, Instant now) {
        String said = String.valueOf(why.getMessage());
        if (!last.said().equals(said)) {
            LOG.warn(
                    "image {} stays at {}: {}",
                    named.name(),
                    current.version().isEmpty() ? "no version" : current.version(),
                    said);
        }
        last = new Failure(version, said, now);
    }

    @Override
    public Optional<Path> file(String sha256) {
        RootRecord has = made;
        Manifest list = manifest;
        if (list != null && list.grant().sha256().equals(sha256)) {
            return Optional.of(list.file()).filter(Files::exists);
        }
        return has != null && has.whole().sha256().equals(sha256) ? Optional.of(has.file()) : Optional.empty();
    }

    @Override
    public synchronized void doubt(String sha256) {
        RootRecord has = made;
        if (has == null || !has.whole().sha256().equals(sha256)) {
            return;
        }
        try (VersionStore store = VersionStore.open(folder, seal)) {
            if (!store.isWhole(has)) {
                LOG.warn("the file system of {}@{} had rotted at home, and is made again", has.name(), has.version());
                made = null;
                current = ImageGrant.NONE;
                looked = Instant.MIN;
            }
        } catch (IOException unreadable) {
            LOG.warn("the file system of {}@{} cannot be read: {}", has.name(), has.version(), unreadable.getMessage());
        }
    }
}
