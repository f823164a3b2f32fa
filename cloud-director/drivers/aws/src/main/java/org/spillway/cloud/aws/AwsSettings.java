package org.spillway.cloud.aws;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.OwnTags;
import org.spillway.cloud.SiteSettings;

/**
 * The options of an AWS site.
 *
 * @param region such as {@code us-east-1}; required
 * @param endpoint of EC2 and STS instead of Amazon's: https, or http on this machine
 * @param pricingEndpoint of the price list; without it and with {@code endpoint} there is none
 * @param credentialsFile in the form of the AWS tools, of mode 600 or 400; null for the machine's own provider chain
 * @param profile in that file
 * @param image of x86_64 nodes, {@code ami-...}, {@code resolve:ssm:...} or {@link AwsNewest}; empty when each launch
 *     names its own
 * @param imageArm64 of arm64 nodes
 * @param rootDevice of images that are named by {@code resolve:ssm:}; of all others it is asked for
 * @param subnets of nodes by zone; empty to use what {@code site create} has made
 * @param directorSubnets of directors by zone; as {@code subnets} when not given
 * @param publicDirector whether directors get a public address; nodes never do
 * @param securityGroup of all instances; empty to use those that {@code site create} has made
 * @param directorSecurityGroup of directors, besides
 * @param keyName EC2's name of a key pair; empty for none, since Spillway injects its own keys
 * @param publicKeyFile what {@code site create} imports as {@code keyName}; null for a key pair that exists
 * @param types patterns of instance types that are offered, such as {@code p5.*}
 * @param adminCidr from where the head reaches directors
 * @param vpcCidr of the network that {@code site create} makes: a /16
 * @param sshPort of instances
 * @param diskGib size of the root disk
 * @param s3Endpoint whether the network that {@code site create} makes has a way of its own to S3
 * @param machine what else each machine gets
 */
