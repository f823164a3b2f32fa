package org.spillway.head.journal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Codes;

/** Causes as JSON: code, version and, where there are any, parameters. Sentences are never written. */
final class CauseJson {
    private CauseJson() {}

    static SimpleModule module() {
        return new SimpleModule("causes")
                .addSerializer(Cause.class, new Writer())
                .addDeserializer(Cause.class, new Reader());
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
