package org.spillway.cloud.aws;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.CapacityReservation;
import software.amazon.awssdk.services.ec2.model.CapacityReservationType;
import software.amazon.awssdk.services.ec2.model.DescribeCapacityReservationsRequest;
import software.amazon.awssdk.services.ec2.model.RunInstancesResponse;

/** Launches of one offering by RunInstances, of several by {@link AwsFleet}. */
final class AwsLaunch {
    private final SiteSettings site;
    private final AwsSettings settings;
    private final AwsClients clients;
    private final AwsTags tags;
    private final AwsCatalogue catalogue;
    private final AwsPlaces places;
    private final AwsListing listing;
    private final AwsGroups groups;
    private final AwsLeftovers leftovers;
    private final AwsFleet fleet;

    AwsLaunch(
            SiteSettings site,
            AwsSettings settings,
            AwsClients clients,
            AwsTags tags,
            AwsCatalogue catalogue,
            AwsPlaces places,
            AwsListing listing,
            AwsGroups groups,
            AwsLeftovers leftovers) {
        this.site = site;
        this.settings = settings;
        this.clients = clients;
        this.tags = tags;
        this.catalogue = catalogue;
        this.places = places;
        this.listing = listing;
        this.groups = groups;
        this.leftovers = leftovers;
        this.fleet = new AwsFleet(site, clients, tags, leftovers);
    }

    /** A launch that ends before anything is sent. */
    static final class NotPossible extends Exception {
        private static final long serialVersionUID = 1;

        NotPossible(String message) {
            super(message);
        }
    }

    LaunchAnswer launch(LaunchRequest request) {
        if (!request.offering().site().equals(site.site())) {
            return refused(Reason.INVALID, "offering " + request.offering() + " is not of site " + site.site());
        }
        try {
            clients.credentials().resolveCredentials();
        } catch (SdkException none) {
            return refused(Reason.CREDENTIALS, AwsErrors.describe(none));
        }
        String group = request.placement().fabricGroup();
        return group.isEmpty() ? asked(request) : inGroup(groups.name(group), request);
    }

    private LaunchAnswer asked(LaunchRequest request) {
        if (request.alternatives().isEmpty()) {
            return run(request, request.offering(), request.count(), token(request, ""));
        }
        boolean together = request.placement().equals(LaunchRequest.Placement.NONE)
                && request.offering().market() != Market.RESERVED;
        return together ? set(request) : oneByOne(request);
    }

    /** Tokens are of the account: two clusters in it must not meet in one. */
    private String token(LaunchRequest request, String part) {
        return hash(site.cluster() + "\n" + site.site() + "\n" + request.token() + part);
    }

