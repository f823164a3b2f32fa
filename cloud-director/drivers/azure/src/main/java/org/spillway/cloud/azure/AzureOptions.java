package org.spillway.cloud.azure;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.OwnTags;
import org.spillway.cloud.SiteSettings;

/** Reads the flat options of an Azure site; each mistake is told with what was found and what is allowed. */
final class AzureOptions {
    private static final Set<String> OWN_KEYS = Set.of(
            "subscription",
            "resourceGroup",
            "location",
            "tenant",
            "clientId",
            "clientSecretFile",
            "clientCertificateFile",
            "endpoint",
            "authority",
            "audience",
            "caFile",
            "image",
            "subnet",
            "zones",
            "types",
            "sshPort",
            "adminCidr",
            "networkCidr",
            "diskGiB",
            "diskType",
            "timeoutSeconds",
            "launchSeconds",
            "consistencySeconds",
            "pricesEndpoint",
            "currency",
            "reservation",
            "directorPublicAddress",
            "encryptionAtHost",
            "sshPublicKeyFile",
            OwnTags.OPTION);
    private static final Set<String> KEYS =
            Stream.concat(OWN_KEYS.stream(), AzureMachine.KEYS.stream()).collect(Collectors.toUnmodifiableSet());
    private static final String GUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
    private static final String CIDR = "[0-9]{1,3}(\\.[0-9]{1,3}){3}/[0-9]{1,2}";
    private static final String DEFAULT_IMAGE = "Canonical:ubuntu-24_04-lts:server:latest";
    static final String ID = "/[A-Za-z0-9._()/-]{3,600}";
    private static final int MAX_SECONDS = 3600;
    private static final int MAX_DISK_GIB = 4095;
    private final SiteSettings site;
    private final Map<String, String> options;

    AzureOptions(SiteSettings site) {
        this.site = site;
        this.options = site.options();
    }

    AzureSettings read() {
        for (String key : new TreeSet<>(options.keySet())) {
            if (!KEYS.contains(key)) {
                throw new SiteSettings.Invalid(
                        key, "unknown; allowed for driver azure: " + String.join(", ", new TreeSet<>(KEYS)));
            }
        }
        // Kept by the names; a mistake is told with the others.
        Names.of(site);
        URI endpoint = url("endpoint", AzureSettings.PUBLIC_ENDPOINT);
        return new AzureSettings(
                required("subscription", GUID, "the subscription's id, a GUID"),
                required("resourceGroup", "[A-Za-z0-9._()-]{1,89}[A-Za-z0-9_()-]", "the name of a resource group"),
                required("location", "[a-z0-9-]{2,40}", "a location's name such as westeurope"),
                login(),
                endpoint,
                url("authority", "https://login.microsoftonline.com"),
                text("audience", endpoint.toString(), "(https|api)://[A-Za-z0-9._:/-]+", "a URL"),
                file("caFile"),
                text("image", DEFAULT_IMAGE, "[^:/\\s]+(:[^:/\\s]+){3}|" + ID, "publisher:offer:sku:version, or an id"),
                text("subnet", "", ID + "/subnets/[A-Za-z0-9._-]+", "a subnet's resource id, .../subnets/NAME"),
                new TreeSet<>(list("zones", "[A-Za-z0-9-]+", "zones such as 1,2,3")),
                list("types", "[A-Za-z0-9_.*?-]+", "sizes with * and ?, with commas between").stream()
                        .map(AzureOptions::glob)
                        .toList(),
                whole("sshPort", 22, 1, 65_535),
                text("adminCidr", "", CIDR, "an IPv4 range such as 192.0.2.7/32"),
                text("networkCidr", "10.77.0.0/16", CIDR, "an IPv4 range such as 10.77.0.0/16"),
                whole("diskGiB", 0, 0, MAX_DISK_GIB),
                text("diskType", "StandardSSD_LRS", "(Standard|StandardSSD|Premium)_(LRS|ZRS)", "such as Premium_LRS"),
                seconds("timeoutSeconds", 30, 1),
                seconds("launchSeconds", 180, 1),
                seconds("consistencySeconds", 30, 0),
                prices(),
                currency(),
                text("reservation", "", ID, "a capacity reservation group's resource id"),
                yes("directorPublicAddress", true),
                yes("encryptionAtHost", false),
                file("sshPublicKeyFile"),
                AzureMachine.from(this));
    }

