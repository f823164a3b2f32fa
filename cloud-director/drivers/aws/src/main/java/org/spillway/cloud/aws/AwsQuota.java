package org.spillway.cloud.aws;

import java.util.Optional;
import org.spillway.cloud.Diagnostics.Finding;

/**
 * Which quota a type counts against, in vCPUs. The number itself is Service Quotas' to tell, whose client is not among the
 * dependencies: so it is said that it was not looked at.
 */
final class AwsQuota {
    private AwsQuota() {}

    /** Codes of service {@code ec2} in Service Quotas for running on-demand instances. */
    static String code(String type) {
        String family = type.replaceFirst("[0-9-].*$", "");
        return switch (family) {
            case "g", "vt" -> "L-DB2E81BA";
            case "p" -> "L-417A185B";
            case "hpc" -> "L-F7808C92";
            case "trn" -> "L-2C3B7624";
            case "inf" -> "L-1945791B";
            case "x" -> "L-7295265B";
            case "f" -> "L-74FC7D96";
            case "dl" -> "L-6E869C2A";
            case "u" -> "L-43DA4232";
            default -> "L-1216C47A";
        };
    }

    static Finding say(String type, Optional<AwsType> known) {
        String vcpus = known.map(found -> Integer.toString(found.cpus())).orElse("an unknown number of");
        return AwsDiagnostics.warning(
                "quota " + type,
                "not checked; one takes " + vcpus + " vCPUs of quota " + code(type),
                "compare with: aws service-quotas get-service-quota --service-code ec2 --quota-code " + code(type));
    }
}
