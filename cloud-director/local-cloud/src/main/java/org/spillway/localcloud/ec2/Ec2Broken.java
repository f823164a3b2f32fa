package org.spillway.localcloud.ec2;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Manner;

/** Things that can be wrong with an account, each with the document that shows how EC2 and the services beside it tell it. */
enum Ec2Broken {
    /** IAM user guide, "Troubleshoot access denied error messages"; the sentence as in aws/karpenter-provider-aws, issue 7370. */
    DENIED("denied" + Manner.ACTION),
    /** The same page, "Access denied due to a service control policy". */
    DENIED_BY_ORGANIZATION("denied-by-organization" + Manner.ACTION),
    /** EC2 user guide, "Amazon EC2 service quotas": GPU families of a new account have 0; bentoml/bentoctl, issue 202. */
    GPU_QUOTA("gpu-quota"),
    /** EC2 user guide, "Spot Instance quotas". */
    SPOT_QUOTA("spot-quota"),
    /** A listing without it, as in agentsea/surfkit, issue 88; a launch as in Orange-Cyberdefense/GOAD, issue 304. */
    IMAGE_NOT_SHARED("image-not-shared"),
    /** API reference, Image: architecture. */
    IMAGE_ARCHITECTURE("image-architecture"),
    /** API reference, Image: platform. */
    IMAGE_WINDOWS("image-windows"),
    /** "Error codes": InvalidBlockDeviceMapping; aws/karpenter-provider-aws, issue 2260. */
    IMAGE_LARGE_DISK("image-large-disk"),
    /** VPC user guide, "Example routing options". */
    NO_ROUTE("no-route"),
    /** API reference, Subnet: availableIpAddressCount; "Error codes": InsufficientFreeAddressesInSubnet. */
    SUBNET_FULL("subnet-full"),
    /** "Error codes": RequestExpired, also of temporary credentials; STS' own code in "Common errors". */
    EXPIRED_CREDENTIALS("expired-credentials"),
    /** "Error codes": RequestExpired. */
    CLOCK_SKEW("clock-skew"),
    /** IAM user guide, "Manage AWS STS in an AWS Region": keys are unknown in a region that is not enabled. */
    REGION_NOT_ENABLED("region-not-enabled"),
    /** EC2 user guide, "Grant permissions to pass an IAM role"; re:Post, "ec2-not-auth-launch". */
    NO_PASS_ROLE("no-pass-role"),
    /** The sentence as in hashicorp/terraform, issue 1885. */
    NO_INSTANCE_PROFILE("no-instance-profile");

    /** The region that every account has. */
    private static final String HOME = "us-east-1";

    /** Further off than a signature may be. */
    private static final long SKEW_SECONDS = 1200;

    private final String word;

    Ec2Broken(String word) {
        this.word = word;
    }

    static Set<String> words() {
        return Arrays.stream(values()).map(kind -> kind.word).collect(Collectors.toSet());
    }

    boolean is(CloudBehind cloud) {
        return cloud.manner().is(word);
    }

    private boolean is(CloudBehind cloud, String action) {
        return cloud.manner().is(word.substring(0, word.length() - Manner.ACTION.length()), action);
    }

    /** An image as this account sees it. */
    static Thing image(CloudBehind cloud, Thing image) {
        if (IMAGE_ARCHITECTURE.is(cloud)) {
            return image.with("architecture", image.fact("architecture").equals("arm64") ? "x86_64" : "arm64");
        }
        if (IMAGE_WINDOWS.is(cloud)) {
            return image.with("platform", "windows");
        }
        return IMAGE_LARGE_DISK.is(cloud)
                ? image.with("snapshot-id", "snap-00000000000000009").with("gib", "500")
                : image;
    }

    /** How far the provider's clock is ahead. */
    static long skewSeconds(CloudBehind cloud) {
        return CLOCK_SKEW.is(cloud) ? SKEW_SECONDS : 0;
    }

    /** Faults that keep every call out. */
    static void checkDoor(CloudBehind cloud, SignatureV4.Caller caller) throws Ec2Error {
        if (EXPIRED_CREDENTIALS.is(cloud)) {
            throw switch (caller.service()) {
                case "sts" ->
                    new Ec2Error(403, "ExpiredToken", "The security token included in the request is expired");
                case "ec2" -> new Ec2Error("RequestExpired", "Request has expired.");
                default ->
                    new Ec2Error("ExpiredTokenException", "The security token included in the request is expired");
            };
        }
        if (REGION_NOT_ENABLED.is(cloud) && !caller.region().equals(HOME)) {
            throw switch (caller.service()) {
                case "sts" ->
                    new Ec2Error(403, "InvalidClientTokenId", "The security token included in the request is invalid.");
                case "ec2" ->
                    new Ec2Error(401, "AuthFailure", "AWS was not able to validate the provided access credentials");
                default ->
                    new Ec2Error(
                            "UnrecognizedClientException", "The security token included in the request is invalid.");
            };
        }
    }

    /** Actions that a policy keeps the caller from. @param service as policies call it */
    static void checkAllowed(CloudBehind cloud, String service, String action, SignatureV4.Caller caller)
            throws Ec2Error {
        String why;
        if (DENIED.is(cloud, action)) {
            why = "because no identity-based policy allows the " + service + ":" + action + " action";
        } else if (DENIED_BY_ORGANIZATION.is(cloud, action)) {
            why = "with an explicit deny in a service control policy";
        } else {
            return;
        }
        String said = "User: arn:aws:iam::" + Ec2Front.ACCOUNT + ":user/spillway is not authorized to perform: "
                + service
                + ":" + action + " on resource: arn:aws:" + service + ":" + caller.region() + ":" + Ec2Front.ACCOUNT
                + ":instance/* " + why;
        throw service.equals("ec2")
                ? new Ec2Error(
                        403,
                        "UnauthorizedOperation",
                        "You are not authorized to perform this operation. " + said
                                + ". Encoded authorization failure message: 4g0ZPBqZ4Bni8dE5")
                : new Ec2Error("AccessDeniedException", said);
    }
}
