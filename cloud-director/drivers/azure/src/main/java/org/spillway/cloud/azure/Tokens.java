package org.spillway.cloud.azure;

import com.azure.core.credential.AccessToken;
import com.azure.core.credential.TokenCredential;
import com.azure.core.credential.TokenRequestContext;
import com.azure.core.http.HttpClient;
import com.azure.core.http.policy.FixedDelayOptions;
import com.azure.core.http.policy.RetryOptions;
import com.azure.identity.ClientCertificateCredentialBuilder;
import com.azure.identity.ClientSecretCredentialBuilder;
import com.azure.identity.ManagedIdentityCredentialBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;
import reactor.core.publisher.Mono;

/** Bearer tokens, asked for ahead of a call: so that a failed login is never taken for a call that was sent. */
final class Tokens implements TokenCredential {
    private static final Duration SPARE = Duration.ofMinutes(5);
    private final AzureSettings settings;
    private final HttpClient http;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable AccessToken current;

    Tokens(AzureSettings settings, HttpClient http) {
        this.settings = settings;
        this.http = http;
    }

    /** @throws CloudException if there is none: nothing was sent to the resource manager */
    AccessToken ensure() throws CloudException {
        lock.lock();
        try {
            AccessToken held = current;
            if (held != null
                    && held.getExpiresAt()
                            .isAfter(
                                    OffsetDateTime.now(java.time.ZoneOffset.UTC).plus(SPARE))) {
                return held;
            }
            AccessToken fresh = login().getTokenSync(new TokenRequestContext().addScopes(scope()));
            current = fresh;
            return fresh;
        } catch (RuntimeException failed) {
            Optional<String> held = CourteousHttp.held(failed);
            if (held.isPresent()) {
                throw new CloudException(Reason.THROTTLED, "login " + held.get());
            }
            if (Arm.isUnreached(failed)) {
                throw new CloudException(Reason.THROTTLED, "login at " + settings.authority() + " not reached");
            }
            throw new CloudException(Reason.CREDENTIALS, "login refused: " + Arm.firstLine(failed));
        } finally {
            lock.unlock();
        }
    }

    String scope() {
        return settings.audience() + "/.default";
    }

    /** After a token was not accepted. */
    void forget() {
        lock.lock();
        try {
            current = null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Mono<AccessToken> getToken(TokenRequestContext request) {
        return Mono.fromCallable(this::ensure);
    }

    @Override
    public AccessToken getTokenSync(TokenRequestContext request) {
        try {
            return ensure();
        } catch (CloudException failed) {
            throw new IllegalStateException(failed.getMessage(), failed);
        }
    }

    private TokenCredential login() throws CloudException {
        RetryOptions never = new RetryOptions(new FixedDelayOptions(0, Duration.ofMillis(1)));
        return switch (settings.login()) {
            case Login.ClientSecret login ->
                new ClientSecretCredentialBuilder()
                        .httpClient(http)
                        .retryOptions(never)
                        .addPolicy(Arm::withoutLength)
                        .authorityHost(settings.authority().toString())
                        .disableInstanceDiscovery()
                        .tenantId(login.tenant())
                        .clientId(login.clientId())
                        .clientSecret(secret(login.file()))
                        .build();
            case Login.Certificate login ->
                new ClientCertificateCredentialBuilder()
                        .httpClient(http)
                        .retryOptions(never)
                        .addPolicy(Arm::withoutLength)
                        .authorityHost(settings.authority().toString())
                        .disableInstanceDiscovery()
                        .tenantId(login.tenant())
                        .clientId(login.clientId())
                        .pemCertificate(
                                new ByteArrayInputStream(secret(login.file()).getBytes(StandardCharsets.UTF_8)))
                        .build();
            case Login.ManagedIdentity login -> {
                ManagedIdentityCredentialBuilder builder =
                        new ManagedIdentityCredentialBuilder().httpClient(http).retryOptions(never);
                yield (login.clientId().isEmpty() ? builder : builder.clientId(login.clientId())).build();
            }
        };
    }

    /** Read at each login, so that a new secret needs no restart. */
    static String secret(Path file) throws CloudException {
        try {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
            if (!Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE)
                    .containsAll(mode)) {
                throw new CloudException(Reason.CREDENTIALS, file + " is open to others; its mode must be 600 or 400");
            }
            return Files.readString(file).strip();
        } catch (IOException unreadable) {
            throw new CloudException(Reason.CREDENTIALS, file + " cannot be read: " + unreadable.getMessage());
        }
    }
}