    static String hash(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The group is kept for the whole of it, and removed when nothing came into it. */
    private LaunchAnswer inGroup(String name, LaunchRequest request) {
        leftovers.begin(name);
        LaunchOutcome outcome = new LaunchOutcome.Unknown("not told");
        try {
            LaunchAnswer answer = asked(request);
            outcome = answer.outcome();
            return answer;
        } finally {
            switch (outcome) {
                case LaunchOutcome.Launched some -> leftovers.end(name);
                case LaunchOutcome.Partial some -> leftovers.end(name);
                case LaunchOutcome.Refused nothing -> leftovers.endOfGroup(name, true);
                case LaunchOutcome.Unknown maybe -> leftovers.endOfGroup(name, false);
            }
        }
    }

    private LaunchAnswer run(LaunchRequest request, OfferingId offering, int count, String token) {
        AwsLaunchCall call;
        try {
            call = call(request, offering, count, token);
            if (!call.placementGroup().isEmpty()) {
                groups.ensure(call.placementGroup());
            }
        } catch (NotPossible wrong) {
            return refused(Reason.INVALID, String.valueOf(wrong.getMessage()));
        } catch (SdkException failed) {
            // RunInstances has not been called.
            return refused(AwsErrors.reason(failed), "before the launch: " + AwsErrors.describe(failed));
        }
        try {
            RunInstancesResponse answer = clients.ec2().runInstances(call.request());
            return launched(
                    count, answer.instances().stream().map(listing::instance).toList());
        } catch (SdkException failed) {
            if (AwsErrors.isGone(failed)) {
                places.forget();
            }
            return new LaunchAnswer(AwsErrors.ofLaunch(failed), List.of());
        } catch (IllegalArgumentException unreadable) {
            return unknown("the answer cannot be read: " + unreadable.getMessage());
        }
    }

    private AwsLaunchCall call(LaunchRequest request, OfferingId offering, int count, String token) throws NotPossible {
        String image = image(request, offering);
        AwsPlaces.Place place = places.find(offering.zone(), request).orElseThrow(() -> noNetwork(offering.zone()));
        String reservation = request.placement().reservation();
        boolean block = offering.market() == Market.RESERVED && !reservation.isEmpty() && isBlock(reservation);
        String group = request.placement().fabricGroup();
        int efa = group.isEmpty()
                ? 0
                : catalogue
                        .type(offering.instanceType())
                        .map(AwsType::efaInterfaces)
                        .orElse(0);
        return new AwsLaunchCall(
                token,
                offering.instanceType(),
                offering.market(),
                count,
                image,
                catalogue.rootDevice(image),
                settings.diskGib(),
                settings.keyName(),
                request.userData(),
                tags.of(request),
                place,
                group.isEmpty() ? "" : groups.name(group),
                reservation,
                block,
                efa);
    }

    private String image(LaunchRequest request, OfferingId offering) throws NotPossible {
        String image = catalogue.image(request.image(), offering.instanceType());
        if (image.isEmpty()) {
            throw new NotPossible("no image: give image in the site's options");
        }
        return image;
    }

    private NotPossible noNetwork(String zone) {
        Optional<?> zones = places.zones();
        return new NotPossible(
                zones.isEmpty()
                        ? "site " + site.site() + " has no network: run `spillway site create " + site.site()
                                + "`, or give subnets and securityGroup"
                        : "no subnet in zone '" + zone + "'; there are some in " + zones.get());
    }

    private boolean isBlock(String reservation) throws NotPossible {
        if (!reservation.matches("cr-[0-9a-f]{8,17}")) {
            throw new NotPossible("'" + reservation + "' is no capacity reservation");
        }
        Optional<CapacityReservation> found = clients
                .ec2()
                .describeCapacityReservations(DescribeCapacityReservationsRequest.builder()
                        .capacityReservationIds(reservation)
                        .build())
                .capacityReservations()
                .stream()
                .findFirst();
        return found.map(each -> each.reservationType() == CapacityReservationType.CAPACITY_BLOCK)
                .orElse(false);
    }

    static LaunchAnswer launched(int asked, List<Instance> instances) {
        int count = instances.size();
        if (count == 0) {
            return unknown("the answer names no instance");
        }
        return new LaunchAnswer(
                count >= asked
                        ? new LaunchOutcome.Launched(count)
                        : new LaunchOutcome.Partial(count, Reason.CAPACITY, "EC2 gave " + count + " of " + asked),
                instances);
    }

    private LaunchAnswer set(LaunchRequest request) {
        List<AwsLaunchCall> calls = new ArrayList<>();
        List<LaunchAnswer.Part> impossible = new ArrayList<>();
        for (OfferingId offering : request.offerings()) {
            try {
                calls.add(call(request, offering, request.count(), token(request, "")));
            } catch (NotPossible wrong) {
                impossible.add(new LaunchAnswer.Part(
                        offering, new LaunchOutcome.Refused(Reason.INVALID, String.valueOf(wrong.getMessage()))));
            } catch (SdkException failed) {
                return refused(AwsErrors.reason(failed), "before the launch: " + AwsErrors.describe(failed));
            }
        }
        if (calls.isEmpty()) {
            LaunchAnswer.Part first = impossible.getFirst();
            return new LaunchAnswer(first.outcome(), List.of(), impossible);
        }
        return fleet.launch(request, calls, impossible);
    }

    /** Where CreateFleet cannot say what is wanted: one after the other, until the count is reached. */
    private LaunchAnswer oneByOne(LaunchRequest request) {
        List<Instance> made = new ArrayList<>();
        List<LaunchAnswer.Part> parts = new ArrayList<>();
        LaunchOutcome last = new LaunchOutcome.Unknown("nothing was asked for");
        for (OfferingId offering : request.offerings()) {
            int missing = request.count() - made.size();
            LaunchAnswer one = run(request, offering, missing, token(request, "/" + offering));
            made.addAll(one.instances());
            parts.add(new LaunchAnswer.Part(offering, one.outcome()));
            last = one.outcome();
            boolean another = last instanceof LaunchOutcome.Partial
                    || (last instanceof LaunchOutcome.Refused(Reason why, String message)
                            && (why == Reason.CAPACITY || why == Reason.QUOTA || why == Reason.INVALID));
            if (!another) {
                break;
            }
        }
        if (last instanceof LaunchOutcome.Unknown) {
            return new LaunchAnswer(last, List.of(), parts);
        }
        LaunchOutcome whole = made.size() == request.count()
                ? new LaunchOutcome.Launched(made.size())
                : made.isEmpty()
                        ? parts.getFirst().outcome()
                        : new LaunchOutcome.Partial(
                                made.size(), Reason.CAPACITY, "EC2 gave " + made.size() + " of " + request.count());
        return new LaunchAnswer(whole, made, parts);
    }

    static LaunchAnswer refused(Reason reason, String message) {
        return new LaunchAnswer(new LaunchOutcome.Refused(reason, message), List.of());
    }

    static LaunchAnswer unknown(String message) {
        return new LaunchAnswer(new LaunchOutcome.Unknown(message), List.of());
    }
}
