package org.spillway.cloud.delegated;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.cloud.SiteSettings;

/**
 * The options of a site that is bought through a parent.
 *
 * @param endpoint {@code https://HOST:PORT} of the parent's broker
 * @param tokenFile file of mode 600 or 400 with the bearer token
 * @param certificateFile the child's certificate (PEM), which the token is bound to
 * @param keyFile its private key (PKCS#8, PEM), of mode 600 or 400
 * @param caFile certificate (PEM) of the parent's authority
 * @param timeout for one call
 */
record DelegatedSettings(
        URI endpoint, Path tokenFile, Path certificateFile, Path keyFile, Path caFile, Duration timeout) {
    private static final Set<String> KEYS =
            Set.of("endpoint", "tokenFile", "certificateFile", "keyFile", "caFile", "timeoutSeconds");
    private static final Set<PosixFilePermission> OWNER =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    private static final String ENDPOINT = "https://([A-Za-z0-9.-]{1,253}|\\[[0-9a-fA-F:.]{2,45}]):[0-9]{1,5}/?";
    private static final int MAX_SECONDS = 3600;
    /** The parent asks its provider first, whose own limit is usually 30 s. */
    private static final String USUAL_SECONDS = "60";

    static DelegatedSettings from(SiteSettings settings) {
        Map<String, String> options = settings.options();
        for (String key : new TreeSet<>(options.keySet())) {
            if (!KEYS.contains(key)) {
                throw new SiteSettings.Invalid(
                        key, "unknown; allowed for driver delegated: " + String.join(", ", new TreeSet<>(KEYS)));
            }
        }
        String endpoint = options.getOrDefault("endpoint", "");
        if (!endpoint.matches(ENDPOINT)) {
            throw new SiteSettings.Invalid(
                    "endpoint", "found '" + endpoint + "'; expected https://HOST:PORT of the parent's broker");
        }
        return new DelegatedSettings(
                URI.create(endpoint.endsWith("/") ? endpoint.substring(0, endpoint.length() - 1) : endpoint),
                secret(settings, "tokenFile"),
                file(settings, "certificateFile"),
                secret(settings, "keyFile"),
                file(settings, "caFile"),
                timeout(options));
    }

    private static Path file(SiteSettings settings, String key) {
        String found = settings.options().getOrDefault(key, "");
        if (found.isEmpty()) {
            throw new SiteSettings.Invalid(key, "missing; the path of a file that the parent has written");
        }
        return settings.stateDirectory().resolve(found);
    }

    /** A secret that is not there yet shows itself in the first call. */
    private static Path secret(SiteSettings settings, String key) {
        Path file = file(settings, key);
        try {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
            if (!OWNER.containsAll(mode)) {
                throw new SiteSettings.Invalid(
                        key,
                        file + " is " + PosixFilePermissions.toString(mode)
                                + "; a secret's file is of mode 600 or 400");
            }
        } catch (NoSuchFileException absent) {
            return file;
        } catch (IOException unreadable) {
            throw new SiteSettings.Invalid(key, file + " cannot be read; expected a file of mode 600 or 400");
        }
        return file;
    }

    private static Duration timeout(Map<String, String> options) {
        String found = options.getOrDefault("timeoutSeconds", USUAL_SECONDS);
        if (!found.matches("[0-9]{1,4}") || Integer.parseInt(found) < 1 || Integer.parseInt(found) > MAX_SECONDS) {
            throw new SiteSettings.Invalid(
                    "timeoutSeconds", "found '" + found + "'; allowed: whole seconds, 1 to " + MAX_SECONDS);
        }
        return Duration.ofSeconds(Integer.parseInt(found));
    }
}
