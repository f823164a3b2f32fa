package org.spillway.head.staging;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.spillway.director.wire.Directive.ImageGrant;

/** An image at home that nodes may be granted. */
interface HomeSource {
    /** {@link ImageGrant#NONE} until there is one. */
    ImageGrant current();

    /** A further file that its nodes may ask for; {@link ImageGrant#NONE} for none. */
    default ImageGrant beside() {
        return ImageGrant.NONE;
    }

    /** Looks whether it has become another one; may block, so not on the loop's thread. */
    void refresh(Instant now);

    /** The file of what was granted; empty when this source has none of that digest. */
    Optional<Path> file(String sha256);

    /** A site has not got what was granted as it was signed. Blocks for a read of the file. */
    void doubt(String sha256);
}
