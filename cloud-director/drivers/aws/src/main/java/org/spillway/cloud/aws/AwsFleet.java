package org.spillway.cloud.aws;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.CreateFleetError;
import software.amazon.awssdk.services.ec2.model.CreateFleetInstance;
import software.amazon.awssdk.services.ec2.model.CreateFleetRequest;
import software.amazon.awssdk.services.ec2.model.CreateFleetResponse;
import software.amazon.awssdk.services.ec2.model.CreateLaunchTemplateRequest;
import software.amazon.awssdk.services.ec2.model.DefaultTargetCapacityType;
import software.amazon.awssdk.services.ec2.model.DeleteLaunchTemplateRequest;
import software.amazon.awssdk.services.ec2.model.FleetLaunchTemplateConfigRequest;
import software.amazon.awssdk.services.ec2.model.FleetLaunchTemplateOverrides;
import software.amazon.awssdk.services.ec2.model.FleetLaunchTemplateOverridesRequest;
import software.amazon.awssdk.services.ec2.model.FleetLaunchTemplateSpecificationRequest;
import software.amazon.awssdk.services.ec2.model.FleetOnDemandAllocationStrategy;
import software.amazon.awssdk.services.ec2.model.FleetType;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateAndOverridesResponse;
import software.amazon.awssdk.services.ec2.model.OnDemandOptionsRequest;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.SpotAllocationStrategy;
import software.amazon.awssdk.services.ec2.model.SpotOptionsRequest;
import software.amazon.awssdk.services.ec2.model.TargetCapacitySpecificationRequest;

/**
 * A set of offerings in one CreateFleet of type instant. It needs a launch template, which is named after the request,
 * so that a repeated call finds it, and deleted when EC2 has answered; see {@link AwsLeftovers} for one whose answer was
 * lost.
 */
final class AwsFleet {
    private static final Logger LOG = LoggerFactory.getLogger(AwsFleet.class);
    private static final int NAME_DIGITS = 40;
    private final SiteSettings site;
    private final AwsClients clients;
    private final AwsTags tags;
    private final AwsLeftovers leftovers;

    AwsFleet(SiteSettings site, AwsClients clients, AwsTags tags, AwsLeftovers leftovers) {
        this.site = site;
        this.clients = clients;
        this.tags = tags;
        this.leftovers = leftovers;
    }

    /** @param impossible what was refused before anything was sent */
    LaunchAnswer launch(LaunchRequest request, List<AwsLaunchCall> calls, List<LaunchAnswer.Part> impossible) {
        String template = "spillway-" + calls.getFirst().token().substring(0, NAME_DIGITS);
        leftovers.begin(template);
        try {
            return launch(request, calls, template, impossible);
        } finally {
            leftovers.end(template);
        }
    }

    private LaunchAnswer launch(
            LaunchRequest request, List<AwsLaunchCall> calls, String template, List<LaunchAnswer.Part> impossible) {
        try {
            clients.ec2()
                    .createLaunchTemplate(CreateLaunchTemplateRequest.builder()
                            .launchTemplateName(template)
                            .launchTemplateData(AwsTemplate.of(calls.getFirst()))
                            .tagSpecifications(AwsTags.specification(ResourceType.LAUNCH_TEMPLATE, tags.of(request)))
                            .build());
        } catch (SdkException failed) {
            if (!AwsErrors.code(failed).equals("InvalidLaunchTemplateName.AlreadyExistsException")) {
                // CreateFleet has not been called.
                return AwsLaunch.refused(AwsErrors.reason(failed), "before the launch: " + AwsErrors.describe(failed));
            }
        }
        LaunchAnswer answer = create(request, calls, template, impossible);
        if (!(answer.outcome() instanceof LaunchOutcome.Unknown)) {
            delete(template);
        }
        return answer;
    }

    private LaunchAnswer create(
            LaunchRequest request, List<AwsLaunchCall> calls, String template, List<LaunchAnswer.Part> impossible) {
        try {
            CreateFleetResponse answer = clients.ec2().createFleet(fleet(request, calls, template));
            return new Reading(request, calls).read(answer, impossible);
        } catch (SdkException failed) {
            return new LaunchAnswer(AwsErrors.ofLaunch(failed), List.of());
        } catch (IllegalArgumentException unreadable) {
            return AwsLaunch.unknown("the answer cannot be read: " + unreadable.getMessage());
        }
    }

    private CreateFleetRequest fleet(LaunchRequest request, List<AwsLaunchCall> calls, String template) {
        boolean spot = request.offering().market() == Market.SPOT;
        List<FleetLaunchTemplateOverridesRequest> overrides = new ArrayList<>();
        for (AwsLaunchCall call : calls) {
            overrides.add(FleetLaunchTemplateOverridesRequest.builder()
                    .instanceType(call.type())
                    .subnetId(call.place().subnet())
                    .imageId(call.image())
                    .priority((double) overrides.size())
                    .build());
        }
        CreateFleetRequest.Builder fleet = CreateFleetRequest.builder()
                .clientToken(calls.getFirst().token())
                .type(FleetType.INSTANT)
                .launchTemplateConfigs(FleetLaunchTemplateConfigRequest.builder()
                        .launchTemplateSpecification(FleetLaunchTemplateSpecificationRequest.builder()
                                .launchTemplateName(template)
                                .version("1")
                                .build())
                        .overrides(overrides)
                        .build())
                .targetCapacitySpecification(TargetCapacitySpecificationRequest.builder()
                        .totalTargetCapacity(request.count())
                        .defaultTargetCapacityType(
                                spot ? DefaultTargetCapacityType.SPOT : DefaultTargetCapacityType.ON_DEMAND)
                        .build())
                .tagSpecifications(AwsTags.specification(ResourceType.FLEET, tags.of(request)));
        if (spot) {
            fleet.spotOptions(SpotOptionsRequest.builder()
                    .allocationStrategy(SpotAllocationStrategy.CAPACITY_OPTIMIZED_PRIORITIZED)
                    .build());
        } else {
            fleet.onDemandOptions(OnDemandOptionsRequest.builder()
                    .allocationStrategy(FleetOnDemandAllocationStrategy.PRIORITIZED)
                    .build());
        }
        return fleet.build();
    }

