package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.cloud.fleet.Berth;
import org.spillway.cloud.fleet.FleetAction;
import org.spillway.cloud.fleet.FleetDiff;
import org.spillway.cloud.fleet.FleetMemory;
import org.spillway.cloud.fleet.FleetRules;
import org.spillway.cloud.fleet.Listing;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** Duties of every driver. A driver's test extends this and supplies a provider, real or emulated. */
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
                        .containsAllEntriesOf(TAGS);
                assertThat(instance.failure()).isNull();
            });
        }

        @Test
        void takesAsMuchUserDataAsIsAllowed() throws Exception {
            String script = "#!/bin/sh\n#";
            String largest = script + "x".repeat(LaunchRequest.MAX_USER_DATA_BYTES - script.length());
            LaunchRequest request = request(offering("here"), 1, largest);
            assertThat(site.compute().launch(request).outcome()).isEqualTo(new LaunchOutcome.Launched(1));
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
    class Alternatives {
        @Test
        void giveWhatTheFirstCannot() throws Exception {
            arrange(new Luck.Short(offering("here")));
            LaunchRequest request = request(request(offering("here"), 2, ""), others(), LaunchRequest.Placement.NONE);
            LaunchAnswer answer = site.compute().launch(request);
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
            assertThat(answer.instances()).extracting(Instance::offering).containsOnly(otherOffering("here"));
            assertThat(refusedParts(answer)).containsExactly(offering("here"));
            assertThat(answer.parts())
                    .contains(new LaunchAnswer.Part(otherOffering("here"), new LaunchOutcome.Launched(2)));
            assertThat(ids(listed(site, request))).containsExactlyInAnyOrderElementsOf(ids(answer.instances()));
        }

        @Test
        void giveTheSameInstancesForTheSameRequest() throws Exception {
            arrange(new Luck.Short(offering("here")));
            LaunchRequest request = request(request(offering("here"), 2, ""), others(), LaunchRequest.Placement.NONE);
            List<String> ids = ids(site.compute().launch(request).instances());
            // The first has capacity again: that must not make a twin.
            assertThat(ids(site.compute().launch(request).instances())).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(listed(site, request)).hasSize(2);
        }

        @Test
        void allShortIsARefusalOfEach() throws Exception {
            arrange(new Luck.Short(offering("here")));
            arrange(new Luck.Short(otherOffering("here")));
            LaunchRequest request = request(one(), others(), LaunchRequest.Placement.NONE);
            LaunchAnswer answer = site.compute().launch(request);
            assertRefused(Reason.CAPACITY, answer);
            assertThat(refusedParts(answer)).containsExactlyInAnyOrder(offering("here"), otherOffering("here"));
            assertThat(listed(site, request)).isEmpty();
        }

        private List<OfferingId> others() {
            return List.of(otherOffering("here"));
        }

        private static List<OfferingId> refusedParts(LaunchAnswer answer) {
            return answer.parts().stream()
                    .filter(part ->
                            part.outcome() instanceof LaunchOutcome.Refused no && no.reason() == Reason.CAPACITY)
                    .map(LaunchAnswer.Part::offering)
                    .toList();
        }
    }

    @Nested
    class Placing {
        @Test
        void aFabricGroupHoldsItsInstancesOrIsDeclaredAbsent() throws Exception {
            LaunchRequest.Placement group = new LaunchRequest.Placement("gang-7", "");
            Optional<OfferingId> fabric = fabricOffering("here");
            LaunchRequest request = request(request(fabric.orElse(offering("here")), 2, ""), List.of(), group);
            LaunchAnswer answer = site.compute().launch(request);
            if (fabric.isEmpty()) {
                assertRefused(Reason.INVALID, answer);
                assertThat(listed(site, request)).isEmpty();
                return;
            }
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
            assertThat(ids(site.compute().launch(request).instances()))
                    .containsExactlyInAnyOrderElementsOf(ids(answer.instances()));
            assertThat(listed(site, request))
                    .extracting(instance -> instance.offering().zone())
                    .hasSize(2)
                    .containsOnly(fabric.orElseThrow().zone());
            // The node that a gang has lost is bought anew, beside the others.
            LaunchAnswer beside =
                    site.compute().launch(request(request(fabric.orElseThrow(), 1, ""), List.of(), group));
            assertThat(beside.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
            assertThat(beside.instances())
                    .singleElement()
                    .satisfies(one -> assertThat(one.offering().zone())
                            .isEqualTo(fabric.orElseThrow().zone()));
        }

        @Test
        void aRefusedLaunchLeavesNoFabricGroup() throws Exception {
            Set<String> before = fabricGroups();
            OfferingId fabric = fabricOffering("here").orElse(offering("here"));
            arrange(new Luck.Short(fabric));
            LaunchRequest.Placement group = new LaunchRequest.Placement("gang-refused", "");
            LaunchAnswer answer = site.compute().launch(request(request(fabric, 2, ""), List.of(), group));
            assertThat(answer.outcome()).isInstanceOf(LaunchOutcome.Refused.class);
            assertThat(fabricGroups()).isSubsetOf(before);
        }

        private Set<String> fabricGroups() throws CloudException {
            Set<String> ids = new HashSet<>();
            for (Billable each : site.inventory().orElseThrow().all()) {
                if (Set.of("placement-group", "server-group").contains(each.kind())) {
                    ids.add(each.id());
                }
            }
            return ids;
        }

        @Test
        void aReservationIsUsedOrDeclaredAbsent() throws Exception {
            Optional<Reserved> reserved = reserved("here");
            OfferingId any = offering("here");
            OfferingId offering = reserved.map(Reserved::offering)
                    .orElse(new OfferingId("here", any.zone(), any.instanceType(), Market.RESERVED));
            String reservation = reserved.map(Reserved::reservation).orElse("cr-0123456789abcdef0");
            LaunchRequest request =
                    request(request(offering, 1, ""), List.of(), new LaunchRequest.Placement("", reservation));
            LaunchAnswer answer = site.compute().launch(request);
            if (reserved.isEmpty()) {
                assertRefused(Reason.INVALID, answer);
                assertThat(listed(site, request)).isEmpty();
                return;
            }
            assertThat(first(answer).offering()).isEqualTo(offering);
            assertThat(listed(site, request)).extracting(Instance::offering).containsExactly(offering);
        }

        @Test
        void aReservationThatIsNotThereIsRefused() throws Exception {
            OfferingId any = reserved("here").map(Reserved::offering).orElse(offering("here"));
            LaunchRequest request = request(
                    request(new OfferingId("here", any.zone(), any.instanceType(), Market.RESERVED), 1, ""),
                    List.of(),
                    new LaunchRequest.Placement("", "no-such-reservation"));
            assertRefused(Reason.INVALID, site.compute().launch(request));
            assertThat(listed(site, request)).isEmpty();
        }
    }

    private static void assertRefused(Reason reason, LaunchAnswer answer) {
        assertThat(answer.outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        refused -> assertThat(refused.reason())
                                .as(refused.message())
                                .isEqualTo(reason));
        assertThat(answer.instances()).isEmpty();
    }

    private static List<String> ids(List<Instance> instances) {
        return instances.stream().map(Instance::id).toList();
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
    class AskedById {
        @Test
        void showsWhatRunsAndDeniesWhatNeverWas() throws Exception {
            LaunchRequest request = request(offering("here"), 2, "");
            List<String> ids = site.compute().launch(request).instances().stream()
                    .map(Instance::id)
                    .toList();
            eventually(
                    () -> listed(site, request),
                    all -> all.size() == 2 && all.stream().allMatch(i -> i.state() == Instance.State.RUNNING));
            List<String> asked = List.of(ids.getFirst(), neverGiven(ids.getFirst()), ids.getLast());
            assertThat(look(asked)).containsOnlyKeys(asked);
            assertThat(look(asked).get(asked.get(1)))
                    .isInstanceOf(deniesStrangers() ? Look.Denied.class : Look.Unsure.class);
            for (String id : ids) {
                assertThat(look(asked).get(id)).isInstanceOfSatisfying(Look.Found.class, found -> {
                    assertThat(found.instance().id()).isEqualTo(id);
                    assertThat(found.instance().state()).isEqualTo(Instance.State.RUNNING);
                    assertThat(found.instance().intent()).isEqualTo(request.intent());
                    assertThat(found.instance().offering()).isEqualTo(request.offering());
                });
            }
            assertThat(look(List.of())).isEmpty();
        }

        @Test
        void neverShowsAliveWhatHasEnded() throws Exception {
            String id = first(site.compute().launch(one())).id();
            site.compute().terminate(List.of(id));
            Look last = eventually(
                    () -> look(List.of(id)).get(id),
                    look -> look instanceof Look.Denied
                            || (look instanceof Look.Found found
                                    && found.instance().state() == Instance.State.TERMINATED));
            assertThat(last).isNotNull();
        }

        @Test
        void deniesNothingWhenNobodyAnswers() {
            try (Site nowhere = openNowhere()) {
                Lookup lookup = nowhere.compute().lookup().orElseThrow();
                assertThatThrownBy(() -> lookup.look(List.of(neverGiven("i-0123456789abcdef0"))))
                        .isInstanceOf(CloudException.class);
            }
        }

        private Map<String, Look> look(List<String> ids) throws CloudException {
            return site.compute().lookup().orElseThrow().look(ids);
        }

        /** An id of the same form: every digit is another. */
        private String neverGiven(String id) {
            StringBuilder other = new StringBuilder();
            id.chars().forEach(c -> other.append((char) (c >= '0' && c <= '8' ? c + 1 : c == '9' ? '0' : c)));
            return other.toString();
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
            assertRefused(reason, site.compute().launch(request));
            assertThat(listed(site, request)).isEmpty();
        }

        @Test
        void failureAfterTheAnswerIsToldAndEnded() throws Exception {
            arrange(new Luck.FailsLater());
            LaunchRequest request = one();
            LaunchAnswer answer = site.compute().launch(request);
            if (answer.outcome() instanceof LaunchOutcome.Refused) {
                // A driver may wait for it, if it then leaves nothing behind.
                assertRefused(Reason.CAPACITY, answer);
            } else {
                Instance failed = eventually(
                                () -> listed(site, request),
                                all -> all.size() == 1 && all.getFirst().failure() != null)
                        .getFirst();
                LaunchOutcome.Refused failure = failed.failure();
                assertThat(failure).isNotNull();
                assertThat(failure.reason()).isEqualTo(Reason.CAPACITY);
                assertThat(failed.state()).isNotEqualTo(Instance.State.RUNNING);
                site.compute().terminate(List.of(failed.id()));
            }
            eventually(
                    () -> listed(site, request),
                    all -> all.stream().noneMatch(instance -> instance.state().isLive()));
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
            Instant called = Instant.now();
            String id = first(site.compute().launch(request)).id();
            long begin = System.nanoTime();
            Berth berth = new Berth("node", request.intent(), id, called);
            for (int i = 0; i < 2; i++) {
                Listing listing = new Listing(Instant.now(), listed(site, request));
                assertThat(listing.instances()).isEmpty();
                FleetRules rules = FleetRules.of(site.compute().consistencyWindow(), true);
                assertThat(FleetDiff.of(List.of(berth), List.of(), listing, rules, FleetMemory.NONE)
                                .actions())
                        .as("absence that proves nothing")
                        .isEmpty();
            }
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

        @ParameterizedTest
        @EnumSource(
                value = Reason.class,
                names = {"CREDENTIALS", "THROTTLED"})
        void refusedListingSaysWhy(Reason reason) throws Exception {
            arrange(new Luck.RefusedListing(reason));
            assertThatThrownBy(() -> site.compute().list())
                    .isInstanceOfSatisfying(
                            CloudException.class,
                            refused -> assertThat(refused.reason()).isEqualTo(reason));
            assertThat(site.compute().list()).isNotNull();
        }

        @Test
        void aClockThatIsOffIsAFinding() throws Exception {
            if (!seesClock()) {
                assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                        .extracting(Diagnostics.Finding::check)
                        .doesNotContain("clock");
                return;
            }
            assertThat(clock()).extracting(Diagnostics.Finding::verdict).isEqualTo(Diagnostics.Verdict.GOOD);
            arrange(new Luck.Skew(Duration.ofHours(1)));
            assertThat(clock()).satisfies(finding -> {
                assertThat(finding.verdict()).isNotEqualTo(Diagnostics.Verdict.GOOD);
                assertThat(finding.repair()).isNotEmpty();
            });
        }

        private Diagnostics.Finding clock() {
            return site.diagnostics().check(Diagnostics.Needs.NONE).stream()
                    .filter(finding -> finding.check().equals("clock"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Nested
    class Lies {
        private static final int FLEET = 5;

        @ParameterizedTest
        @EnumSource(Lie.class)
        void endNothingThatLives(Lie lie) throws Exception {
            LaunchRequest request = request(offering("here"), FLEET, "");
            site.compute().launch(request);
            List<Instance> fleet = eventually(
                    () -> listed(site, request),
                    all -> all.size() == FLEET && all.stream().allMatch(i -> i.state() == Instance.State.RUNNING));
            LyingListings head = new LyingListings(site, fleet);
            head.look();
            assertThat(head.isCalm()).isTrue();
            // A lie, and then the same once more, hours later.
            for (int i = 0; i < 2; i++) {
                arrange(new Luck.LyingListing(lie));
                List<FleetAction> follows = head.look();
                assertThat(follows).as("the lie was heard").isNotEmpty();
                if (lie == Lie.EMPTY || lie == Lie.STALE) {
                    assertThat(follows).as("doubted").anyMatch(FleetAction.Doubt.class::isInstance);
                }
                head.nothingFollows();
            }
            head.look();
            head.nothingFollows();
            assertThat(head.isCalm()).as("the truth ends all doubts").isTrue();
            assertThat(listed(site, request))
                    .filteredOn(one -> one.state() == Instance.State.RUNNING)
                    .hasSize(FLEET);
        }

        @Test
        void doNotKeepWhatHasEnded() throws Exception {
            LaunchRequest request = request(offering("here"), 2, "");
            List<Instance> fleet = site.compute().launch(request).instances();
            eventually(
                    () -> listed(site, request),
                    all -> all.size() == 2 && all.stream().allMatch(i -> i.state() == Instance.State.RUNNING));
            LyingListings head = new LyingListings(site, fleet);
            head.look();
            site.compute().terminate(List.of(fleet.getFirst().id()));
            List<FleetAction> last =
                    eventually(head::look, all -> all.stream().anyMatch(FleetAction.Gone.class::isInstance));
            assertThat(last)
                    .filteredOn(FleetAction.Gone.class::isInstance)
                    .extracting(action -> ((FleetAction.Gone) action).node())
                    .containsExactly("node of " + fleet.getFirst().id());
        }

        @Test
        void aStrayIsSeenTwiceBeforeItIsEnded() throws Exception {
            LaunchRequest request = request(offering("here"), 1, "");
            Instance stray = first(site.compute().launch(request));
            eventually(() -> listed(site, request), all -> all.size() == 1);
            LyingListings head = new LyingListings(site, List.of());
            assertThat(head.look())
                    .noneMatch(FleetAction.End.class::isInstance)
                    .anyMatch(action -> action instanceof FleetAction.Noticed noticed
                            && noticed.instance().id().equals(stray.id()));
            assertThat(head.look())
                    .anyMatch(action -> action instanceof FleetAction.End end
                            && end.instance().id().equals(stray.id()));
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
    class Pages {
        @Test
        void goesThroughEveryPage() throws Exception {
            LaunchRequest request = request(cheapOffering("here"), manyInstances(), "");
            assertThat(site.compute().launch(request).outcome()).isEqualTo(new LaunchOutcome.Launched(manyInstances()));
            assertThat(listed(site, request))
                    .extracting(Instance::id)
                    .hasSize(manyInstances())
                    .doesNotHaveDuplicates();
            arrange(new Luck.RepeatedPage());
            assertThat(listed(site, request))
                    .as("with a page that comes twice")
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
        void inventoryShowsAndRemovesAnOrphanOfEachKindAndNothingOfAStranger() throws Exception {
            List<Planted> strange = plantOrphans("stranger");
            List<Planted> own = plantOrphans("contract");
            if (site.inventory().isEmpty()) {
                assertThat(own).isEmpty();
                assertThat(strange).isEmpty();
                return;
            }
            assertThat(own).isNotEmpty();
            Inventory inventory = site.inventory().orElseThrow();
            for (Planted planted : own) {
                Billable shown = shown(inventory, planted)
                        .orElseThrow(() -> new AssertionError(planted + " is not in the inventory"));
                if (shown.evidence() == Billable.Evidence.TAG) {
                    assertThat(shown.tags()).containsEntry(Instance.TAG_CLUSTER, "contract");
                }
            }
            assertThat(strange)
                    .allSatisfy(planted -> assertThat(shown(inventory, planted).map(Billable::evidence))
                            .as("what bears no mark of ours")
                            .isIn(Optional.empty(), Optional.of(Billable.Evidence.ACCOUNT)));
            removed(inventory, own);
            Inventory theirs =
                    opened(open("stranger", "here", false)).inventory().orElseThrow();
            assertThat(strange)
                    .allSatisfy(planted -> assertThat(shown(theirs, planted)).isPresent());
            removed(theirs, strange);
        }

        @Test
        void inventoryShowsAndEndsAnInstanceThatHasLostItsSitesMark() throws Exception {
            Optional<Planted> planted = plantWithoutSite("contract");
            if (planted.isPresent()) {
                Inventory inventory = site.inventory().orElseThrow();
                assertThat(shown(inventory, planted.get())).isPresent();
                removed(inventory, List.of(planted.get()));
            }
        }

        private static Optional<Billable> shown(Inventory inventory, Planted planted) throws CloudException {
            return inventory.all().stream()
                    .filter(thing ->
                            thing.kind().equals(planted.kind()) && thing.id().equals(planted.id()))
                    .findFirst();
        }

        /** As audit does it: what does not go yet, because another thing holds it, is tried again. */
        private static void removed(Inventory inventory, List<Planted> all) throws Exception {
            eventually(
                    () -> {
                        int left = 0;
                        for (Planted planted : all) {
                            Optional<Billable> thing = shown(inventory, planted);
                            if (thing.isPresent()) {
                                left++;
                                deleteTwice(inventory, thing.orElseThrow());
                            }
                        }
                        return left;
                    },
                    left -> left == 0);
        }

        private static void deleteTwice(Inventory inventory, Billable thing) {
            try {
                inventory.delete(thing);
                inventory.delete(thing);
            } catch (CloudException held) {
                // Said, not swallowed: the next round must find it gone, or the test ends here.
                assertThat(held).hasMessageContaining(thing.id());
            }
        }

        @Test
        void networkIsMadeOnceAndLeavesNothing() throws Exception {
            if (site.network().isEmpty()) {
                assertThat(roles()).doesNotContain("network");
                return;
            }
            Site made = opened(openForNetwork("contract"));
            Network network = made.network().orElseThrow();
            List<Billable> things = network.create();
            assertThat(things).isNotEmpty();
            assertThat(network.create())
                    .extracting(Billable::id)
                    .containsExactlyInAnyOrderElementsOf(
                            things.stream().map(Billable::id).toList());
            Inventory inventory = made.inventory().orElseThrow();
            assertThat(ids(inventory, things)).hasSameSizeAs(things);
            LaunchRequest request = request(offeringInMadeNetwork(), 1, "");
            String id = first(made.compute().launch(request)).id();
            made.compute().terminate(List.of(id));
            eventually(
                    () -> listed(made, request),
                    all -> all.stream().noneMatch(i -> i.state() != Instance.State.TERMINATED));
            network.delete();
            network.delete();
            eventually(() -> ids(inventory, things), List::isEmpty);
        }

        /** A cluster on demand in its parent's network: apart from it, and gone without touching it. */
        @Test
        void guestStandsInItsHostsNetworkAndApart() throws Exception {
            if (site.network().isEmpty()) {
                assertThat(roles()).doesNotContain("network");
                return;
            }
            Site host = opened(openForNetwork("contract"));
            List<Billable> hosts = host.network().orElseThrow().create();
            Site guest = opened(openForNetwork("contract-c1"));
            Network network = guest.network().orElseThrow();
            LaunchAnswer early = guest.compute().launch(request(offeringInMadeNetwork(), 1, ""));
            assertThat(early.outcome()).as("nothing keeps it apart yet").isInstanceOf(LaunchOutcome.Refused.class);
            List<Billable> own = network.create();
            assertThat(own).isNotEmpty().allSatisfy(thing -> {
                assertThat(thing.tags()).containsEntry(Instance.TAG_CLUSTER, "contract-c1");
                assertThat(thing.tags()).containsEntry(Instance.TAG_ROLE, "NETWORK");
            });
            List<String> ids = own.stream().map(Billable::id).toList();
            assertThat(network.create()).extracting(Billable::id).containsExactlyInAnyOrderElementsOf(ids);
            LaunchRequest request = request(offeringInMadeNetwork(), 1, "");
            String id = first(guest.compute().launch(request)).id();
            assertThat(listed(host, request)).isEmpty();
            Inventory inventory = guest.inventory().orElseThrow();
            assertThat(inventory.all())
                    .extracting(Billable::id)
                    .containsAll(ids)
                    .contains(id);
            assertThat(ids(inventory, hosts)).isEmpty();
            assertThat(ids(host.inventory().orElseThrow(), own)).isEmpty();
            guest.compute().terminate(List.of(id));
            eventually(
                    () -> listed(guest, request),
                    all -> all.stream().noneMatch(i -> i.state() != Instance.State.TERMINATED));
            network.delete();
            network.delete();
            eventually(() -> ids(inventory, own), List::isEmpty);
            assertThat(ids(host.inventory().orElseThrow(), hosts)).hasSameSizeAs(hosts);
            host.network().orElseThrow().delete();
            eventually(() -> ids(host.inventory().orElseThrow(), hosts), List::isEmpty);
        }

        private static List<String> ids(Inventory inventory, List<Billable> among) throws CloudException {
            List<String> wanted = among.stream().map(Billable::id).toList();
            return inventory.all().stream()
                    .map(Billable::id)
                    .filter(wanted::contains)
                    .distinct()
                    .toList();
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
