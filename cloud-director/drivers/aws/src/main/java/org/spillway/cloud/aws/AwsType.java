package org.spillway.cloud.aws;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.spillway.policy.Resources;
import software.amazon.awssdk.services.ec2.model.ArchitectureType;
import software.amazon.awssdk.services.ec2.model.GpuDeviceInfo;
import software.amazon.awssdk.services.ec2.model.InstanceTypeInfo;
import software.amazon.awssdk.services.ec2.model.UsageClassType;
import software.amazon.awssdk.services.ec2.model.VCpuInfo;

/**
 * Facts about an instance type.
 *
 * @param localDiskBytes of its own NVMe disks; 0 for none
 * @param efaInterfaces how many it can have; 0 without EFA
 * @param cores how many it has where each can be told to have one thread only; else 0
 */
record AwsType(
        String name,
        int cpus,
        long memoryBytes,
        int gpus,
        String gpuModel,
        long gpuMemoryBytes,
        long localDiskBytes,
        Set<String> features,
        int efaInterfaces,
        boolean onDemand,
        boolean spot,
        int cores) {
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    /** InstanceStorageInfo counts in these. */
    private static final long GB = 1_000_000_000L;

    AwsType {
        features = Set.copyOf(features);
    }

    /** @throws IllegalArgumentException if the provider left out what a type must have */
    static AwsType of(InstanceTypeInfo info) {
        if (info.instanceTypeAsString() == null
                || info.vCpuInfo() == null
                || info.vCpuInfo().defaultVCpus() == null
                || info.memoryInfo() == null
                || info.memoryInfo().sizeInMiB() == null) {
            throw new IllegalArgumentException("type " + info.instanceTypeAsString() + " has no vCPUs or no memory");
        }
        Set<String> features = new HashSet<>();
        if (info.processorInfo() != null) {
            for (ArchitectureType each : info.processorInfo().supportedArchitectures()) {
                if (each == ArchitectureType.X86_64 || each == ArchitectureType.ARM64) {
                    features.add("arch:" + each);
                }
            }
        }
        int efa = efa(info);
        if (efa > 0) {
            features.add("fabric:efa");
        }
        long disk = disk(info);
        if (disk > 0) {
            features.add("nvme");
        }
        List<GpuDeviceInfo> gpus =
                info.gpuInfo() == null ? List.of() : info.gpuInfo().gpus();
        GpuDeviceInfo first = gpus.isEmpty() ? null : gpus.getFirst();
        if (first != null && first.gpuPartitionSize() != null && first.gpuPartitionSize() < 1) {
            features.add("gpu-fraction");
        }
        return new AwsType(
                info.instanceTypeAsString(),
                info.vCpuInfo().defaultVCpus(),
                info.memoryInfo().sizeInMiB() * MIB,
                gpus.stream()
                        .mapToInt(each -> each.count() == null ? 0 : each.count())
                        .sum(),
                first == null || first.name() == null ? "" : model(first.name()),
                first == null
                                || first.memoryInfo() == null
                                || first.memoryInfo().sizeInMiB() == null
                        ? 0
                        : first.memoryInfo().sizeInMiB() * MIB,
                disk,
                features,
                efa,
                info.supportedUsageClasses().contains(UsageClassType.ON_DEMAND),
                info.supportedUsageClasses().contains(UsageClassType.SPOT),
                cores(info.vCpuInfo()));
    }

    /** EC2 User Guide, "CPU options for Amazon EC2 instances": types without threads take no such option. */
    private static int cores(VCpuInfo cpus) {
        boolean single =
                cpus.hasValidThreadsPerCore() && cpus.validThreadsPerCore().contains(1);
        boolean threads = cpus.defaultThreadsPerCore() != null && cpus.defaultThreadsPerCore() > 1;
        return single && threads && cpus.defaultCores() != null ? cpus.defaultCores() : 0;
    }

    private static String model(String name) {
        return name.strip().toLowerCase(Locale.ROOT).replace(' ', '-');
    }

    private static int efa(InstanceTypeInfo info) {
        if (info.networkInfo() == null
                || !Boolean.TRUE.equals(info.networkInfo().efaSupported())) {
            return 0;
        }
        return info.networkInfo().efaInfo() == null
                        || info.networkInfo().efaInfo().maximumEfaInterfaces() == null
                ? 1
                : Math.max(1, info.networkInfo().efaInfo().maximumEfaInterfaces());
    }

    private static long disk(InstanceTypeInfo info) {
        return info.instanceStorageInfo() == null || info.instanceStorageInfo().totalSizeInGB() == null
                ? 0
                : info.instanceStorageInfo().totalSizeInGB() * GB;
    }

    /** Scratch is on its own disks, and on the root disk where it has none. */
    Resources resources(int diskGib, boolean smt) {
        return new Resources(
                smt || cores == 0 ? cpus : cores,
                memoryBytes,
                gpus,
                gpuModel,
                localDiskBytes > 0 ? localDiskBytes : diskGib * GIB);
    }
}