    private Login login() {
        boolean secret = options.containsKey("clientSecretFile");
        boolean certificate = options.containsKey("clientCertificateFile");
        if (secret && certificate) {
            throw new SiteSettings.Invalid("clientCertificateFile", "does not go with clientSecretFile; remove one");
        }
        if (!secret && !certificate) {
            if (options.containsKey("tenant")) {
                throw new SiteSettings.Invalid(
                        "tenant", "goes with clientSecretFile or clientCertificateFile, of which there is none");
            }
            return new Login.ManagedIdentity(text("clientId", "", GUID, "an identity's client id, a GUID"));
        }
        String tenant = required("tenant", GUID + "|[A-Za-z0-9.-]+", "the directory's id or domain");
        String client = required("clientId", GUID, "the application's client id, a GUID");
        Path file = site.stateDirectory().resolve(options.getOrDefault("clientSecretFile", ""));
        return secret
                ? new Login.ClientSecret(tenant, client, file)
                : new Login.Certificate(
                        tenant,
                        client,
                        site.stateDirectory().resolve(options.getOrDefault("clientCertificateFile", "")));
    }

    /** The list is asked for in the head's currency. */
    private String currency() {
        String found = text("currency", site.currency(), "[A-Z]{3}", "a currency's three letters");
        if (!found.equals(site.currency())) {
            throw new SiteSettings.Invalid(
                    "currency",
                    "found '" + found + "', but the budget is in " + site.currency()
                            + ", and nothing is converted; leave it out, or set 'currency: " + found
                            + "' for the head");
        }
        return found;
    }

    private @Nullable URI prices() {
        return options.getOrDefault("pricesEndpoint", "").equals("none")
                ? null
                : url("pricesEndpoint", "https://prices.azure.com/api/retail/prices");
    }

    private String required(String key, String pattern, String allowed) {
        if (options.getOrDefault(key, "").isEmpty()) {
            throw new SiteSettings.Invalid(key, "missing; give " + allowed);
        }
        return text(key, "", pattern, allowed);
    }

    /** @return {@code otherwise} where the option is not given */
    String text(String key, String otherwise, String pattern, String allowed) {
        String found = options.getOrDefault(key, "");
        if (found.isEmpty()) {
            return otherwise;
        }
        if (!found.matches(pattern)) {
            throw new SiteSettings.Invalid(key, "found '" + found + "'; allowed: " + allowed);
        }
        return found;
    }

    private List<String> list(String key, String pattern, String allowed) {
        List<String> all = new ArrayList<>();
        for (String each : options.getOrDefault(key, "").split(",", -1)) {
            String word = each.strip();
            if (!word.isEmpty()) {
                if (!word.matches(pattern)) {
                    throw new SiteSettings.Invalid(key, "found '" + word + "'; allowed: " + allowed);
                }
                all.add(word);
            }
        }
        return all;
    }

    private URI url(String key, String otherwise) {
        String found = options.getOrDefault(key, otherwise);
        try {
            URI uri = new URI(found.endsWith("/") ? found.substring(0, found.length() - 1) : found);
            if ("https".equals(uri.getScheme()) && uri.getHost() != null && uri.getRawUserInfo() == null) {
                return uri;
            }
        } catch (URISyntaxException bad) {
            throw new SiteSettings.Invalid(key, "found '" + found + "'; allowed: a URL that starts with https://");
        }
        // Tokens are sent there.
        throw new SiteSettings.Invalid(key, "found '" + found + "'; allowed: a URL that starts with https://");
    }

    private @Nullable Path file(String key) {
        String found = options.getOrDefault(key, "");
        return found.isEmpty() ? null : site.stateDirectory().resolve(found);
    }

    private boolean yes(String key, boolean otherwise) {
        return Boolean.parseBoolean(text(key, Boolean.toString(otherwise), "true|false", "true, false"));
    }

    private Duration seconds(String key, int otherwise, int least) {
        return Duration.ofSeconds(whole(key, otherwise, least, MAX_SECONDS));
    }

    private int whole(String key, int otherwise, int least, int most) {
        String found = options.getOrDefault(key, Integer.toString(otherwise));
        if (!found.matches("[0-9]{1,5}") || Integer.parseInt(found) < least || Integer.parseInt(found) > most) {
            throw new SiteSettings.Invalid(
                    key, "found '" + found + "'; allowed: a whole number, " + least + " to " + most);
        }
        return Integer.parseInt(found);
    }

    private static Pattern glob(String text) {
        return Pattern.compile(text.replace(".", "\\.").replace("*", ".*").replace('?', '.'));
    }
}
