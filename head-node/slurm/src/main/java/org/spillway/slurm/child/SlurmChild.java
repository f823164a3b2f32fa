package org.spillway.slurm.child;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.spillway.director.node.ShellText;
import org.spillway.head.tenant.ChildManager;
import org.spillway.slurm.settings.SlurmSettings;

/**
 * The Slurm of a cluster on demand: its controller and munged are its head's machine's, its key is made there and known
 * nowhere else. What is in no file of that head's folder is what {@code spillway slurm config} says there.
 */
public final class SlurmChild implements ChildManager {
    /** With {@code @HOST@} for the machine's name, which only the machine knows. */
    private static final String CONF = "slurm.conf";

    private static final int CONTROLLER_PORT = 6817;
    private static final int NODE_PORT = 6818;
    /** As many as a head may declare of one type. */
    private static final int MOST_NAMES = 2000;

    private static final List<String> PROGRAMS =
            List.of("slurmctld", "slurmd", "munged", "sbatch", "scontrol", "squeue", "sinfo");
    private static final List<String> FOLDERS =
            List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

    @Override
    public Optional<Lack> lack(String site) {
        String missing = PROGRAMS.stream()
                .filter(program -> FOLDERS.stream().noneMatch(folder -> Files.isExecutable(Path.of(folder, program))))
                .collect(Collectors.joining(", "));
        if (!missing.isEmpty()) {
            return Optional.of(new Lack(
                    "this machine, of which site " + site + " makes its own, has no " + missing,
                    "install slurmctld, slurmd, slurm-client, slurm-wlm-basic-plugins and munge"));
        }
        return System.getProperty("user.name", "").equals("root")
                ? Optional.empty()
                : Optional.of(new Lack(
                        "only root's local cloud can run slurmd", "run the head as root, or take --workload embedded"));
    }

    /** Names are made once, for as many nodes as there may ever be: the cluster may grow. */
    @Override
    public Map<String, Object> workload(Place place) {
        int names = Math.clamp(place.nodes(), 1, MOST_NAMES);
        var slurm = new LinkedHashMap<String, Object>();
        slurm.put("conf", place.folder() + "/etc/slurm.conf");
        slurm.put("user", "root");
        slurm.put("controller", place.address() + ":" + CONTROLLER_PORT);
        slurm.put("mungeKey", "manager/munge.key");
        slurm.put("nodes", Map.of(place.site(), Map.of(place.nodeType(), names)));
        return Map.of("manager", SlurmSettings.NAME, SlurmSettings.NAME, slurm);
    }

    @Override
    public String program() {
        return ShellText.of(SlurmChild.class, List.of("child.sh"));
    }

    @Override
    public Map<String, String> files(Place place) {
        return Map.of(CONF, conf(place));
    }

    private static String conf(Place place) {
        var text = new StringBuilder();
        for (String line : List.of(
                "ClusterName=" + place.cluster().replaceAll("[^a-z0-9]", ""),
                "SlurmctldHost=@HOST@(" + place.address() + ")",
                "SlurmctldPort=" + CONTROLLER_PORT,
                "SlurmdPort=" + NODE_PORT,
                // The machine is the cluster's head and nothing else, and its head is root there.
                "SlurmUser=root",
                "SlurmdUser=root",
                "AuthType=auth/munge",
                "CredType=cred/munge",
                "StateSaveLocation=@HERE@/manager/state",
                "SlurmctldPidFile=" + place.folder() + "/slurmctld.pid",
                "SlurmctldLogFile=@HERE@/manager/slurmctld.log",
                "SlurmdSpoolDir=/var/spool/slurmd-%n",
                "SlurmdPidFile=/run/slurmd-%n.pid",
                "SlurmdLogFile=/var/log/slurmd-%n.log",
                "ProctrackType=proctrack/linuxproc",
                "TaskPlugin=task/none",
                "JobAcctGatherType=jobacct_gather/none",
                "AccountingStorageType=accounting_storage/none",
                "MpiDefault=none",
                "SwitchType=switch/none",
                "SchedulerType=sched/backfill",
                "SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0",
                "SelectType=select/cons_tres",
                "SelectTypeParameters=CR_CPU_Memory",
                "DefMemPerCPU=500",
                "SlurmdParameters=config_overrides",
                "MinJobAge=3600",
                "MessageTimeout=10",
                "TCPTimeout=2",
                "InactiveLimit=0",
                // The only partition is the one to which jobs go that name none.
                "PartitionName=DEFAULT Default=YES",
                "Include spillway.conf")) {
            text.append(line).append('\n');
        }
        return text.toString();
    }
}
