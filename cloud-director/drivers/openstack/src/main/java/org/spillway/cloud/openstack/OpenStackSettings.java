package org.spillway.cloud.openstack;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
 * @param server what else its servers are made like
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
        ServerOptions server,
        int sshPort,
        Duration timeout,
        Duration consistencyWindow,
        Duration schedule,
        RateLimits requests) {
    private static final int MAX_SECONDS = 3600;
    /** Nobody publishes a rate; listings are the dearest calls that a head makes often, and other users make them, too. */
    static final RateLimits UNPUBLISHED = RateLimits.NONE.withListings(new RateLimits.Bucket(10, 10));

    /** Who asks and where: all of it from one place. */
    private static final Set<String> LOGIN = Set.of(
            "endpoint",
            "project",
            "projectDomain",
            "user",
            "userDomain",
            "passwordFile",
            "applicationCredentialId",
            "applicationCredentialSecretFile");

    private static final Set<String> KEYS = Set.of(
            "cloud",
            "cloudsFile",
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
            "requestsPerSecond",
            Leases.OPTION);

    /** Who asks; the secret stays in its file until it is sent. */
    sealed interface Login {
        Secret secret();

        record Password(Named user, Named userDomain, Named project, Named projectDomain, Secret secret)
                implements Login {}

        record ApplicationCredential(String id, Secret secret) implements Login {}
    }

    /** @param key {@code id} or {@code name}, as Keystone has it */
    record Named(String key, String value) {}

    /**
     * A secret's place.
     *
     * @param file of mode 600 or 400
     * @param keys to it, in a file of YAML; empty if it is the whole file
     */
    record Secret(Path file, List<String> keys) {
        Secret {
            keys = List.copyOf(keys);
        }
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
        return from(site, CloudsFile.folders());
    }

    /** @param folders where a clouds.yaml is looked for */
    static OpenStackSettings from(SiteSettings site, List<Path> folders) {
        Options options = new Options(site);
        Set<String> known = new HashSet<>(KEYS);
        known.addAll(ServerOptions.KEYS);
        options.onlyKnown(known);
        // Kept by its reader; a mistake is told with the others.
        Leases.named(site);
        Login login;
        String cloud = options.text("cloud", "");
        if (cloud.isEmpty()) {
            if (options.file("cloudsFile") != null) {
                throw new SiteSettings.Invalid("cloudsFile", "goes with cloud, the name of one of its clouds");
            }
            options.required(
                    "endpoint", "Keystone's address, such as https://HOST:5000/v3; or a cloud of a clouds.yaml");
            login = login(options);
        } else {
            for (String other : LOGIN) {
                if (!options.text(other, "").isEmpty()) {
                    throw new SiteSettings.Invalid(other, "does not go with cloud, whose clouds.yaml says it");
                }
            }
            CloudsFile.Read read =
                    CloudsFile.of(cloud, options.file("cloudsFile"), folders).read();
            options = options.over(read.options());
            login = read.login();
        }
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
                login,
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
                ServerOptions.from(options),
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
            return new Login.ApplicationCredential(id, new Secret(applicationSecret, List.of()));
        }
        String user = options.required("user", "a user, or an applicationCredentialId");
        String project = options.required("project", "the project's name");
        Path password = options.file("passwordFile");
        if (password == null) {
            throw new SiteSettings.Invalid("passwordFile", "missing; the path of a file of mode 600 or 400");
        }
        return new Login.Password(
                new Named("name", user),
                new Named("name", options.text("userDomain", "Default")),
                new Named("name", project),
                new Named("name", options.text("projectDomain", "Default")),
                new Secret(password, List.of()));
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
}
