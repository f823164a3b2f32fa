package org.spillway.stage.container;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.tree.ImageName;

/**
 * A registry, as the OCI Distribution Specification has it, for one repository. What may pass is tried again, with growing
 * pauses or as long as the server says. The user's password goes to the registry and to the place that it names for tokens;
 * wherever a redirect leads, nothing of it goes along.
 */
final class Registry {
    /** Between two tries. */
    @FunctionalInterface
    interface Pause {
        void pause(Duration length) throws IOException;
    }

    private static final String KINDS = "application/vnd.oci.image.index.v1+json,"
            + " application/vnd.oci.image.manifest.v1+json,"
            + " application/vnd.docker.distribution.manifest.list.v2+json,"
            + " application/vnd.docker.distribution.manifest.v2+json";
    private static final int REDIRECTS_MOST = 5;
    private static final int TOKEN_MOST_BYTES = 1 << 20;
    static final Duration ANSWER = Duration.ofSeconds(30);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

    /**
     * @param tries at each request, at least one
     * @param trust in its certificates
     * @param answer so long its answer may take
     */
    record Patience(int tries, SSLContext trust, Duration answer, Pause pause) {}

    private final ImageName.Remote image;
    private final RegistryLogins logins;
    private final Patience patience;
    private final URI base;
    private @Nullable HttpClient client;
    /** Words for the registry itself that say who asks; empty for none yet. */
    private String authorization = "";

    Registry(ImageName.Remote image, RegistryLogins logins, Patience patience) {
        this.image = image;
        this.logins = logins;
        this.patience = patience;
        String host = image.registry().equals(ImageName.USUAL_REGISTRY) ? "registry-1.docker.io" : image.registry();
        this.base =
                URI.create((image.isLoopback() ? "http://" : "https://") + host + "/v2/" + image.repository() + "/");
    }

    /**
     * A manifest or an index, of at most that many bytes. Nothing of it is verified.
     *
     * @throws ImageRefused if it is not there, or not for this user
     */
    byte[] manifest(String reference, int mostBytes) throws IOException {
        try (InputStream body =
                get(base.resolve("manifests/" + reference), KINDS, 0).body()) {
            byte[] all = body.readNBytes(mostBytes + 1);
            if (all.length > mostBytes) {
                throw new ImageRefused(image.text() + ": its manifest has more than " + mostBytes + " bytes");
            }
            return all;
        }
    }

    /** A body that begins at a byte of it. */
    record From(long byteAt, InputStream body) {}

    /** A blob, from a byte on or from its beginning, as the server likes. Nothing of it is verified. */
    From blob(String digest, long from) throws IOException {
        HttpResponse<InputStream> reply = get(base.resolve("blobs/" + digest), "*/*", from);
        boolean goesOn = reply.statusCode() == 206
                && reply.headers()
                        .firstValue("content-range")
                        .filter(range -> range.startsWith("bytes " + from + "-"))
                        .isPresent();
        if (reply.statusCode() == 206 && !goesOn) {
            reply.body().close();
            throw new IOException(image.registry() + " gave another part of " + digest + " than was asked for");
        }
        return new From(goesOn ? from : 0, reply.body());
    }

    private HttpResponse<InputStream> get(URI uri, String accept, long from) throws IOException {
        boolean asked = false;
        for (int tried = 1; ; tried++) {
            String why;
            OptionalLong wait = OptionalLong.empty();
            try {
                HttpResponse<InputStream> reply = follow(uri, accept, from);
                int status = reply.statusCode();
                if (status == 200 || status == 206) {
                    return reply;
                }
                reply.body().close();
                if (status == 401 && !asked) {
                    asked = true;
                    tried--;
                    introduce(reply);
                    continue;
                }
                if (status == 416 && from > 0) {
                    return get(uri, accept, 0);
                }
                if (status != 408 && status != 429 && status < 500) {
                    throw refused(status);
                }
                why = image.registry() + " answered " + status;
                wait = reply.headers()
                        .firstValue("retry-after")
                        .map(Registry::seconds)
                        .orElse(OptionalLong.empty());
            } catch (ImageRefused lasting) {
                throw lasting;
            } catch (SSLHandshakeException untrusted) {
                throw new ImageRefused("the certificate of " + image.registry() + " is not trusted ("
                        + untrusted.getMessage() + "): staging.caFile of the head's configuration names more");
            } catch (IOException silent) {
                why = image.registry() + " does not answer (" + said(silent) + ")";
            }
            if (tried >= patience.tries()) {
                throw new IOException("the image " + image.text() + " cannot be fetched now: " + why);
            }
            Duration usual = Duration.ofSeconds(1L << Math.min(tried - 1, 6));
            Duration length = wait.isPresent() ? Duration.ofSeconds(wait.getAsLong()) : usual;
            patience.pause().pause(length.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : length);
        }
    }

