package org.spillway.head.journal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDelegatingDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdDelegatingSerializer;
import com.fasterxml.jackson.databind.util.StdConverter;
import java.io.IOException;
import org.spillway.head.cause.BreakerCause;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Codes;
import org.spillway.head.cause.Told;
import org.spillway.scaler.plan.BreakerSight;

/** Causes as JSON: code, version and, where there are any, parameters. Sentences are never written. */
final class CauseJson {
    private CauseJson() {}

    static SimpleModule module() {
        return new SimpleModule("causes")
                .addSerializer(Cause.class, new Writer())
                .addDeserializer(Cause.class, new Reader())
                .addSerializer(
                        BreakerSight.class,
                        new StdDelegatingSerializer(BreakerSight.class, new StdConverter<BreakerSight, Cause>() {
                            @Override
                            public Cause convert(BreakerSight seen) {
                                return BreakerCause.of(seen);
                            }
                        }))
                .addDeserializer(
                        BreakerSight.class, new StdDelegatingDeserializer<>(new StdConverter<Cause, BreakerSight>() {
                            @Override
                            public BreakerSight convert(Cause cause) {
                                return BreakerCause.seen(cause);
                            }
                        }));
    }

    private static final class Writer extends JsonSerializer<Cause> {
        @Override
        public void serialize(Cause cause, JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeStartObject();
            json.writeStringField("code", cause.code());
            json.writeNumberField("version", Cause.VERSION);
            var parameters = Codes.parameters(cause);
            if (!parameters.isEmpty()) {
                json.writeObjectField("parameters", parameters);
            }
            json.writeEndObject();
        }
    }

    private static final class Reader extends JsonDeserializer<Cause> {
        @Override
        public Cause deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            JsonNode tree = context.readTree(parser);
            if (tree.isTextual()) {
                // A parameter of version 1 that was words then.
                return Told.of(tree.asText());
            }
            String code = tree.path("code").asText();
            int version = tree.path("version").asInt();
            if (version > Cause.VERSION) {
                return context.reportInputMismatch(Cause.class, "cause %s is of version %d", code, version);
            }
            Codes.Form form = Codes.of(code).orElse(null);
            return switch (form) {
                case Codes.Form.Constant(Cause constant) -> constant;
                case Codes.Form.Typed(Class<? extends Cause> type) ->
                    context.readTreeAsValue(
                            tree.has("parameters")
                                    ? tree.get("parameters")
                                    : context.getNodeFactory().objectNode(),
                            type);
                case null -> context.reportInputMismatch(Cause.class, "no cause is called '%s'", code);
            };
        }
    }
}
