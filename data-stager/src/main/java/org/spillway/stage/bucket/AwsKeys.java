package org.spillway.stage.bucket;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A profile of a user's {@code ~/.aws}.
 *
 * @param id empty for requests without a signature
 * @param token of temporary keys; empty for others
 * @param region empty when nobody says
 * @param endpoint of another provider than Amazon, as a URL; empty for Amazon
 */
public record AwsKeys(String id, String secret, String token, String region, String endpoint) {
    /** The profile that is meant when none is named. */
    public static final String USUAL = "default";

    /** Without secrets: this text may reach a log. */
    @Override
    public String toString() {
        return "AwsKeys[" + region + " " + endpoint + "]";
    }

    /**
     * @param credentials text of {@code ~/.aws/credentials}; empty for none
     * @param config text of {@code ~/.aws/config}; empty for none
     * @param profile empty for {@link #USUAL}, which need not be there
     * @throws IllegalArgumentException if there is no such profile, or no keys in it; without any of its values
     */
    public static AwsKeys of(String credentials, String config, String profile) {
        String name = profile.isEmpty() ? USUAL : profile;
        Map<String, Map<String, String>> secret = sections(credentials);
        Map<String, Map<String, String>> open = sections(config);
        Map<String, String> settings = open.getOrDefault(
                name.equals(USUAL) ? USUAL : "profile " + name, open.getOrDefault("profile " + name, Map.of()));
        Map<String, String> keys = secret.getOrDefault(name, Map.of());
        String id = keys.getOrDefault("aws_access_key_id", "");
        String key = keys.getOrDefault("aws_secret_access_key", "");
        if ((id.isEmpty() || key.isEmpty()) && !profile.isEmpty()) {
            throw new IllegalArgumentException("profile '" + name + "' has no aws_access_key_id and"
                    + " aws_secret_access_key in ~/.aws/credentials"
                    + (secret.isEmpty() ? "" : "; profiles there: " + String.join(", ", secret.keySet())));
        }
        String endpoint = settings.getOrDefault("endpoint_url", keys.getOrDefault("endpoint_url", ""));
        String region = settings.getOrDefault("region", keys.getOrDefault("region", ""));
        return new AwsKeys(key.isEmpty() ? "" : id, key, keys.getOrDefault("aws_session_token", ""), region, endpoint);
    }

    private static Map<String, Map<String, String>> sections(String text) {
        Map<String, Map<String, String>> all = new TreeMap<>();
        Map<String, String> section = new HashMap<>();
        for (String line : text.lines().toList()) {
            String clean = line.strip();
            if (clean.startsWith("[") && clean.endsWith("]")) {
                String name = clean.substring(1, clean.length() - 1).strip().replaceAll("\\s+", " ");
                section = all.computeIfAbsent(name, one -> new HashMap<>());
            } else if (!clean.startsWith("#") && !clean.startsWith(";") && clean.indexOf('=') > 0) {
                int equals = clean.indexOf('=');
                section.put(
                        clean.substring(0, equals).strip(),
                        clean.substring(equals + 1).strip());
            }
        }
        return all;
    }
}
