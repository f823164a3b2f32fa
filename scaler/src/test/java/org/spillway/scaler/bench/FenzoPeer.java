package org.spillway.scaler.bench;

import com.netflix.fenzo.ConstraintEvaluator;
import com.netflix.fenzo.SchedulingResult;
import com.netflix.fenzo.TaskRequest;
import com.netflix.fenzo.TaskScheduler;
import com.netflix.fenzo.VMTaskFitnessCalculator;
import com.netflix.fenzo.VirtualMachineLease;
import com.netflix.fenzo.plugins.BinPackingFitnessCalculators;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.mesos.Protos;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;

/** Netflix Fenzo 1.0.1 on the same nodes and jobs, with its own bin packing by CPU and memory, the largest jobs first. */
final class FenzoPeer {
    private static final double MEBI = 1 << 20;

    private FenzoPeer() {}

    record Result(int placed, int nodesUsed, double seconds) {}

    static Result place(List<Demand> demands, List<NodeView> nodes) {
        try (Round round = new Round(demands, nodes)) {
            long begin = System.nanoTime();
            SchedulingResult result = round.schedule();
            double seconds = (System.nanoTime() - begin) / 1e9;
            int placed = result.getResultMap().values().stream()
                    .mapToInt(one -> one.getTasksAssigned().size())
                    .sum();
            return new Result(placed, result.getResultMap().size(), seconds);
        }
    }

    /** A scheduling of all jobs, made ready: a task or a lease of Fenzo's is good for one only. */
    static final class Round implements AutoCloseable {
        private final TaskScheduler scheduler = new TaskScheduler.Builder()
                .withLeaseRejectAction(lease -> {})
                .withLeaseOfferExpirySecs(1_000_000)
                .withFitnessCalculator(BinPackingFitnessCalculators.cpuMemBinPacker)
                .withFitnessGoodEnoughFunction(fitness -> fitness > 0.9)
                .disableShortfallEvaluation()
                .build();
        private final List<TaskRequest> tasks = new ArrayList<>();
        private final List<VirtualMachineLease> leases = new ArrayList<>();

        Round(List<Demand> demands, List<NodeView> nodes) {
            demands.stream()
                    .sorted(Comparator.comparingInt(demand -> -demand.perNode().cpus()))
                    .forEach(demand -> {
                        for (int i = 0; i < demand.jobs(); i++) {
                            tasks.add(new Task(demand.shape() + "-" + i, demand));
                        }
                    });
            nodes.forEach(node -> leases.add(new Lease(node)));
        }

        SchedulingResult schedule() {
            return scheduler.scheduleOnce(tasks, leases);
        }

        @Override
        public void close() {
            scheduler.shutdown();
        }
    }

    private static final class Task implements TaskRequest {
        private final String id;
        private final Demand demand;
        private @Nullable AssignedResources assigned;

        Task(String id, Demand demand) {
            this.id = id;
            this.demand = demand;
        }

        @Override
        public String getId() {
            return id;
        }

        @Override
        public String taskGroupName() {
            return "";
        }

        @Override
        public double getCPUs() {
            return demand.perNode().cpus();
        }

        @Override
        public double getMemory() {
            return demand.perNode().memoryBytes() / MEBI;
        }

        @Override
        public double getNetworkMbps() {
            return 0;
        }

        @Override
        public double getDisk() {
            return 0;
        }

        @Override
        public int getPorts() {
            return 0;
        }

        @Override
        public Map<String, Double> getScalarRequests() {
            return Map.of();
        }

        @Override
        public Map<String, NamedResourceSetRequest> getCustomNamedResources() {
            return Map.of();
        }

        @Override
        public List<? extends ConstraintEvaluator> getHardConstraints() {
            return List.of();
        }

        @Override
        public List<? extends VMTaskFitnessCalculator> getSoftConstraints() {
            return List.of();
        }

        @Override
        public void setAssignedResources(AssignedResources resources) {
            assigned = resources;
        }

        @Override
        public @Nullable AssignedResources getAssignedResources() {
            return assigned;
        }
    }

    private record Lease(NodeView node) implements VirtualMachineLease {
        @Override
        public String getId() {
            return "lease-" + node.id();
        }

        @Override
        public long getOfferedTime() {
            return 0;
        }

        @Override
        public String hostname() {
            return node.id();
        }

        @Override
        public String getVMID() {
            return node.id();
        }

        @Override
        public double cpuCores() {
            return node.free().cpus();
        }

        @Override
        public double memoryMB() {
            return node.free().memoryBytes() / MEBI;
        }

        @Override
        public double networkMbps() {
            return 1000;
        }

        @Override
        public double diskMB() {
            return 1_000_000;
        }

        @Override
        public List<Range> portRanges() {
            return List.of();
        }

        @Override
        public Protos.@Nullable Offer getOffer() {
            return null;
        }

        @Override
        public Map<String, Protos.Attribute> getAttributeMap() {
            return new HashMap<>();
        }

        @Override
        public @Nullable Double getScalarValue(String name) {
            return null;
        }

        @Override
        public Map<String, Double> getScalarValues() {
            return new HashMap<>();
        }
    }
}
