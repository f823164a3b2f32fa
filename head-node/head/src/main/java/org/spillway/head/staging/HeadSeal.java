package org.spillway.head.staging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.image.store.Seal;

/** The head's key for images, as it lies in its state. */
public final class HeadSeal implements Seal {
    private final SiteAuthority authority;

    private HeadSeal(SiteAuthority authority) {
        this.authority = authority;
    }

    /** @param authority the head's */
    public static HeadSeal of(SiteAuthority authority) {
        return new HeadSeal(authority);
    }

    @Override
    public String sign(String text) throws IOException {
        return authority.signImage(text);
    }

    @Override
    public boolean holds(String text, String signature) throws IOException {
        try {
            var check = Signature.getInstance("SHA256withECDSA");
            check.initVerify(key());
            check.update(text.getBytes(StandardCharsets.UTF_8));
            return check.verify(Base64.getDecoder().decode(signature));
        } catch (GeneralSecurityException | IllegalArgumentException malformed) {
            return false;
        }
    }

    private PublicKey key() throws GeneralSecurityException {
        String base64 = authority.imagePublicKeyPem().replaceAll("-----[A-Z ]+-----|\\s", "");
        return KeyFactory.getInstance("EC")
                .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(base64)));
    }
}
