package org.spillway.image;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECKey;
import java.util.Base64;
import org.spillway.stage.Checksum;

/** The head's word that an archive is a version of an image. */
public final class ImageSigner {
    static final String ALGORITHM = "SHA256withECDSA";
    private static final int P256_BITS = 256;

    private final PrivateKey key;

    /** @throws IllegalArgumentException if it is no key on the curve P-256 */
    public ImageSigner(PrivateKey key) {
        checkCurve(key);
        this.key = key;
    }

    /** @param name {@code [a-z0-9-]{1,64}} */
    public ImageVersion sign(String name, Checksum archive) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(key);
            signature.update(ImageVersion.signedText(name, archive));
            return new ImageVersion(name, archive, Base64.getEncoder().encodeToString(signature.sign()));
        } catch (InvalidKeyException e) {
            throw new IllegalArgumentException("the key cannot sign images", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java can sign with ECDSA", e);
        }
    }

    static void checkCurve(java.security.Key key) {
        if (!(key instanceof ECKey curve) || curve.getParams().getOrder().bitLength() != P256_BITS) {
            throw new IllegalArgumentException("images are signed with ECDSA keys on the curve P-256 only");
        }
    }
}
