package org.spillway.slurm.setup;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Seeds;

/** Whatever a slurm.conf looks like, what the planner adds can be taken out of the text alone, and nothing is planned twice. */
final class SetupPropertyTest {
    private static final int CASES = Seeds.some(4_000);
    private static final Path CONF = Path.of("/etc/slurm/slurm.conf");

    @Test
    void appliedAndTakenOutIsWhatItWas() throws Exception {
        for (long seed : Seeds.of("slurm.conf applied and taken out", CASES)) {
            var random = new Random(seed);
            Map<Path, String> files = new HashMap<>();
            files.put(CONF, new DrawnConf(random).text());
            drawn(random, files, "more.conf", new DrawnConf(random).text());
            drawn(random, files, "gres.conf", "NodeName=home1 Name=gpu File=/dev/nvidia0");
            drawn(random, files, "cli_filter.lua", "function slurm_cli_pre_submit(o) return 0 end");
            var plan = SetupPlan.of(
                    new SetupPlan.Site(
                            CONF,
                            file -> Optional.ofNullable(files.get(file)),
                            SetupScene.place(CONF),
                            random.nextBoolean() && !files.containsKey(CONF.resolveSibling("cli_filter.lua"))),
                    SetupScene.wanted(Path.of("/etc/slurm")));
            plan.files().forEach((file, wish) -> {
                String before = files.get(file);
                if (before != null && !ConfTree.isOurs(before)) {
                    Marks marks = file.toString().endsWith(".lua") ? Marks.LUA : Marks.CONF;
                    assertThat(marks.without(wish.text()))
                            .as("seed %d, %s", seed, file)
                            .isEqualTo(new Marks.TakenOut.Clean(before));
                }
            });
            said(seed, files, plan);
        }
    }

    /** Slurm reads all settings then, and each key of the site's that is none of ours as it was. */
    private static void said(long seed, Map<Path, String> before, SetupPlan plan) {
        Map<Path, String> after = new HashMap<>(before);
        plan.files().forEach((file, wish) -> after.put(file, wish.text()));
        var was = ConfTree.of(CONF, file -> Optional.ofNullable(before.get(file)));
        var is = ConfTree.of(CONF, file -> Optional.ofNullable(after.get(file)));
        SetupScene.wanted(Path.of("/etc/slurm")).settings().stream()
                .filter(setting -> !setting.key().equals("CliFilterPlugins")
                        && !setting.key().equals("BurstBufferType")
                        && !setting.key().equals("SlurmdTimeout"))
                .forEach(setting -> assertThat(setting.isMetBy(
                                is.last(setting.key()).map(ConfTree.Said::value).orElse("")))
                        .as("seed %d: %s", seed, setting)
                        .isTrue());
        for (String kept : new String[] {"Prolog", "Epilog", "ReturnToService", "EnforcePartLimits", "SuspendTime"}) {
            was.last(kept)
                    .ifPresent(said -> assertThat(is.last(kept).map(ConfTree.Said::value))
                            .as("seed %d: %s", seed, kept)
                            .contains(said.value()));
        }
        assertThat(is.all("PartitionName").stream().filter(said -> said.value().equals("west")))
                .as("seed %d", seed)
                .hasSize(1);
        assertThat(is.ours()).as("seed %d", seed).isEmpty();
    }

    private static void drawn(Random random, Map<Path, String> files, String name, String text) {
        if (random.nextBoolean()) {
            files.put(CONF.resolveSibling(name), text);
        }
        if (name.equals("more.conf") && random.nextBoolean()) {
            files.put(
                    CONF.resolveSibling("spillway.conf"), "# written by 'spillway slurm config'\nReturnToService=2\n");
        }
    }
}
