package org.spillway.localcloud.ec2;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.MachineType;

/** Parts of a launch that say more of a machine than its type: profile, processors, disk. */
final class MachineOptions {
    private static final Set<String> BY_IOPS = Set.of("io1", "io2");
    private static final Set<String> VOLUME_TYPES = Set.of("gp2", "gp3", "io1", "io2", "st1", "sc1", "standard");

    private MachineOptions() {}

    /** How many threads a core has: x86_64 types of more than one vCPU have two, Graviton one ("CPU options"). */
    static int threads(MachineType type) {
        int cpus = type.resources().cpus();
        return type.features().contains("arch:arm64") || cpus % 2 == 1 ? 1 : 2;
    }

    /** @return facts of the reservation */
    static Map<String, String> read(CloudBehind cloud, Query query, MachineType type) throws Ec2Error {
        Map<String, String> facts = new HashMap<>();
        facts.put("instance-profile", profile(cloud, query));
        processors(query.below("CpuOptions."), type, facts);
        disk(query.below("BlockDeviceMapping.1.Ebs."), facts);
        return facts;
    }

    private static String profile(CloudBehind cloud, Query query) throws Ec2Error {
        String arn = query.get("IamInstanceProfile.Arn");
        String name = query.get("IamInstanceProfile.Name");
        if (!arn.isEmpty() && !name.isEmpty()) {
            throw new Ec2Error(
                    "InvalidParameterCombination",
                    "The parameter 'iamInstanceProfile.name' may not be used in combination with 'iamInstanceProfile.arn'");
        }
        if (arn.isEmpty() && name.isEmpty()) {
            return "";
        }
        String full = arn.isEmpty() ? "arn:aws:iam::" + Ec2Front.ACCOUNT + ":instance-profile/" + name : arn;
        if (Ec2Broken.NO_INSTANCE_PROFILE.is(cloud)) {
            throw new Ec2Error(
                    "InvalidParameterValue",
                    "Value (" + (arn.isEmpty() ? name : arn) + ") for parameter iamInstanceProfile."
                            + (arn.isEmpty() ? "name" : "arn") + " is invalid. Invalid IAM Instance Profile "
                            + (arn.isEmpty() ? "name" : "ARN"));
        }
        if (Ec2Broken.NO_PASS_ROLE.is(cloud)) {
            throw new Ec2Error(
                    403,
                    "UnauthorizedOperation",
                    "You are not authorized to perform this operation. User: arn:aws:iam::" + Ec2Front.ACCOUNT
                            + ":user/spillway is not authorized to perform: iam:PassRole on resource: "
                            + full.replace(":instance-profile/", ":role/")
                            + " because no identity-based policy allows the iam:PassRole action. Encoded authorization"
                            + " failure message: 4g0ZPBqZ4Bni8dE5");
        }
        return full;
    }

    /** API reference, CpuOptionsRequest: "Both the core count and threads per core must be specified in the request". */
    private static void processors(Query options, MachineType type, Map<String, String> facts) throws Ec2Error {
        String cores = options.get("CoreCount");
        String threads = options.get("ThreadsPerCore");
        if (cores.isEmpty() && threads.isEmpty()) {
            return;
        }
        if (cores.isEmpty() || threads.isEmpty()) {
            throw Ec2Error.missing(cores.isEmpty() ? "CpuOptions.CoreCount" : "CpuOptions.ThreadsPerCore");
        }
        int most = type.resources().cpus() / threads(type);
        int count = options.whole("CoreCount", 0, 1, 1024);
        int each = options.whole("ThreadsPerCore", 0, 1, 2);
        if (count > most || each > threads(type)) {
            throw new Ec2Error(
                    "InvalidParameterValue",
                    "The CpuOptions of " + count + " cores with " + each + " threads are not valid for " + type.name());
        }
        facts.put("cores", Integer.toString(count));
        facts.put("threads-per-core", Integer.toString(each));
    }

    /** API reference, EbsBlockDevice: which volume types take IOPS and throughput, and which must have IOPS. */
    private static void disk(Query disk, Map<String, String> facts) throws Ec2Error {
        String type = disk.get("VolumeType").isEmpty() ? "gp3" : disk.get("VolumeType");
        String iops = disk.get("Iops");
        String throughput = disk.get("Throughput");
        if (!VOLUME_TYPES.contains(type)) {
            throw Ec2Error.badValue("VolumeType", type);
        }
        if (BY_IOPS.contains(type) && iops.isEmpty()) {
            throw new Ec2Error("MissingParameter", "The parameter iops must be specified for " + type + " volumes.");
        }
        if (!BY_IOPS.contains(type) && !type.equals("gp3") && !iops.isEmpty()) {
            throw new Ec2Error("InvalidParameterCombination", "The parameter iops is not supported for " + type);
        }
        if (!type.equals("gp3") && !throughput.isEmpty()) {
            throw new Ec2Error("InvalidParameterCombination", "The parameter throughput is not supported for " + type);
        }
        if (!disk.get("KmsKeyId").isEmpty() && !disk.isTrue("Encrypted")) {
            throw new Ec2Error(
                    "InvalidParameterDependency", "The parameter KmsKeyId requires the parameter Encrypted.");
        }
        facts.put("volume-type", type);
        facts.put("iops", iops);
        facts.put("throughput", throughput);
        facts.put("kms-key-id", disk.get("KmsKeyId"));
    }
}
