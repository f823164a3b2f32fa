package org.spillway.stage.worker;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.spillway.stage.container.ImageCache;
import org.spillway.stage.container.ImageRefused;
import org.spillway.stage.tree.ImageName;

/** Images that the user's jobs run in, and the user's own logins at registries. JDK classes only. */
final class Images {
    private static final long BETWEEN_SIGNS = Duration.ofMillis(500).toNanos();

    private final Path home;
    private final int uid;
    private final WorkerFiles.Sink alive;
    private long lastSign = System.nanoTime();

    /** @param home of the user */
    Images(Path home, int uid, WorkerFiles.Sink alive) {
        this.home = home;
        this.uid = uid;
        this.alive = alive;
    }

    /** Where it is; or only its name by a digest. */
    String found(String text, boolean whole, String trust) throws IOException {
        ImageName name = ImageName.of(text);
        ImageCache cache = ImageCache.of(home, ImageCache.ownPlatform(), trust, this::working);
        try {
            return whole
                    ? cache.fetch(name, home, uid).toString()
                    : cache.pinned(name, home, uid).text();
        } catch (ImageRefused refused) {
            throw new FileRefused(String.valueOf(refused.getMessage()));
        }
    }

    private void working() throws IOException {
        long now = System.nanoTime();
        if (now - lastSign > BETWEEN_SIGNS) {
            lastSign = now;
            alive.working();
        }
    }
}
