package org.spillway.slurm.settings;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Slurm's pending reasons: those of 22.05 and what later releases have added, as {@code squeue} writes them. A reason that
 * is not here is {@link PendingReason#NEVER}, as nodes cost money. Pure.
 *
 * @param moved what a site has decided otherwise, by Slurm's word
 */
public record PendingReasons(Map<String, PendingReason> moved) {
    /** As Slurm means them. */
    public static final PendingReasons STANDARD = new PendingReasons(Map.of());

    private static final Map<String, PendingReason> TABLE = new LinkedHashMap<>();

    static {
        // Behind another job of its partition: with more nodes that one would run, and then this one. Of
        // ReqNodeNotAvail,
        // a powered-down node is in Spillway's reservation.
        put(PendingReason.SCALES, "None Resources Priority NodeDown ReqNodeNotAvail SchedDefer");
        // An empty partition has it, and so has one whose limits the job breaks.
        put(PendingReason.SCALES_WITHOUT_NODES, "PartitionConfig");
        put(PendingReason.STAGING, "BurstBufferResources BurstBufferStageIn");
        put(PendingReason.NEVER, """
                Dependency DependencyNeverSatisfied BeginTime JobHeldAdmin JobHeldUser JobHoldMaxRequeue JobArrayTaskLimit
                Licenses Reservation ReservationDeleted TimeLimit DeadLine Cleaning Prolog BurstBufferOperation
                PartitionNodeLimit PartitionTimeLimit PartitionDown PartitionInactive BadConstraints FrontEndDown
                SystemFailure JobLaunchFailure NonZeroExitCode OutOfMemory PowerNotAvail PowerReserved FedJobLock
                BlockMaxError BlockFreeAction AccountingPolicy InvalidAccount InvalidQOS AccountNotAllowed QOSNotAllowed
                AssociationJobLimit AssociationResourceLimit AssociationTimeLimit QOSUsageThreshold QOSJobLimit
                QOSResourceLimit QOSTimeLimit MaxMemPerLimit

                AssocGrpJobsLimit AssocGrpSubmitJobsLimit AssocGrpWallLimit AssocMaxJobsLimit AssocMaxSubmitJobLimit
                AssocGrpCpuLimit AssocGrpCPUMinutesLimit AssocGrpCPURunMinutesLimit AssocMaxCpuPerJobLimit
                AssocMaxCpuMinutesPerJobLimit AssocMaxCpuPerNode AssocGrpMemLimit AssocGrpMemMinutes AssocGrpMemRunMinutes
                AssocMaxMemPerJob AssocMaxMemPerNode AssocMaxMemMinutesPerJob AssocGrpNodeLimit AssocGrpNodeMinutes
                AssocGrpNodeRunMinutes AssocMaxNodePerJobLimit AssocMaxNodeMinutesPerJob AssocMaxWallDurationPerJobLimit
                AssocGrpEnergy AssocGrpEnergyMinutes AssocGrpEnergyRunMinutes AssocMaxEnergyPerJob AssocMaxEnergyPerNode
                AssocMaxEnergyMinutesPerJob AssocGrpGRES AssocGrpGRESMinutes AssocGrpGRESRunMinutes AssocMaxGRESPerJob
                AssocMaxGRESPerNode AssocMaxGRESMinutesPerJob AssocGrpLicense AssocGrpLicenseMinutes
                AssocGrpLicenseRunMinutes AssocMaxLicensePerJob AssocMaxLicenseMinutesPerJob AssocGrpBB AssocGrpBBMinutes
                AssocGrpBBRunMinutes AssocMaxBBPerJob AssocMaxBBPerNode AssocMaxBBMinutesPerJob AssocGrpBilling
                AssocGrpBillingMinutes AssocGrpBillingRunMinutes AssocMaxBillingPerJob AssocMaxBillingPerNode
                AssocMaxBillingMinutesPerJob AssocGrpUnknown AssocGrpUnknownMinutes AssocGrpUnknownRunMinutes
                AssocMaxUnknownPerJob AssocMaxUnknownPerNode AssocMaxUnknownMinutesPerJob

                QOSGrpJobsLimit QOSGrpSubmitJobsLimit QOSGrpWallLimit QOSMaxJobsPerUserLimit QOSMaxSubmitJobPerUserLimit
                QOSMaxWallDurationPerJobLimit QOSGrpCpuLimit QOSGrpCPUMinutesLimit QOSGrpCPURunMinutesLimit
                QOSMaxCpuPerJobLimit QOSMaxCpuMinutesPerJobLimit QOSMaxCpuPerNode QOSMaxCpuPerUserLimit
                QOSMinCpuNotSatisfied QOSGrpMemLimit QOSGrpMemoryMinutes QOSGrpMemoryRunMinutes QOSMaxMemoryPerJob
                QOSMaxMemoryPerNode QOSMaxMemoryPerUser QOSMaxMemoryMinutesPerJob QOSMinMemory QOSGrpNodeLimit
                QOSGrpNodeMinutes QOSGrpNodeRunMinutes QOSMaxNodePerJobLimit QOSMaxNodePerUserLimit
                QOSMaxNodeMinutesPerJob QOSMinNode QOSGrpEnergy QOSGrpEnergyMinutes QOSGrpEnergyRunMinutes
                QOSMaxEnergyPerJob QOSMaxEnergyPerNode QOSMaxEnergyPerUser QOSMaxEnergyMinutesPerJob QOSMinEnergy
                QOSGrpGRES QOSGrpGRESMinutes QOSGrpGRESRunMinutes QOSMaxGRESPerJob QOSMaxGRESPerNode QOSMaxGRESPerUser
                QOSMaxGRESMinutesPerJob QOSMinGRES QOSGrpLicense QOSGrpLicenseMinutes QOSGrpLicenseRunMinutes
                QOSMaxLicensePerJob QOSMaxLicensePerUser QOSMaxLicenseMinutesPerJob QOSMinLicense QOSGrpBB QOSGrpBBMinutes
                QOSGrpBBRunMinutes QOSMaxBBPerJob QOSMaxBBPerNode QOSMaxBBPerUser QOSMaxBBMinutesPerJob QOSMinBB
                QOSGrpBilling QOSGrpBillingMinutes QOSGrpBillingRunMinutes QOSMaxBillingPerJob QOSMaxBillingPerNode
                QOSMaxBillingPerUser QOSMaxBillingMinutesPerJob QOSMinBilling QOSGrpUnknown QOSGrpUnknownMinutes
                QOSGrpUnknownRunMinutes QOSMaxUnknownPerJob QOSMaxUnknownPerNode QOSMaxUnknownPerUser
                QOSMaxUnknownMinutesPerJob QOSMinUnknown

                MaxJobsPerAccount MaxSubmitJobsPerAccount MaxCpuPerAccount MaxMemoryPerAccount MaxNodePerAccount
                MaxEnergyPerAccount MaxGRESPerAccount MaxLicensePerAccount MaxBBPerAccount MaxBillingPerAccount
                MaxUnknownPerAccount
                """);
    }

    /** Sentences that stand where a reason stands, by how they begin. */
    private static final Map<String, PendingReason> SENTENCES = Map.of(
            "nodes required for job are down", PendingReason.SCALES_WITHOUT_NODES,
            "required node not available", PendingReason.SCALES_WITHOUT_NODES);

    private static final Map<String, PendingReason> BY_WORD = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    static {
        BY_WORD.putAll(TABLE);
    }

    public PendingReasons {
        var copy = new TreeMap<String, PendingReason>(String.CASE_INSENSITIVE_ORDER);
        copy.putAll(moved);
        moved = Collections.unmodifiableMap(copy);
    }

    private static void put(PendingReason meaning, String words) {
        Arrays.stream(words.strip().split("\\s+")).forEach(word -> TABLE.put(word, meaning));
    }

    /** All that are known, with what they mean unless a site moves them. */
    public static Map<String, PendingReason> table() {
        return Collections.unmodifiableMap(TABLE);
    }

    /**
     * @param reason as squeue says it: a word, a word with a comma or a parenthesis and more behind it, or a sentence of a plugin or a user,
     *     which is {@link PendingReason#NEVER}
     */
    public PendingReason of(String reason) {
        String text = reason.strip();
        String word = text.split("[,(]", 2)[0];
        PendingReason here = moved.get(word);
        PendingReason known = here == null ? BY_WORD.get(word) : here;
        if (known != null) {
            return known;
        }
        String lower = text.toLowerCase(Locale.ROOT);
        return SENTENCES.entrySet().stream()
                .filter(entry -> lower.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(PendingReason.NEVER);
    }
}
