package org.spillway.stage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ChallengeTest {
    @Test
    void aTokenIsAskedForWhereItSays() {
        Challenge found = Challenge.of(
                        List.of("Bearer realm=\"https://auth.example.org/token\",service=\"r.example.org\", "
                                + "scope=\"repository:a/b:pull,push\",error=invalid_token"))
                .orElseThrow();
        assertThat(found.isBearer()).isTrue();
        assertThat(found.parameter("realm")).isEqualTo("https://auth.example.org/token");
        assertThat(found.parameter("service")).isEqualTo("r.example.org");
        assertThat(found.parameter("scope")).isEqualTo("repository:a/b:pull,push");
        assertThat(found.parameter("error")).isEqualTo("invalid_token");
        assertThat(found.parameter("other")).isEmpty();
    }

    @Test
    void ofSeveralTheTokenIsTaken() {
        assertThat(Challenge.of(List.of("Basic realm=\"a, b\", Bearer realm=\"https://x/\\\"t\"")))
                .hasValueSatisfying(found -> {
                    assertThat(found.isBearer()).isTrue();
                    assertThat(found.parameter("realm")).isEqualTo("https://x/\"t");
                });
        assertThat(Challenge.of(List.of("bAsIc realm=x")))
                .hasValueSatisfying(found -> assertThat(found.isBasic()).isTrue());
        assertThat(Challenge.of(List.of("Negotiate", "Digest realm=\"x\", qop=\"auth\"")))
                .isEmpty();
        assertThat(Challenge.of(List.of("Bearer service=\"no realm\""))).isEmpty();
        assertThat(Challenge.of(List.of("", ",,,", "=\"", "Bearer realm=\"open")))
                .isEmpty();
    }

    @Test
    void jsonIsRead() {
        Map<String, ?> read = Json.object(" {\"a\": [1, -2.5e3, true, null, \"\\u00e4\\n\\\"\"], \"b\": {\"c\": {}}} ");
        assertThat(read.get("a")).asList().containsExactly(1L, -2500.0, true, null, "ä\n\"");
        assertThat(Json.map(read.get("b"))).containsKey("c");
        assertThat(Json.texts(read.get("a"))).containsExactly("ä\n\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{\"a\"}",
                "{\"a\":1,}",
                "{\"a\":01}",
                "{\"a\":1} x",
                "{\"a\":\"\\x\"}",
                "{\"a\":tru}",
                "{a:1}"
            })
    void whatIsNoJsonIsRefused(String text) {
        assertThatThrownBy(() -> Json.object(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aDeepOneIsRefused() {
        assertThatThrownBy(() -> Json.object("{\"a\":" + "[".repeat(100_000)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
