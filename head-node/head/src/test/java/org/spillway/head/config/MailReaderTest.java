package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.head.config.HeadConfig.Mail.Tls;
import org.spillway.policy.Money;
import org.spillway.policy.builtin.BuiltInPolicies;
import org.spillway.settings.ConfigMistakes;

/** The sections {@code mail} and {@code clusters}. */
final class MailReaderTest {
    private static final String HOST = "host: smtp.example.org, from: spillway@example.org";

    @TempDir
    private Path directory;

    @BeforeEach
    void files() throws IOException {
        Files.createDirectories(directory.resolve("tree"));
        for (String mode : new String[] {"rw-------", "rw-r--r--"}) {
            Path file = Files.writeString(directory.resolve(mode.equals("rw-------") ? "secret" : "open"), "p\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        }
    }

    private HeadConfig read(String more) throws ConfigMistakes, IOException {
        Map<String, Record> defaults = new HashMap<>();
        BuiltInPolicies.byName().forEach((name, policy) -> defaults.put(name, policy.defaults()));
        Path file = directory.resolve("spillway.yaml");
        Files.writeString(file, """
                cluster: demo
                budget: { limit: 50.00, period: day }
                directory: { source: nss }
                image: { name: base, tree: ./tree }
                queues: { gpu: { sites: [east] } }
                sites: { east: { driver: local, maxNodes: 4, director: { type: small } } }
                """ + more + "\n");
        return ConfigReader.read(file, new Installed(Map.of("local", new FakeDriver()), defaults, Map.of()));
    }

    private String mistakes(String more) {
        ConfigMistakes mistakes = catchThrowableOfType(ConfigMistakes.class, () -> read(more));
        return String.join("\n", mistakes.lines()).replace(directory + "/", "");
    }

    @Test
    void withoutThemNoMailIsSentAndClustersHaveTheUsual() throws Exception {
        HeadConfig config = read("");
        assertThat(config.mail()).isEmpty();
        assertThat(config.clusters()).isEqualTo(ClusterSettings.USUAL);
    }

    @ParameterizedTest
    @CsvSource({"required, REQUIRED, 465", "starttls, STARTTLS, 587"})
    void everySettingIsRead(String tls, Tls expected, int port) throws Exception {
        var mail = read("mail: { " + HOST + ", tls: " + tls
                        + ", user: relay, passwordFile: secret, caFile: open, domain: example.org }")
                .mail()
                .orElseThrow();
        assertThat(mail.host()).isEqualTo("smtp.example.org");
        assertThat(mail.tls()).isEqualTo(expected);
        assertThat(mail.port()).isEqualTo(port);
        assertThat(mail.from()).isEqualTo("spillway@example.org");
        assertThat(mail.user()).isEqualTo("relay");
        assertThat(mail.passwordFile()).contains(directory.resolve("secret"));
        assertThat(mail.caFile()).contains(directory.resolve("open"));
        assertThat(mail.domain()).isEqualTo("example.org");
    }

    @Test
    void theLeastIsAHostAndASender() throws Exception {
        var mail = read("mail: { " + HOST + " }").mail().orElseThrow();
        assertThat(mail.tls()).isEqualTo(Tls.STARTTLS);
        assertThat(mail.passwordFile()).isEmpty();
        assertThat(read("mail: { host: 127.0.0.1, port: 2525, tls: none, from: a@b }")
                        .mail()
                        .orElseThrow()
                        .port())
                .isEqualTo(2525);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "from: a@b | mail.host: missing",
                "host: x | mail.from: missing",
                "host: x, from: nobody | mail.from: found 'nobody'",
                "host: x, from: 'a@b, c@d' | mail.from",
                "host: 'x y', from: a@b | mail.host",
                "host: x, from: a@b, tls: none | mail.tls: found 'none' for a server elsewhere",
                "host: x, from: a@b, tls: sometimes | mail.tls: found 'sometimes'",
                "host: x, from: a@b, port: 0 | mail.port",
                "host: x, from: a@b, user: u | mail.user: found without passwordFile",
                "host: x, from: a@b, passwordFile: secret | mail.passwordFile: found without user",
                "host: x, from: a@b, user: u, passwordFile: open | mail.passwordFile: found",
                "host: x, from: a@b, user: u, passwordFile: nowhere | mail.passwordFile: found",
                "host: localhost, from: a@b, tls: none, user: u, passwordFile: secret | mail.tls: found 'none' with",
                "host: x, from: a@b, caFile: nowhere | mail.caFile: found",
                "host: x, from: a@b, domain: 'a b' | mail.domain: found",
                "host: x, from: a@b, password: p | mail.password: unknown key"
            })
    void mistakesAreNamedWithTheirKey(String section, String expected) {
        assertThat(mistakes("mail: { " + section + " }"))
                .contains("spillway.yaml:7: " + expected.split(":", 2)[0])
                .contains(expected);
    }

    @Test
    void whatHoldsForClustersIsRead() throws Exception {
        var clusters = read("clusters: { warnBefore: [2h, 5m], warnSpent: [50], resultsWithin: 1h }")
                .clusters();
        assertThat(clusters.warnBefore()).containsExactly(Duration.ofHours(2), Duration.ofMinutes(5));
        assertThat(clusters.warnSpent()).containsExactly(50);
        assertThat(clusters.resultsWithin()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void quotasAreReadWithTheAmountsThatTheyHave() throws Exception {
        var quotas = read("""
                clusters:
                  quotas:
                    - { user: "*", clusters: 2, nodes: 8, gpus: 4, budget: 50, ttl: 8h }
                    - { group: class, nodes: 0 }""").clusters().quotas();
        assertThat(quotas)
                .containsExactly(
                        new ClusterSettings.Quota(
                                ClusterSettings.Quota.Holder.USER,
                                "*",
                                Optional.of(2),
                                Optional.of(8),
                                Optional.of(4),
                                Optional.of(Money.parse("50")),
                                Optional.of(Duration.ofHours(8))),
                        new ClusterSettings.Quota(
                                ClusterSettings.Quota.Holder.GROUP,
                                "class",
                                Optional.empty(),
                                Optional.of(0),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty()));
    }

    @Test
    void imagesThatMayBeChosenAreRead() throws Exception {
        Path torch = Files.createDirectories(directory.resolve("image-torch"));
        assertThat(read("clusters: { images: { torch: { tree: ./image-torch } } }")
                        .clusters()
                        .images())
                .containsExactly(entry("torch", torch));
    }

    @Test
    void whoApprovesWhatIsRead() throws Exception {
        var approval = read("""
                clusters:
                  approval:
                    above: [ { user: "*", nodes: 8, budget: 100 }, { group: class, gpus: 0 } ]
                    users: [carol]
                    groups: [hpc-admins]
                    within: 2d""").clusters().approval();
        assertThat(approval.above()).extracting(ClusterSettings.Quota::name).containsExactly("*", "class");
        assertThat(approval.users()).containsExactly("carol");
        assertThat(approval.groups()).containsExactly("hpc-admins");
        assertThat(approval.within()).isEqualTo(Duration.ofDays(2));
        assertThat(read("").clusters().approval()).isEqualTo(ClusterSettings.Approval.NEVER);
        assertThat(read("").clusters().approval().within()).isEqualTo(Duration.ofDays(7));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "images: { torch: { tree: ./nowhere } } | clusters.images.torch.tree: found",
                "images: { torch: {} } | clusters.images.torch.tree: missing",
                "images: { Torch: { tree: . } } | clusters.images.Torch: found this name",
                "images: { base: { tree: . } } | clusters.images.base: found 'base', which is the name of the image of all",
                "images: { torch: { tree: ., size: 3 } } | clusters.images.torch.size: unknown key",
                "images: {} | clusters.images: found 0 names",
                "images: torch | clusters.images: found 'torch'",
                "quotas: [ { nodes: 1 } ] | clusters.quotas: found neither user nor group",
                "quotas: [ { user: a, group: b, nodes: 1 } ] | clusters.quotas: found user and group",
                "quotas: [ { user: a } ] | clusters.quotas: found no amount; allowed: clusters, nodes, gpus, budget, ttl",
                "quotas: [ { user: 'a b', nodes: 1 } ] | clusters.quotas.user: found 'a b'",
                "quotas: [ { user: a, nodes: -1 } ] | clusters.quotas.nodes: found '-1'",
                "quotas: [ { user: a, ttl: soon } ] | clusters.quotas.ttl: found 'soon'",
                "quotas: [ { user: a, budget: much } ] | clusters.quotas.budget: found 'much'",
                "quotas: [ { user: a, clusters: 51 } ] | clusters.quotas.clusters: found '51'",
                "quotas: [ { user: a, most: 1, nodes: 2 } ] | clusters.quotas.most: unknown key",
                "quotas: [ { user: a, gpus: some } ] | clusters.quotas.gpus: found 'some'",
                "approval: { users: [a] } | clusters.approval.above: missing",
                "approval: { above: [ { user: a } ] } | clusters.approval.above: found no amount",
                "approval: { above: [ { user: a, nodes: 1 } ], users: ['a b'] } | clusters.approval.users: found 'a b'",
                "approval: { above: [ { user: a, nodes: 1 } ], groups: g } | clusters.approval.groups: found 'g'",
                "approval: { above: [ { user: a, nodes: 1 } ], within: 10s } | clusters.approval.within: found '10s'",
                "approval: { above: [ { user: a, nodes: 1 } ], within: 91d } | clusters.approval.within: found '91d'",
                "approval: { above: [ { user: a, nodes: 1 } ], by: [a] } | clusters.approval.by: unknown key",
                "approval: 7d | clusters.approval: found '7d'",
                "quotas: 3 | clusters.quotas: found '3'",
                "warnBefore: [soon] | clusters.warnBefore: found 'soon'",
                "warnBefore: [8d] | clusters.warnBefore: found '8d'",
                "warnBefore: 1h | clusters.warnBefore: found '1h'",
                "warnSpent: [0] | clusters.warnSpent: found '0'",
                "warnSpent: [101] | clusters.warnSpent: found '101'",
                "warnSpent: [1,2,3,4,5,6,7,8,9,10,11] | clusters.warnSpent: found 11",
                "resultsWithin: 2d | clusters.resultsWithin: found '2d'",
                "warn: 1 | clusters.warn: unknown key"
            })
    void mistakesInClustersAreNamedWithTheirKey(String section, String expected) {
        assertThat(mistakes("clusters: { " + section + " }"))
                .contains("spillway.yaml:7: ")
                .contains(expected);
    }
}
