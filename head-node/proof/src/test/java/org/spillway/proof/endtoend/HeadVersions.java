package org.spillway.proof.endtoend;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import org.spillway.head.staging.HeadSeal;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.image.store.VersionRecord;
import org.spillway.image.store.VersionStore;
import org.spillway.image.store.Watch;

/** Versions in the store of a head that has been started once: its key signs them. */
final class HeadVersions {
    private HeadVersions() {}

    static VersionStore store(HeadFixture head) throws IOException {
        return VersionStore.open(
                head.state().resolve("image-store"),
                HeadSeal.of(SiteAuthority.beside(head.state(), InstantSource.system())));
    }

    /** @return the digest of the version, which is the image compute's and has the tag from now on */
    static String keep(HeadFixture head, Path tree, String says, String tag) throws Exception {
        try (VersionStore store = store(head);
                var captured = store.capture(tree, false, InstantSource.system().instant(), Watch.NONE)) {
            VersionRecord made =
                    store.keep(captured, "compute", says, InstantSource.system().instant(), Watch.NONE);
            store.tag(made, tag);
            return made.digest();
        }
    }
}
