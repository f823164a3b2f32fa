package org.spillway.cloud.delegated;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** The wire records as JSON, the same at both ends. */
public final class WireText {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private WireText() {}

    public static byte[] write(Wire.Body body) {
        try {
            return MAPPER.writeValueAsBytes(body);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** @throws Malformed if it is not that record, or of another schema */
    public static <T extends Wire.Body> T read(byte[] json, Class<T> type) throws Malformed {
        T body;
        try {
            body = MAPPER.readValue(json, type);
        } catch (JsonProcessingException bad) {
            // Without the source text: it may hold a secret.
            throw new Malformed("not a " + type.getSimpleName() + ": " + bad.getOriginalMessage());
        } catch (IOException bad) {
            throw new Malformed("not a " + type.getSimpleName());
        }
        if (body == null) {
            throw new Malformed("not a " + type.getSimpleName() + ": null");
        }
        if (body.schema() != Wire.SCHEMA) {
            throw new Malformed("schema " + body.schema() + "; this release speaks " + Wire.SCHEMA
                    + ": parent and child must be of one release");
        }
        return body;
    }

    /** Text that is not the record that was expected. */
    public static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        public Malformed(String message) {
            super(message);
        }
    }
}
