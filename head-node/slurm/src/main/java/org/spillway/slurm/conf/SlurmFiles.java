package org.spillway.slurm.conf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.spillway.slurm.settings.Unnamed;

/** The files that lie beside slurm.conf. */
public final class SlurmFiles {
    /** The part of slurm.conf, to be included by it. */
    public static final String CONF = "spillway.conf";

    public static final String FILTER = "cli_filter.lua";
    /** Ours, where the site has one of its own. */
    public static final String CHAINED_FILTER = "spillway_cli_filter.lua";

    public static final String RESUME = "spillway-resume";
    public static final String SUSPEND = "spillway-suspend";
    /** The reservation holds every node that is not up (ADR 13). */
    public static final String RESERVATION = "spillway";

    /** The form of a path that stands in commands of these files. */
    private static final String BELOW_HOME =
            ", or to spillway-JOB/HOME where it is below your home and no line names an output";

    private static final String PLAIN = "/[A-Za-z0-9._/-]{1,200}";

    private SlurmFiles() {}

    /** @param executable whether Slurm runs it */
    public record Written(String name, String text, boolean executable) {}

    /**
     * Where things are on the machine of slurmctld, absolute.
     *
     * @param conf slurm.conf
     * @param gpuDevices what the devices of GPUs begin with, such as {@code /dev/nvidia}
     */
    public record Place(Path socket, Path conf, Path spillway, Path curl, Path squeue, String gpuDevices) {
        /** @throws IllegalArgumentException if a path has characters that would mean something in a command */
        public Place {
            for (var path : List.of(socket, conf, spillway, curl, squeue, Path.of(gpuDevices))) {
                refuseUnusual(path);
            }
        }
    }

    /** In the order in which they are read. */
    public static List<Written> of(Wanted wanted, Place place) {
        List<Written> files = new ArrayList<>();
        files.add(new Written(CONF, conf(wanted), false));
        if (wanted.nodes().stream().anyMatch(group -> group.gpus() > 0)) {
            files.add(new Written("gres.conf", gres(wanted, place), false));
        }
        files.add(new Written("burst_buffer.conf", BURST_BUFFER, false));
        files.add(new Written("burst_buffer.lua", lua("burst_buffer.lua", wanted, place), false));
        files.add(new Written(FILTER, lua(FILTER, wanted, place), false));
        files.add(new Written(RESUME, resume(wanted, place), true));
        files.add(new Written(SUSPEND, suspend(wanted, place), true));
        return files;
    }

    private static final String BURST_BUFFER = """
            # burst_buffer.conf: written by 'spillway slurm config'.
            Directive=SPILLWAY
            # What is not staged yet waits for the network, for capacity or for the budget: 23 days, nearly the most that Slurm takes.
            StageInTimeout=2000000
            StageOutTimeout=2000000
            # Before a job begins its nodes fetch its input, for which the hook waits up to 50 minutes.
            OtherTimeout=3600
            # A job whose results cannot come home leaves with the reason, and is not shown in stage-out for ever.
            Flags=TeardownFailure
            """;

    private static String conf(Wanted wanted) {
        var text = new StringBuilder("""
                # spillway.conf: what Slurm needs for Spillway; written by 'spillway slurm config'. 'Include spillway.conf' belongs into slurm.conf.
                # 'spillway slurm setup' does all of this by itself, and takes it back.
                # A key that slurm.conf has already stands in one of the two only: take it out there, or put its words together here.
                # 'spillway slurm check' tells what the running Slurm lacks.
                # Prolog and Epilog match /usr/bin/true everywhere and, on nodes of Spillway, its gate: a glob that matches nothing fails the job.
                # With a Prolog or Epilog of your own take that line out here: nodes of Spillway put their gate over yours, and call it behind.

                """);
        wanted.settings().forEach(setting -> text.append(setting.line()).append('\n'));
        text.append("""

                # Every node that may ever be. RealMemory is 95 of 100 of the type's memory less 256 MiB: a node whose kernel shows less is drained.
                """);
        wanted.nodes().forEach(group -> text.append(group.line()).append('\n'));
        text.append("\n# One partition for each site, and one for each queue over its sites.\n");
        wanted.partitions().forEach(partition -> text.append(partition.line()).append('\n'));
        return text.toString();
    }

