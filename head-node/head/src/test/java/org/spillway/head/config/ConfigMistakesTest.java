package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.aws.AwsDriver;

/** Configurations that are refused, and where. */
final class ConfigMistakesTest extends ConfigScene {

    @Test
    void aSiteIsToldTheCurrencyAndRefusesItWhereItsPricesStand() throws Exception {
        assertThat(read("currency: USD\n" + SMALL)
                        .sites()
                        .get("east")
                        .settings()
                        .currency())
                .isEqualTo("USD");
        var aws = SMALL.replace(
                "driver: local", "driver: aws\n    options: { region: us-east-1, image: ami-0123456789abcdef0 }");
        var file = Files.writeString(directory.resolve("spillway.yaml"), aws);
        var installed = new Installed(Map.of("aws", new AwsDriver()), INSTALLED.policies(), Map.of());
        assertThatThrownBy(() -> ConfigReader.read(file, installed))
                .hasMessageContaining("the budget is in EUR, EC2's prices are in USD");
        Files.writeString(file, "currency: USD\n" + aws);
        assertThat(ConfigReader.read(file, installed).currency()).isEqualTo("USD");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "cluster: demo|cluster: De mo|1: cluster: found 'De mo'; allowed: 1 to 20 lower-case letters, digits and dashes",
                "cluster: demo|cluster:|1: cluster: found nothing; allowed: 1 to 20 lower-case letters, digits and dashes",
                "cluster: demo|cluster: demo\\nstate: [a]|2: state: found a list; allowed: a path",
                "cluster: demo|cluster: demo\\nsocketMode: 777|2: socketMode: found '777'; allowed: 600, 660, 666",
                "cluster: demo|cluster: demo\\ncurrency: euro|2: currency: found 'euro'; allowed: three capital letters such as EUR",
                "cluster: demo|cluster: demo\\ntimeZone: Europe/Berlim|2: timeZone: found 'Europe/Berlim'; allowed: a time zone such as Europe/Berlin; did you mean 'Europe/Berlin'?",
                "cluster: demo|cluster: demo\\nweb: { address: 0.0.0.0 }|2: web.address: found '0.0.0.0'; allowed: a loopback address in numbers: 127.0.0.1 or another of 127.0.0.0/8, or ::1",
                "cluster: demo|cluster: demo\\nweb: { address: localhost }|2: web.address: found 'localhost'; allowed: a loopback address in numbers: 127.0.0.1 or another of 127.0.0.0/8, or ::1",
                "cluster: demo|cluster: demo\\nweb: { address: 127.0.0.256 }|2: web.address: found '127.0.0.256'; allowed: a loopback address in numbers: 127.0.0.1 or another of 127.0.0.0/8, or ::1",
                "cluster: demo|cluster: demo\\nweb: { port: 80 }|2: web.port: found '80'; allowed: 0 for any free port, or a whole number from 1024 to 65535",
                "cluster: demo|cluster: demo\\nweb: { port: 65536 }|2: web.port: found '65536'; allowed: 0 for any free port, or a whole number from 1024 to 65535",
                "cluster: demo|cluster: demo\\nweb: { enabled: yes }|2: web.enabled: found 'yes'; allowed: true, false",
                "cluster: demo|cluster: demo\\nweb: { adress: 127.0.0.1 }|2: web.adress: unknown key; allowed: enabled, address, port, userLinksEndAfter, metricsTokenFile; did you mean 'address'?",
                "cluster: demo|cluster: demo\\nweb: { userLinksEndAfter: 30s }|2: web.userLinksEndAfter: found '30s'; allowed: a length of time from 1m to 30d",
                "cluster: demo|cluster: demo\\nlease: 4s|2: lease: found '4s'; allowed: a length of time from 5s to 1d",
                "cluster: demo|cluster: demo\\nlease: 10 min|2: lease: found '10 min'; allowed: a length of time from 5s to 1d",
                "limit: 50.00|limit: -1|2: budget.limit: found '-1'; allowed: an amount such as 50.00, at least 0",
                "period: day|period: week|2: budget.period: found 'week'; allowed: hour, day, month",
                "budget: { limit: 50.00, period: day }|lease: 5s|1: budget: missing; this section is required",
                "source: nss|source: nis|3: directory.source: found 'nis'; allowed: nss, file, ldap; did you mean 'nss'?",
                "source: nss|source: nss, minUid: 0|3: directory.minUid: found '0'; allowed: a whole number from 1 to 2147483647",
                "tree: image|tree: imag|4: image.tree: found 'imag', which is not a directory; allowed: an existing directory",
                "tree: image|tree: image, name: A|4: image.name: found 'A'; allowed: lower-case letters, digits and dashes",
                "cluster: demo|cluster: demo\\nworkload: { manager: other }|2: workload.other: missing; this section is required",
                "sites: [east]|sites: [est]|5: queues.east.sites: found 'est'; allowed: east; did you mean 'east'?",
                "sites: [east]|sites: []|5: queues.east.sites: found an empty list; allowed: a list of sites, such as [east]",
                "sites: [east]|sites: [east], maxWalltime: 31d|5: queues.east.maxWalltime: found '31d'; allowed: a length of time from 1m to 30d",
                "sites: [east]|sites: [east], markets: [spots]|5: queues.east.markets: found 'spots'; allowed: on-demand, spot, reserved; did you mean 'spot'?",
                "sites: [east]|sites: [east], markets: []|5: queues.east.markets: found an empty list; allowed: a list of on-demand, spot, reserved",
                "sites: [east]|sites: [east], container: 'a b'|5: queues.east.container: found 'a b': 'a b' is no name of a repository; allowed: [REGISTRY/]REPOSITORY[:TAG][@sha256:DIGEST], oci:/FOLDER, oci-archive:/FILE, or none",
                "sites: [east]|sites: [east], default: yes|5: queues.east.default: found 'yes'; allowed: true, false",
                "cluster: demo|cluster: demo\\nscaler: { policy: queue-dept }|2: scaler.policy: found 'queue-dept'; allowed: queue-depth; did you mean 'queue-depth'?",
                "cluster: demo|cluster: demo\\nbreakers: { unreadyPercent: 101 }|2: breakers.unreadyPercent: found '101'; allowed: a whole number from 0 to 100",
                "cluster: demo|cluster: demo\\nbreakers: { sickPercent: 0 }|2: breakers.sickPercent: found '0'; allowed: a whole number from 1 to 100",
                "cluster: demo|cluster: demo\\nbreakers: { unreadyLeast: 0 }|2: breakers.unreadyLeast: found '0'; allowed: a whole number from 1 to 10000",
                "cluster: demo|cluster: demo\\narchive: { after: 1m }|2: archive.after: found '1m'; allowed: a length of time from 1h to 3650d",
                "cluster: demo|cluster: demo\\narchive: { after: 40d, keptFor: 40d }|2: archive.keptFor: found no more than archive.after; allowed: a longer time",
                "cluster: demo|cluster: demo\\nnodes: { logsKeptFor: 1m }|2: nodes.logsKeptFor: found '1m'; allowed: a length of time from 1h to 3650d",
                "cluster: demo|cluster: demo\\nnodes: { logsRoom: 1MiB }|2: nodes.logsRoom: found '1MiB'; allowed: a size from 16MiB to 1TiB, such as 4GiB",
                "cluster: demo|cluster: demo\\ninteractive: { awayFor: 1s }|2: interactive.awayFor: found '1s'; allowed: a length of time from 30s to 7d",
                "cluster: demo|cluster: demo\\ninteractive: { perNode: 251 }|2: interactive.perNode: found '251'; allowed: a whole number from 1 to 250",
                "cluster: demo|cluster: demo\\ndecisions: { most: 0 }|2: decisions.most: found '0'; allowed: a whole number from 1 to 10000000",
                "cluster: demo|cluster: demo\\nscaler: { policyMemory: 32MiB }|2: scaler.policyMemory: found '32MiB'; allowed: a size in MiB or GiB from 64MiB to 64GiB, such as 256MiB",
                "cluster: demo|cluster: demo\\nscaler: { policyDeadline: 1ms }|2: scaler.policyDeadline: found '1ms'; allowed: a length of time from 10ms to 10s",
                "cluster: demo|cluster: demo\\nscaler: { policyStrikes: 0 }|2: scaler.policyStrikes: found '0'; allowed: a whole number from 1 to 1000",
                "cluster: demo|cluster: demo\\nofferings: { refresh: 1s }|2: offerings.refresh: found '1s'; allowed: a length of time from 1m to 1d",
                "cluster: demo|cluster: demo\\nscaler: { tick: 2m }|2: scaler.tick: found '2m'; allowed: a length of time from 100ms to 1m",
                "cluster: demo|cluster: demo\\nscaler: { settings: { most: 0 } }|2: scaler.settings.most: found '0'; allowed: 1 or more",
                "cluster: demo|cluster: demo\\nscaler: { settings: { idleTim: 1s } }|2: scaler.settings.idleTim: unknown key; allowed: idleTime, most, dearest, spot, label; did you mean 'idleTime'?",
                "cluster: demo|cluster: demo\\nstaging: { perUser: 1KiB }|2: staging.perUser: found '1KiB'; allowed: a size from 1MiB to 1024TiB, such as 500GiB",
                "cluster: demo|cluster: demo\\nstaging: { perUser: much }|2: staging.perUser: found 'much'; allowed: a size from 1MiB to 1024TiB, such as 500GiB",
                "cluster: demo|cluster: demo\\nstaging: { keep: 2s }|2: staging.keep: found '2s'; allowed: a length of time from 1m to 365d",
                "cluster: demo|cluster: demo\\nstaging: { user: 1GiB }|2: staging.user: unknown key; allowed: perUser, keep, networks, caFile",
                "driver: local|driver: lokal|8: sites.east.driver: found 'lokal'; allowed: local; did you mean 'local'?",
                "maxNodes: 4|maxNodes: many|9: sites.east.maxNodes: found 'many'; allowed: a whole number from 0 to 10000",
                "maxNodes: 4|maxnodes: 4|9: sites.east.maxnodes: unknown key; allowed: driver, maxNodes, registration, director, nodes, home, keep, idle, stoppedFor, priority, egressPerGB, owner, prices, options; did you mean 'maxNodes'?",
                "maxNodes: 4|maxNodes: 4\\n    registration: 1s|10: sites.east.registration: found '1s'; allowed: a length of time from 10s to 1d",
                "type: small|market: spot|10: sites.east.director.type: missing; allowed: an instance type of the provider",
                "type: small|type: small, market: spott|10: sites.east.director.market: found 'spott'; allowed: on-demand, spot, reserved; did you mean 'spot'?",
                "type: small|type: small, idle: -1s|10: sites.east.director.idle: found '-1s'; allowed: a length of time from 0s to 30d",
                "maxNodes: 4|maxNodes: 4\\n    options:\\n      port: 0|11: sites.east.options.port: found '0'; allowed: 1 to 65535",
                "maxNodes: 4|maxNodes: 4\\n    options: { prt: 1 }|10: sites.east.options.prt: unknown option; allowed: state, port, tokenFile, subnets, groups",
                "maxNodes: 4|maxNodes: 4\\n    prices: { small: cheap }|10: sites.east.prices.small: found 'cheap'; allowed: an amount such as 50.00, at least 0",
                "maxNodes: 4|maxNodes: 4\\n    prices: { small: -1 }|10: sites.east.prices.small: found '-1'; allowed: an amount such as 50.00, at least 0",
                "maxNodes: 4|maxNodes: 4\\n    prices: { small/cheap: 1 }|10: sites.east.prices.small/cheap: found this type; allowed: TYPE, TYPE/spot, TYPE/reserved or TYPE/stopped",
                "maxNodes: 4|maxNodes: 4\\n    owner: the team|10: sites.east.owner: found 'the team'; allowed: 1 to 60 letters, digits, dots, dashes, underscores and @",
                "maxNodes: 4|maxNodes: 4\\n    options: { groups: [a, [b]] }|10: sites.east.options.groups: found a list in it; allowed: a single value, a list of values, or a mapping of single values",
                "maxNodes: 4|maxNodes: 4\\n    options: { groups: [] }|10: sites.east.options.groups: found nothing in it; allowed: a single value, a list of values, or a mapping of single values",
                "maxNodes: 4|maxNodes: 4\\n    options: { groups: ['a,b'] }|10: sites.east.options.groups: found 'a,b' in it; allowed: values without ,",
                "maxNodes: 4|maxNodes: 4\\n    options: { groups: { a=b: c } }|10: sites.east.options.groups: found 'a=b' in it; allowed: values without , and =",
                "maxNodes: 4|maxNodes: 4\\n    maxNodes: 5|10: sites.east.maxNodes: found a second time; allowed: once",
                "cluster: demo|cluster: &a demo\\ncurrency: *a|2: found the alias '*a'; allowed: values written out",
                "cluster: demo|cluster: 'demo|2: not YAML: found unexpected end of stream",
            })
    void isRejectedAtItsLine(String good, String bad, String line) throws Exception {
        var text = SMALL.replace(good, bad.replace("\\n", "\n"));
        assertThat(text).isNotEqualTo(SMALL);
        if (line.contains("not YAML")) {
            assertThat(mistakes(text)).singleElement().asString().contains("not YAML: ");
        } else {
            assertThat(mistakes(text)).contains("spillway.yaml:" + line);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "url: \"http://h\", base: \"dc=x\"|url: found 'http://h'",
                "url: \"ldap://h\", base: x|base: found 'x'",
                "url: \"ldap://h\", base: \"dc=x\", schema: add|schema: found 'add'; allowed: rfc2307, rfc2307bis, ad",
                "url: \"ldap://h\", base: \"dc=x\", bindDn: \"cn=y\"|bindDn: found without passwordFile",
                "url: \"ldap://h\", base: \"dc=x\", passwordFile: open|passwordFile: found without bindDn",
                "url: \"ldap://h\", base: \"dc=x\", bindDn: \"cn=y\", passwordFile: open|which others may read; allowed: mode 600",
                "url: \"ldap://h\", base: \"dc=x\", bindDn: \"cn=y\", passwordFile: none|which is not a file that can be read",
                "url: \"ldap://h\", base: \"dc=x\", caFile: none|caFile: found",
                "url: \"ldaps://h\", base: \"dc=x\", startTls: true|startTls: found 'true' with an ldaps:// url",
            })
    void aDirectoryThatCannotBeUsedIsRejected(String keys, String message) throws Exception {
        var open = Files.writeString(directory.resolve("open"), "s");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(mistakes(SMALL.replace("source: nss", "source: ldap, " + keys)))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("spillway.yaml:3: directory.")
                        .contains(message));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "metricsTokenFile: none|which is not a file that can be read",
                "metricsTokenFile: open|which others may read; allowed: mode 600",
                "metricsTokenFile: short|with fewer than 16 characters",
                "metricsTokenFile: good, enabled: false|found with enabled: false",
            })
    void aTokenOfMetricsThatLetsNobodyInOrEverybodyIsRejected(String keys, String message) throws Exception {
        for (var name : List.of("open", "short", "good")) {
            var file = Files.writeString(directory.resolve(name), name.equals("short") ? "s" : "s".repeat(16));
            Files.setPosixFilePermissions(
                    file, PosixFilePermissions.fromString(name.equals("open") ? "rw-r--r--" : "rw-------"));
        }
        assertThat(mistakes("web: { " + keys + " }\n" + SMALL))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("spillway.yaml:1: web.metricsTokenFile: ")
                        .contains(message));
        assertThat(read("web: { metricsTokenFile: good }\n" + SMALL).web().metricsToken())
                .contains(directory.resolve("good"));
    }

    @Test
    void aSocketPathThatTheKernelRefusesIsRejected() throws Exception {
        // The kernel takes 107 bytes, Java one less.
        assertThat(mistakes("socket: /" + "x".repeat(106) + "\n" + SMALL))
                .singleElement()
                .asString()
                .startsWith("spillway.yaml:1: socket: found '/xxx")
                .endsWith("of 107 bytes; allowed: a socket path of at most 106 bytes");
        assertThat(read("socket: /" + "x".repeat(105) + "\n" + SMALL).socket().toString())
                .hasSize(106);
    }

    @Test
    void twoDefaultQueuesAndSettingsThatContradictAreRejected() throws Exception {
        assertThat(mistakes(SMALL.replace(
                        "east: { sites: [east] }",
                        "east: { sites: [east], default: true }, west: { sites: [east], default: true }")))
                .containsExactly(
                        "spillway.yaml:5: queues.west: found a second default queue beside 'east'; allowed: one");
        assertThat(mistakes(SMALL + "scaler: { settings: { spot: true, most: 5 } }\nlease: 1s\n"))
                .containsExactly("spillway.yaml:12: lease: found '1s'; allowed: a length of time from 5s to 1d");
        assertThat(mistakes(SMALL + "scaler: { settings: { spot: true, most: 6 } }\n"))
                .containsExactly(
                        "spillway.yaml:11: scaler.settings.spot: together with the other settings: at most 5 with spot");
    }

    @Test
    void filesThatAreNoConfigurationAreRejected() throws Exception {
        assertThat(mistakes("")).singleElement().asString().contains("the file is empty");
        assertThat(mistakes("a\n")).containsExactly("spillway.yaml:1: found 'a'; allowed: a section of keys");
        assertThat(mistakes("x".repeat(300_000))).singleElement().asString().contains("larger than");
        assertThat(mistakes("a: " + "[".repeat(50) + "]".repeat(50)))
                .singleElement()
                .asString()
                .contains("not YAML");
        assertThatThrownBy(() -> ConfigReader.read(directory.resolve("none.yaml"), INSTALLED))
                .hasMessageContaining("none.yaml:1: there is no such file");
    }

    /** A mistake in each section, and exactly what is printed. */
    @Test
    void allMistakesAreShownAtOnce() throws Exception {
        var text = resource("mistakes.yaml");
        assertThat(String.join("\n", mistakes(text)) + "\n").isEqualTo(resource("mistakes.txt"));
        assertThat(directory.resolve("state")).doesNotExist();
    }

    private static String resource(String name) throws IOException {
        try (var in = ConfigReaderTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
