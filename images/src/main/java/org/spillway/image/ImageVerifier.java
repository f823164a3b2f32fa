package org.spillway.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Base64;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/** Tells versions that the head signed from others. */
public final class ImageVerifier {
    private final PublicKey key;

    /** @throws IllegalArgumentException if it is no key on the curve P-256 */
    public ImageVerifier(PublicKey key) {
        ImageSigner.checkCurve(key);
        this.key = key;
    }

    /** @throws ImageRefused unless the signature is the head's, over this name, digest and length */
    public void verify(ImageVersion version) throws ImageRefused {
        boolean genuine;
        try {
            Signature signature = Signature.getInstance(ImageSigner.ALGORITHM);
            signature.initVerify(key);
            signature.update(ImageVersion.signedText(version.name(), version.archive()));
            genuine = signature.verify(Base64.getDecoder().decode(version.signature()));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            genuine = false; // no signature at all
        }
        if (!genuine) {
            throw new ImageRefused("the image '" + version.name() + "' with SHA-256 "
                    + version.archive().sha256() + " does not bear the head's signature");
        }
    }

    /** Verifies the signature, and that {@code archive} is what was signed. Reads all of it. */
    public void verify(ImageVersion version, Path archive) throws IOException {
        verify(version);
        Checksum found;
        try (InputStream in = Files.newInputStream(archive, LinkOption.NOFOLLOW_LINKS)) {
            found = Sha256.of(in, OutputStream.nullOutputStream());
        }
        if (!found.equals(version.archive())) {
            throw new ImageRefused(archive + " has " + found.bytes() + " bytes with SHA-256 " + found.sha256()
                    + " and not the image '" + version.name() + "'");
        }
    }
}
