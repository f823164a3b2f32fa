package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.openstack4j.core.transport.HttpMethod;
import org.openstack4j.core.transport.HttpRequest;
import org.openstack4j.core.transport.ObjectMapperSingleton;
import org.openstack4j.openstack.identity.v3.domain.KeystoneToken;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * Holds the token. OpenStack4j ties a session to the thread that logged in; here each call, of whatever thread, takes
 * the one that is held, and a new one is fetched ahead of its end. The request is written here: OpenStack4j's own login
 * (3.12) drops Keystone's clock and its words when it refuses, which the doctor shows.
 */
final class Keystone {
    /** A call that begins with a token may last as long as this. */
    private static final Duration AHEAD = Duration.ofMinutes(5);

    private static final Set<PosixFilePermission> OWNER =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    private final OpenStackSettings settings;
    private final Wire wire;
    private final InstantSource clock;
    private final ReentrantLock login = new ReentrantLock();
    private volatile @Nullable Session held;

    Keystone(OpenStackSettings settings, Wire wire, InstantSource clock) {
        this.settings = settings;
        this.wire = wire;
        this.clock = clock;
    }

    /**
     * @param grant Keystone's answer with the token in it
     * @param renewAt by this machine's clock
     * @param aheadOfUs how far Keystone's clock is before ours; the call's own time is in it
     */
    record Session(
            KeystoneToken grant,
            Instant renewAt,
            Duration aheadOfUs,
            String projectId,
            String userId,
            Catalogue catalogue) {
        String token() {
            return grant.getId();
        }

        @Override
        public String toString() {
            return "session of user " + userId + " in project " + projectId;
        }
    }

    /** The login's result: a session, or why there is none. */
    sealed interface Login {
        record In(Session session) implements Login {}

        /** @param reason why Keystone said no; null if it was not reached, or could not be understood */
        record Out(@Nullable Reason reason, String message) implements Login {}
    }

    Session session() throws CloudException {
        return switch (login()) {
            case Login.In in -> in.session();
            case Login.Out out ->
                throw new CloudException(out.reason() == null ? Reason.THROTTLED : out.reason(), out.message());
        };
    }

    Login login() {
        Session now = held;
        if (now != null && clock.instant().isBefore(now.renewAt())) {
            return new Login.In(now);
        }
        login.lock();
        try {
            now = held;
            if (now != null && clock.instant().isBefore(now.renewAt())) {
                return new Login.In(now);
            }
            Login result = ask();
            held = result instanceof Login.In in ? in.session() : null;
            return result;
        } finally {
            login.unlock();
        }
    }

    /** Asks anew, whatever is held: what is told is as of now. */
    Login loginAnew() {
        login.lock();
        try {
            Login result = ask();
            held = result instanceof Login.In in ? in.session() : null;
            return result;
        } finally {
            login.unlock();
        }
    }

    /** The cloud no longer takes it. */
    void forget(Session old) {
        login.lock();
        try {
            Session now = held;
            if (now != null && now.token().equals(old.token())) {
                held = null;
            }
        } finally {
            login.unlock();
        }
    }

    private Login ask() {
        String body;
        try {
            body = body(settings.login());
        } catch (IOException unreadable) {
            return new Login.Out(Reason.CREDENTIALS, String.valueOf(unreadable.getMessage()));
        }
        HttpRequest<KeystoneToken> request = HttpRequest.builder(KeystoneToken.class)
                .endpoint(settings.endpoint())
                .path("/auth/tokens")
                .method(HttpMethod.POST)
                .header("Accept", "application/json")
                .json(body)
                .build();
        Instant begin = clock.instant();
        return switch (wire.send(request)) {
            case Wire.Reply.Unsent unsent -> new Login.Out(null, "Keystone: " + unsent.message());
            case Wire.Reply.Unclear unclear -> new Login.Out(null, "Keystone: " + unclear.message());
            case Wire.Reply.Answer answer when answer.status() == 201 -> read(answer, begin);
            case Wire.Reply.Answer answer -> {
                String message = "Keystone: " + Refusals.message(answer.status(), answer.body());
                boolean refused = answer.status() >= 400 && answer.status() < 500;
                yield new Login.Out(refused ? Refusals.of(answer.status(), message) : null, message);
            }
        };
    }