    private static String gres(Wanted wanted, Place place) {
        return "# gres.conf: written by 'spillway slurm config'. Lines of your own nodes belong beside these.\n"
                + wanted.nodes().stream()
                        .filter(group -> group.gpus() > 0)
                        .map(group -> "NodeName=" + group.hostList() + " Name=gpu"
                                + (group.gpuModel().isEmpty() ? "" : " Type=" + group.gpuModel()) + " File="
                                + place.gpuDevices()
                                + (group.gpus() == 1 ? "0" : "[0-" + (group.gpus() - 1) + "]"))
                        .collect(Collectors.joining("\n"))
                + "\n";
    }

    private static String resume(Wanted wanted, Place place) {
        return "#!/bin/sh\n"
                + "# Slurm calls this with a list of nodes that are off and that it has given to jobs. A head that runs keeps it from that.\n"
                + told("resume", wanted, place) + "tell \"$1\"\n";
    }

    private static String suspend(Wanted wanted, Place place) {
        return "#!/bin/sh\n"
                + "# Slurm calls this with a list of nodes that it would have powered down. A head that does not answer ends nothing.\n"
                + told("suspend", wanted, place) + "tell \"$1\"\n";
    }

    /** A function that tells the head of nodes of ours. */
    private static String told(String action, Wanted wanted, Place place) {
        return (action.equals("resume") ? RESUMED : SUSPENDED)
                .replace("@CONF@", place.conf().toString())
                .replace(
                        "@BIN@",
                        Objects.requireNonNull(place.squeue().getParent()).toString())
                .replace("@SPILLWAY@", place.spillway().toString())
                .replace("@SOCKET@", place.socket().toString())
                .replace(
                        "@PARTITIONS@",
                        wanted.partitions().stream().map(Partition::name).collect(Collectors.joining(" ")));
    }

    private static final String SUSPENDED = """
            tell() {
              SPILLWAY_NO_BUILD=1 timeout 20 @SPILLWAY@ slurm suspend --socket @SOCKET@ "$1"
            }
            """;

    private static final String RESUMED = """
            tell() {
              SPILLWAY_NO_BUILD=1 timeout 20 @SPILLWAY@ slurm resume --socket @SOCKET@ "$1" && return
              # Nobody buys these: no job gets any more of them until a head opens the partitions, and those that have wait again.
              export SLURM_CONF=@CONF@ PATH=@BIN@:/usr/bin:/bin
              for partition in @PARTITIONS@; do scontrol update partitionname="$partition" state=down minnodes=0; done
              for job in $(squeue -h -a -w "$1" -t R,CF -o %A | sort -u); do
                may=$(scontrol -o show job "$job" | grep -o ' Requeue=[01]' | head -n 1)
                [ "$may" != ' Requeue=0' ] || scontrol update jobid="$job" requeue=1
                scontrol requeue "$job"
                [ "$may" != ' Requeue=0' ] || scontrol update jobid="$job" requeue=0
              done
              scontrol update nodename="$1" state=power_down
            }
            """;

