package org.spillway.director;

import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Directive.NodeProfile;

/** A node's image and overlays, in lines of words. */
final class ManifestText {
    private ManifestText() {}

    static String of(ImageGrant image, @Nullable NodeProfile profile) {
        StringBuilder text = new StringBuilder("name " + image.name() + "\nsha256 " + image.sha256() + "\nbytes "
                + image.bytes() + "\nsignature " + image.signature() + "\n");
        Directive.Root root = image.root();
        if (root != null) {
            text.append("root ").append(root.version()).append(' ').append(root.verity());
            text.append(' ').append(root.data()).append('\n');
        }
        if (profile != null) {
            text.append("turn ").append(profile.turn()).append('\n');
            profile.overlays()
                    .forEach(overlay -> text.append("overlay ")
                            .append(overlay.name())
                            .append(' ')
                            .append(overlay.sha256())
                            .append(' ')
                            .append(overlay.bytes())
                            .append(' ')
                            .append(overlay.signature())
                            .append('\n'));
        }
        return text.toString();
    }
}
