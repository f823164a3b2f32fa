package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** What every driver does. A driver's test extends this and supplies a provider, real or emulated. */
public abstract class CloudDriverContract extends ProviderUnderTest {
    @Nested
    class Offerings {
        @Test
        void areOfThisSiteWithResourcesAndPrices() throws Exception {
            List<Offering> offerings = site.compute().offerings();
            assertThat(offerings)
                    .extracting(Offering::id)
                    .contains(offering("here"))
                    .doesNotHaveDuplicates();
            assertThat(offerings).allSatisfy(offering -> {
                assertThat(offering.id().site()).isEqualTo("here");
                assertThat(offering.resources().cpus()).isPositive();
                assertThat(offering.resources().memoryBytes()).isPositive();
                assertThat(offering.pricePerHour().micros()).isNotNegative();
            });
        }
    }

    @Nested
    class Launching {
        @Test
        void givesInstancesThatRunAndBearTheirTags() throws Exception {
            LaunchRequest request = request(offering("here"), 2, "");
            LaunchAnswer answer = site.compute().launch(request);
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
            assertThat(answer.instances())
                    .extracting(Instance::id)
                    .doesNotHaveDuplicates()
                    .hasSize(2);
            List<Instance> running = eventually(
                    () -> listed(site, request),
                    all -> all.size() == 2 && all.stream().allMatch(i -> i.state() == Instance.State.RUNNING));
            assertThat(running).allSatisfy(instance -> {
                assertThat(instance.offering()).isEqualTo(request.offering());
                assertThat(instance.address()).isNotEmpty();
                assertThat(instance.sshPort()).isPositive();
                assertThat(instance.tags())
                        .containsEntry(Instance.TAG_CLUSTER, "contract")
                        .containsEntry(Instance.TAG_SITE, "here")
                        .containsEntry(Instance.TAG_INTENT, request.intent())
                        .containsEntry(Instance.TAG_ATTEMPT, "1")
                        .containsEntry("colour", "blue");
            });
        }

        @Test
        void givesTheSameInstancesForTheSameRequest() throws Exception {
            LaunchRequest request = one();
            Instance launched = first(site.compute().launch(request));
            assertThat(first(site.compute().launch(request)).id()).isEqualTo(launched.id());
            assertThat(listed(site, request)).hasSize(1);
        }

        @Test
        void givesOthersForTheNextAttempt() {
            LaunchRequest request = one();
            LaunchRequest next = new LaunchRequest(request.intent(), 2, request.offering(), 1, "", "", request.tags());
            assertThat(first(site.compute().launch(next)).id())
                    .isNotEqualTo(first(site.compute().launch(request)).id());
        }

        @Test
        void refusesWhatIsNotForSale() {
            OfferingId good = offering("here");
            for (OfferingId bad : List.of(
                    new OfferingId("here", good.zone(), "no-such-type", good.market()),
                    new OfferingId("here", "no-such-zone", good.instanceType(), Market.ON_DEMAND),
                    new OfferingId("elsewhere", good.zone(), good.instanceType(), good.market()))) {
                assertThat(site.compute().launch(request(bad, 1, "")).outcome())
                        .isInstanceOfSatisfying(
                                LaunchOutcome.Refused.class,
                                refused -> assertThat(refused.reason()).isEqualTo(Reason.INVALID));
            }
        }
    }

    @Nested
    class Terminating {
        @Test
        void endsAndMayBeRepeated() throws Exception {
            LaunchRequest request = one();
            String id = first(site.compute().launch(request)).id();
            site.compute().terminate(List.of(id));
            eventually(
                    () -> listed(site, request),
                    all -> all.stream().noneMatch(i -> i.state() != Instance.State.TERMINATED));
            site.compute().terminate(List.of(id));
        }

        @Test
        void takesUnknownAsGone() throws Exception {
            LaunchRequest request = one();
            String id = first(site.compute().launch(request)).id();
            site.compute().terminate(List.of("i-00000000000000000", id));
            eventually(
                    () -> listed(site, request),
                    all -> all.stream().noneMatch(i -> i.state().isLive()));
        }
    }

