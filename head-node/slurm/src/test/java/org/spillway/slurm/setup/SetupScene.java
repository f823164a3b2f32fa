package org.spillway.slurm.setup;

import java.nio.file.Path;
import java.util.List;
import org.spillway.slurm.conf.NodeGroup;
import org.spillway.slurm.conf.Partition;
import org.spillway.slurm.conf.Setting;
import org.spillway.slurm.conf.Setting.Rule;
import org.spillway.slurm.conf.SlurmFiles;
import org.spillway.slurm.conf.Wanted;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.Unnamed;

/** A head's wishes for a Slurm. */
final class SetupScene {
    static final String PROLOG = "/[ru][us][nr]/[bs][ip][ni]*/tru[e1]";

    private static final NodeGroup GROUP =
            new NodeGroup("west", "gpu", 2, 8, 30_000, 1, "h100", List.of("west", "gpu"));

    private SetupScene() {}

    /** @param folder of slurm.conf */
    static Wanted wanted(Path folder) {
        return new Wanted(
                List.of(
                        new Setting("SlurmctldParameters", "enable_configless,idle_on_node_suspend", Rule.AMONG, ""),
                        new Setting("PrivateData", "cloud", Rule.AMONG, ""),
                        new Setting("PrologFlags", "Alloc", Rule.AMONG, ""),
                        new Setting("Prolog", PROLOG, Rule.ANY, ""),
                        new Setting("Epilog", PROLOG.replace('1', '2'), Rule.ANY, ""),
                        new Setting("BurstBufferType", "burst_buffer/lua", Rule.SAME, ""),
                        new Setting("CliFilterPlugins", "lua", Rule.AMONG, ""),
                        new Setting(
                                "ResumeProgram",
                                folder.resolve("spillway-resume").toString(),
                                Rule.SAME,
                                ""),
                        new Setting(
                                "SuspendProgram",
                                folder.resolve("spillway-suspend").toString(),
                                Rule.SAME,
                                ""),
                        new Setting("SlurmdTimeout", "240", Rule.AT_LEAST, ""),
                        new Setting("GresTypes", "gpu", Rule.AMONG, "")),
                List.of(GROUP),
                List.of(new Partition("west", List.of(GROUP), 60, 360, false)),
                JobFiles.of(Unnamed.HOME));
    }

    static SlurmFiles.Place place(Path conf) {
        return new SlurmFiles.Place(
                Path.of("/run/spillway/spillway.sock"),
                conf,
                Path.of("/opt/spillway/spillway"),
                Path.of("/usr/bin/curl"),
                Path.of("/usr/bin/squeue"),
                "/dev/nvidia");
    }
}