record AwsSettings(
        String region,
        @Nullable URI endpoint,
        @Nullable URI pricingEndpoint,
        @Nullable Path credentialsFile,
        String profile,
        String image,
        String imageArm64,
        String rootDevice,
        Map<String, String> subnets,
        Map<String, String> directorSubnets,
        boolean publicDirector,
        String securityGroup,
        String directorSecurityGroup,
        String keyName,
        @Nullable Path publicKeyFile,
        List<String> types,
        String adminCidr,
        String vpcCidr,
        int sshPort,
        int diskGib,
        Duration timeout,
        Duration consistencyWindow,
        boolean s3Endpoint,
        AwsMachine machine) {
    static final String DEFAULT_TYPES =
            "t3.*,m7i.*,c7i.*,r7i.*,hpc7a.*,g5.*,g6.*,g6e.*,p4d.*,p4de.*,p5.*,p5e.*,p5en.*,p6-b200.*";
    private static final int MAX_TYPES = 100;
    private static final Set<String> OWN_KEYS = Set.of(
            "region",
            "endpoint",
            "pricingEndpoint",
            "credentialsFile",
            "profile",
            "image",
            "imageArm64",
            "rootDevice",
            "subnets",
            "directorSubnets",
            "directorAddress",
            "securityGroup",
            "directorSecurityGroup",
            "keyName",
            "publicKeyFile",
            "types",
            AwsReservations.OPTION,
            OwnTags.OPTION,
            "adminCidr",
            "vpcCidr",
            "sshPort",
            "diskGiB",
            "timeoutSeconds",
            "consistencySeconds",
            "s3Endpoint");
    private static final Set<String> KEYS =
            Stream.concat(OWN_KEYS.stream(), AwsMachine.KEYS.stream()).collect(Collectors.toUnmodifiableSet());

    AwsSettings {
        subnets = Map.copyOf(subnets);
        directorSubnets = Map.copyOf(directorSubnets);
        types = List.copyOf(types);
    }

    static AwsSettings from(SiteSettings settings) {
        return new Reader(settings, new AwsOptions(settings)).read();
    }

    /** Checks one option after the other. */
    private record Reader(SiteSettings settings, AwsOptions options) {
        AwsSettings read() {
            for (String key : new TreeSet<>(settings.options().keySet())) {
                if (!KEYS.contains(key)) {
                    throw new SiteSettings.Invalid(
                            key, "unknown; allowed for driver aws: " + String.join(", ", new TreeSet<>(KEYS)));
                }
            }
            // Kept by its reader; a mistake is told with the others.
            AwsReservations.named(settings);
            AwsTags.ofOwner(settings);
            Map<String, String> subnets = subnets("subnets");
            Map<String, String> directors = subnets("directorSubnets");
            String group = options.matching("securityGroup", "", "sg-[0-9a-f]{8,17}", "sg-...");
            if (subnets.isEmpty() != group.isEmpty()) {
                throw new SiteSettings.Invalid(
                        group.isEmpty() ? "securityGroup" : "subnets",
                        "missing; give both subnets and securityGroup, or neither and run `spillway site create`");
            }
            if (subnets.isEmpty() && !directors.isEmpty()) {
                throw new SiteSettings.Invalid("directorSubnets", "goes with subnets");
            }
            return new AwsSettings(
                    options.required("region", "[a-z0-9][a-z0-9-]{1,30}", "a region such as us-east-1"),
                    url("endpoint"),
                    url("pricingEndpoint"),
                    credentials(),
                    options.matching("profile", "default", "[A-Za-z0-9_.@ -]{1,64}", "a profile's name"),
                    image("image"),
                    image("imageArm64"),
                    options.matching("rootDevice", "/dev/xvda", "/dev/[a-z0-9]{1,20}", "/dev/NAME"),
                    subnets,
                    directors.isEmpty() ? subnets : directors,
                    publicDirector(subnets.isEmpty()),
                    group,
                    options.matching("directorSecurityGroup", "", "sg-[0-9a-f]{8,17}", "sg-..."),
                    options.matching("keyName", "", "[ -~]{1,255}", "a key pair's name"),
                    publicKey(),
                    types(),
                    cidr("adminCidr", "", 32),
                    cidr("vpcCidr", "10.77.0.0/16", 16),
                    options.whole("sshPort", 22, 1, 65_535),
                    options.whole("diskGiB", 50, 1, 16_384),
                    Duration.ofSeconds(options.whole("timeoutSeconds", 60, 1, 3600)),
                    Duration.ofSeconds(options.whole("consistencySeconds", 300, 0, 3600)),
                    s3Endpoint(subnets.isEmpty()),
                    AwsMachine.from(options));
        }

        private @Nullable URI url(String key) {
            String found = options.get(key);
            if (found.isEmpty()) {
                return null;
            }
            String allowed = "https://HOST[:PORT], or http:// on 127.0.0.1 or localhost";
            try {
                URI url = new URI(found);
                boolean here = List.of("127.0.0.1", "localhost", "[::1]").contains(String.valueOf(url.getHost()));
                boolean safe = "https".equals(url.getScheme()) || ("http".equals(url.getScheme()) && here);
                if (safe && url.getHost() != null && url.getUserInfo() == null && url.getQuery() == null) {
                    return url;
                }
            } catch (URISyntaxException notOne) {
                throw AwsOptions.bad(key, found, allowed);
            }
            // Without what may be a password in it.
            throw AwsOptions.bad(key, found.replaceAll("//[^/@]*@", "//...@"), allowed);
        }

        private @Nullable Path credentials() {
            if (options.get("credentialsFile").isEmpty()) {
                if (!options.get("profile").isEmpty()) {
                    throw new SiteSettings.Invalid("profile", "goes with credentialsFile");
                }
                return null;
            }
            Path file = settings.stateDirectory().resolve(options.get("credentialsFile"));
            try {
                String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                if (!mode.equals("rw-------") && !mode.equals("r--------")) {
                    throw new SiteSettings.Invalid(
                            "credentialsFile", "mode of " + file + " is " + mode + "; allowed: 600, 400");
                }
            } catch (IOException unreadable) {
                throw new SiteSettings.Invalid(
                        "credentialsFile", file + " cannot be read; expected a file of mode 600 or 400");
            }
            return file;
        }

        private @Nullable Path publicKey() {
            if (options.get("publicKeyFile").isEmpty()) {
                return null;
            }
            if (options.get("keyName").isEmpty()) {
                throw new SiteSettings.Invalid("publicKeyFile", "goes with keyName");
            }
            return settings.stateDirectory().resolve(options.get("publicKeyFile"));
        }

        private String image(String key) {
            return options.matching(
                    key,
                    "",
                    "ami-[0-9a-f]{8,17}|resolve:ssm:[A-Za-z0-9_./:-]{1,200}|" + AwsNewest.PATTERN,
                    "ami-..., resolve:ssm:/..., newest:OWNER/NAME");
        }

        private Map<String, String> subnets(String key) {
            Map<String, String> byZone = new LinkedHashMap<>();
            for (String each : AwsOptions.words(key, options.get(key))) {
                if (!each.matches("[A-Za-z0-9._-]{1,60}=subnet-[0-9a-f]{8,17}")) {
                    throw AwsOptions.bad(key, each, "ZONE=subnet-..., with commas between");
                }
                String zone = each.substring(0, each.indexOf('='));
                if (byZone.put(zone, each.substring(each.indexOf('=') + 1)) != null) {
                    throw AwsOptions.bad(key, each, "each zone once");
                }
            }
            return byZone;
        }

        private List<String> types() {
            List<String> types =
                    AwsOptions.words("types", options.get("types").isEmpty() ? DEFAULT_TYPES : options.get("types"));
            for (String type : types) {
                if (!type.matches("[A-Za-z0-9.*?_-]{1,60}")) {
                    throw AwsOptions.bad("types", type, "patterns such as p5.*, with commas between");
                }
            }
            if (types.size() > MAX_TYPES) {
                throw AwsOptions.bad("types", types.size() + " patterns", "at most " + MAX_TYPES);
            }
            return types;
        }

        private boolean publicDirector(boolean otherwise) {
            String found = options.matching(
                    "directorAddress", otherwise ? "public" : "private", "public|private", "public, private");
            return found.equals("public");
        }

        private boolean s3Endpoint(boolean made) {
            boolean on =
                    options.matching("s3Endpoint", "off", "on|off", "on, off").equals("on");
            if (on && !made) {
                throw new SiteSettings.Invalid(
                        "s3Endpoint", "is of the network that Spillway makes; yours, of subnets, may have one already");
            }
            return on;
        }

        private String cidr(String key, String otherwise, int mostBits) {
            String found = options.matching(
                    key, otherwise, "([0-9]{1,3}\\.){3}[0-9]{1,3}/[0-9]{1,2}", "an IPv4 block such as 10.77.0.0/16");
            if (found.isEmpty()) {
                return found;
            }
            int bits = Integer.parseInt(found.substring(found.indexOf('/') + 1));
            boolean bytes = Arrays.stream(found.substring(0, found.indexOf('/')).split("\\.", -1))
                    .allMatch(each -> Integer.parseInt(each) < 256);
            if (!bytes || bits > mostBits || (mostBits == 16 && bits != 16)) {
                throw AwsOptions.bad(
                        key, found, mostBits == 16 ? "a /16 block" : "an IPv4 block such as 198.51.100.7/32");
            }
            return found;
        }
    }
}
