package org.spillway.head.ondemand;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.head.journal.ClusterRecord;

/**
 * The Slurm of a child: its controller and munged are the child's head's machine's, its key is made there and known
 * nowhere else. What is in no file of the child's folder is what {@code spillway slurm config} says there.
 */
final class ChildSlurm {
    /** With {@code @HOST@} for the machine's name, which only the machine knows. */
    static final String CONF = "slurm.conf";

    private static final int CONTROLLER_PORT = 6817;
    private static final int NODE_PORT = 6818;
    /** As many as a head may declare of one type. */
    private static final int MOST_NAMES = 2000;

    private ChildSlurm() {}

    /** Where the child's users find socket and configuration, and its own folder is nobody's business. */
    static String folder(ClusterRecord child) {
        return "/run/spillway-" + child.id();
    }

    /** @param site how many nodes its site may have: the cluster may grow, and names are made once */
    static Map<String, Object> workload(ClusterRecord child, String address, int site) {
        var spec = child.spec();
        int names = Math.clamp(Math.max(site, spec.nodes()), 1, MOST_NAMES);
        var slurm = new LinkedHashMap<String, Object>();
        slurm.put("conf", folder(child) + "/etc/slurm.conf");
        slurm.put("user", "root");
        slurm.put("controller", address + ":" + CONTROLLER_PORT);
        slurm.put("mungeKey", "slurm/munge.key");
        slurm.put("nodes", Map.of(spec.site(), Map.of(spec.nodeType(), names)));
        return Map.of("manager", "slurm", "slurm", slurm);
    }

    static String conf(ClusterRecord child, String address) {
        var text = new StringBuilder("# folder " + folder(child) + "\n");
        for (String line : List.of(
                "ClusterName=" + child.id().replaceAll("[^a-z0-9]", ""),
                "SlurmctldHost=@HOST@(" + address + ")",
                "SlurmctldPort=" + CONTROLLER_PORT,
                "SlurmdPort=" + NODE_PORT,
                // The machine is the cluster's head and nothing else, and its head is root there.
                "SlurmUser=root",
                "SlurmdUser=root",
                "AuthType=auth/munge",
                "CredType=cred/munge",
                "StateSaveLocation=@HERE@/slurm/state",
                "SlurmctldPidFile=" + folder(child) + "/slurmctld.pid",
                "SlurmctldLogFile=@HERE@/slurm/slurmctld.log",
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
