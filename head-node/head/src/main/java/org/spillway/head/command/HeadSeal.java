package org.spillway.head.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.InstantSource;
import java.util.Base64;
import org.spillway.cli.CliFailure;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.image.store.Seal;

/** The head's key for images, as it lies in its state. */
final class HeadSeal implements Seal {
    private final SiteAuthority authority;

    private HeadSeal(SiteAuthority authority) {
        this.authority = authority;
    }

    /** @throws CliFailure if no head has made a key there: one that is made here would be no head's */
    static HeadSeal of(Path state) {
        if (!Files.isDirectory(state.resolve("secrets"))) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "there is no key to sign with in " + state + ": no head has run with this state",
                    "start the head once, or name its configuration with --config");
        }
        try {
            return new HeadSeal(SiteAuthority.beside(state, InstantSource.system()));
        } catch (IOException unreadable) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "the head's key cannot be read: " + unreadable.getMessage(),
                    "run this as the user whose head it is");
        }
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
