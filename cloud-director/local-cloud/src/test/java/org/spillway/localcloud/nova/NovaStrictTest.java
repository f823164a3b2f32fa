package org.spillway.localcloud.nova;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** Servers that Nova's schemas call invalid. */
final class NovaStrictTest {
    private static void refused(String server) {
        assertThatThrownBy(() -> NovaStrict.check(new ObjectMapper().readTree(server)))
                .isInstanceOf(Said.No.class);
    }

    @Test
    void namesMetadataTagsAndData() {
        refused("{\"name\": \"" + "n".repeat(256) + "\"}");
        refused("{\"name\": \" n\"}");
        refused("{\"name\": \"n\", \"metadata\": {\"a/b\": \"v\"}}");
        refused("{\"name\": \"n\", \"metadata\": {\"a\": \"" + "v".repeat(256) + "\"}}");
        refused("{\"name\": \"n\", \"metadata\": {\"a\": 1}}");
        refused("{\"name\": \"n\", \"tags\": [\"" + "t".repeat(61) + "\"]}");
        refused("{\"name\": \"n\", \"tags\": [\"a,b\"]}");
        refused("{\"name\": \"n\", \"user_data\": \"" + "A".repeat(65_536) + "\"}");
        assertThatCode(() -> NovaStrict.check(
                        new ObjectMapper().readTree("{\"name\": \"n\", \"metadata\": {\"spillway-cluster\": \"c\"}}")))
                .doesNotThrowAnyException();
    }
}
