package org.spillway.stage.container;

import java.io.IOException;
import org.spillway.stage.tree.ImageName;

/** An image in a registry. */
record RegistrySource(ImageName.Remote image, Registry registry) implements Source {
    @Override
    public String digest() throws IOException {
        return Blobs.digest(registry.manifest(image.reference(), Image.MANIFEST_MOST_BYTES));
    }

    @Override
    public byte[] manifest(String digest, int mostBytes) throws IOException {
        return registry.manifest(digest, mostBytes);
    }

    @Override
    public Registry.From blob(String digest, long from) throws IOException {
        return registry.blob(digest, from);
    }
}
