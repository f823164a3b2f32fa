package org.spillway.cloud.aws;

import java.util.Set;
import org.spillway.cloud.SiteSettings;

/**
 * Wishes of a site for each machine, besides its type and image.
 *
 * @param profile instance profile of nodes, by name or ARN; empty for none
 * @param directorProfile instance profile of directors; empty for none
 * @param disk of the system
 * @param smt whether each core has its threads; without them a type has as many CPUs as cores
 * @param template launch template that machines are made by besides, as {@link AwsOwnTemplate#PATTERN} has it; empty for none
 */
record AwsMachine(String profile, String directorProfile, Disk disk, boolean smt, String template) {
    static final Set<String> KEYS = Set.of(
            "instanceProfile",
            "directorInstanceProfile",
            "diskType",
            "diskIops",
            "diskThroughputMiB",
            "kmsKey",
            "smt",
            "launchTemplate");
    private static final String PROFILE =
            "[A-Za-z0-9_+=,.@-]{1,128}|arn:aws[a-z-]*:iam::[0-9]{12}:instance-profile/[A-Za-z0-9_+=,.@/-]{1,512}";
    private static final String KEY =
            "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32}|alias/[A-Za-z0-9/_-]{1,250}"
                    + "|arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key|alias)/[A-Za-z0-9/_-]{1,250}";
    private static final int MOST_IOPS = 256_000;
    private static final int LEAST_IOPS = 100;
    private static final int LEAST_THROUGHPUT = 125;
    private static final int MOST_THROUGHPUT = 2000;

    /**
     * A system disk, always encrypted.
     *
     * @param type gp2, gp3, io1 or io2
     * @param iops 0 for the type's own
     * @param throughputMib a second; 0 for the type's own
     * @param key of KMS; empty for the account's default
     */
    record Disk(String type, int iops, int throughputMib, String key) {
        static final Disk USUAL = new Disk("gp3", 0, 0, "");
    }

    static AwsMachine from(AwsOptions options) {
        return new AwsMachine(
                options.matching("instanceProfile", "", PROFILE, "the name or the ARN of an instance profile"),
                options.matching("directorInstanceProfile", "", PROFILE, "the name or the ARN of an instance profile"),
                disk(options),
                options.matching("smt", "on", "on|off", "on, off").equals("on"),
                options.matching(
                        "launchTemplate",
                        "",
                        AwsOwnTemplate.PATTERN,
                        "NAME:VERSION or lt-...:VERSION, the version a number"));
    }

    /** Amazon EBS User Guide, "Amazon EBS volume types": which kinds take IOPS, need them, or take a throughput. */
    private static Disk disk(AwsOptions options) {
        String type = options.matching("diskType", "gp3", "gp2|gp3|io1|io2", "gp2, gp3, io1, io2");
        int iops = options.whole("diskIops", 0, LEAST_IOPS, MOST_IOPS);
        int throughput = options.whole("diskThroughputMiB", 0, LEAST_THROUGHPUT, MOST_THROUGHPUT);
        boolean byIops = type.startsWith("io");
        if (byIops && iops == 0) {
            throw new SiteSettings.Invalid("diskIops", "missing; a disk of type " + type + " is bought by its IOPS");
        }
        if (type.equals("gp2") && iops > 0) {
            throw new SiteSettings.Invalid(
                    "diskIops", "does not go with diskType gp2, whose size says how many it has");
        }
        if (!type.equals("gp3") && throughput > 0) {
            throw new SiteSettings.Invalid("diskThroughputMiB", "goes with diskType gp3 only, not with " + type);
        }
        String key = options.matching("kmsKey", "", KEY, "the id, the ARN or the alias (alias/NAME) of a key of KMS");
        return new Disk(type, iops, throughput, key);
    }
}
