package org.spillway.cloud.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.cloud.SiteSettings;

/**
 * The options of a local site.
 *
 * @param endpoint {@code host:port} on this machine; empty when {@code state} says where to look
 * @param tokenFile file with the bearer token
 * @param state directory of a local-cloud that is started when it does not answer; null when {@code endpoint} is given
 * @param config configuration for a local-cloud that is started; empty for the built-in one
 * @param sshPort on which the head reaches instances; 0 for the one that the local-cloud tells
 */
record LocalSettings(
        String endpoint,
        Path tokenFile,
        @org.jspecify.annotations.Nullable Path state,
        String config,
        Duration timeout,
        Duration consistencyWindow,
        int sshPort) {
    private static final Set<String> KEYS =
            Set.of("endpoint", "tokenFile", "state", "config", "timeoutSeconds", "consistencySeconds", "sshPort");
    private static final int MAX_SECONDS = 3600;
    private static final int MAX_PORT = 65_535;
    /** A local-cloud speaks http only. */
    private static final String HERE = "(127(\\.[0-9]{1,3}){3}|localhost|\\[::1]):[0-9]{1,5}";

    static LocalSettings from(SiteSettings settings) {
        Map<String, String> options = settings.options();
        for (String key : new TreeSet<>(options.keySet())) {
            if (!KEYS.contains(key)) {
                throw new SiteSettings.Invalid(
                        key, "unknown; allowed for driver local: " + String.join(", ", new TreeSet<>(KEYS)));
            }
        }
        Duration timeout = seconds(options, "timeoutSeconds", 1, 30);
        Duration window = seconds(options, "consistencySeconds", 0, 5);
        String endpoint = options.getOrDefault("endpoint", "");
        String config = options.getOrDefault("config", "");
        int sshPort = port(options);
        if (!endpoint.isEmpty()) {
            return remote(settings, endpoint, timeout, window, sshPort);
        }
        String state = options.getOrDefault("state", "");
        if (state.isEmpty()) {
            throw new SiteSettings.Invalid("state", "missing; give either state, or endpoint and tokenFile");
        }
        if (options.containsKey("tokenFile")) {
            throw new SiteSettings.Invalid("tokenFile", "goes with endpoint; with state it is found there");
        }
        Path directory =
                settings.stateDirectory().resolve(state).toAbsolutePath().normalize();
        return new LocalSettings("", directory.resolve("token"), directory, config, timeout, window, sshPort);
    }

    private static LocalSettings remote(
            SiteSettings settings, String endpoint, Duration timeout, Duration window, int sshPort) {
        Map<String, String> options = settings.options();
        if (!endpoint.matches(HERE)) {
            throw new SiteSettings.Invalid(
                    "endpoint",
                    "found '" + endpoint + "'; expected HOST:PORT with 127.0.0.1, localhost or [::1]: the token would"
                            + " cross a network in the clear");
        }
        for (String other : new String[] {"state", "config"}) {
            if (options.containsKey(other)) {
                throw new SiteSettings.Invalid(other, "does not go with endpoint; remove one of them");
            }
        }
        String tokenFile = options.getOrDefault("tokenFile", "");
        if (tokenFile.isEmpty()) {
            throw new SiteSettings.Invalid("tokenFile", "missing; endpoint needs the path of the token's file");
        }
        return new LocalSettings(
                endpoint, settings.stateDirectory().resolve(tokenFile), null, "", timeout, window, sshPort);
    }

    /** Something that stands before the instances, such as a gate of a slow line, has a port of its own. */
    private static int port(Map<String, String> options) {
        String found = options.get("sshPort");
        if (found == null) {
            return 0;
        }
        if (!found.matches("[1-9][0-9]{0,4}") || Integer.parseInt(found) > MAX_PORT) {
            throw new SiteSettings.Invalid("sshPort", "found '" + found + "'; allowed: 1 to " + MAX_PORT);
        }
        return Integer.parseInt(found);
    }

    private static Duration seconds(Map<String, String> options, String key, int least, int otherwise) {
        String found = options.getOrDefault(key, Integer.toString(otherwise));
        if (!found.matches("[0-9]{1,4}") || Integer.parseInt(found) < least || Integer.parseInt(found) > MAX_SECONDS) {
            throw new SiteSettings.Invalid(
                    key, "found '" + found + "'; allowed: whole seconds, " + least + " to " + MAX_SECONDS);
        }
        return Duration.ofSeconds(Integer.parseInt(found));
    }
}
