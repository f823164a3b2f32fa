package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Market;

/** Outcomes of a launch at providers, and the head's use of them. */
final class LaunchStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(5);

    private static Story withDirector() {
        Story story = new Story(new SimWorld.Spec("east", 3, 0, "1"));
        story.pass(Duration.ofSeconds(2));
        story.loop.addNodes(purchase(1, ""), story.world.clock.now());
        story.until(
                "the first is up",
                LATER,
                () -> story.nodes("east", NodeState.READY).size() == 1);
        return story;
    }

    private static NodePurchase purchase(int count, String owner) {
        return new NodePurchase("east", "std", "", Market.ON_DEMAND, count, true, owner);
    }

    @Test
    void whatFailsAfterItWasAcceptedIsARefusalAndIsEnded() {
        Story story = withDirector();
        SimProvider provider = story.world.site("east").provider;
        provider.failing = 2;
        story.loop.addNodes(purchase(2, ""), story.world.clock.now());
        story.until(
                "both are ended",
                LATER,
                () -> story.nodes("east", NodeState.TERMINATED).size() == 2);
        assertThat(story.journal.launches().stream()
                        .filter(launch -> launch.outcome() instanceof LaunchOutcome.Refused))
                .as("told once, however many there were")
                .singleElement()
                .satisfies(launch -> {
                    assertThat(launch.offering().instanceType()).isEqualTo("std");
                    assertThat(launch.outcome()).isEqualTo(new LaunchOutcome.Refused(Reason.CAPACITY, "no valid host"));
                });
        assertThat(provider.machines.values().stream().filter(machine -> machine.failed))
                .hasSize(2)
                .noneMatch(SimProvider.Machine::isLive);
        for (NodeRecord node : story.nodes("east", NodeState.TERMINATED)) {
            assertThat(story.journal.store().timeline("node", node.id()))
                    .anyMatch(step -> step.to().equals("TERMINATING")
                            && step.cause()
                                    .equals(new NodeCause.LaunchRefused(
                                            LaunchOutcome.Reason.CAPACITY, "no valid host")));
        }
    }

    /** M10: refused and partial launches are each in the log, apart. */
    @Test
    void whatIsRefusedOrGivenInPartIsALineOfTheLog() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("org.spillway.head.loop.launches");
        Story story = withDirector();
        try {
            log.start();
            logger.setLevel(Level.WARN);
            logger.addAppender(log);
            story.world.site("east").provider.roomIn.put("a", 2);
            story.loop.addNodes(purchase(2, ""), story.world.clock.now());
            story.until(
                    "one has come",
                    LATER,
                    () -> story.nodes("east", NodeState.READY).size() == 2);
            story.pass(Duration.ofMinutes(12));
            story.loop.addNodes(purchase(1, ""), story.world.clock.now());
            story.pass(Duration.ofSeconds(20));
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
        String east = "site east, zone a, type std, on-demand; ";
        // Other stories are told at the same time, each in a thread of its own.
        String here = Thread.currentThread().getName();
        assertThat(log.list)
                .filteredOn(line -> line.getThreadName().equals(here))
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains("asked for"))
                .satisfiesExactly(
                        part -> assertThat(part)
                                .endsWith(" in part: " + east + "asked for 2, got 1; CAPACITY: no more"),
                        none -> assertThat(none)
                                .endsWith(" refused: " + east + "asked for 1, got 0; CAPACITY: no capacity"));
    }

    @Test
    void aNodeThatBecameAnotherHasItsResourcesAndPrice() {
        Story story = withDirector();
        SimProvider provider = story.world.site("east").provider;
        provider.substitutes = true;
        // Until its offerings are read again.
        story.pass(Duration.ofMinutes(6));
        story.loop.addNodes(purchase(1, ""), story.world.clock.now());
        story.until(
                "it is up", LATER, () -> story.nodes("east", NodeState.READY).size() == 2);
        NodeRecord larger = story.nodes("east", NodeState.READY).stream()
                .filter(node -> node.offering().instanceType().equals("large"))
                .findFirst()
                .orElseThrow();
        assertThat(larger.resources()).isEqualTo(provider.larger().resources());
        assertThat(larger.pricePerHour()).isEqualTo(provider.larger().pricePerHour());
        List<LaunchRecord> launches = story.journal.launches();
        assertThat(launches.subList(launches.size() - 2, launches.size()))
                .extracting(launch -> launch.offering().instanceType(), LaunchRecord::outcome)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("std", new LaunchOutcome.Refused(Reason.CAPACITY, "short")),
                        org.assertj.core.groups.Tuple.tuple("large", new LaunchOutcome.Launched(1)));
    }

    @Test
    void everyInstanceSaysWhatForAndForWhom() {
        Story story = withDirector();
        story.loop.addNodes(purchase(1, "alice"), story.world.clock.now());
        story.until(
                "it is up", LATER, () -> story.nodes("east", NodeState.READY).size() == 2);
        assertThat(story.world.site("east").provider.machines.values())
                .extracting(machine -> machine.request.tags().get("spillway-role") + " of "
                        + machine.request.tags().get("spillway-owner"))
                .containsExactlyInAnyOrder("DIRECTOR of story", "NODE of story", "NODE of alice");
    }
}
