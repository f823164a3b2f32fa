package org.spillway.slurm.conf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.api.OfferingView;
import org.spillway.policy.Money;
import org.spillway.slurm.conf.Setting.Rule;

final class WantedTest {
    private static OfferingView offering(String zone, int gpus, String model) {
        return new OfferingView(
                "West",
                zone,
                "p5.48xlarge",
                "spot",
                192,
                2048L << 30,
                gpus,
                model,
                0,
                0,
                "efa",
                "x86_64",
                List.of(),
                Money.parse("30"),
                "good",
                null);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "512,256", "1024,716", "4096,3635", "8192,7526", "2097152,1992038"})
    void someOfTheMemoryIsTheKernels(long mebibytes, long usable) {
        assertThat(NodeGroup.usable(mebibytes << 20)).isEqualTo(usable);
    }

    @Test
    void aLineSaysWhatAJobMayAskFor() {
        var several = NodeGroup.of(
                "West", "p5.48xlarge", 12, List.of(offering("a", 8, "H100 SXM"), offering("b", 8, "H100 SXM")));
        assertThat(several.line())
                .isEqualTo("NodeName=west-p5-48xlarge-[1-12] CPUs=192 RealMemory=1992038 Gres=gpu:h100-sxm:8"
                        + " Feature=west,p5.48xlarge,x86_64,h100-sxm,efa State=CLOUD");
        assertThat(several.names()).hasSize(12).startsWith("west-p5-48xlarge-1").endsWith("west-p5-48xlarge-12");
        var one = NodeGroup.of("West", "p5.48xlarge", 1, List.of(offering("us-east-1a", 0, "")));
        assertThat(one.line())
                .isEqualTo("NodeName=west-p5-48xlarge-1 CPUs=192 RealMemory=1992038"
                        + " Feature=west,p5.48xlarge,us-east-1a,x86_64,efa State=CLOUD");
        assertThat(NodeGroup.of("West", "x", 2, List.of(offering("a", 2, ""))).gres())
                .isEqualTo("gpu:2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "SAME|ALL|all|true",
                "SAME|0|0 nodes/min|true",
                "SAME|ALL|NO|false",
                "SAME|ALL|''|false",
                "AMONG|lua|cli_filter/lua|true",
                "AMONG|Alloc|Contain,Alloc|true",
                "AMONG|a,b|b|false",
                "AT_LEAST|660|660 sec|true",
                "AT_LEAST|660|659 sec|false",
                "AT_LEAST|660|INFINITE|false",
                "AT_LEAST|660|NONE|false",
                "ANY|1-2|3-4|true",
                "ANY|1-2|0-0|false",
                "ANY|1-2|(null)|false",
            })
    void whatIsGoodEnough(Rule rule, String value, String found, boolean met) {
        assertThat(new Setting("Key", value, rule, "").isMetBy(found)).isEqualTo(met);
    }
}
