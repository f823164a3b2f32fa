package org.spillway.slurm.manager;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.tenant.Logins;
import org.spillway.head.workload.JoinedNode;
import org.spillway.head.workload.WorkloadUnavailable;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.PendingReasons;
import org.spillway.slurm.settings.SlurmSettings;
import org.spillway.slurm.settings.Unnamed;

/**
 * The cost of one look at Slurm to the head, for {@code spillway bench slurm}.
 *
 * @param allocatedBytes by all of this process's threads
 * @param jobs that were told
 */
public record LookCost(Duration took, long allocatedBytes, int jobs) {
    private static final Resources SHAPE = Resources.of(64, 256L << 30, 4);

    /** Looks at a running Slurm whose jobs are known in detail already, as after the first minutes; says nothing to it. */
    public static List<LookCost> looks(SlurmSettings settings, List<HeadConfig.Queue> queues, int times)
            throws WorkloadUnavailable, InterruptedException {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var partitions = new Partitions(queues, settings.nodes().keySet());
        var book = new JobBook(
                partitions,
                new Logins(uid -> Optional.of("user"), user -> Optional.empty()),
                JobFiles.of(Unnamed.HOME),
                List.of());
        var sight = new SlurmSight(new SlurmCommands(settings.conf()), partitions, book, InstantSource.system());
        var slots = Slots.declared(settings);
        List<JobBook.Item> first = sight.look().items();
        Map<String, JobBook.Item> known = new HashMap<>();
        first.forEach(item -> known.put(item.asked(), item));
        // Asking for each takes minutes and is spread over as many looks; one answer stands for all.
        var detail = new SlurmCommands(settings.conf())
                .detail(first.getFirst().asked())
                .orElseThrow();
        known.forEach((asked, item) -> book.answered(asked, detail, List.of(item)));
        List<LookCost> costs = new ArrayList<>();
        for (int time = 0; time < times; time++) {
            long allocated = threads.getTotalThreadAllocatedBytes();
            long began = System.nanoTime();
            SlurmSight.Look look = sight.look();
            var circumstances = new JobBook.Circumstances(
                    Map.of(),
                    Set.of(),
                    Set.of(),
                    Map.of(),
                    DeclaredType.of(slots, look.nodes().values()),
                    look.licences(),
                    PendingReasons.STANDARD,
                    Map.of(),
                    Set.of());
            int jobs = book.jobs(look.items(), circumstances, Instant.now()).size();
            costs.add(new LookCost(
                    Duration.ofNanos(System.nanoTime() - began),
                    threads.getTotalThreadAllocatedBytes() - allocated,
                    jobs));
        }
        return costs;
    }

    /** Plans for that many declared nodes, half of them up and one in ten new, for a head that knows its slots. */
    public static List<Duration> plans(int nodes, int times) {
        var declared = new LinkedHashMap<String, Slots.Slot>();
        var seen = new LinkedHashMap<String, SlurmNode>();
        var wanted = new LinkedHashMap<String, WantedNode>();
        var before = new HashMap<String, String>();
        Set<String> reserved = new HashSet<>();
        for (int number = 1; number <= nodes; number++) {
            var slot = new Slots.Slot(Slots.name("site", "type", number), "site", "type", number);
            boolean up = number % 2 == 0;
            declared.put(slot.name(), slot);
            String address = "10.0." + number / 250 + "." + number % 250;
            seen.put(
                    slot.name(),
                    new SlurmNode(
                            slot.name(),
                            up ? Set.of("idle", "cloud") : Set.of("idle", "cloud", "powered_down"),
                            64,
                            256L << 30,
                            0,
                            0,
                            List.of(),
                            Set.of(),
                            Set.of("site"),
                            Set.of(),
                            up ? address : slot.name(),
                            ""));
            if (up || number % 10 == 1) {
                var node = new JoinedNode("n" + number, "site", "type", address, SHAPE, "", Market.ON_DEMAND, "");
                wanted.put(node.id(), WantedNode.serving(node));
            }
            if (up) {
                before.put("n" + number, slot.name());
            } else {
                reserved.add(slot.name());
            }
        }
        var now = Instant.EPOCH;
        var look = new NodePlan.Seen(
                seen,
                Optional.of(new SlurmReservation(reserved, now.plus(SlurmOrder.AHEAD), now.plus(SlurmOrder.RESERVED))),
                new NodePlan.Doors(Set.of("site"), Set.of(), Set.of()),
                Set.of());
        List<Duration> took = new ArrayList<>();
        for (int time = 0; time < times; time++) {
            long began = System.nanoTime();
            NodePlan plan = NodePlan.of(declared, wanted, before, look, true, now);
            took.add(Duration.ofNanos(System.nanoTime() - began));
            if (plan.slots().size() != wanted.size()) {
                throw new IllegalStateException("nodes without a slot");
            }
        }
        return took;
    }
}
