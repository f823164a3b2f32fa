package org.spillway.cloud.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

final class CataloguedSiteTest {
    private static final Duration USABLE = Duration.ofHours(1);
    private static final Offering LARGE = Offering.of(
                    new OfferingId("here", "a", "gpu.large", Market.SPOT),
                    new Resources(32, 256L << 30, 4, "h100", 100L << 30),
                    Money.parse("5.000001"))
            .withFeatures(Set.of("arch:x86_64", "fabric:efa"))
            .withGpuMemoryBytes(80L << 30);
    private static final Offering SMALL = Offering.of(
            new OfferingId("here", "b", "small", Market.ON_DEMAND),
            new Resources(2, 4L << 30, 0, "", 0),
            Money.parse("0.05"));

    @TempDir
    private Path directory;

    private final Provider provider = new Provider();
    private Instant now = Instant.parse("2026-11-21T00:00:00Z");

    private static final class Provider implements Site, Compute {
        private List<Offering> offerings = List.of(LARGE, SMALL);
        private int asked;
        private boolean away;

        @Override
        public List<Offering> offerings() throws CloudException {
            asked++;
            if (away) {
                throw new CloudException(Reason.CREDENTIALS, "the token has expired");
            }
            return offerings;
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void terminate(Collection<String> instanceIds) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Instance> list() {
            return List.of();
        }

        @Override
        public Optional<Lookup> lookup() {
            return Optional.of(ids -> Map.of("m-1", new Look.Denied("gone")));
        }

        @Override
        public Duration consistencyWindow() {
            return Duration.ZERO;
        }

        @Override
        public Compute compute() {
            return this;
        }

        @Override
        public Diagnostics diagnostics() {
            return needs -> List.of();
        }

        @Override
        public void close() {
            asked = 0;
        }
    }

    private CataloguedSite site(Map<String, String> options) {
        return new CataloguedSite(
                provider, "local", SiteSettings.of("cluster", "here", options, directory), USABLE, () -> now);
    }

    @Test
    void asksByIdAsItsProviderDoes() throws Exception {
        Lookup lookup = site(Map.of()).compute().lookup().orElseThrow();
        assertThat(lookup.look(List.of("m-1"))).containsEntry("m-1", new Look.Denied("gone"));
    }

    @Test
    void theProviderIsAskedOnce() throws Exception {
        CataloguedSite site = site(Map.of());
        assertThat(site.compute().offerings()).containsExactly(LARGE, SMALL);
        assertThat(site.compute().offerings()).containsExactly(LARGE, SMALL);
        assertThat(provider.asked).isEqualTo(1);
    }

    @Test
    void aRefreshBringsWhatIsNew() throws Exception {
        CataloguedSite site = site(Map.of());
        site.compute().offerings();
        provider.offerings = List.of(SMALL);
        site.refresh();
        assertThat(site.compute().offerings()).containsExactly(SMALL);
    }

    @Test
    void aFailedRefreshKeepsWhatWasKnownUntilItIsTooOld() throws Exception {
        CataloguedSite site = site(Map.of());
        site.compute().offerings();
        provider.away = true;
        now = now.plus(USABLE);
        site.refresh();
        assertThat(site.compute().offerings()).containsExactly(LARGE, SMALL);
        now = now.plusSeconds(1);
        assertThatThrownBy(() -> site.compute().offerings())
                .isInstanceOfSatisfying(
                        CloudException.class,
                        failed -> assertThat(failed.reason()).isEqualTo(Reason.CREDENTIALS))
                .hasMessage("what is known of them is 60 minutes old: the token has expired");
        provider.away = false;
        site.refresh();
        assertThat(site.compute().offerings()).containsExactly(LARGE, SMALL);
    }

    @Test
    void theNextProcessKnowsWhatTheLastOneKnew() throws Exception {
        site(Map.of()).compute().offerings();
        provider.away = true;
        assertThat(site(Map.of()).compute().offerings()).containsExactly(LARGE, SMALL);
        assertThat(provider.asked).isEqualTo(1);
        Path file = directory.resolve("offerings-here.json");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.readString(file)).contains("\"schema\":1").contains("\"readAt\":\"2026-11-21T00:00:00Z\"");
    }

    @Test
    void whatWasReadElsewhereOrLongAgoOrIsBrokenDoesNotCount() throws Exception {
        site(Map.of("region", "east")).compute().offerings();
        site(Map.of("region", "west")).compute().offerings();
        assertThat(provider.asked).isEqualTo(2);
        now = now.plus(USABLE).plusSeconds(1);
        site(Map.of("region", "west")).compute().offerings();
        assertThat(provider.asked).isEqualTo(3);
        Files.writeString(directory.resolve("offerings-here.json"), "{\"schema\":1,");
        site(Map.of("region", "west")).compute().offerings();
        assertThat(provider.asked).isEqualTo(4);
    }

    @Test
    void aProviderThatIsAwayFromTheStartIsAnError() {
        provider.away = true;
        CataloguedSite site = site(Map.of());
        site.refresh();
        assertThat(site.catalogue()).isEmpty();
        assertThatThrownBy(() -> site.compute().offerings()).hasMessage("the token has expired");
    }
}
