package org.spillway.head.rest;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;

/**
 * Who is at the other end of a UNIX socket. The JDK tells the kernel's answer as a principal with a name only, so the
 * number is looked up and then proved: the principal for that number must equal the one that the kernel named.
 */
final class PeerCredentials {
    private static final Logger LOG = LoggerFactory.getLogger(PeerCredentials.class);
    private static final int MOST_REMEMBERED = 1000;
    private static final long REMEMBER_NANOS = Duration.ofSeconds(30).toNanos();
    private static final int LOOKUP_SECONDS = 10;

    private final Ids ids;
    private final int headUid;
    private final Map<String, Remembered> remembered = new LinkedHashMap<>();
    private final Map<String, ReentrantLock> asking = new ConcurrentHashMap<>();

    PeerCredentials() throws IOException {
        this(PeerCredentials::id);
    }

    PeerCredentials(Ids ids) throws IOException {
        this.ids = ids;
        headUid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    /** The machine's name service. Another one is for tests. */
    interface Ids {
        /**
         * @param what {@code -u} or {@code -g}
         * @return the number; empty where the name is not known
         */
        String of(String what, String name) throws IOException;
    }

    /** @throws ApiException FORBIDDEN if the caller cannot be known for certain */
    Caller of(SocketChannel channel) {
        try {
            var peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
            return of(peer.user());
        } catch (IOException gone) {
            LOG.debug("a caller has gone", gone);
            throw unknown("the kernel does not say who is calling", null);
        }
    }

    Caller of(UserPrincipal user) {
        var name = user.getName();
        var known = remembered(user);
        if (known.isPresent()) {
            return known.get();
        }
        // A single thread looks a name up, however many ask for it at once.
        var one = asking.computeIfAbsent(name, none -> new ReentrantLock());
        one.lock();
        try {
            return remembered(user).orElseGet(() -> found(user));
        } finally {
            one.unlock();
            asking.remove(name, one);
        }
    }

    private Optional<Caller> remembered(UserPrincipal user) {
        synchronized (remembered) {
            return Optional.ofNullable(remembered.get(user.getName()))
                    .filter(known -> System.nanoTime() - known.atNanos < REMEMBER_NANOS && known.user.equals(user))
                    .map(Remembered::caller);
        }
    }

    private Caller found(UserPrincipal user) {
        var name = user.getName();
        var caller = lookUp(user);
        synchronized (remembered) {
            remembered.remove(name);
            if (remembered.size() >= MOST_REMEMBERED) {
                remembered.clear();
            }
            remembered.put(name, new Remembered(user, caller, System.nanoTime()));
        }
        return caller;
    }

    private Caller lookUp(UserPrincipal user) {
        var name = user.getName();
        try {
            // A uid without a name is shown as its digits.
            Optional<Integer> named = number(ids.of("-u", name));
            int uid = named.or(() -> number(name)).orElseThrow(() -> unknown("no uid for " + name, null));
            int gid = named.isEmpty()
                    ? Caller.NO_GID
                    : number(ids.of("-g", name)).orElseThrow(() -> unknown("no gid for " + name, null));
            var proof = FileSystems.getDefault()
                    .getUserPrincipalLookupService()
                    .lookupPrincipalByName(Integer.toString(uid));
            if (!proof.equals(user)) {
                throw unknown("the name service gives another uid for " + name + " than the kernel", null);
            }
            return new Caller(name, uid, gid, uid == 0 || uid == headUid);
        } catch (IOException failed) {
            throw unknown("the name service does not answer for " + name, failed);
        }
    }

    private static Optional<Integer> number(String text) {
        try {
            int number = Integer.parseInt(text);
            return number < 0 ? Optional.empty() : Optional.of(number);
        } catch (NumberFormatException notOne) {
            return Optional.empty();
        }
    }

    /** The output of {@code id}; empty when it fails. */
    private static String id(String what, String name) throws IOException {
        var process = new ProcessBuilder("id", what, "--", name)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!process.waitFor(LOOKUP_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("id did not answer within " + LOOKUP_SECONDS + " s");
            }
            var out = new String(process.getInputStream().readNBytes(64), StandardCharsets.UTF_8).strip();
            return process.exitValue() == 0 ? out : "";
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } finally {
            process.destroyForcibly();
        }
    }

    private static ApiException unknown(String message, @Nullable Exception cause) {
        var refusal = new ApiException(Code.FORBIDDEN, message, "ask the administrator to look at the name service");
        if (cause != null) {
            LOG.warn("{}", message, cause);
        }
        return refusal;
    }

    private record Remembered(UserPrincipal user, Caller caller, long atNanos) {}
}
