package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.aws.AwsDriver;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Breakers;
import org.spillway.settings.ConfigMistakes;

/** Every setting: its default, its mapping, its rejection. */
final class ConfigReaderTest {
    private static final String SMALL = """
            cluster: demo
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { tree: image }
            queues: { east: { sites: [east] } }
            sites:
              east:
                driver: local
                maxNodes: 4
                director: { type: small }
            """;

    /** Settings of a policy, as it would declare them. */
    record Depth(Duration idleTime, int most, Money dearest, boolean spot, String label) {
        Depth {
            if (most < 1) {
                throw new IllegalArgumentException("allowed: 1 or more");
            }
            if (spot && most > 5) {
                throw new IllegalArgumentException("at most 5 with spot");
            }
        }
    }

    private static final Installed INSTALLED = new Installed(
            Map.of("local", new FakeDriver()),
            Map.of("queue-depth", new Depth(Duration.ofSeconds(60), 4, Money.parse("1"), false, "x")),
            Map.of("other", new OtherQueue()));

    @TempDir
    Path directory;

    @BeforeEach
    void image() throws IOException {
        Files.createDirectories(directory.resolve("image"));
    }

    private HeadConfig read(String text) throws IOException, ConfigMistakes {
        return ConfigReader.read(Files.writeString(directory.resolve("spillway.yaml"), text), INSTALLED);
    }

    private List<String> mistakes(String text) throws IOException {
        var file = Files.writeString(directory.resolve("spillway.yaml"), text);
        return catchThrowableOfType(ConfigMistakes.class, () -> ConfigReader.read(file, INSTALLED)).lines().stream()
                .map(line -> line.replace(directory + "/", ""))
                .toList();
    }

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

    static Stream<Arguments> defaults() {
        return Stream.of(
                setting("state", config -> config.file().getParent().relativize(config.state()), Path.of("state")),
                setting("socket", config -> config.state().relativize(config.socket()), Path.of("spillway.sock")),
                setting("socketMode", HeadConfig::socketMode, "666"),
                setting("currency", HeadConfig::currency, "EUR"),
                setting("timeZone", HeadConfig::timeZone, ZoneId.systemDefault()),
                setting("lease", HeadConfig::lease, Duration.ofSeconds(600)),
                setting("directory", HeadConfig::directory, new HeadConfig.Directory.Nss(1000)),
                setting("image.name", config -> config.image().name(), "base"),
                setting("workload", config -> config.workload().manager(), "embedded"),
                setting("queue", config -> config.queues().get("east").maxWalltime(), Duration.ofDays(1)),
                setting(
                        "default queue",
                        config -> config.defaultQueue().map(HeadConfig.Queue::name),
                        Optional.of("east")),
                setting("policy", config -> config.scaler().policy(), "queue-depth"),
                setting("offerings", HeadConfig::offeringsRefresh, Duration.ofMinutes(10)),
                setting("breakers", HeadConfig::breakers, Breakers.Settings.DEFAULTS),
                setting("staging", HeadConfig::staging, HeadConfig.Staging.UNLIMITED),
                setting("decisions", HeadConfig::decisions, new HeadConfig.Decisions(Duration.ofDays(30), 100_000)),
                setting("tick", config -> config.scaler().tick(), Duration.ofSeconds(1)),
                setting("settings", config -> ((Depth) config.scaler().settings()).idleTime(), Duration.ofSeconds(60)),
                setting(
                        "policies",
                        config -> {
                            var found = config.scaler().policies();
                            var name =
                                    config.file().toAbsolutePath().getParent().relativize(found.folder());
                            return new HeadConfig.Policies(
                                    name, found.memoryBytes(), found.deadline(), found.strikes());
                        },
                        new HeadConfig.Policies(Path.of("policies.d"), 256L << 20, Duration.ofMillis(100), 3)),
                setting("registration", config -> config.sites().get("east").registration(), Duration.ofSeconds(300)),
                setting(
                        "director",
                        config -> config.sites().get("east").director(),
                        new HeadConfig.Director(
                                "small",
                                Market.ON_DEMAND,
                                "",
                                Duration.ofMinutes(10),
                                Duration.ofHours(24),
                                "",
                                Optional.empty())),
                setting("web", HeadConfig::web, new HeadConfig.Web(true, "127.0.0.1", 0, Duration.ofHours(12))),
                setting("node image", config -> config.sites().get("east").nodeImage(), ""),
                setting(
                        "options",
                        config -> config.sites().get("east").settings().options(),
                        Map.of()));
    }

