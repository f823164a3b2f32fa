package org.spillway.head.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.rest.Caller;

/**
 * The secret of the page's link: 32 random bytes, made at the head's first start and kept in {@code web.token}. A
 * browser shows it once and gets a cookie for it, which is worth something only for this port and this run of the head.
 */
final class WebToken {
    private static final Logger LOG = LoggerFactory.getLogger(WebToken.class);
    private static final String TOKEN_FILE = "web.token";
    private static final String LINK_FILE = "web.link";
    private static final int BYTES = 32;
    private static final int MOST_FILE_BYTES = 1024;
    private static final int MOST_SHOWN = 2000;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final Path state;
    private final String token;
    /** Of this run: a cookie that a stranger caught on our port while no head was there is worth nothing. */
    private final byte[] run = random();

    private WebToken(Path state, String token) {
        this.state = state;
        this.token = token;
    }

    /**
     * @param state a directory of the head's own
     * @throws IOException if the file can be neither read nor made
     */
    static WebToken open(Path state) throws IOException {
        var file = state.resolve(TOKEN_FILE);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            if (isPrivate(file)) {
                var kept = Files.readString(file).strip();
                if (kept.matches("[A-Za-z0-9_-]{43}")) {
                    return new WebToken(state, kept);
                }
            }
            LOG.warn("{} was open to others or is no token; links to the page that were given out end now", file);
        }
        var token = encode(random());
        writePrivate(file, token + "\n");
        return new WebToken(state, token);
    }

    /** Whether somebody who asks to come in shows the token. Takes as long for a wrong one as for the right one. */
    boolean isToken(String shown) {
        return equal(token, shown);
    }

    boolean isCookie(String shown, int port) {
        return equal(cookie(port), shown);
    }

    /** The cookie that a browser keeps instead of the token: the token cannot be had from it. */
    String cookie(int port) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
            mac.update(run);
            return encode(mac.doFinal(("port " + port).getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has HmacSHA256", impossible);
        }
    }

    /** Somebody who is no administrator. @param until their link and their cookie are worth nothing from then on */
    record Visitor(Caller caller, Instant until) {
        boolean isOver(Instant now) {
            return !now.isBefore(until);
        }
    }

    /** A visitor's token: who they are, as the kernel said, until when, and this head's word for both. */
    String visitorToken(Visitor visitor) {
        String who = who(visitor);
        return "u." + who + "." + encode(mac("link " + who, false));
    }

    /** Of one who showed such a token, its time over or not; empty for anything else. */
    Optional<Visitor> visitor(String shown) {
        return signed(shown, who -> mac("link " + who, false));
    }

    /** The cookie that a visitor's browser keeps instead, for as long. */
    String visitorCookie(Visitor visitor, int port) {
        String who = who(visitor);
        return "u." + who + "." + encode(mac("visitor " + port + " " + who, true));
    }

    Optional<Visitor> visitorOf(String cookie, int port) {
        return signed(cookie, who -> mac("visitor " + port + " " + who, true));
    }

    /**
     * The word that a form of a page has in it which was sent to the bearer of this cookie, and no other page knows.
     */
    String form(String cookie) {
        return encode(mac("form " + cookie, true));
    }

    boolean isForm(String shown, String cookie) {
        return equal(form(cookie), shown);
    }

    private static String who(Visitor visitor) {
        Caller caller = visitor.caller();
        String text = visitor.until().getEpochSecond() + ":" + caller.uid() + ":" + caller.gid() + ":" + caller.user();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<Visitor> signed(String shown, Function<String, byte[]> mac) {
        String[] parts = shown.split("\\.", -1);
        if (parts.length != 3 || !parts[0].equals("u") || shown.length() > MOST_SHOWN) {
            return Optional.empty();
        }
        if (!equal(encode(mac.apply(parts[1])), parts[2])) {
            return Optional.empty();
        }
        String[] who = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8).split(":", 4);
        return Optional.of(new Visitor(
                new Caller(who[3], Integer.parseInt(who[1]), Integer.parseInt(who[2]), false),
                Instant.ofEpochSecond(Long.parseLong(who[0]))));
    }

    private byte[] mac(String text, boolean ofThisRun) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
            if (ofThisRun) {
                mac.update(run);
            }
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has HmacSHA256", impossible);
        }
    }

    /** The page's address with a visitor's token in it. */
    String link(String authority, Visitor visitor) {
        return "http://" + authority + "/?token=" + visitorToken(visitor);
    }

    /** The page's address with the token in it. */
    String link(String authority) {
        return "http://" + authority + "/?token=" + token;
    }

    /** Leaves the link in {@code web.link} for who may read this head's files. */
    void writeLink(String authority) throws IOException {
        writePrivate(state.resolve(LINK_FILE), link(authority) + "\n");
    }

    /** The link leads nowhere any more. */
    void removeLink() throws IOException {
        Files.deleteIfExists(state.resolve(LINK_FILE));
    }

    private static boolean isPrivate(Path file) throws IOException {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                && Files.size(file) <= MOST_FILE_BYTES
                && OWNER_ONLY.containsAll(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
    }

    private static void writePrivate(Path file, String text) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        var unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        Files.deleteIfExists(unfinished);
        try (var channel = Files.newByteChannel(
                unfinished,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
            var bytes = StandardCharsets.US_ASCII.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Over digests, so that not even the length is told. */
    private static boolean equal(String expected, String shown) {
        return MessageDigest.isEqual(sha256(expected), sha256(shown));
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    private static byte[] random() {
        var bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    private static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
