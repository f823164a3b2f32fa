package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.api.planted.ServingApi;
import org.spillway.cli.planted.KnowingClient;
import org.spillway.cloud.planted.DirectedCloud;
import org.spillway.director.planted.CloudyDirector;
import org.spillway.head.loop.planted.OpenDrawer;
import org.spillway.head.loop.planted.SecondWriter;
import org.spillway.head.planted.Demonstrating;
import org.spillway.head.planted.Provider;
import org.spillway.head.planted.Scheduling;
import org.spillway.head.planted.Tied;
import org.spillway.localcloud.planted.DrivenCloud;
import org.spillway.policy.planted.CallingPolicy;
import org.spillway.scaler.planted.CloudyScaler;
import org.spillway.settings.planted.Circle;
import org.spillway.settings.planted.Talker;
import org.spillway.settings.planted.back.Way;

/** A rule that allows an empty room may have stopped looking: each one is shown a planted violation. */
final class ArchitectureRulesBiteTest {

    static Stream<Arguments> planted() {
        return Stream.of(
                argumentSet("settings see api", ArchitectureTest.SETTINGS_SEE_POLICIES_ONLY, Talker.class),
                argumentSet("api sees cli", ArchitectureTest.API_IS_RECORDS, ServingApi.class),
                argumentSet("cli sees head", ArchitectureTest.CLIENT_SPEAKS_REST_ONLY, KnowingClient.class),
                argumentSet("local cloud sees director", ArchitectureTest.LOCAL_CLOUD_STANDS_APART, DrivenCloud.class),
                argumentSet("head sees a driver", ArchitectureTest.THE_HEAD_KNOWS_NO_PROVIDER, Provider.class),
                argumentSet("head sees the demo", ArchitectureTest.NOTHING_NEEDS_THE_PROOFS, Demonstrating.class),
                argumentSet("a second writer", ArchitectureTest.WAITS_HAVE_ONE_WRITER, SecondWriter.class),
                argumentSet("a room gets everything", ArchitectureTest.ROOMS_GET_THEIR_PARTS, OpenDrawer.class),
                argumentSet("an open memory", ArchitectureTest.MEMORY_OF_THE_LOOP_IS_PRIVATE, OpenDrawer.class),
                argumentSet("head sees slurm", ArchitectureTest.NOTHING_KNOWS_SLURM, Tied.class),
                argumentSet("library", ArchitectureTest.POLICY_KNOWS_ONLY_THE_JDK, CallingPolicy.class),
                argumentSet("network", ArchitectureTest.DECISIONS_TOUCH_NO_WORLD, CallingPolicy.class),
                argumentSet("clock", ArchitectureTest.DECISIONS_READ_NO_CLOCK, CallingPolicy.class),
                argumentSet("scaler sees cloud", ArchitectureTest.SCALER_SEES_POLICIES_ONLY, CloudyScaler.class),
                argumentSet("scaler sees head", ArchitectureTest.NOBODY_IMPORTS_THE_HEAD, CloudyScaler.class),
                argumentSet("cloud sees director", ArchitectureTest.CLOUD_SEES_POLICIES_ONLY, DirectedCloud.class),
                argumentSet(
                        "director sees cloud",
                        ArchitectureTest.DIRECTOR_SEES_IMAGES_AND_STAGE_ONLY,
                        CloudyDirector.class),
                argumentSet("a scheduler", ArchitectureTest.QUARTZ_ONLY_CALCULATES, Scheduling.class),
                argumentSet("a drawer", ArchitectureTest.NO_ROOM_NOBODY_WOULD_LIVE_IN, Optional.class));
    }

    @Test
    void aCircleIsSeen() {
        var classes = new ClassFileImporter().importClasses(Circle.class, Way.class);
        assertThat(ArchitectureTest.NO_PACKAGE_IN_A_CIRCLE.evaluate(classes).hasViolation())
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("planted")
    void bites(ArchRule rule, Class<?> violation) {
        var classes = new ClassFileImporter().importClasses(violation);
        assertThat(rule.evaluate(classes).hasViolation())
                .as(rule.getDescription())
                .isTrue();
    }
}
