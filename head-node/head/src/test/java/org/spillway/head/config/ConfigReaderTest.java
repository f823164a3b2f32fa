package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.cloud.Diagnostics;
import org.spillway.director.directory.DirectorySchema;
import org.spillway.director.wire.Isolation;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Breakers;
import org.spillway.scaler.plan.SickGroups;

/** Defaults and mappings of a configuration. */
final class ConfigReaderTest extends ConfigScene {

    static Stream<Arguments> defaults() {
        return Stream.of(
                setting("state", config -> config.file().getParent().relativize(config.state()), Path.of("state")),
                setting("socket", config -> config.state().relativize(config.socket()), Path.of("spillway.sock")),
                setting("socketMode", HeadConfig::socketMode, "666"),
                setting("currency", HeadConfig::currency, "EUR"),
                setting("timeZone", HeadConfig::timeZone, ZoneId.systemDefault()),
                setting("lease", HeadConfig::lease, Duration.ofSeconds(600)),
                setting("directory", HeadConfig::directory, new DirectorySetting.Nss(1000)),
                setting("image.name", config -> config.image().name(), "base"),
                setting("workload", config -> config.workload().manager(), "embedded"),
                setting("markets", config -> config.queues().get("east").markets(), Market.STEADY),
                setting("container", config -> config.queues().get("east").container(), ""),
                setting(
                        "markets of clusters on demand",
                        config -> config.clusters().markets(),
                        Market.STEADY),
                setting("queue", config -> config.queues().get("east").maxWalltime(), Duration.ofDays(1)),
                setting(
                        "default queue",
                        config -> config.defaultQueue().map(HeadConfig.Queue::name),
                        Optional.of("east")),
                setting("policy", config -> config.scaler().policy(), "queue-depth"),
                setting("offerings", HeadConfig::offeringsRefresh, Duration.ofMinutes(10)),
                setting("breakers", HeadConfig::breakers, Breakers.Settings.DEFAULTS),
                setting("staging", HeadConfig::staging, HeadConfig.Staging.UNLIMITED),
                setting("decisions", HeadConfig::decisions, new HeadConfig.Decisions(Duration.ofDays(400), 10_000)),
                setting("archive", HeadConfig::archive, ArchiveSettings.USUAL),
                setting("nodes", HeadConfig::nodeLogs, NodeLogSettings.USUAL),
                setting("interactive", HeadConfig::interactive, InteractiveSettings.USUAL),
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
                                Optional.empty(),
                                Optional.empty())),
                setting(
                        "web",
                        HeadConfig::web,
                        new WebSettings(true, "127.0.0.1", 0, Duration.ofHours(12), Optional.empty())),
                setting("node image", config -> config.sites().get("east").nodeImage(), ""),
                setting(
                        "isolation",
                        config -> config.sites().get("east").isolation(),
                        "root".equals(System.getProperty("user.name")) ? Isolation.REQUIRED : Isolation.PREFERRED),
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
                breakers: { bootFailures: 3, unreadyPercent: 20, unreadyLeast: 5, directorSilence: 30s, unusedNodes: 0, unproven: 7, sickNodes: 0, sickPercent: 50, sickWithin: 2h, sickRest: 10m }
                decisions: { keptFor: 2d, most: 10 }
                archive: { after: 7d, keptFor: 3650d }
                nodes: { logsKeptFor: 7d, logsRoom: 16MiB }
                interactive: { awayFor: 2h, idleFor: 8h, perUser: 3, perNode: 250 }
                staging: { perUser: 500GiB, keep: 12h, networks: [10.0.0.0/8] }
                web: { enabled: false, address: "::1", port: 8443, userLinksEndAfter: 30m }
                budget: { limit: 12.5, period: month }
                directory: { source: ldap, url: "ldap://h", base: "dc=x", schema: rfc2307bis, bindDn: "cn=y", passwordFile: secret, startTls: true, caFile: ca.pem, minUid: 500 }
                image: { name: gpu, tree: ./image }
                workload: { manager: embedded }
                queues: { a: { sites: [east], maxWalltime: 2h, markets: [spot, on-demand], container: 'debian:12' }, b: { sites: [east], default: true, container: none } }
                scaler: { policy: queue-depth, tick: 500ms, settings: { idleTime: 5s, most: 3, dearest: 0.25, spot: true, label: hi } }
                sites:
                  east:
                    driver: local
                    maxNodes: 7
                    registration: 20s
                    director: { type: big, market: spot, zone: a, idle: 0s, image: img-d, trialBudget: 1.5 }
                    nodes: { image: img-1, isolation: "off" }
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
        assertThat(config.web())
                .isEqualTo(new WebSettings(false, "::1", 8443, Duration.ofMinutes(30), Optional.empty()));
        assertThat(config.lease()).isEqualTo(Duration.ofSeconds(90));
        assertThat(config.offeringsRefresh()).isEqualTo(Duration.ofMinutes(5));
        assertThat(config.staging())
                .isEqualTo(new HeadConfig.Staging(500L << 30, Duration.ofHours(12), List.of("10.0.0.0/8"), ""));
        assertThat(config.breakers())
                .isEqualTo(new Breakers.Settings(
                        3,
                        20,
                        5,
                        Duration.ofSeconds(30),
                        0,
                        7,
                        new SickGroups.Settings(0, 50, Duration.ofHours(2), Duration.ofMinutes(10))));
        assertThat(config.decisions()).isEqualTo(new HeadConfig.Decisions(Duration.ofDays(2), 10));
        assertThat(config.archive())
                .isEqualTo(new ArchiveSettings(Duration.ofDays(7), Optional.of(Duration.ofDays(3650))));
        assertThat(config.nodeLogs()).isEqualTo(new NodeLogSettings(Duration.ofDays(7), 16L << 20));
        assertThat(config.interactive())
                .isEqualTo(new InteractiveSettings(Duration.ofHours(2), Duration.ofHours(8), 3, 250));
        assertThat(config.budget())
                .isEqualTo(new HeadConfig.Budget(Money.parse("12.50"), HeadConfig.Budget.Period.MONTH));
        assertThat(config.directory())
                .isEqualTo(new DirectorySetting.Ldap(
                        "ldap://h",
                        "dc=x",
                        DirectorySchema.RFC2307BIS,
                        "cn=y",
                        Optional.of(secret),
                        true,
                        Optional.of(directory.resolve("ca.pem")),
                        500));
        assertThat(config.image()).isEqualTo(new HeadConfig.Image("gpu", directory.resolve("image")));
        assertThat(config.queues().get("a").maxWalltime()).isEqualTo(Duration.ofHours(2));
        assertThat(config.queues().get("a").container()).isEqualTo("docker.io/library/debian:12");
        assertThat(config.queues().get("b").container()).isEmpty();
        assertThat(config.queues().get("a").markets()).containsExactlyInAnyOrder(Market.SPOT, Market.ON_DEMAND);
        assertThat(config.defaultQueue().map(HeadConfig.Queue::name)).contains("b");
        assertThat(config.scaler().tick()).isEqualTo(Duration.ofMillis(500));
        assertThat(config.scaler().settings())
                .isEqualTo(new Depth(Duration.ofSeconds(5), 3, Money.parse("0.25"), true, "hi"));
        var east = config.sites().get("east");
        assertThat(east.maxNodes()).isEqualTo(7);
        assertThat(east.registration()).isEqualTo(Duration.ofSeconds(20));
        assertThat(east.director())
                .isEqualTo(new HeadConfig.Director(
                        "big",
                        Market.SPOT,
                        "a",
                        Duration.ZERO,
                        Duration.ofHours(24),
                        "img-d",
                        Optional.empty(),
                        Optional.of(Money.parse("1.5"))));
        assertThat(east.nodeImage()).isEqualTo("img-1");
        assertThat(east.isolation()).isEqualTo(Isolation.OFF);
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
                .isEqualTo(new DirectorySetting.AccountFiles(
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
}