    private void delete(String template) {
        try {
            clients.ec2()
                    .deleteLaunchTemplate(DeleteLaunchTemplateRequest.builder()
                            .launchTemplateName(template)
                            .build());
        } catch (SdkException failed) {
            if (!AwsErrors.isGone(failed)) {
                LOG.warn("launch template {} stays for now: {}", template, AwsErrors.describe(failed));
            }
        }
    }

    /** A fleet's answer, read for each offering. */
    private final class Reading {
        private final LaunchRequest request;
        private final Map<String, OfferingId> bySubnetAndType = new HashMap<>();
        private final Map<OfferingId, Integer> given = new LinkedHashMap<>();
        private final Map<OfferingId, LaunchOutcome> errors = new LinkedHashMap<>();
        private final List<Instance> instances = new ArrayList<>();

        Reading(LaunchRequest request, List<AwsLaunchCall> calls) {
            this.request = request;
            for (AwsLaunchCall call : calls) {
                bySubnetAndType.put(
                        call.place().subnet() + "/" + call.type(),
                        new OfferingId(
                                site.site(),
                                call.place().zone(),
                                call.type(),
                                request.offering().market()));
            }
        }

        LaunchAnswer read(CreateFleetResponse answer, List<LaunchAnswer.Part> impossible) {
            for (CreateFleetInstance set : answer.instances()) {
                OfferingId offering = offering(set.launchTemplateAndOverrides(), set.instanceTypeAsString())
                        .orElseThrow(() -> new IllegalArgumentException("instances of no offering that was asked"));
                given.merge(offering, set.instanceIds().size(), Integer::sum);
                set.instanceIds().forEach(id -> instances.add(pending(id, offering)));
            }
            for (CreateFleetError error : answer.errors()) {
                LaunchOutcome why =
                        AwsErrors.ofCode(String.valueOf(error.errorCode()), 400, String.valueOf(error.errorMessage()));
                offering(error.launchTemplateAndOverrides(), "").ifPresent(offering -> errors.put(offering, why));
            }
            return whole(impossible);
        }

        private Optional<OfferingId> offering(LaunchTemplateAndOverridesResponse from, String type) {
            FleetLaunchTemplateOverrides overrides = from == null ? null : from.overrides();
            if (overrides == null) {
                return Optional.empty();
            }
            String subnet = String.valueOf(overrides.subnetId());
            String named = overrides.instanceTypeAsString() == null ? type : overrides.instanceTypeAsString();
            return Optional.ofNullable(bySubnetAndType.get(subnet + "/" + named));
        }

        private Instance pending(String id, OfferingId offering) {
            return Instance.of(id, offering, Instance.State.PENDING, Instant.now(), tags.of(request));
        }

        private LaunchAnswer whole(List<LaunchAnswer.Part> impossible) {
            int count = instances.size();
            List<LaunchAnswer.Part> parts = new ArrayList<>(impossible);
            for (OfferingId offering : request.offerings().stream().distinct().toList()) {
                int some = given.getOrDefault(offering, 0);
                LaunchOutcome error = errors.get(offering);
                if (some > 0) {
                    parts.add(new LaunchAnswer.Part(
                            offering,
                            error instanceof LaunchOutcome.Refused(Reason why, String message)
                                    ? new LaunchOutcome.Partial(some, why, message)
                                    : new LaunchOutcome.Launched(some)));
                } else if (error != null) {
                    parts.add(new LaunchAnswer.Part(offering, error));
                }
            }
            if (count >= request.count()) {
                return new LaunchAnswer(new LaunchOutcome.Launched(count), instances, parts);
            }
            Optional<LaunchOutcome> unclear = errors.values().stream()
                    .filter(LaunchOutcome.Unknown.class::isInstance)
                    .findFirst();
            if (unclear.isPresent() || (count == 0 && errors.isEmpty())) {
                return new LaunchAnswer(
                        unclear.orElse(new LaunchOutcome.Unknown("the fleet has neither instances nor errors")),
                        List.of(),
                        parts);
            }
            LaunchOutcome.Refused worst = errors.values().stream()
                    .filter(LaunchOutcome.Refused.class::isInstance)
                    .map(LaunchOutcome.Refused.class::cast)
                    .min(java.util.Comparator.comparing(LaunchOutcome.Refused::reason))
                    .orElse(new LaunchOutcome.Refused(Reason.CAPACITY, "EC2 gave " + count));
            return count == 0
                    ? new LaunchAnswer(worst, List.of(), parts)
                    : new LaunchAnswer(
                            new LaunchOutcome.Partial(count, worst.reason(), worst.message()), instances, parts);
        }
    }
}