    @Nested
    class Neighbours {
        @Test
        void areNeitherListedNorEnded() throws Exception {
            Site otherCluster = opened(open("stranger", "here", false));
            Site otherSite = opened(open("contract", "there", false));
            LaunchRequest mine = one();
            LaunchRequest siteMate = request(offering("there"), 1, "");
            String strange = first(otherCluster.compute().launch(mine)).id();
            String mate = first(otherSite.compute().launch(siteMate)).id();
            String own = first(site.compute().launch(mine)).id();
            assertThat(own).isNotEqualTo(strange);
            assertThat(site.compute().list())
                    .extracting(Instance::id)
                    .contains(own)
                    .doesNotContain(strange, mate);
            site.compute().terminate(List.of(strange, mate));
            assertThat(otherCluster.compute().list())
                    .anyMatch(i -> i.id().equals(strange) && i.state().isLive());
            assertThat(otherSite.compute().list())
                    .anyMatch(i -> i.id().equals(mate) && i.state().isLive());
        }
    }

    @Nested
    class BadLuck {
        @Test
        void lostAnswerIsUnknownAndTheInstanceIsFoundByItsIntent() throws Exception {
            arrange(new Luck.LostAnswer());
            LaunchRequest request = one();
            assertThat(site.compute().launch(request).outcome()).isInstanceOf(LaunchOutcome.Unknown.class);
            Instance found = eventually(() -> listed(site, request), all -> all.size() == 1)
                    .getFirst();
            assertThat(first(site.compute().launch(request)).id()).isEqualTo(found.id());
            assertThat(listed(site, request)).hasSize(1);
        }

        @Test
        void slowAnswerIsUnknownAndTheInstanceIsFound() throws Exception {
            Site impatient = opened(open("contract", "here", true));
            arrange(new Luck.SlowAnswer());
            LaunchRequest request = one();
            assertThat(impatient.compute().launch(request).outcome()).isInstanceOf(LaunchOutcome.Unknown.class);
            eventually(() -> listed(site, request), all -> all.size() == 1);
        }

        @ParameterizedTest
        @EnumSource(Reason.class)
        void refusalIsToldWithItsReason(Reason reason) throws Exception {
            arrange(new Luck.Refuse(reason));
            LaunchRequest request = one();
            LaunchAnswer answer = site.compute().launch(request);
            assertThat(answer.outcome())
                    .isInstanceOfSatisfying(
                            LaunchOutcome.Refused.class,
                            refused -> assertThat(refused.reason()).isEqualTo(reason));
            assertThat(answer.instances()).isEmpty();
            assertThat(listed(site, request)).isEmpty();
        }

        @Test
        void partialCapacityGivesWhatThereIs() throws Exception {
            arrange(new Luck.Partial(1));
            LaunchRequest request = request(offering("here"), 3, "");
            LaunchAnswer answer = site.compute().launch(request);
            assertThat(answer.outcome()).isInstanceOfSatisfying(LaunchOutcome.Partial.class, partial -> {
                assertThat(partial.count()).isEqualTo(1);
                assertThat(partial.reason()).isEqualTo(Reason.CAPACITY);
            });
            assertThat(listed(site, request)).hasSize(1);
        }

        @Test
        void lateInstanceIsListedWithinTheWindow() throws Exception {
            Duration late = site.compute().consistencyWindow().dividedBy(2);
            arrange(new Luck.LateListing(late));
            LaunchRequest request = one();
            String id = first(site.compute().launch(request)).id();
            assertThat(listed(site, request)).isEmpty();
            long begin = System.nanoTime();
            assertThat(eventually(() -> listed(site, request), all -> !all.isEmpty()))
                    .extracting(Instance::id)
                    .containsExactly(id);
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(site.compute().consistencyWindow());
        }

        @Test
        void failedListingIsNeverAnEmptyOne() throws Exception {
            arrange(new Luck.FailingListing());
            assertThatThrownBy(() -> site.compute().list()).isInstanceOf(CloudException.class);
            assertThat(site.compute().list()).isNotNull();
        }
    }