    /**
     * A program of ours that calls the site's own for nodes that are not ours.
     *
     * @param site its path
     * @throws IllegalArgumentException if it cannot stand in a command
     */
    public static Written before(Written ours, String site, Wanted wanted, Place place) {
        refuseUnusual(Path.of(site));
        String mine = wanted.nodes().stream()
                .map(group -> group.hostList().replaceAll("(\\[[0-9-]+]|[0-9]+)$", "") + "[0-9]*")
                .distinct()
                .collect(Collectors.joining(" | "));
        String action = ours.name().equals(RESUME) ? "resume" : "suspend";
        return new Written(
                ours.name(),
                "#!/bin/sh\n"
                        + "# Slurm calls this with a list of nodes. Those of Spillway are told to its head, the others to the site's own program,\n"
                        + "# whose exit code is this one's.\n"
                        + "ours='' others=''\n"
                        + "for node in $(SLURM_CONF=" + place.conf() + " "
                        + place.squeue().resolveSibling("scontrol")
                        + " show hostnames \"$1\"); do\n"
                        + "  case $node in\n"
                        + "    " + mine + ") ours=$ours,$node ;;\n"
                        + "    *) others=$others,$node ;;\n"
                        + "  esac\n"
                        + "done\n"
                        + told(action, wanted, place)
                        + "[ -z \"$ours\" ] || (tell \"${ours#,}\")\n"
                        + "[ -z \"$others\" ] || exec " + site + " \"${others#,}\"\n",
                true);
    }

    /** Whether a file of the site's hands on to ours: its filter, or a program that has its own behind it. */
    public static boolean isChained(String text, Path file) {
        return file.endsWith(FILTER)
                ? text.contains("local there = pcall(dofile, \"" + file.resolveSibling(CHAINED_FILTER) + "\")")
                        && Files.isReadable(file.resolveSibling(CHAINED_FILTER))
                : text.contains("others='") && text.contains("[ -z \"$others\" ] || exec ");
    }

    /** Lines behind a site's own cli_filter.lua: ours is asked when that is content, and stops nothing when it cannot be. */
    public static List<String> chain(Path filter) {
        refuseUnusual(filter);
        return List.of(
                "-- Spillway's look at scripts for its partitions, behind the functions above, whose word comes first.",
                "do",
                "  local defaults, pre, post = slurm_cli_setup_defaults, slurm_cli_pre_submit, slurm_cli_post_submit",
                "  local there = pcall(dofile, \"" + filter + "\")",
                "  local ours = slurm_cli_pre_submit",
                "  slurm_cli_setup_defaults, slurm_cli_pre_submit, slurm_cli_post_submit = defaults, pre, post",
                "  if there and ours ~= pre then",
                "    slurm_cli_pre_submit = function(options, offset)",
                "      local said = pre(options, offset)",
                "      if said ~= nil and said ~= slurm.SUCCESS then return said end",
                "      local ran, word = pcall(ours, options, offset)",
                "      return ran and word ~= slurm.SUCCESS and word or said",
                "    end",
                "  end",
                "end");
    }

    private static void refuseUnusual(Path path) {
        if (!path.toString().matches(PLAIN)) {
            throw new IllegalArgumentException("'" + path.toString().replaceAll("\\p{Cc}", "?")
                    + "' cannot stand in Slurm's files; allowed: an absolute path of letters, digits, . _ - and /");
        }
    }

    private static String lua(String name, Wanted wanted, Place place) {
        String partitions = wanted.partitions().stream()
                .map(partition -> "[\"" + partition.name() + "\"] = " + (partition.reaches() ? "\"reach\"" : "true"))
                .collect(Collectors.joining(", "));
        try (var in = SlurmFiles.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8)
                    .replace("@SOCKET@", place.socket().toString())
                    .replace("@CURL@", place.curl().toString())
                    .replace("@CONF@", place.conf().toString())
                    .replace("@SQUEUE@", place.squeue().toString())
                    .replace("@RESERVATION@", RESERVATION)
                    .replace(
                            "@SHARED@",
                            wanted.files().shared().stream()
                                    .map(each -> '"' + each + '"')
                                    .collect(Collectors.joining(", ")))
                    .replace("@BELOW_HOME@", wanted.files().unnamed() == Unnamed.HOME ? BELOW_HOME : "")
                    .replace("@PARTITIONS@", partitions);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
