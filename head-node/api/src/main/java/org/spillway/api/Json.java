package org.spillway.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import org.spillway.policy.Money;

/**
 * How the API's records look on the wire: instants in ISO 8601, money as a decimal text, every field always there.
 * Both ends use it; a reader ignores fields that it does not know.
 */
public final class Json {
    private static final int DEEPEST = 20;
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .addModule(new SimpleModule()
                    .addSerializer(Instant.class, new AsText<>(Instant.class))
                    .addDeserializer(Instant.class, new FromText<>(Instant.class, Instant::parse))
                    .addSerializer(Money.class, new AsText<>(Money.class))
                    .addDeserializer(Money.class, new FromText<>(Money.class, Money::parse)))
            .build();

    private Json() {}

    public static String write(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("cannot be written: " + value.getClass(), impossible);
        }
    }

    /** The same as UTF-8, without a detour over a text: a listing has megabytes. */
    public static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("cannot be written: " + value.getClass(), impossible);
        }
    }

    /** SHA-256 of a record as it goes over the wire, in hexadecimal: all that it says counts, in whatever order maps are. */
    public static String digest(Record value) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(value)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Indented, for people. */
    public static String writeIndented(Object value) {
        try {
            return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("cannot be written: " + value.getClass(), impossible);
        }
    }

    /** @throws IOException if it is not JSON, deeper than 20 levels, or has a field twice */
    public static JsonNode tree(byte[] body) throws IOException {
        return MAPPER.readTree(body);
    }

    /** @throws IOException if it is not JSON or does not fit the type */
    public static <T> T read(byte[] body, Class<T> type) throws IOException {
        return MAPPER.readValue(body, type);
    }

    /** The elements of an array below {@code field}. */
    public static <T> List<T> list(byte[] body, String field, Class<T> type) throws IOException {
        var list = MAPPER.getTypeFactory().constructCollectionType(List.class, type);
        return MAPPER.readerFor(list).readValue(tree(body).path(field));
    }

    private static final class AsText<T> extends StdScalarSerializer<T> {
        private static final long serialVersionUID = 1;

        AsText(Class<T> type) {
            super(type);
        }

        @Override
        public void serialize(T value, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeString(value.toString());
        }
    }

    private static final class FromText<T> extends StdScalarDeserializer<T> {
        private static final long serialVersionUID = 1;
        private final transient Function<String, T> parse;

        FromText(Class<T> type, Function<String, T> parse) {
            super(type);
            this.parse = parse;
        }

        @Override
        public T deserialize(JsonParser in, DeserializationContext context) throws IOException {
            try {
                return parse.apply(in.getText());
            } catch (RuntimeException malformed) {
                throw context.weirdStringException(in.getText(), handledType(), String.valueOf(malformed.getMessage()));
            }
        }
    }
}
