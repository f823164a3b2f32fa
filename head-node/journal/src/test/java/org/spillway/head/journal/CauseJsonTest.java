package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Codes;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.PlaceCause;
import org.spillway.head.cause.Told;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Bound;
import org.spillway.scaler.plan.Step;

/** Codes are stored and programs of others ask for them: none is renamed, and no sentence changes unseen. */
final class CauseJsonTest {
    private static final String GOLDEN = "src/test/resources/org/spillway/head/journal/causes.txt";

    /** Causes of each code, with parameters by which the sentence shows where they go. */
    private static List<Cause> samples() {
        return Codes.all().values().stream()
                .flatMap(form -> switch (form) {
                    case Codes.Form.Constant(Cause constant) -> List.of(constant).stream();
                    case Codes.Form.Typed(var type) -> List.of(sample(type, false), sample(type, true)).stream();
                })
                .distinct()
                .toList();
    }

    private static Cause sample(Class<? extends Cause> type, boolean plain) {
        RecordComponent[] components = type.getRecordComponents();
        try {
            return type.getDeclaredConstructor(Arrays.stream(components)
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new))
                    .newInstance(Arrays.stream(components)
                            .map(component -> sample(component, plain))
                            .toArray());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(type.toString(), e);
        }
    }

    private static Object sample(RecordComponent component, boolean plain) {
        Class<?> type = component.getType();
        if (type == String.class) {
            return "<" + component.getName() + ">";
        } else if (type == int.class) {
            return plain ? 0 : 7;
        } else if (type == long.class) {
            return plain ? 0L : 4200L;
        } else if (type == boolean.class) {
            return !plain;
        } else if (type == Money.class) {
            return Money.parse(plain ? "0" : "1.50");
        } else if (type == Cause.class) {
            return plain ? Cause.NONE : JobFact.NODE_LOST;
        } else if (type == List.class
                && component.getGenericType().getTypeName().contains("Cause")) {
            return plain ? List.of() : List.of(JobFact.NODE_LOST, NodeFact.IDLE);
        } else if (type == List.class) {
            return plain ? List.of() : List.of("a", "b");
        }
        Object[] constants = type.getEnumConstants();
        return constants[plain ? constants.length - 1 : 0];
    }

    @Test
    void everyCodeHasItsParametersAndItsSentence() throws IOException {
        StringBuilder found = new StringBuilder();
        for (Cause cause : samples()) {
            found.append(EntryJson.write(cause))
                    .append("\n    ")
                    .append(cause.text())
                    .append('\n');
        }
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(Path.of(GOLDEN), found);
        }
        try (var in = CauseJsonTest.class.getResourceAsStream("causes.txt")) {
            assertThat(found.toString()).isEqualTo(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void eachIsReadAsItWasWritten() {
        assertThat(samples())
                .hasSizeGreaterThan(90)
                .allSatisfy(cause ->
                        assertThat(EntryJson.cause(EntryJson.write(cause))).isEqualTo(cause));
    }

    @Test
    void causesAreOneInAnother() {
        Cause on = new NodeCause.PoweredOn(NodeFact.BY_HAND);
        assertThat(EntryJson.write(on))
                .isEqualTo(
                        "{\"code\":\"POWERED_ON\",\"version\":2,\"parameters\":{\"why\":{\"code\":\"BY_HAND\",\"version\":2}}}");
        assertThat(on.text()).isEqualTo("powered on by hand");
        assertThat(on.all()).containsExactly(on, NodeFact.BY_HAND);
    }

    @Test
    void aParameterThatWasWordsInVersionOneIsToldNow() {
        assertThat(EntryJson.cause("""
                        {"code":"SITE_BETTER","version":1,"parameters":{"site":"west","other":"east","obstacle":
                        {"code":"SITE_TROUBLE","version":1,"parameters":{"site":"east","trouble":"quota: used up"}}}}"""))
                .isEqualTo(new PlaceCause.SiteBetter(
                        "west", "east", new PlaceCause.SiteTrouble("east", new Told("quota: used up"))));
    }

    @Test
    void aHoldOfAnEarlierReleaseDoesNotSayWhatIsInTheWay() {
        DecisionEntry now = Entries.decision("d1");
        String before = EntryJson.write(now).replace(",\"by\":\"POLICY\",\"name\":\"\"", "");
        DecisionEntry then = (DecisionEntry) EntryJson.read("decision", now.id(), before);
        assertThat(before).isNotEqualTo(EntryJson.write(now));
        assertThat(then.plan()).isEqualTo(now.plan());
        assertThat(then.plan().steps())
                .filteredOn(Step.Hold.class::isInstance)
                .extracting(step -> ((Step.Hold) step).by())
                .containsOnly(Bound.Kind.OTHER);
    }

    @Test
    void whatALaterReleaseHasWrittenIsRefused() {
        for (String later :
                List.of("{\"code\":\"NO_SUCH\",\"version\":1}", "{\"code\":\"IDLE\",\"version\":3}", "{}")) {
            assertThatThrownBy(() -> EntryJson.cause(later))
                    .as(later)
                    .isInstanceOf(JournalFailure.class)
                    .hasMessageContaining("cannot be read");
        }
    }
}
