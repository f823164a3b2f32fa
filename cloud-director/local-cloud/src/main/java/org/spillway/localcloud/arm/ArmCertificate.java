package org.spillway.localcloud.arm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** A certificate for 127.0.0.1 and localhost, signed by its own key. Written out by hand: the JDK makes none by its API. */
final class ArmCertificate {
    private static final Duration VALID = Duration.ofDays(3650);
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int OCTETS = 0x04;
    private static final int BITS = 0x03;
    private static final int INTEGER = 0x02;
    private static final int TIME = 0x18;
    private static final int UTF8 = 0x0c;
    private static final byte[] TRUE = {0x01, 0x01, (byte) 0xff};
    private static final byte[] ECDSA_WITH_SHA256 = {0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 4, 3, 2};
    private static final byte[] COMMON_NAME = {0x06, 0x03, 0x55, 0x04, 0x03};
    private static final byte[] BASIC_CONSTRAINTS = {0x06, 0x03, 0x55, 0x1d, 0x13};
    private static final byte[] ALTERNATIVE_NAME = {0x06, 0x03, 0x55, 0x1d, 0x11};

    private ArmCertificate() {}

    static Certificate of(KeyPair keys, Instant now) throws GeneralSecurityException {
        byte[] serial = new byte[16];
        new SecureRandom().nextBytes(serial);
        serial[0] = 1;
        byte[] algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
        byte[] name = der(
                SEQUENCE,
                der(
                        SET,
                        der(
                                SEQUENCE,
                                COMMON_NAME,
                                der(UTF8, "spillway local-cloud".getBytes(StandardCharsets.UTF_8)))));
        byte[] inner = der(
                SEQUENCE,
                der(0xa0, der(INTEGER, new byte[] {2})),
                der(INTEGER, serial),
                algorithm,
                name,
                der(SEQUENCE, time(now.minus(Duration.ofHours(1))), time(now.plus(VALID))),
                name,
                keys.getPublic().getEncoded(),
                der(0xa3, extensions()));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(inner);
        byte[] whole = der(SEQUENCE, inner, algorithm, der(BITS, new byte[] {0}, signature.sign()));
        return CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(whole));
    }

    private static byte[] extensions() {
        byte[] authority = der(SEQUENCE, TRUE);
        byte[] names = der(
                SEQUENCE,
                der(0x87, new byte[] {127, 0, 0, 1}),
                der(0x82, "localhost".getBytes(StandardCharsets.US_ASCII)));
        return der(
                SEQUENCE,
                der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(OCTETS, authority)),
                der(SEQUENCE, ALTERNATIVE_NAME, der(OCTETS, names)));
    }

    private static byte[] time(Instant at) {
        String text = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").format(at.atOffset(ZoneOffset.UTC));
        return der(TIME, text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Tag, length, and all of the content. */
    private static byte[] der(int tag, byte[]... content) {
        ByteArrayOutputStream inside = new ByteArrayOutputStream();
        for (byte[] each : content) {
            inside.writeBytes(each);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        int length = inside.size();
        if (length < 0x80) {
            out.write(length);
        } else if (length < 0x100) {
            out.write(0x81);
            out.write(length);
        } else {
            out.write(0x82);
            out.write(length >> 8);
            out.write(length);
        }
        out.writeBytes(inside.toByteArray());
        return out.toByteArray();
    }
}
