package org.spillway.head.ondemand.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Look;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.delegated.DelegatedDriver;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.ondemand.Allowance;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Money;

/** Who is let in, over real TLS. */
final class BrokerServerTest {
    @TempDir
    private Path directory;

    private final SmallCloud cloud = new SmallCloud(InstantSource.system());
    private final Map<String, Allowance> allowed = new ConcurrentHashMap<>();
    private SiteAuthority authority;
    private Brokered broker;

    @BeforeEach
    void open() throws Exception {
        authority = SiteAuthority.open(directory.resolve("parent"), InstantSource.system());
        broker = Brokered.open(
                authority.brokerTls(),
                (token, certificate) -> Optional.ofNullable(allowed.get(token + certificate)),
                cloud,
                new BookOfOne(new MemoryJournalStore(), InstantSource.system()),
                InstantSource.system(),
                Brokered.Times.USUAL);
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private ChildFiles child(String cluster, SiteAuthority signedBy) throws Exception {
        return new ChildFiles(
                directory.resolve(cluster),
                signedBy.clusterCredential(cluster),
                authority.clusterToken(cluster),
                authority.certificatePem());
    }

    private void allow(ChildFiles files, String cluster, Duration time) throws Exception {
        allowed.put(
                files.tokenSha256() + files.certificateSha256(),
                new Allowance(
                        cluster, "east", 4, Money.parse("10"), Instant.now().plus(time), Set.of("small")));
    }

    private Site site(ChildFiles files) throws Exception {
        return new DelegatedDriver()
                .open(SiteSettings.of(
                        "home-c1", "mine", files.options("https://127.0.0.1:" + broker.port(), "10"), directory));
    }

    private static void isRefused(Site site, Reason reason, String sentence) {
        assertThatThrownBy(() -> site.compute().list()).isInstanceOfSatisfying(CloudException.class, refused -> {
            assertThat(refused.reason()).isEqualTo(reason);
            assertThat(refused).hasMessageContaining(sentence);
        });
        var mine = new org.spillway.policy.OfferingId("mine", "a", "small", org.spillway.policy.Market.ON_DEMAND);
        assertThat(site.compute().launch(SmallCloud.request("i1", mine, 1)).outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(reason));
        assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                .anySatisfy(finding -> assertThat(finding.verdict()).isEqualTo(Diagnostics.Verdict.BROKEN));
    }

    @Test
    void aChildBuysUnderItsOwnNameForTheSite() throws Exception {
        ChildFiles files = child("home-c1", authority);
        allow(files, "home-c1", Duration.ofHours(1));
        Site site = site(files);
        assertThat(site.compute().offerings()).singleElement().satisfies(one -> {
            assertThat(one.id().site()).isEqualTo("mine");
            assertThat(one.id().instanceType()).isEqualTo("small");
            assertThat(one.pricePerHour()).isEqualTo(Money.parse("1"));
        });
        var mine = new org.spillway.policy.OfferingId("mine", "a", "small", org.spillway.policy.Market.ON_DEMAND);
        var answer = site.compute().launch(SmallCloud.request("i1", mine, 2));
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
        assertThat(answer.instances())
                .allSatisfy(one -> assertThat(one.tags())
                        .containsEntry(Instance.TAG_CLUSTER, "home-c1")
                        .containsEntry(Instance.TAG_SITE, "mine"));
        assertThat(cloud.live("home-c1")).hasSize(2);
        assertThat(broker.instances("home-c1")).isEqualTo(2);
        assertThat(broker.spent("home-c1", Instant.now()).micros()).isPositive();
    }

    @Test
    void aForgedTokenIsRefused() throws Exception {
        ChildFiles files = child("home-c1", authority);
        allow(files, "home-c1", Duration.ofHours(1));
        ChildFiles forged =
                new ChildFiles(files.folder(), files.credential(), authority.clusterToken("home-c9"), files.caPem());
        isRefused(site(forged), Reason.CREDENTIALS, "this token is not known, or was given to another certificate");
    }

    @Test
    void aCopiedTokenIsOfNoUseWithAnotherCertificate() throws Exception {
        ChildFiles files = child("home-c1", authority);
        allow(files, "home-c1", Duration.ofHours(1));
        ChildFiles copied = new ChildFiles(
                directory.resolve("thief"), authority.clusterCredential("home-c2"), files.token(), files.caPem());
        isRefused(site(copied), Reason.CREDENTIALS, "this token is not known, or was given to another certificate");
    }

    @Test
    void anExpiredTokenIsRefusedAndSaysSo() throws Exception {
        ChildFiles files = child("home-c1", authority);
        allow(files, "home-c1", Duration.ofSeconds(-1));
        isRefused(site(files), Reason.QUOTA, "the time of cluster home-c1 was over at ");
    }

    @Test
    void aCertificateOfAnotherNameIsRefused() throws Exception {
        ChildFiles files = child("home-c1", authority);
        allow(files, "home-c7", Duration.ofHours(1));
        isRefused(site(files), Reason.CREDENTIALS, "this certificate is not that of cluster home-c7");
    }

    @Test
    void aCertificateOfAnotherAuthorityDoesNotGetAWordIn() throws Exception {
        SiteAuthority stranger = SiteAuthority.open(directory.resolve("stranger"), InstantSource.system());
        ChildFiles files = child("home-c1", stranger);
        allow(files, "home-c1", Duration.ofHours(1));
        Site site = site(files);
        assertThatThrownBy(() -> site.compute().list()).isInstanceOf(CloudException.class);
        assertThat(cloud.calls).isZero();
    }

    @Test
    void aBrokerOfAnotherAuthorityIsNotTold() throws Exception {
        SiteAuthority stranger = SiteAuthority.open(directory.resolve("stranger"), InstantSource.system());
        ChildFiles files = new ChildFiles(
                directory.resolve("home-c1"),
                authority.clusterCredential("home-c1"),
                authority.clusterToken("home-c1"),
                stranger.certificatePem());
        allow(files, "home-c1", Duration.ofHours(1));
        isRefused(site(files), Reason.CREDENTIALS, "no TLS with the parent");
    }

    @Test
    void whatIsNotItsOwnIsNotEnded() throws Exception {
        cloud.of("home-c1", "east").compute().launch(SmallCloud.request("the-head", SmallCloud.SMALL, 1));
        ChildFiles files = child("home-c1", authority);
        allow(files, "home-c1", Duration.ofHours(1));
        site(files).compute().terminate(List.of("m-1"));
        assertThat(cloud.live("home-c1")).hasSize(1);
    }

    @Test
    void aChildAsksByIdForWhatItHasBought() throws Exception {
        cloud.of("home-c1", "east").compute().launch(SmallCloud.request("the-head", SmallCloud.SMALL, 1));
        ChildFiles files = child("home-c1", authority);
        allow(files, "home-c1", Duration.ofHours(1));
        Site site = site(files);
        var mine = new org.spillway.policy.OfferingId("mine", "a", "small", org.spillway.policy.Market.ON_DEMAND);
        String bought = site.compute()
                .launch(SmallCloud.request("i1", mine, 1))
                .instances()
                .getFirst()
                .id();
        var looks = site.compute().lookup().orElseThrow().look(List.of(bought, "m-1", "m-99"));
        assertThat(looks.get(bought))
                .isInstanceOfSatisfying(
                        Look.Found.class,
                        found -> assertThat(found.instance().offering()).isEqualTo(mine));
        assertThat(looks.get("m-1")).isInstanceOf(Look.Unsure.class);
        assertThat(looks.get("m-99")).isInstanceOf(Look.Unsure.class);
        cloud.instances.remove(bought);
        assertThat(site.compute().lookup().orElseThrow().look(List.of(bought)))
                .containsEntry(bought, new Look.Denied("NoSuchMachine"));
    }
}
