package org.spillway.proof;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each class of the loop is named by a test, or this table says which story of the simulation covers it. */
final class LoopIsCoveredTest {
    private static final String LOOP = "org.spillway.head.loop";

    /** A class, and {@code TEST#METHOD}. */
    private static final Map<String, String> STORIES = Map.ofEntries(
            entry("Adoption", "QuarantineStoriesTest"),
            entry("ArrayInputs", "SiteStoriesTest#theInputOfAnArrayIsBroughtOnceAndOfSingleJobsEach"),
            entry("Attempts", "SiteStoriesTest#aGangStartsOnAllItsNodesAndALostRankBringsAllOfItAgain"),
            entry("Breaking", "BreakerStoriesTest#aSiteWhoseNodesNeverComeUpIsNotPaidForForEver"),
            entry("ByHand", "SiteStoriesTest#nodesAreAddedKeptAndRemovedByHand"),
            entry("Capping", "EgressStoriesTest#aLimitInMoneyCountsResultsToo"),
            entry("ComingInputs", "ComingInputsStoriesTest"),
            entry("Credentials", "FaultSimulationTest"),
            entry("Checkpoints", "NoticeStoriesTest#theNextAttemptGoesOnInAnotherRegion"),
            entry("DataDesk", "SlurmStoriesTest"),
            entry("Directives", "FaultSimulationTest"),
            entry("DirectorLedger", "DirectorStoriesTest#oneThatNeverComesUpIsNotBoughtAgainForEver"),
            entry("DirectorPurchase", "DirectorStoriesTest#aZoneWithoutRoomForItsTypeDoesNotStopTheSite"),
            entry("DirectorTalk", "DirectorStoriesTest#oneThatNeverComesUpIsNotBoughtAgainForEver"),
            entry("Directors", "BreakerStoriesTest#whileADirectorIsNotHeardNothingIsBoughtInItsSite"),
            entry("Drifted", "DriftStoriesTest"),
            entry("Egress", "EgressStoriesTest#resultsAreReservedForWhileTheJobRunsAndSpentOnceTheyAreAtHome"),
            entry("Eligibility", "SiteStoriesTest#aJobWaitsForThoseItDependsOn"),
            entry("Expectations", "SiteStoriesTest#whatIsSaidOfAJobFollowsIt"),
            entry("Explaining", "SiteStoriesTest#whatIsSaidOfAJobFollowsIt"),
            entry("FleetLooks", "LyingListingStoriesTest"),
            entry("Following", "SlurmSimulationTest"),
            entry("ForeignJobs", "SlurmStoriesTest"),
            entry("GivenJobs", "SlurmStoriesTest"),
            entry("HandOver", "SlurmStoriesTest"),
            entry("HealthFaults", "SickZoneStoriesTest#anAdministratorClosesItBeforeThat"),
            entry("Heard", "MainJobTest"),
            entry("History", "EgressStoriesTest#whatJobsAlikeHaveLeftIsExpectedOfTheNext"),
            entry("JobTerms", "LimitStoriesTest"),
            entry("Jobs", "FaultSimulationTest"),
            entry("JournalGround", "LimitStoriesTest"),
            entry("LaunchDecision", "LaunchStoriesTest#everyInstanceSaysWhatForAndForWhom"),
            entry("Lifespan", "LifespanStoriesTest"),
            entry("Listings", "LaunchStoriesTest#whatFailsAfterItWasAcceptedIsARefusalAndIsEnded"),
            entry("LiveEffects", "MainJobTest"),
            entry("LiveNodes", "PowerStoriesTest"),
            entry("LoopPart", "CommandersTest"),
            entry("LoopRunner", "MainJobTest"),
            entry("Meter", "StageCommandTest"),
            entry("Misdirected", "DirectorStoriesTest#aNodeThatComesUpForADirectorThatIsGoneGivesWayToAnother"),
            entry("Offers", "BreakerStoriesTest"),
            entry("Outcomes", "BreakerStoriesTest#whatComesUpAndIsUsedShutsNothing"),
            entry("Outlooks", "SiteStoriesTest#aFullHomeOverflowsIntoTheCheapestRegion"),
            entry("Placing", "SiteStoriesTest#aJobWaitsForHomeWhereThatIsSoonerThanARegionCouldStartIt"),
            entry("Powering", "PowerStoriesTest#anIdleNodeIsStoppedAndStartedForTheNextJob"),
            entry("ProviderQuotas", "QuotaStoriesTest#aJobWaitsForTheQuotaAndSaysHowToRaiseIt"),
            entry("Purse", "LimitStoriesTest"),
            entry("QuotaLooks", "QuotaStoriesTest#aJobWaitsForTheQuotaAndSaysHowToRaiseIt"),
            entry("Recovering", "QuarantineStoriesTest"),
            entry("Releasing", "FaultSimulationTest"),
            entry("Replicating", "FaultSimulationTest"),
            entry("Repurposing", "RepurposeStoriesTest"),
            entry("Results", "SiteStoriesTest#resultsWaitForRoomAtHome"),
            entry("Rivals", "TwoHeadsTest"),
            entry("RolloutSights", "RolloutStoriesTest#aBadOneComesToTheCanaryOnlyAndIsTakenBackByItself"),
            entry("Rollouts", "RolloutStoriesTest#oneIsFirstAndTheOthersFollowOneAtATime"),
            entry("RunningOutput", "RunningOutputStoriesTest#itGrowsAFewSecondsBehindAndNeverBehindItsResults"),
            entry("Scaling", "PowerStoriesTest#aDryRunBuysNothingAndSaysWhatItWouldHaveBought"),
            entry("ShownWaits", "SiteStoriesTest#whatIsSaidOfAJobFollowsIt"),
            entry("SiteChecks", "UnusableSiteTest"),
            entry("Sites", "SiteStoriesTest"),
            entry("StagedData", "FaultSimulationTest"),
            entry("StagesAhead", "StagesStoriesTest#aDirectorIsBoughtForItAndStaysAsLongAsItIsKept"),
            entry("StagingIn", "FaultSimulationTest"),
            entry("StagingQuota", "SiteStoriesTest#whatAUserMayNeverHaveThereIsSaidSo"),
            entry("StagingTurns", "FaultSimulationTest"),
            entry("StandingCapacity", "SiteStoriesTest#keptNodesAreThereWithoutJobsAndComeBack"),
            entry("StandingNodes", "PowerStoriesTest#aPoolExistsAllTheTimeAndRunsWhenNeeded"),
            entry("StandingSupply", "SiteStoriesTest#keptNodesAreThereWithoutJobsAndComeBack"),
            entry("Supply", "FabricStoriesTest#whatAPartialLaunchHasLeftIsNoPartOfAGangInAnotherZone"),
            entry("Syncing", "SyncStoriesTest#roundsComeHomeOneAfterTheOther"),
            entry("TickTimes", "MainJobTest"),
            entry("TurnsByHand", "RepurposeStoriesTest"),
            entry("Unbound", "SlurmHeldUpTest"),
            entry("Unknowns", "QuarantineStoriesTest"),
            entry("Wanted", "VersionStoriesTest#anIdleNodeFollowsAndOneWithAJobDoesWhenThatIsOver"),
            entry("World", "FaultSimulationTest"));