    private static Arguments setting(String name, Function<HeadConfig, Object> get, Object expected) {
        return Arguments.of(name, get, expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("defaults")
    void hasADefault(String name, Function<HeadConfig, Object> get, Object expected) throws Exception {
        assertThat(get.apply(read(SMALL))).as(name).isEqualTo(expected);
    }

    @Test
    void aPolicyFromAFileKeepsItsSettingsAsText() throws Exception {
        var config = read(SMALL
                + "scaler: { policy: mine, policies: plugins, policyMemory: 1GiB, policyDeadline: 2s, policyStrikes: 5,"
                + " settings: { most: 7, label: a b } }\n");
        assertThat(config.scaler().policy()).isEqualTo("mine");
        assertThat(config.scaler().texts()).isEqualTo(Map.of("mine", Map.of("most", "7", "label", "a b")));
        assertThat(config.scaler().policies())
                .isEqualTo(new HeadConfig.Policies(directory.resolve("plugins"), 1L << 30, Duration.ofSeconds(2), 5));
    }

    @Test
    void everySettingIsMapped() throws Exception {
        var secret = Files.writeString(directory.resolve("secret"), "s");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(directory.resolve("ca.pem"), "c");
        var config = read("""
                cluster: big-1
                state: /s
                socket: /r/s.sock
                socketMode: 660
                currency: USD
                timeZone: Europe/Berlin
                lease: 90s
                offerings: { refresh: 5m }
                breakers: { bootFailures: 3, unreadyPercent: 20, unreadyLeast: 5, directorSilence: 30s, unusedNodes: 0, unproven: 7 }
                decisions: { keptFor: 2d, most: 10 }
                staging: { perUser: 500GiB }
                web: { enabled: false, address: "::1", port: 8443, userLinksEndAfter: 30m }
                budget: { limit: 12.5, period: month }
                directory: { source: ldap, url: "ldap://h", base: "dc=x", bindDn: "cn=y", passwordFile: secret, startTls: true, caFile: ca.pem, minUid: 500 }
                image: { name: gpu, tree: ./image }
                workload: { manager: embedded }
                queues: { a: { sites: [east], maxWalltime: 2h }, b: { sites: [east], default: true } }
                scaler: { policy: queue-depth, tick: 500ms, settings: { idleTime: 5s, most: 3, dearest: 0.25, spot: true, label: hi } }
                sites:
                  east:
                    driver: local
                    maxNodes: 7
                    registration: 20s
                    director: { type: big, market: spot, zone: a, idle: 0s, image: img-d }
                    nodes: { image: img-1 }
                    owner: hpc-team@example.org
                    prices: { small: 0.10, small/spot: 0.03, p5.48xlarge/reserved: 31.464 }
                    options: { state: ./cloud, port: 8, tokenFile: ./t, subnets: { a-1: s-1, a-2: s-2 }, groups: [g1, g2] }
                """);
        assertThat(config.cluster()).isEqualTo("big-1");
        assertThat(config.state()).isEqualTo(Path.of("/s"));
        assertThat(config.socket()).isEqualTo(Path.of("/r/s.sock"));
        assertThat(config.socketMode()).isEqualTo("660");
        assertThat(config.currency()).isEqualTo("USD");
        assertThat(config.timeZone()).isEqualTo(ZoneId.of("Europe/Berlin"));
        assertThat(config.web()).isEqualTo(new HeadConfig.Web(false, "::1", 8443, Duration.ofMinutes(30)));
        assertThat(config.lease()).isEqualTo(Duration.ofSeconds(90));
        assertThat(config.offeringsRefresh()).isEqualTo(Duration.ofMinutes(5));
        assertThat(config.staging().perUserBytes()).isEqualTo(500L << 30);
        assertThat(config.breakers()).isEqualTo(new Breakers.Settings(3, 20, 5, Duration.ofSeconds(30), 0, 7));
        assertThat(config.decisions()).isEqualTo(new HeadConfig.Decisions(Duration.ofDays(2), 10));
        assertThat(config.budget())
                .isEqualTo(new HeadConfig.Budget(Money.parse("12.50"), HeadConfig.Budget.Period.MONTH));
        assertThat(config.directory())
                .isEqualTo(new HeadConfig.Directory.Ldap(
                        "ldap://h",
                        "dc=x",
                        "cn=y",
                        Optional.of(secret),
                        true,
                        Optional.of(directory.resolve("ca.pem")),
                        500));
        assertThat(config.image()).isEqualTo(new HeadConfig.Image("gpu", directory.resolve("image")));
        assertThat(config.queues().get("a").maxWalltime()).isEqualTo(Duration.ofHours(2));
        assertThat(config.defaultQueue().map(HeadConfig.Queue::name)).contains("b");
        assertThat(config.scaler().tick()).isEqualTo(Duration.ofMillis(500));
        assertThat(config.scaler().settings())
                .isEqualTo(new Depth(Duration.ofSeconds(5), 3, Money.parse("0.25"), true, "hi"));
        var east = config.sites().get("east");
        assertThat(east.maxNodes()).isEqualTo(7);
        assertThat(east.registration()).isEqualTo(Duration.ofSeconds(20));
        assertThat(east.director())
                .isEqualTo(new HeadConfig.Director(
                        "big", Market.SPOT, "a", Duration.ZERO, Duration.ofHours(24), "img-d", Optional.empty()));
        assertThat(east.nodeImage()).isEqualTo("img-1");
        assertThat(east.settings().options())
                .isEqualTo(Map.of(
                        "state",
                        "./cloud",
                        "port",
                        "8",
                        "tokenFile",
                        directory.resolve("t").toString(),
                        "subnets",
                        "a-1=s-1,a-2=s-2",
                        "groups",
                        "g1,g2"));
        assertThat(east.owner()).isEqualTo("hpc-team@example.org");
        assertThat(east.settings().price("small", Market.SPOT)).contains(Money.parse("0.03"));
        assertThat(east.settings().price("p5.48xlarge", Market.RESERVED)).contains(Money.parse("31.464"));
        assertThat(east.needs()).isEqualTo(new Diagnostics.Needs(Set.of("big"), "img-1"));
        assertThat(east.settings().cluster()).isEqualTo("big-1");
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
                "cluster: demo|cluster: demo\\nweb: { adress: 127.0.0.1 }|2: web.adress: unknown key; allowed: enabled, address, port, userLinksEndAfter; did you mean 'address'?",
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
                "sites: [east]|sites: [east], default: yes|5: queues.east.default: found 'yes'; allowed: true, false",
                "cluster: demo|cluster: demo\\nscaler: { policy: queue-dept }|2: scaler.policy: found 'queue-dept'; allowed: queue-depth; did you mean 'queue-depth'?",
                "cluster: demo|cluster: demo\\nbreakers: { unreadyPercent: 101 }|2: breakers.unreadyPercent: found '101'; allowed: a whole number from 0 to 100",
                "cluster: demo|cluster: demo\\nbreakers: { unreadyLeast: 0 }|2: breakers.unreadyLeast: found '0'; allowed: a whole number from 1 to 10000",
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
                "cluster: demo|cluster: demo\\nstaging: { user: 1GiB }|2: staging.user: unknown key; allowed: perUser",
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

    @Test
    void whatMayNotLeaveHomeIsReadAsRealPaths() throws Exception {
        var data = Files.createDirectories(directory.resolve("data"));
        var link = Files.createSymbolicLink(directory.resolve("link"), data);
        var pinned = "pinned: { projects: [health, law], paths: ['" + link + "'] }\n";
        assertThat(read(SMALL + pinned).pinned())
                .isEqualTo(new HeadConfig.Pinned(List.of("health", "law"), List.of(data.toRealPath())));
        assertThat(mistakes(SMALL + "pinned: { paths: [data, /none/x] }\n"))
                .containsExactly(
                        "spillway.yaml:11: pinned.paths: found 'data'; allowed: absolute paths that exist",
                        "spillway.yaml:11: pinned.paths: found '/none/x'; allowed: absolute paths that exist");
        assertThat(mistakes(SMALL + "pinned: { path: [/] }\n"))
                .containsExactly(
                        "spillway.yaml:11: pinned.path: unknown key; allowed: projects, paths; did you mean 'paths'?");
    }

    @Test
    void homeAndKeptNodesAreRead() throws Exception {
        var site = read(SMALL + "    home: true\n    keep: { type: small, count: 2 }\n")
                .sites()
                .values()
                .iterator()
                .next();
        assertThat(site.home()).isTrue();
        assertThat(site.keep()).contains(new HeadConfig.Keep("small", 2, true));
        assertThat(read(SMALL).sites().values().iterator().next().keep()).isEmpty();
        assertThat(mistakes(SMALL + "    keep: { type: small, count: 5 }\n"))
                .containsExactly(
                        "spillway.yaml:11: sites.east.keep.count: found '5'; allowed: a whole number from 1 to 4");
    }

    @Test
    void whatASiteTakesForBytesThatLeaveItIsRead() throws Exception {
        assertThat(read(SMALL).sites().get("east").egressPerGigabyte()).isEqualTo(Money.ZERO);
        assertThat(read(SMALL + "    egressPerGB: 0.09\n").sites().get("east").egressPerGigabyte())
                .isEqualTo(Money.parse("0.09"));
        assertThat(mistakes(SMALL + "    egressPerGB: -1\n"))
                .containsExactly("spillway.yaml:11: sites.east.egressPerGB: found '-1'; allowed: an amount such as"
                        + " 50.00, at least 0");
        assertThat(mistakes(SMALL + "    egressPerGb: 1\n"))
                .singleElement()
                .asString()
                .endsWith("did you mean 'egressPerGB'?");
    }

    @Test
    void poolsAndPrioritiesAreRead() throws Exception {
        var usual = read(SMALL);
        assertThat(usual.sites().values().iterator().next().priority()).isZero();
        assertThat(usual.queues().values().iterator().next().minNodes()).isEmpty();
        assertThat(usual.kept(usual.sites().values().iterator().next())).isEmpty();

        String minimum = SMALL.replace("{ sites: [east] }", "{ sites: [east], minNodes: { type: small, count: 2 } }");
        var config = read(minimum
                + "    priority: -5\n    keep: { type: small, powered: needed }\n    options: { state: /powered }\n");
        var site = config.sites().values().iterator().next();
        assertThat(site.priority()).isEqualTo(-5);
        assertThat(site.keep()).contains(new HeadConfig.Keep("small", 1, false));
        assertThat(config.kept(site))
                .as("what a queue keeps runs")
                .containsExactly(new HeadConfig.Keep("small", 3, true));
        assertThat(mistakes(minimum + "    keep: { type: large, count: 3 }\n"))
                .containsExactly("spillway.yaml:5: queues.east: found 5 nodes that are always there in site east;"
                        + " allowed: its maxNodes, 4");
        assertThat(mistakes(SMALL + "    keep: { type: small, powered: needed }\n"))
                .containsExactly("spillway.yaml:11: sites.east.keep: found 'powered: needed'; allowed: always, for the"
                        + " driver 'local' cannot stop nodes");
        assertThat(mistakes(SMALL + "    priority: 1001\n"))
                .containsExactly("spillway.yaml:11: sites.east.priority: found '1001'; allowed: a whole number from"
                        + " -1000 to 1000");
        assertThat(mistakes(SMALL.replace("{ sites: [east] }", "{ sites: [east], minNodes: { count: 2 } }")))
                .singleElement()
                .asString()
                .startsWith("spillway.yaml:5: queues.east.minNodes.type: missing");
    }

    @Test
    void whatBecomesOfIdleNodesIsRead() throws Exception {
        var usual = read(SMALL).sites().values().iterator().next();
        assertThat(usual.idle()).isEqualTo(new HeadConfig.Idle(false, Duration.ofDays(1)));
        var stopping = read(SMALL
                        + "    idle: stop\n    stoppedFor: 2h\n    options: { state: /powered }\n"
                        + "    prices: { small/stopped: 0.02 }\n")
                .sites()
                .values()
                .iterator()
                .next();
        assertThat(stopping.idle()).isEqualTo(new HeadConfig.Idle(true, Duration.ofHours(2)));
        assertThat(stopping.settings().prices()).containsEntry("small/stopped", Money.parse("0.02"));
        assertThat(mistakes(SMALL + "    stoppedFor: 2h\n"))
                .containsExactly("spillway.yaml:11: sites.east.stoppedFor: found beside idle: terminate; allowed: with"
                        + " idle: stop");
        assertThat(mistakes(SMALL + "    idle: sleep\n"))
                .containsExactly("spillway.yaml:11: sites.east.idle: found 'sleep'; allowed: terminate, stop");
        assertThat(mistakes(SMALL + "    idle: stop\n"))
                .containsExactly("spillway.yaml:11: sites.east.idle: found 'stop'; allowed: terminate, for the driver"
                        + " 'local' cannot stop nodes");
    }

    @Test
    void accountFilesAreReadAndChecked() throws Exception {
        Files.writeString(directory.resolve("passwd"), "ada:x:2001:2001::/home/ada:/bin/sh\n");
        Files.writeString(directory.resolve("group"), "ada:x:2001:\n");
        var text = SMALL.replace("source: nss", "source: file, passwd: ./passwd, group: group, minUid: 2000");
        assertThat(read(text).directory())
                .isEqualTo(new HeadConfig.Directory.AccountFiles(
                        directory.resolve("passwd"), directory.resolve("group"), 2000));

        Files.writeString(directory.resolve("group"), "ada:x:2001\n");
        assertThat(mistakes(text))
                .containsExactly("spillway.yaml:3: directory.source: group:1: found 3 fields; allowed:"
                        + " NAME:x:GID:MEMBER,MEMBER");
        Files.setPosixFilePermissions(directory.resolve("group"), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(mistakes(text)).anyMatch(line -> line.contains("which others may write"));
        assertThat(mistakes(text.replace(", group: group", "")))
                .containsExactly("spillway.yaml:3: directory.group: missing; allowed: a file in the form of group(5)");
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
