package org.spillway.head.journal;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.spillway.head.cause.Cause;
import org.spillway.policy.LaunchOutcome;
import org.spillway.scaler.plan.Step;

/** Entries as JSON. The other rooms' records stay free of it: sealed types get their names here. */
final class EntryJson {
    /** Version of the bodies; a head refuses a larger one. */
    static final int SCHEMA = 5;

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = LaunchOutcome.Launched.class, name = "launched"),
        @JsonSubTypes.Type(value = LaunchOutcome.Partial.class, name = "partial"),
        @JsonSubTypes.Type(value = LaunchOutcome.Refused.class, name = "refused"),
        @JsonSubTypes.Type(value = LaunchOutcome.Unknown.class, name = "unknown")
    })
    private interface OutcomeNames {}

    /** Names of steps follow from the classes: {@code launch}, {@code release}, {@code hold}. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    private interface StepNames {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonAutoDetect(
            getterVisibility = JsonAutoDetect.Visibility.NONE,
            isGetterVisibility = JsonAutoDetect.Visibility.NONE)
    private interface FieldsOnly {}

    /** A job's program lies apart ({@link SqlitePrograms}). */
    @JsonIgnoreProperties(value = "program", allowSetters = true)
    private interface ProgramApart {}

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .addModule(new Jdk8Module())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .visibility(PropertyAccessor.GETTER, JsonAutoDetect.Visibility.NONE)
            .visibility(PropertyAccessor.IS_GETTER, JsonAutoDetect.Visibility.NONE)
            .visibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY)
            .addModule(CauseJson.module())
            .addMixIn(LaunchOutcome.class, OutcomeNames.class)
            .addMixIn(Step.class, StepNames.class)
            .registerSubtypes(steps())
            .addMixIn(Entry.class, FieldsOnly.class)
            .addMixIn(JobSpec.class, ProgramApart.class)
            .build();
    /** Equal programs are equal texts. */
    private static final ObjectWriter IN_ORDER = MAPPER.writer(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

    private EntryJson() {}

    private static NamedType[] steps() {
        return Arrays.stream(Step.class.getPermittedSubclasses())
                .map(step -> new NamedType(
                        step,
                        step.getSimpleName()
                                .replaceAll("(?<=[a-z])(?=[A-Z])", "-")
                                .toLowerCase(Locale.ROOT)))
                .toArray(NamedType[]::new);
    }

    /** A policy's settings. */
    static String writeSettings(Record settings) {
        try {
            return MAPPER.writeValueAsString(settings);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("settings " + settings.getClass() + " have no JSON form", e);
        }
    }

    /** Settings as they were; what was not written down is as in {@code defaults}. */
    static Record settings(String json, Record defaults) throws JsonProcessingException {
        ObjectNode all = MAPPER.valueToTree(defaults);
        if (MAPPER.readTree(json) instanceof ObjectNode written) {
            for (String name : all.propertyStream().map(Map.Entry::getKey).toList()) {
                if (written.has(name)) {
                    all.set(name, written.get(name));
                }
            }
        }
        return MAPPER.treeToValue(all, defaults.getClass());
    }

    static String write(Entry entry) {
        try {
            return MAPPER.writeValueAsString(entry);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("entry " + entry.kind() + " " + entry.id() + " has no JSON form", e);
        }
    }

    static String write(JobSpec.Program program) {
        try {
            return IN_ORDER.writeValueAsString(program);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a program has no JSON form", e);
        }
    }

    /** @throws JournalFailure if it is none */
    static JobSpec.Program program(String json) {
        try {
            return MAPPER.readValue(json, JobSpec.Program.class);
        } catch (JsonProcessingException e) {
            throw new JournalFailure("a program in the journal cannot be read: " + PastText.REPAIR, e);
        }
    }

    static String write(Cause cause) {
        try {
            return MAPPER.writeValueAsString(cause);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cause " + cause.code() + " has no JSON form", e);
        }
    }

    /** @throws JournalFailure if it is none that this release knows */
    static Cause cause(String json) {
        try {
            return MAPPER.readValue(json, Cause.class);
        } catch (JsonProcessingException e) {
            throw new JournalFailure("a cause in the journal cannot be read: " + PastText.REPAIR, e);
        }
    }

    static Entry read(String kind, String id, String body) {
        Class<? extends Entry> type = switch (kind) {
            case "job" -> JobRecord.class;
            case "node" -> NodeRecord.class;
            case "intent" -> IntentRecord.class;
            case "launch" -> LaunchEntry.class;
            case "decision" -> DecisionEntry.class;
            case "outcome" -> OutcomeEntry.class;
            case "breaker" -> BreakerEntry.class;
            case "cluster" -> ClusterRecord.class;
            case "delegated" -> DelegatedRecord.class;
            case "notice" -> NoticeRecord.class;
            case "egress" -> EgressRecord.class;
            case "recovery" -> RecoveryRecord.class;
            case "stage" -> StageRecord.class;
            case "rollout" -> RolloutRecord.class;
            default -> throw new JournalFailure("the journal holds a '" + kind + "', which this release does not know");
        };
        try {
            return MAPPER.readValue(body, type);
        } catch (JsonProcessingException e) {
            throw new JournalFailure("the journal's " + kind + " " + id + " cannot be read: " + PastText.REPAIR, e);
        }
    }
}