    @Nested
    class Nowhere {
        @Test
        void isAFindingAndNoCrash() {
            try (Site nowhere = openNowhere()) {
                assertThat(nowhere.diagnostics().check(Diagnostics.Needs.NONE)).anySatisfy(finding -> {
                    assertThat(finding.verdict()).isEqualTo(Diagnostics.Verdict.BROKEN);
                    assertThat(finding.detail()).isNotEmpty();
                    assertThat(finding.repair()).isNotEmpty();
                });
                assertThatThrownBy(() -> nowhere.compute().list()).isInstanceOf(CloudException.class);
                assertThatThrownBy(() -> nowhere.compute().terminate(List.of("i-1")))
                        .isInstanceOf(CloudException.class);
                assertThat(nowhere.compute()
                                .launch(request(offering("here"), 1, ""))
                                .outcome())
                        .isNotInstanceOf(LaunchOutcome.Launched.class);
            }
        }

        @Test
        void isToldFromAProviderThatAnswers() throws Exception {
            assertThat(site.compute().offerings()).isNotEmpty();
            assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                    .isNotEmpty()
                    .allSatisfy(finding -> assertThat(finding.verdict()).isNotEqualTo(Diagnostics.Verdict.BROKEN));
        }
    }

    @Nested
    class Listing {
        @Test
        void goesThroughEveryPage() throws Exception {
            LaunchRequest request = request(cheapOffering("here"), manyInstances(), "");
            assertThat(site.compute().launch(request).outcome()).isEqualTo(new LaunchOutcome.Launched(manyInstances()));
            assertThat(listed(site, request))
                    .extracting(Instance::id)
                    .hasSize(manyInstances())
                    .doesNotHaveDuplicates();
        }
    }

    @Nested
    class Roles {
        @Test
        void arePresentAsDeclared() {
            assertThat(present("power", site.power())).isEqualTo(roles().contains("power"));
            assertThat(present("console", site.console())).isEqualTo(roles().contains("console"));
            assertThat(present("network", site.network())).isEqualTo(roles().contains("network"));
            assertThat(present("inventory", site.inventory())).isEqualTo(roles().contains("inventory"));
        }

        private static boolean present(String name, Optional<?> role) {
            assertThat(role).as(name).isNotNull();
            return role.isPresent();
        }

        @Test
        void consoleShowsWhatUserDataWrites() throws Exception {
            if (site.console().isEmpty()) {
                assertThat(roles()).doesNotContain("console");
                return;
            }
            Console console = site.console().orElseThrow();
            String id = first(site.compute()
                            .launch(request(offering("here"), 1, "#!/bin/sh\necho user-data-$((40+2))-ran\n")))
                    .id();
            assertThat(eventually(() -> console.output(id), text -> text.contains("user-data-42-ran")))
                    .isNotEmpty();
            assertThatThrownBy(() -> console.output("i-00000000000000000")).isInstanceOf(CloudException.class);
        }

        @Test
        void inventoryNamesWhatCostsUntilItIsDeleted() throws Exception {
            if (site.inventory().isEmpty()) {
                assertThat(roles()).doesNotContain("inventory");
                return;
            }
            Inventory inventory = site.inventory().orElseThrow();
            String id = first(site.compute().launch(one())).id();
            Billable thing = inventory.all().stream()
                    .filter(each -> each.id().equals(id))
                    .findFirst()
                    .orElseThrow();
            assertThat(thing.tags()).containsEntry(Instance.TAG_CLUSTER, "contract");
            assertThat(thing.pricePerHour().micros()).isPositive();
            inventory.delete(thing);
            inventory.delete(thing);
            eventually(
                    inventory::all,
                    all -> all.stream().noneMatch(each -> each.id().equals(id)));
        }

        @Test
        void powerStopsAndStartsWithoutANewInstance() throws Exception {
            if (site.power().isEmpty()) {
                assertThat(roles()).doesNotContain("power");
                return;
            }
            Power power = site.power().orElseThrow();
            LaunchRequest request = one();
            List<String> ids = List.of(first(site.compute().launch(request)).id());
            awaitState(request, Instance.State.RUNNING);
            power.stop(ids);
            power.stop(ids);
            awaitState(request, Instance.State.STOPPED);
            power.start(ids);
            power.start(ids);
            awaitState(request, Instance.State.RUNNING);
        }

        private void awaitState(LaunchRequest request, Instance.State state) throws Exception {
            eventually(
                    () -> listed(site, request),
                    all -> all.size() == 1 && all.getFirst().state() == state);
        }
    }
}