    private static OptionalLong seconds(String text) {
        return text.matches("[0-9]{1,9}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    }

    private static String said(IOException silent) {
        return silent.getMessage() == null ? silent.getClass().getSimpleName() : silent.getMessage();
    }

    private ImageRefused refused(int status) {
        String with = authorization.isEmpty()
                ? "nobody is logged in there: 'podman login " + image.registry() + "', or the name is wrong"
                : "the login of this user will not do for it, or the name is wrong";
        return new ImageRefused("the image " + image.text() + " is refused by " + image.registry() + ": "
                + switch (status) {
                    case 401, 403 -> "not for this user (" + status + "): " + with;
                    case 404 -> "there is no such image (404)";
                    default -> "it answered " + status;
                });
    }

    /** Redirects, of which none takes the user's word to another place. */
    private HttpResponse<InputStream> follow(URI first, String accept, long from) throws IOException {
        URI uri = first;
        for (int redirects = 0; redirects <= REDIRECTS_MOST; redirects++) {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(uri).timeout(patience.answer()).header("Accept", accept);
            if (from > 0) {
                request.header("Range", "bytes=" + from + "-");
            }
            if (isSame(uri, base) && !authorization.isEmpty()) {
                request.header("Authorization", authorization);
            }
            HttpResponse<InputStream> reply = send(request.build());
            Optional<String> to = reply.headers().firstValue("location");
            if (reply.statusCode() / 100 != 3 || to.isEmpty()) {
                return reply;
            }
            reply.body().close();
            URI next;
            try {
                next = uri.resolve(to.get());
            } catch (IllegalArgumentException malformed) {
                throw new ImageRefused(image.registry() + " redirects to what is no URL");
            }
            boolean open = "http".equals(next.getScheme()) && "http".equals(uri.getScheme());
            if (next.getHost() == null || !("https".equals(next.getScheme()) || open)) {
                throw new ImageRefused(image.registry() + " redirects from https to something else");
            }
            uri = next;
        }
        throw new ImageRefused(image.registry() + " redirects more than " + REDIRECTS_MOST + " times");
    }

    private static boolean isSame(URI one, URI other) {
        return String.valueOf(one.getScheme()).equalsIgnoreCase(other.getScheme())
                && String.valueOf(one.getRawAuthority()).equalsIgnoreCase(other.getRawAuthority());
    }

    private HttpResponse<InputStream> send(HttpRequest request) throws IOException {
        HttpClient with = client;
        if (with == null) {
            with = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .connectTimeout(patience.answer())
                    .sslContext(patience.trust())
                    .build();
            client = with;
        }
        try {
            return with.send(request, BodyHandlers.ofInputStream());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** As the registry has asked for it. */
    private void introduce(HttpResponse<InputStream> reply) throws IOException {
        Challenge challenge =
                Challenge.of(reply.headers().allValues("www-authenticate")).orElseThrow(() -> refused(401));
        Optional<String> basic = logins.basic(image);
        if (challenge.isBasic()) {
            authorization = basic.orElseThrow(() -> refused(401));
            return;
        }
        authorization = "Bearer " + token(challenge, basic);
    }

    private String token(Challenge challenge, Optional<String> basic) throws IOException {
        URI realm;
        try {
            String service = challenge.parameter("service");
            String scope = challenge.parameter("scope").isEmpty()
                    ? "repository:" + image.repository() + ":pull"
                    : challenge.parameter("scope");
            String place = challenge.parameter("realm");
            realm = URI.create(place + (place.contains("?") ? "&" : "?")
                    + (service.isEmpty() ? "" : "service=" + encoded(service) + "&") + "scope=" + encoded(scope));
        } catch (IllegalArgumentException malformed) {
            throw new ImageRefused(image.registry() + " names no URL for tokens");
        }
        if (realm.getHost() == null || !("https".equals(realm.getScheme()) || image.isLoopback())) {
            throw new ImageRefused(image.registry() + " wants the password sent in the clear, to " + realm.getHost());
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(realm).timeout(patience.answer());
        basic.ifPresent(words -> request.header("Authorization", words));
        HttpResponse<InputStream> reply = send(request.build());
        try (InputStream body = reply.body()) {
            int status = reply.statusCode();
            if (status == 401 || status == 403 || status == 404 || status == 400) {
                authorization = basic.orElse("");
                throw refused(401);
            }
            if (status != 200) {
                throw new IOException("it gives no token, and answers " + status);
            }
            String text = new String(body.readNBytes(TOKEN_MOST_BYTES), StandardCharsets.UTF_8);
            Map<String, @Nullable Object> answer = Json.object(text);
            String token = Json.text(answer, "token");
            token = token.isEmpty() ? Json.text(answer, "access_token") : token;
            if (!token.matches("[A-Za-z0-9._~+/=-]+")) {
                throw new IOException("what it gives is no token");
            }
            return token;
        } catch (IllegalArgumentException broken) {
            throw new IOException("what it gives is no token", broken);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
