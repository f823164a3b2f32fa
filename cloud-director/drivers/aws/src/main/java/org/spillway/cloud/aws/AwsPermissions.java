package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.cloud.Diagnostics.Finding;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.CreateLaunchTemplateRequest;
import software.amazon.awssdk.services.ec2.model.CreatePlacementGroupRequest;
import software.amazon.awssdk.services.ec2.model.GetConsoleOutputRequest;
import software.amazon.awssdk.services.ec2.model.PlacementStrategy;
import software.amazon.awssdk.services.ec2.model.RequestLaunchTemplateData;
import software.amazon.awssdk.services.ec2.model.StartInstancesRequest;
import software.amazon.awssdk.services.ec2.model.StopInstancesRequest;
import software.amazon.awssdk.services.ec2.model.TerminateInstancesRequest;

/** Rights of the credentials, by dry runs: EC2 answers each as if it were meant, and does nothing. */
final class AwsPermissions {
    private static final String NO_INSTANCE = "i-00000000000000000";
    private final Ec2Client ec2;

    AwsPermissions(Ec2Client ec2) {
        this.ec2 = ec2;
    }

    /** With its tags, so that it takes CreateTags too. */
    Finding launch(AwsLaunchCall call) {
        return dry(
                "RunInstances",
                () -> ec2.runInstances(call.request().toBuilder()
                        .clientToken(null)
                        .dryRun(true)
                        .build()));
    }

    List<Finding> others() {
        Map<String, Runnable> calls = new TreeMap<>();
        calls.put(
                "TerminateInstances",
                () -> ec2.terminateInstances(TerminateInstancesRequest.builder()
                        .instanceIds(NO_INSTANCE)
                        .dryRun(true)
                        .build()));
        calls.put(
                "StopInstances",
                () -> ec2.stopInstances(StopInstancesRequest.builder()
                        .instanceIds(NO_INSTANCE)
                        .dryRun(true)
                        .build()));
        calls.put(
                "StartInstances",
                () -> ec2.startInstances(StartInstancesRequest.builder()
                        .instanceIds(NO_INSTANCE)
                        .dryRun(true)
                        .build()));
        calls.put(
                "GetConsoleOutput",
                () -> ec2.getConsoleOutput(GetConsoleOutputRequest.builder()
                        .instanceId(NO_INSTANCE)
                        .dryRun(true)
                        .build()));
        calls.put(
                "CreatePlacementGroup",
                () -> ec2.createPlacementGroup(CreatePlacementGroupRequest.builder()
                        .groupName("spillway-doctor")
                        .strategy(PlacementStrategy.CLUSTER)
                        .dryRun(true)
                        .build()));
        calls.put(
                "CreateLaunchTemplate",
                () -> ec2.createLaunchTemplate(CreateLaunchTemplateRequest.builder()
                        .launchTemplateName("spillway-doctor")
                        .launchTemplateData(RequestLaunchTemplateData.builder()
                                .ebsOptimized(true)
                                .build())
                        .dryRun(true)
                        .build()));
        List<Finding> findings = new ArrayList<>();
        calls.forEach((name, call) -> findings.add(dry(name, call)));
        return findings;
    }

    /** An organization's policy is above all that the account may allow. */
    static String repair(String action, SdkException answer) {
        return AwsErrors.isOfOrganization(answer)
                ? "ask those who run the organization to allow " + action
                        + " in its service control policy: nothing in this account can"
                : "allow " + action + "; docs/drivers/aws.md has the policy";
    }

    private static Finding dry(String action, Runnable call) {
        String check = "permission " + action;
        try {
            call.run();
            return AwsDiagnostics.warning(check, "the dry run was taken for a real one", "is the endpoint EC2's?");
        } catch (SdkException answer) {
            String code = AwsErrors.code(answer);
            if (code.equals("DryRunOperation")) {
                return AwsDiagnostics.good(check, "allowed");
            }
            boolean names = action.endsWith("Instances") && !action.startsWith("Run");
            if (code.equals("UnauthorizedOperation") && (names || action.equals("GetConsoleOutput"))) {
                return AwsDiagnostics.warning(
                        check,
                        "not allowed for an instance that does not exist",
                        "fine where the policy asks for the site's tags; else allow ec2:" + action);
            }
            if (code.equals("UnauthorizedOperation")) {
                String pass = "iam:PassRole";
                String denied = AwsErrors.deniedAction(answer).equals(pass) ? pass : "ec2:" + action;
                return AwsDiagnostics.broken(
                        check, "not allowed: " + AwsErrors.describe(answer), repair(denied, answer));
            }
            if (code.equals("InvalidInstanceID.NotFound")) {
                return AwsDiagnostics.good(check, "allowed, as far as it shows without an instance");
            }
            String repair = "correct what it names; a launch would be refused alike";
            return code.equals("InvalidParameterValue")
                    ? AwsDiagnostics.broken(check, AwsErrors.describe(answer), repair)
                    : AwsDiagnostics.warning(check, AwsErrors.describe(answer), repair);
        }
    }
}
