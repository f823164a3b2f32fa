package org.spillway.slurm.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.api.OfferingView;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;
import org.spillway.head.command.AccountCommand;
import org.spillway.head.command.ConfigFile;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.slurm.conf.SlurmFiles;
import org.spillway.slurm.conf.Wanted;
import org.spillway.slurm.settings.SlurmSettings;
import picocli.CommandLine.Option;

/** A command that knows what Slurm's files should be. */
abstract class SlurmFilesCommand extends AccountCommand {
    @Option(
            names = "--offerings",
            paramLabel = "FILE",
            description = "What 'spillway offerings --json' printed, instead of asking the head or the providers.")
    @Nullable
    Path offerings;

    @Option(
            names = "--spillway",
            paramLabel = "PATH",
            description = "The spillway command on slurmctld's machine; this one unless given.")
    @Nullable
    Path spillway;

    @Option(
            names = "--gpu-devices",
            paramLabel = "PREFIX",
            description = "What the device files of the nodes' GPUs begin with; /dev/nvidia unless given.")
    String gpuDevices = "/dev/nvidia";

    SlurmFilesCommand(Supplier<Installed> installed) {
        super(installed);
    }

    /** The known part of the head's configuration. */
    record Known(
            HeadConfig config,
            SlurmSettings slurm,
            Wanted wanted,
            SlurmFiles.Place place,
            List<SlurmFiles.Written> files) {}

    /** @throws CliFailure if the configuration has no Slurm, or nobody knows what its sites offer */
    Known known() {
        var read = ConfigFile.read(config, installed.get(), err());
        var slurm = read.workload()
                .of(SlurmSettings.class)
                .orElseThrow(() -> new CliFailure(
                        CliFailure.BAD_INPUT,
                        "the configuration " + read.file() + " has no Slurm",
                        "workload.manager: slurm; docs/slurm.md tells the rest"));
        if (socket == null) {
            socket = read.socket();
        }
        if (config == null) {
            config = ConfigFile.USUAL;
        }
        var folder = slurm.conf().getParent();
        try {
            var wanted = Wanted.of(read, slurm, offered(slurm), folder == null ? Path.of("/etc/slurm") : folder);
            var place = place(read, slurm);
            return new Known(read, slurm, wanted, place, SlurmFiles.of(wanted, place));
        } catch (Wanted.NotOffered wrong) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, String.valueOf(wrong.getMessage()), "'spillway offerings' lists them");
        } catch (IllegalArgumentException wrong) {
            throw new CliFailure(CliFailure.BAD_INPUT, String.valueOf(wrong.getMessage()), "");
        }
    }

    private List<OfferingView> offered(SlurmSettings slurm) {
        if (offerings == null) {
            var all = accounts().offerings(List.copyOf(slurm.nodes().keySet()));
            progress("");
            return all;
        }
        try {
            return HeadClient.list(Files.readAllBytes(offerings), "offerings", OfferingView.class);
        } catch (IOException unreadable) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--offerings: " + offerings + " cannot be read: " + unreadable.getMessage(),
                    "make it with: spillway offerings --json > FILE");
        }
    }

    private SlurmFiles.Place place(HeadConfig read, SlurmSettings slurm) {
        var launcher = spillway == null
                ? Path.of(System.getenv().getOrDefault("SPILLWAY_HOME", "/opt/spillway"), "spillway")
                : spillway;
        return new SlurmFiles.Place(
                read.socket(), slurm.conf(), launcher.toAbsolutePath(), program("curl"), program("squeue"), gpuDevices);
    }

    /** Where it is here; where it usually is when it is not. */
    static Path program(String name) {
        return Stream.of("/usr/bin", "/bin", "/usr/local/bin", "/opt/slurm/bin")
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(Path.of("/usr/bin", name));
    }
}
