package org.spillway.image.store;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.spillway.stage.Sha256;

/** A key that is good enough where nobody forges. */
record TestSeal(String key) implements Seal {
    @Override
    public String sign(String text) {
        var digest = Sha256.digest();
        digest.update((key + text).getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder().encodeToString(digest.digest());
    }

    @Override
    public boolean holds(String text, String signature) {
        return sign(text).equals(signature);
    }
}