    @Test
    void everyClassIsNamedByATestOrByTheTable() throws IOException {
        Set<String> unnamed = new TreeSet<>();
        List<TestText> tests =
                HouseSources.of("test").values().stream().map(TestText::of).toList();
        for (Map.Entry<Path, String> main : HouseSources.of("main").entrySet()) {
            String room = room(main.getValue());
            String type = name(main.getKey());
            if ((room.equals(LOOP) || room.startsWith(LOOP + ".")) && !type.equals("package-info")) {
                boolean named = STORIES.containsKey(type) || tests.stream().anyMatch(test -> test.names(room, type));
                if (!named) {
                    unnamed.add(type);
                }
            }
        }
        assertThat(unnamed).isEmpty();
    }

    @Test
    void theTableNamesTestsAndClassesThatExist() throws IOException {
        Set<String> types = new TreeSet<>();
        for (Map.Entry<Path, String> main : HouseSources.of("main").entrySet()) {
            if (room(main.getValue()).startsWith(LOOP)) {
                types.add(name(main.getKey()));
            }
        }
        assertThat(types).containsAll(STORIES.keySet());
        Map<String, String> tests = new TreeMap<>();
        HouseSources.of("test").forEach((file, text) -> tests.merge(name(file), text, String::concat));
        assertThat(STORIES.values()).allSatisfy(story -> {
            String[] parts = story.split("#", 2);
            assertThat(tests.getOrDefault(parts[0], ""))
                    .as(parts[0])
                    .contains(parts.length == 1 ? "@Test" : "void " + parts[1] + "(");
        });
    }

    /** A test's package, imports and words of its code, each looked at once for all classes. */
    private record TestText(String room, Set<String> imports, Set<String> words) {
        private static final Pattern NO_WORD = Pattern.compile("\\W+");

        static TestText of(String test) {
            Set<String> imports = test.lines()
                    .filter(line -> line.startsWith("import ") && line.endsWith(";"))
                    .map(line -> line.substring("import ".length(), line.length() - 1))
                    .collect(Collectors.toSet());
            String code = HouseSources.code(test)
                    .lines()
                    .filter(line -> !line.startsWith("import "))
                    .collect(Collectors.joining("\n"));
            return new TestText(
                    LoopIsCoveredTest.room(test),
                    imports,
                    Set.of(NO_WORD.splitAsStream(code).distinct().toArray(String[]::new)));
        }

        boolean names(String room, String type) {
            return (this.room.equals(room) || imports.contains(room + "." + type)) && words.contains(type);
        }
    }

    private static String room(String text) {
        int begin = text.indexOf("package org.");
        return begin < 0 ? "" : text.substring(begin + "package ".length(), text.indexOf(';', begin));
    }

    private static String name(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }
}
