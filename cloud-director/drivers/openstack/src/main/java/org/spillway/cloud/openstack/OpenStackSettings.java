package org.spillway.cloud.openstack;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.SiteSettings;

/**
 * The options of an OpenStack site. Empty text means "not given".
 *
 * @param endpoint Keystone's, ending in {@code /v3}
 * @param login who asks
 * @param caFile certificates in PEM that sign the endpoints'; null for the machine's own
 * @param facing which of the catalogue's endpoints: public, internal or admin
 * @param zones to use; empty for all that the cloud says are available
 * @param flavors patterns of names with {@code *}; empty for all
 * @param aliases what a PCI alias, a trait or {@code VGPU} stands for
 * @param diskGiB size of a boot volume made from the image and deleted with the server; 0 for the flavor's own disk
 * @param schedule how long a launch follows its servers until they have a host
 * @param requests a second that the site allows; no limit if not given
 */
record OpenStackSettings(
        String endpoint,
        String region,
        Login login,
        @Nullable Path caFile,
        String facing,
        String image,
        String network,
        String securityGroup,
        String keyName,
        @Nullable Path publicKeyFile,
        Set<String> zones,
        List<String> flavors,
        Map<String, Device> aliases,
        String externalNetwork,
        String floatingNetwork,
        String subnetCidr,
        String adminCidr,
        int diskGiB,
        int sshPort,
        Duration timeout,
        Duration consistencyWindow,
        Duration schedule,
        RateLimits requests) {
    private static final int MAX_SECONDS = 3600;
    /** Nobody publishes a rate; listings are the dearest calls that a head makes often, and other users make them, too. */
    static final RateLimits UNPUBLISHED = new RateLimits(
            RateLimits.NONE.instances(),
            RateLimits.NONE.changes(),
            RateLimits.NONE.reads(),
            new RateLimits.Bucket(10, 10));

    private static final Set<String> KEYS = Set.of(
            "endpoint",
            "region",
            "project",
            "projectDomain",
            "user",
            "userDomain",
            "passwordFile",
            "applicationCredentialId",
            "applicationCredentialSecretFile",
            "caFile",
            "interface",
            "image",
            "network",
            "securityGroup",
            "keyName",
            "publicKeyFile",
            "zones",
            "flavors",
            "gpuAliases",
            "externalNetwork",
            "floatingNetwork",
            "subnetCidr",
            "adminCidr",
            "diskGiB",
            "sshPort",
            "timeoutSeconds",
            "consistencySeconds",
            "scheduleSeconds",
            "requestsPerSecond");

    /** Who asks; the secret stays in its file until it is sent. */
    sealed interface Login {
        Path secretFile();

        record Password(String user, String userDomain, String project, String projectDomain, Path secretFile)
                implements Login {}

        record ApplicationCredential(String id, Path secretFile) implements Login {}
    }

    /**
     * The meaning of a flavor's word for a device.
     *
     * @param model lower case; empty if it is no GPU
     * @param memoryBytes of one; 0 if not known
     * @param fabric such as {@code infiniband}; empty for none
     */
    record Device(String model, long memoryBytes, String fabric) {}

    static OpenStackSettings from(SiteSettings site) {
        Options options = new Options(site);
        options.onlyKnown(KEYS);
        String endpoint = endpoint(options.required("endpoint", "Keystone's address, such as https://HOST:5000/v3"));
        String facing = options.text("interface", "public");
        if (!Set.of("public", "internal", "admin").contains(facing)) {
            throw new SiteSettings.Invalid("interface", "found '" + facing + "'; allowed: public, internal, admin");
        }
        if (!options.text("keyName", "").isEmpty()
                && !options.text("publicKeyFile", "").isEmpty()) {
            throw new SiteSettings.Invalid(
                    "publicKeyFile", "goes without keyName: a key of its own is made from it by `site create`");
        }
        int perSecond = options.whole("requestsPerSecond", 1, 10_000, 0);
        return new OpenStackSettings(
                endpoint,
                options.text("region", ""),
                login(options),
                options.file("caFile"),
                facing,
                options.text("image", ""),
                options.text("network", ""),
                options.text("securityGroup", ""),
                options.text("keyName", ""),
                options.file("publicKeyFile"),
                Set.copyOf(options.list("zones")),
                options.list("flavors"),
                aliases(options.list("gpuAliases")),
                options.text("externalNetwork", ""),
                options.text("floatingNetwork", ""),
                options.cidr("subnetCidr", "10.213.0.0/16"),
                options.cidr("adminCidr", ""),
                options.whole("diskGiB", 1, 65_536, 0),
                options.whole("sshPort", 1, 65_535, 22),
                Duration.ofSeconds(options.whole("timeoutSeconds", 1, MAX_SECONDS, 30)),
                Duration.ofSeconds(options.whole("consistencySeconds", 0, MAX_SECONDS, 10)),
                Duration.ofSeconds(options.whole("scheduleSeconds", 1, MAX_SECONDS, 60)),
                perSecond == 0 ? UNPUBLISHED : each(new RateLimits.Bucket(perSecond, perSecond)));
    }

    private static RateLimits each(RateLimits.Bucket bucket) {
        return new RateLimits(RateLimits.NONE.instances(), bucket, bucket);
    }

    private static String endpoint(String found) {
        String text = found.endsWith("/") ? found.substring(0, found.length() - 1) : found;
        try {
            URI uri = URI.create(text);
            if (isSafe(uri) && uri.getHost() != null && uri.getUserInfo() == null && uri.getQuery() == null) {
                return text.endsWith("/v3") ? text : text + "/v3";
            }
        } catch (IllegalArgumentException noUri) {
            // Told below.
        }
        throw new SiteSettings.Invalid(
                "endpoint",
                "expected Keystone's address without user and query, such as https://HOST:5000/v3; http:// only on this"
                        + " machine's own addresses");
    }

    /** Passwords, tokens and user data do not cross a network in the clear. */
    static boolean isSafe(URI uri) {
        String host = uri.getHost();
        boolean own = host != null
                && (host.equals("localhost") || host.matches("127(\\.[0-9]{1,3}){3}") || host.equals("[::1]"));
        return "https".equals(uri.getScheme()) || ("http".equals(uri.getScheme()) && own);
    }

    private static Login login(Options options) {
        Path applicationSecret = options.file("applicationCredentialSecretFile");
        String id = options.text("applicationCredentialId", "");
        if (!id.isEmpty() || applicationSecret != null) {
            for (String other : List.of("user", "userDomain", "passwordFile", "project", "projectDomain")) {
                if (!options.text(other, "").isEmpty()) {
                    throw new SiteSettings.Invalid(
                            other, "does not go with applicationCredentialId, which is of one user and project");
                }
            }
            options.required("applicationCredentialId", "the id that goes with applicationCredentialSecretFile");
            if (applicationSecret == null) {
                throw new SiteSettings.Invalid(
                        "applicationCredentialSecretFile", "missing; the path of a file of mode 600 or 400");
            }
            return new Login.ApplicationCredential(id, applicationSecret);
        }
        String user = options.required("user", "a user, or an applicationCredentialId");
        String project = options.required("project", "the project's name");
        Path password = options.file("passwordFile");
        if (password == null) {
            throw new SiteSettings.Invalid("passwordFile", "missing; the path of a file of mode 600 or 400");
        }
        return new Login.Password(
                user,
                options.text("userDomain", "Default"),
                project,
                options.text("projectDomain", "Default"),
                password);
    }

    /** {@code h100=h100:80}, {@code ib=fabric:infiniband}, {@code qat=-}. */
    private static Map<String, Device> aliases(List<String> entries) {
        Map<String, Device> aliases = new LinkedHashMap<>();
        for (String entry : entries) {
            if (!entry.matches("[A-Za-z0-9_.-]+=(-|fabric:[a-z0-9-]+|[A-Za-z0-9_.-]+(:[1-9][0-9]{0,5})?)")) {
                throw new SiteSettings.Invalid(
                        "gpuAliases",
                        "found '" + entry + "'; allowed: ALIAS=MODEL:GIB, ALIAS=MODEL, ALIAS=fabric:NAME, ALIAS=-");
            }
            int equals = entry.indexOf('=');
            String value = entry.substring(equals + 1);
            aliases.put(entry.substring(0, equals), device(value));
        }
        return aliases;
    }

    private static Device device(String value) {
        if (value.equals("-")) {
            return new Device("", 0, "");
        }
        if (value.startsWith("fabric:")) {
            return new Device("", 0, value.substring("fabric:".length()));
        }
        int colon = value.indexOf(':');
        String model = (colon < 0 ? value : value.substring(0, colon)).toLowerCase(Locale.ROOT);
        long gib = colon < 0 ? 0 : Long.parseLong(value.substring(colon + 1));
        return new Device(model, gib << 30, "");
    }

    /** Reads flat text. */
    private record Options(SiteSettings site) {
        void onlyKnown(Set<String> keys) {
            for (String key : new TreeSet<>(site.options().keySet())) {
                if (!keys.contains(key)) {
                    throw new SiteSettings.Invalid(
                            key, "unknown; allowed for driver openstack: " + String.join(", ", new TreeSet<>(keys)));
                }
            }
        }

        String text(String key, String otherwise) {
            String found = site.options().getOrDefault(key, "").strip();
            return found.isEmpty() ? otherwise : found;
        }

        String required(String key, String what) {
            String found = text(key, "");
            if (found.isEmpty()) {
                throw new SiteSettings.Invalid(key, "missing; give " + what);
            }
            return found;
        }

        @Nullable
        Path file(String key) {
            String found = text(key, "");
            return found.isEmpty()
                    ? null
                    : site.stateDirectory().resolve(found).toAbsolutePath().normalize();
        }

        List<String> list(String key) {
            List<String> all = new ArrayList<>();
            for (String each : text(key, "").split(",", -1)) {
                if (!each.isBlank()) {
                    all.add(each.strip());
                }
            }
            return all;
        }

        String cidr(String key, String otherwise) {
            String found = text(key, otherwise);
            if (!found.isEmpty() && !found.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}/([0-9]|[12][0-9]|3[0-2])")) {
                throw new SiteSettings.Invalid(key, "found '" + found + "'; expected a network such as 192.0.2.0/24");
            }
            return found;
        }

        int whole(String key, int least, int most, int otherwise) {
            String found = text(key, "");
            if (found.isEmpty()) {
                return otherwise;
            }
            if (!found.matches("[0-9]{1,6}") || Integer.parseInt(found) < least || Integer.parseInt(found) > most) {
                throw new SiteSettings.Invalid(
                        key, "found '" + found + "'; allowed: a whole number, " + least + " to " + most);
            }
            return Integer.parseInt(found);
        }
    }
}
