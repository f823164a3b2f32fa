package org.spillway.head.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.spillway.cli.CliFailure;
import org.spillway.head.staging.HeadSeal;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.image.store.Seal;

/** The head's key for images, as commands find it in its state. */
final class StoreKey {
    private StoreKey() {}

    /** @throws CliFailure if no head has made a key there: one that is made here would be no head's */
    static Seal of(Path state) {
        if (!Files.isDirectory(state.resolve("secrets"))) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "there is no key to sign with in " + state + ": no head has run with this state",
                    "start the head once, or name its configuration with --config");
        }
        try {
            return HeadSeal.of(SiteAuthority.beside(state, InstantSource.system()));
        } catch (IOException unreadable) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "the head's key cannot be read: " + unreadable.getMessage(),
                    "run this as the user whose head it is");
        }
    }
}