    private Login read(Wire.Reply.Answer answer, Instant begin) {
        try {
            KeystoneToken token = ObjectMapperSingleton.getContext(KeystoneToken.class)
                    .readerFor(KeystoneToken.class)
                    .readValue(answer.body());
            String id = answer.headers().getOrDefault("x-subject-token", "");
            Date expires = token.getExpires();
            if (id.isEmpty() || expires == null) {
                return new Login.Out(
                        null, "Keystone's answer has no token: is " + settings.endpoint() + " a Keystone v3?");
            }
            token.setId(id);
            if (token.getProject() == null) {
                return new Login.Out(Reason.INVALID, "Keystone's token is of no project: set project");
            }
            Date issued = token.getIssuedAt();
            Duration skew = issued == null ? Duration.ZERO : Duration.between(begin, issued.toInstant());
            Instant end = expires.toInstant().minus(skew).minus(AHEAD);
            // A cloud whose tokens live shorter than that is asked for each call.
            Instant renewAt = end.isAfter(begin) ? end : begin.plus(Duration.ofSeconds(1));
            String userId = token.getUser() == null ? "" : token.getUser().getId();
            return new Login.In(new Session(
                    token, renewAt, skew, token.getProject().getId(), userId, Catalogue.of(token, settings)));
        } catch (IOException | RuntimeException unreadable) {
            return new Login.Out(
                    null, "Keystone's answer cannot be read: is " + settings.endpoint() + " a Keystone v3?");
        }
    }

    private static String body(OpenStackSettings.Login login) throws IOException {
        String secret = secret(login.secret());
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ObjectNode auth = root.putObject("auth");
        ObjectNode identity = auth.putObject("identity");
        switch (login) {
            case OpenStackSettings.Login.Password password -> {
                identity.putArray("methods").add("password");
                ObjectNode user = identity.putObject("password").putObject("user");
                user.put("password", secret);
                put(user, password.user(), password.userDomain());
                put(auth.putObject("scope").putObject("project"), password.project(), password.projectDomain());
            }
            case OpenStackSettings.Login.ApplicationCredential credential -> {
                identity.putArray("methods").add("application_credential");
                identity.putObject("application_credential")
                        .put("id", credential.id())
                        .put("secret", secret);
            }
        }
        return root.toString();
    }

    /** A user or project by its id needs no domain: a name is only one's own in it. */
    private static void put(ObjectNode of, OpenStackSettings.Named named, OpenStackSettings.Named domain) {
        of.put(named.key(), named.value());
        if (named.key().equals("name")) {
            of.putObject("domain").put(domain.key(), domain.value());
        }
    }

    private static String secret(OpenStackSettings.Secret place) throws IOException {
        Path file = place.file();
        Set<PosixFilePermission> mode;
        String text;
        try {
            mode = Files.getPosixFilePermissions(file);
            text = place.keys().isEmpty()
                    ? Files.readString(file).strip()
                    : CloudsFile.value(file, place.keys()).orElse("");
        } catch (IOException unreadable) {
            throw new IOException(
                    file + " cannot be read: " + unreadable.getClass().getSimpleName(), unreadable);
        }
        if (!OWNER.containsAll(mode)) {
            throw new IOException(
                    file + " is " + PosixFilePermissions.toString(mode) + "; a secret's file is of mode 600 or 400");
        }
        if (text.isEmpty()) {
            throw new IOException(
                    place.keys().isEmpty() ? file + " is empty" : file + " has no " + String.join(".", place.keys()));
        }
        return text;
    }
}
