package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.spillway.localcloud.FrontRequest;
import org.spillway.localcloud.StateDirectory;

/**
 * Checks that a request was signed with one of the front's two keys, by AWS Signature Version 4. The keys stand in a file
 * in the form of the AWS tools: profile {@code default} may do everything, profile {@code reader} only look.
 */
final class SignatureV4 {
    private static final Duration MAX_SKEW = Duration.ofMinutes(5);
    private static final Pattern HEADER =
            Pattern.compile("AWS4-HMAC-SHA256 Credential=([^/]+)/([0-9]{8})/([^/]+)/([^/]+)/"
                    + "aws4_request, *SignedHeaders=([^,]+), *Signature=([0-9a-f]{64})");
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private final Map<String, String> secrets = new LinkedHashMap<>();
    private final String reader;

    private SignatureV4(Map<String, String> secrets) {
        this.secrets.putAll(secrets);
        this.reader = secrets.keySet().stream().skip(1).findFirst().orElse("");
    }

    /** Who called. */
    record Caller(String accessKey, boolean mayChange, String region, String service) {}

    /** The keys of {@code file}, made when it is missing. */
    static SignatureV4 open(Path file) throws IOException {
        if (!Files.exists(file)) {
            StateDirectory.write(file, profile("default") + "\n" + profile("reader"));
        }
        Map<String, String> secrets = new LinkedHashMap<>();
        String key = "";
        for (String line : Files.readAllLines(file)) {
            String value = line.substring(line.indexOf('=') + 1).strip();
            if (line.startsWith("aws_access_key_id")) {
                key = value;
            } else if (line.startsWith("aws_secret_access_key")) {
                secrets.put(key, value);
            }
        }
        if (secrets.size() != 2) {
            throw new IOException(file + " has not the two profiles that it was made with");
        }
        return new SignatureV4(secrets);
    }

    private static String profile(String name) {
        byte[] random = new byte[30];
        new SecureRandom().nextBytes(random);
        String hex = HexFormat.of().formatHex(random).toUpperCase(Locale.ROOT);
        return "[" + name + "]\naws_access_key_id = AKIA" + hex.substring(0, 16) + "\naws_secret_access_key = "
                + hex.substring(20) + "\n";
    }

    /** @throws Ec2Error if it is not known who called, or the caller's clock is not ours */
    Caller caller(FrontRequest request, Instant now) throws Ec2Error {
        Matcher header = HEADER.matcher(request.header("authorization"));
        if (!header.matches()) {
            throw new Ec2Error(400, "MissingAuthenticationToken", "the request bears no signature of version 4");
        }
        String accessKey = header.group(1);
        String secret = secrets.get(accessKey);
        if (secret == null) {
            throw denied();
        }
        checkDate(request.header("x-amz-date"), now);
        byte[] expected = sign(request, header, secret);
        if (!MessageDigest.isEqual(expected, HexFormat.of().parseHex(header.group(6)))) {
            throw denied();
        }
        return new Caller(accessKey, !accessKey.equals(reader), header.group(3), header.group(4));
    }

    private static Ec2Error denied() {
        return new Ec2Error(401, "AuthFailure", "AWS was not able to validate the provided access credentials");
    }

    private static void checkDate(String date, Instant now) throws Ec2Error {
        try {
            Instant signed = Instant.from(DATE.parse(date));
            if (Duration.between(signed, now).abs().compareTo(MAX_SKEW) > 0) {
                throw new Ec2Error(
                        400, "RequestExpired", "Request has expired: signed at " + signed + ", it is " + now);
            }
        } catch (DateTimeException bad) {
            throw new Ec2Error(400, "IncompleteSignature", "X-Amz-Date is missing or no date");
        }
    }

    private static byte[] sign(FrontRequest request, Matcher header, String secret) {
        StringBuilder canonical = new StringBuilder(request.method())
                .append('\n')
                .append(request.path())
                .append('\n')
                .append(request.query())
                .append('\n');
        for (String name : header.group(5).split(";", -1)) {
            canonical
                    .append(name)
                    .append(':')
                    .append(request.header(name).strip().replaceAll(" +", " "))
                    .append('\n');
        }
        canonical.append('\n').append(header.group(5)).append('\n').append(Digest.hex(request.body()));
        String scope = header.group(2) + "/" + header.group(3) + "/" + header.group(4) + "/aws4_request";
        String text = "AWS4-HMAC-SHA256\n" + request.header("x-amz-date") + "\n" + scope + "\n"
                + Digest.hex(canonical.toString());
        byte[] key = ("AWS4" + secret).getBytes(StandardCharsets.UTF_8);
        for (String part : scope.split("/", -1)) {
            key = hmac(key, part);
        }
        return hmac(key, text);
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
