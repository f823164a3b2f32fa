package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.openstack.Microversions.Range;

final class MicroversionsTest {
    private static final String ONE = """
            {"version": {"id": "v2.1", "status": "CURRENT", "version": "%s", "min_version": "2.1", "links": []}}
            """;

    @Test
    void anObjectionSaysWhatIsOfferedAndWhatIsNeeded() {
        assertThat(Microversions.range(ONE.formatted("2.93")).objection(ComputeFeature.VOLUME_TYPE))
                .isEmpty();
        assertThat(Microversions.range(ONE.formatted("2.65")).objection(ComputeFeature.BASE))
                .isEmpty();
        assertThat(Microversions.range(ONE.formatted("2.65")).objection(ComputeFeature.VOLUME_TYPE))
                .contains("2.1 to 2.65", "2.67", "leave it out");
        assertThat(Microversions.range(ONE.formatted("2.60")).objection(ComputeFeature.BASE))
                .contains("2.1 to 2.60", "2.61");
    }

    @Test
    void ofAListItIsThatOfTheInterfaceWhichHasThem() {
        String list = """
                {"versions": [{"id": "v2.0", "version": "", "min_version": ""},
                {"id": "v2.1", "version": "2.93", "min_version": "2.1"}]}
                """;
        assertThat(Microversions.range(list)).isEqualTo(new Range(1, 93, true));
    }

    @Test
    void theOldInterfaceHasNone() {
        Range none = Microversions.range("{\"version\": {\"id\": \"v2.0\", \"version\": \"\", \"min_version\": \"\"}}");
        assertThat(none.objection(ComputeFeature.BASE)).contains("no microversions");
    }

    @Test
    void whatIsNotTheDocumentForbidsNothing() {
        for (String page : new String[] {"<html>", "{}", "[]", ""}) {
            assertThat(Microversions.range(page)).as(page).isEqualTo(Range.UNKNOWN);
        }
        assertThat(Range.UNKNOWN.has(ComputeFeature.VOLUME_TYPE)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "https://nova:8774/v2.1,https://nova:8774/v2.1",
        "https://nova:8774/v2.1/0123456789abcdef,https://nova:8774/v2.1",
        "https://cloud/compute/v2.1/0123,https://cloud/compute/v2.1",
        "http://127.0.0.1:4000/8774/v2.1,http://127.0.0.1:4000/8774/v2.1",
        "https://nova:8774/v2/0123,https://nova:8774/v2",
        "https://nova:8774,https://nova:8774"
    })
    void theDocumentLiesAtTheVersion(String endpoint, String base) {
        assertThat(Microversions.base(endpoint)).isEqualTo(base);
    }
}
