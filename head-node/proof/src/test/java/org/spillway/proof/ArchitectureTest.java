package org.spillway.proof;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.quartz.CronExpression;

/** Keeps the edges of the house where the POMs cannot: between the packages. */
@AnalyzeClasses(packages = "org.spillway", importOptions = ArchitectureTest.ProductionOnly.class)
final class ArchitectureTest {

    @ArchTest
    static final ArchRule POLICY_KNOWS_ONLY_THE_JDK = classes()
            .that()
            .resideInAPackage("org.spillway.policy..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("org.spillway.policy..", "java..", "org.jspecify..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule STAGE_STANDS_ON_THE_GROUND = room("stage");

    @ArchTest
    static final ArchRule IMAGES_STAND_ON_STAGE = room("image", "stage");

    @ArchTest
    static final ArchRule SCALER_SEES_POLICIES_ONLY = room("scaler", "policy");

    @ArchTest
    static final ArchRule CLOUD_SEES_POLICIES_ONLY = room("cloud", "policy");

    @ArchTest
    static final ArchRule DIRECTOR_SEES_IMAGES_AND_STAGE_ONLY = room("director", "image", "stage");

    @ArchTest
    static final ArchRule LOCAL_CLOUD_STANDS_APART = room("localcloud", "cloud", "policy");

    @ArchTest
    static final ArchRule SETTINGS_SEE_POLICIES_ONLY = room("settings", "policy");

    @ArchTest
    static final ArchRule API_IS_RECORDS = room("api", "policy", "stage.tree");

    @ArchTest
    static final ArchRule CLIENT_SPEAKS_REST_ONLY = room("cli", "api", "settings", "policy", "stage.tree");

    @ArchTest
    static final ArchRule THE_HEAD_KNOWS_NO_PROVIDER = noClasses()
            .that()
            .resideInAPackage("org.spillway.head..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.spillway.cloud.aws..",
                    "org.spillway.cloud.azure..",
                    "org.spillway.cloud.openstack..",
                    "org.spillway.cloud.local..",
                    "org.spillway.localcloud..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule NOTHING_NEEDS_THE_PROOFS = noClasses()
            .that()
            .resideOutsideOfPackage("org.spillway.proof..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.spillway.proof..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule NOTHING_KNOWS_SLURM = noClasses()
            .that()
            .resideOutsideOfPackages("org.spillway.slurm..", "org.spillway.proof..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.spillway.slurm..")
            .allowEmptyShould(true);

    /** Each package is a slice of its own, whatever lies below it. */
    @ArchTest
    static final ArchRule NO_PACKAGE_IN_A_CIRCLE =
            slices().matching("org.spillway.(**)").should().beFreeOfCycles().allowEmptyShould(true);

    /** Rooms of the loop return what they find out; others read what is shown through {@code ShownWaits}. */
    @ArchTest
    static final ArchRule WAITS_HAVE_ONE_WRITER = noClasses()
            .that()
            .resideOutsideOfPackage("org.spillway.head.loop.waits")
            .and()
            .doNotHaveFullyQualifiedName("org.spillway.head.loop.Loop")
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("org.spillway.head.loop.waits.Waits")
            .allowEmptyShould(true);

    /** Only the loop itself sees all of it; a room says in its constructor what it needs. */
    @ArchTest
    static final ArchRule ROOMS_GET_THEIR_PARTS = noClasses()
            .that()
            .resideInAPackage("org.spillway.head.loop.*..")
            .and()
            .doNotHaveFullyQualifiedName("org.spillway.head.loop.state.Context")
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("org.spillway.head.loop.state.Context")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule MEMORY_OF_THE_LOOP_IS_PRIVATE = fields().that()
            .areDeclaredInClassesThat()
            .resideInAPackage("org.spillway.head.loop..")
            .and()
            .haveRawType(JavaClass.Predicates.assignableTo(Map.class)
                    .or(JavaClass.Predicates.assignableTo(Collection.class)))
            .should()
            .bePrivate()
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule NOBODY_IMPORTS_THE_HEAD = noClasses()
            .that()
            .resideOutsideOfPackages("org.spillway.head..", "org.spillway.slurm..", "org.spillway.proof..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.spillway.head..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule DECISIONS_TOUCH_NO_WORLD = noClasses()
            .that(decide())
            .should(dependOnClassesThat(resideInAnyPackage("java.net..", "java.nio.file..", "java.sql..", "org.slf4j..")
                    .or(threads())))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule DECISIONS_READ_NO_CLOCK =
            noClasses().that(decide()).should(callMethodWhere(readsAClock())).allowEmptyShould(true);

    @ArchTest
    static final ArchRule NO_ROOM_NOBODY_WOULD_LIVE_IN = noClasses()
            .should()
            .resideInAnyPackage(
                    "..common..", "..util..", "..utils..", "..misc..", "..helper..", "..helpers..", "..shared..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule AWS_STAYS_IN_ITS_DRIVERS =
            sdk("software.amazon.awssdk..", "org.spillway.cloud.aws..", "org.spillway.stage.transfer.s3..");

    @ArchTest
    static final ArchRule AZURE_STAYS_IN_ITS_DRIVERS =
            sdk("com.azure..", "org.spillway.cloud.azure..", "org.spillway.stage.transfer.azblob..");

    @ArchTest
    static final ArchRule OPENSTACK_STAYS_IN_ITS_DRIVERS =
            sdk("org.openstack4j..", "org.spillway.cloud.openstack..", "org.spillway.stage.transfer.swift..");

    @ArchTest
    static final ArchRule MAIL_STAYS_IN_ITS_ROOM = sdk("jakarta.mail..", "org.spillway.head.mail..");

    /** Periodic work runs on virtual threads; of Quartz the calculation of a cron expression is used, and no scheduler. */
    @ArchTest
    static final ArchRule QUARTZ_ONLY_CALCULATES = noClasses()
            .should(dependOnClassesThat(
                    resideInAPackage("org.quartz..").and(not(JavaClass.Predicates.type(CronExpression.class)))))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule NO_FRAMEWORK_AND_NO_MOCKS = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", "org.mockito..")
            .allowEmptyShould(true);

    /** A room sees itself and the named rooms; no other package of ours. */
    private static ArchRule room(String name, String... seen) {
        var allowed = Stream.concat(Stream.of(name), Stream.of(seen))
                .map(room -> "org.spillway." + room + "..")
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage("org.spillway." + name + "..")
                .should(dependOnClassesThat(resideInAPackage("org.spillway..").and(not(resideInAnyPackage(allowed)))))
                .allowEmptyShould(true);
    }

    private static ArchRule sdk(String types, String... homes) {
        return noClasses()
                .that()
                .resideOutsideOfPackages(homes)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(types)
                .allowEmptyShould(true);
    }

    private static DescribedPredicate<JavaClass> decide() {
        return resideInAnyPackage(
                        "org.spillway.scaler.plan..",
                        "org.spillway.policy..",
                        "org.spillway.head.lifecycle..",
                        "org.spillway.head.rollout..",
                        "org.spillway.head.placement..",
                        "org.spillway.head.audit..",
                        "org.spillway.head.explain..",
                        "org.spillway.head.replay..")
                .or(DescribedPredicate.describe(
                        "are FleetDiff or nested in it",
                        type -> Stream.of(type.getName().split("[.$]", -1)).anyMatch("FleetDiff"::equals)));
    }

    private static DescribedPredicate<JavaClass> threads() {
        return DescribedPredicate.describe(
                "are threads or start them",
                type -> type.isAssignableTo(Thread.class)
                        || type.isAssignableTo(java.util.concurrent.Executor.class)
                        || type.getName().equals("java.util.concurrent.Executors"));
    }

    private static DescribedPredicate<JavaMethodCall> readsAClock() {
        var clocks = Map.of("java.lang.System", Set.of("currentTimeMillis", "nanoTime"));
        return DescribedPredicate.describe("reads a clock", call -> {
            var owner = call.getTargetOwner().getName();
            var method = call.getName();
            return clocks.getOrDefault(owner, Set.of()).contains(method)
                    || (owner.startsWith("java.time.") && (method.equals("now") || method.startsWith("system")));
        });
    }

    /** Contract suites and planted violations are tests, wherever their classes come from. */
    static final class ProductionOnly implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/") && !location.contains("-tests.jar");
        }
    }
}
