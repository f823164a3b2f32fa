package org.spillway.cloud.local;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.CloudDriverContract;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Planted;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.local.MistakenSite.Mistake;
import org.spillway.localcloud.EmulatedContract;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.LaunchOutcome.Reason;

/** A driver with a planted mistake fails the case of the contract that is about it; the same driver without it does not. */
final class ContractFindsMistakesTest {
    @TempDir
    private static Path directory;

    private static LocalCloudProcess cloud;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = LocalCloudProcess.start(directory, Wrongly.WARES);
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            NONE_MEANS_ALL            | Batches | endingNothingIsNoCall                       | ''
            A_BAD_ID_FAILS_ALL        | Batches | aMalformedIdKeepsNoOtherAlive               | i-zzzz
            A_BAD_ID_FAILS_ALL        | Batches | aMalformedIdHidesNoOther                    | i-zzzz
            TWICE_IS_WRONG            | Batches | anIdThatIsNamedTwiceIsEndedOnce             | ''
            NOT_WHILE_IT_BOOTS        | Batches | whatIsStillBootingIsEndedAtOnce             | ''
            FEW_AT_A_TIME             | Batches | manyAreEndedInOneCall                       | ''
            FEW_AT_A_TIME             | Batches | asManyIdsAsMayBeAreEachAnswered             | ''
            FEW_AT_A_TIME             | Batches | moreIdsThanAFilterHoldsKeepNoneAlive        | ''
            ONE_ANSWER_FOR_ALL        | Batches | manyLaunchesAtOnceAreEachMadeOnce           | ''
            FIRST_OF_A_SET_ONLY       | Sets    | whatCameIsListedAsWhatItIs                  | ''
            FIRST_OF_A_SET_ONLY       | Sets    | aPartOfTheFirstIsFilledUpFromTheNext        | ''
            FIRST_OF_A_SET_ONLY       | Sets    | theThirdServesWhereTwoAreShort              | ''
            FIRST_OF_A_SET_ONLY       | Sets    | aFullQuotaOfTheFirstIsNoneOfTheNext         | ''
            FIRST_OF_A_SET_ONLY       | Sets    | aTypeThatIsNotSoldCostsOnlyItself           | ''
            LAST_OF_A_SET_FIRST       | Sets    | nothingBehindIsBoughtWhileTheFirstServes    | ''
            ASKS_ON_WHATEVER_WAS_SAID | Sets    | whatIsRefusedToTheAccountIsNotAskedOn       | CREDENTIALS
            ASKS_ON_WHATEVER_WAS_SAID | Sets    | whatIsRefusedToTheAccountIsNotAskedOn       | THROTTLED
            A_NEW_TOKEN_EACH_TIME     | Sets    | aLostAnswerIsUnknownAndIsNotBoughtAgain     | ''
            PLAIN_SHORT_TAGS          | Marks   | comeBackAsTheyWereGiven                     | with$dollar
            PLAIN_SHORT_TAGS          | Marks   | mayBeAsLongAsVendorsAllow                   | ''
            TAGS_COME_LATER           | Marks   | areThereFromTheFirstListing                 | ''
            SHORT_INTENTS             | Marks   | theLongestIntentIsOneToo                    | ''
            LAUNCHED_WHEN_LISTED      | Marks   | tellWhenItWasLaunched                       | ''
            A_NEW_TOKEN_EACH_TIME     | Marks   | areFoundByAnotherProcess                    | ''
            ALL_IS_ON_DEMAND          | Marks   | spotIsListedAsSpotOrIsNotSold               | ''
            A_CHECK_BUYS              | Checks  | aCheckLeavesNothingBehind                   | ''
            A_CHECK_IS_SILENT         | Checks  | aTypeThatIsNotSoldIsBrokenAndNamed          | ''
            A_CHECK_TALKS             | Checks  | aFindingSaysWhatToDoAndIsOneLine            | ''
            OFFERINGS_FLICKER         | Checks  | offeringsAreTheSameWhenTheyAreReadAgain     | ''
            CLOSED_ONCE               | Checks  | aSiteMayBeClosedTwice                       | ''
            """)
    void eachMistakeIsFoundByItsCase(Mistake mistake, String group, String name, String value) {
        assertThatCode(() -> run(Optional.empty(), group, name, value)).doesNotThrowAnyException();
        assertThatThrownBy(() -> run(Optional.of(mistake), group, name, value))
                .as("%s is not seen by %s", mistake, name)
                .isNotNull();
    }

    private static void run(Optional<Mistake> mistake, String group, String name, String value) throws Throwable {
        Wrongly provider = new Wrongly(mistake);
        try {
            made(Class.forName("org.spillway.cloud.ProviderUnderTest"), "openSite")
                    .invoke(provider);
            Class<?> duties = Class.forName(CloudDriverContract.class.getName() + "$" + group);
            Constructor<?> maker = duties.getDeclaredConstructor(CloudDriverContract.class);
            maker.setAccessible(true);
            Object one = maker.newInstance(provider);
            made(duties.getSuperclass().getSuperclass(), "takeSite").invoke(one);
            Method duty = made(duties.getSuperclass(), name);
            if (duty.getParameterCount() == 0) {
                duty.invoke(one);
            } else {
                boolean reason = duty.getParameterTypes()[0] == Reason.class;
                duty.invoke(one, reason ? Reason.valueOf(value) : value);
            }
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        } finally {
            provider.end();
        }
    }

    private static Method made(Class<?> owner, String name) {
        Method method = Arrays.stream(owner.getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        method.setAccessible(true);
        return method;
    }

    /** The contract of a driver that is mistaken. */
    private static final class Wrongly extends EmulatedContract {
        static final String WARES = CATALOGUE;
        private final Optional<Mistake> mistake;
        private final List<Site> good = new ArrayList<>();

        Wrongly(Optional<Mistake> mistake) {
            this.mistake = mistake;
        }

        @Override
        protected LocalCloudProcess cloud() {
            return cloud;
        }

        @Override
        protected Site open(String cluster, String siteName, boolean impatient) {
            Site site = new LocalDriver()
                    .open(SiteSettings.of(
                            cluster, siteName, Map.of("state", "cloud", "consistencySeconds", "1"), directory));
            good.add(site);
            return mistake.map(each -> MistakenSite.of(site, each)).orElse(site);
        }

        void end() throws Exception {
            cloud.clearFaults();
            for (Site site : good) {
                site.compute()
                        .terminate(
                                site.compute().list().stream().map(Instance::id).toList());
                site.close();
            }
        }

        @Override
        protected Site openNowhere() {
            return open("contract", "here", true);
        }

        @Override
        protected Set<String> roles() {
            return Set.of("power", "console", "inventory");
        }

        @Override
        protected Optional<Reserved> reserved(String siteName) {
            return Optional.empty();
        }

        @Override
        protected List<Planted> plantOrphans(String cluster) {
            return List.of();
        }

        @Override
        protected Optional<Planted> plantWithoutSite(String cluster) {
            return Optional.empty();
        }
    }
}
