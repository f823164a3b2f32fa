package org.spillway.image;

import org.spillway.stage.Checksum;

/**
 * One unchanging version of an image.
 *
 * @param name of the image, {@code [a-z0-9-]+}
 * @param archive of the canonical tar: equal trees give equal archives on every machine
 * @param signature the head's ECDSA P-256 signature (DER, base64) over the text {@code spillway-image-1\nNAME\nSHA256\nBYTES\n}
 */
public record ImageVersion(String name, Checksum archive, String signature) {}
