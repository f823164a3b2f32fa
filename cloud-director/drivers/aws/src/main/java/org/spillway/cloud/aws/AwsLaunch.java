package org.spillway.cloud.aws;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import software.amazon.awssdk.core.exception.SdkException;
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
    private final AwsReservations reservations;

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
        this.reservations = new AwsReservations(site, clients);
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
            return isByName(request)
                    ? inTurn(request)
                    : run(request, Turn.of(request.offering(), request.count()), token(request, ""));
        }
        // CreateFleet takes one template, which is the driver's own, with one number of cores for all types.
        boolean together = request.placement().equals(LaunchRequest.Placement.NONE)
                && request.offering().market() != Market.RESERVED
                && settings.machine().smt()
                && settings.machine().template().isEmpty();
        return together ? set(request) : inTurn(request);
    }

    /** Whether it goes into reservations that the site names, and the launch does not. */
    private boolean isByName(LaunchRequest request) {
        return request.offering().market() == Market.RESERVED
                && reservations.areNamed()
                && request.placement().reservation().isEmpty();
    }

    /**
     * A RunInstances of several.
     *
     * @param capacity null for what the launch itself says
     */
    private record Turn(OfferingId offering, AwsLaunchCall.@Nullable Capacity capacity, int most, String token) {
        static Turn of(OfferingId offering, int count) {
            return new Turn(offering, null, count, "/" + offering);
        }

        /**
         * "If this Capacity Reservation doesn't have sufficient capacity for the selected number of instances, the instance
         * launch fails" (EC2 user guide, "Launch instances into an existing Capacity Reservation"): no more than it has room
         * for. A full one is asked all the same, since this may be the repetition of a call that filled it.
         */
        static Turn of(OfferingId offering, AwsReservations.Reservation in) {
            return new Turn(
                    offering,
                    AwsLaunchCall.Capacity.of(in.id(), in.block()),
                    in.available() > 0 ? in.available() : Integer.MAX_VALUE,
                    "/" + offering + "/" + in.id());
        }
    }

    private List<Turn> turns(LaunchRequest request) {
        List<Turn> turns = new ArrayList<>();
        List<AwsReservations.Reservation> named =
                isByName(request) ? reservations.look().usable() : List.of();
        for (OfferingId offering : request.offerings()) {
            if (isByName(request)) {
                named.stream()
                        .filter(each -> each.isOf(offering.zone(), offering.instanceType()))
                        .forEach(each -> turns.add(Turn.of(offering, each)));
            } else {
                turns.add(Turn.of(offering, request.count()));
            }
        }
        return turns;
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

    private LaunchAnswer run(LaunchRequest request, Turn turn, String token) {
        AwsLaunchCall call;
        try {
            call = call(request, turn, token);
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
                    turn.most(),
                    answer.instances().stream().map(listing::instance).toList());
        } catch (SdkException failed) {
            if (AwsErrors.isGone(failed)) {
                places.forget();
            }
            return new LaunchAnswer(AwsErrors.ofLaunch(failed), List.of());
        } catch (IllegalArgumentException unreadable) {
            return unknown("the answer cannot be read: " + unreadable.getMessage());
        }
    }

    private AwsLaunchCall call(LaunchRequest request, Turn turn, String token) throws NotPossible {
        OfferingId offering = turn.offering();
        String image = image(request, offering);
        AwsPlaces.Place place = places.find(offering.zone(), request).orElseThrow(() -> noNetwork(offering.zone()));
        List<String> objections = catalogue.ownTemplate().objections();
        if (!objections.isEmpty()) {
            throw new NotPossible(
                    "launchTemplate " + settings.machine().template() + ": " + String.join("; ", objections));
        }
        AwsLaunchCall.Capacity capacity = turn.capacity();
        if (capacity == null) {
            String named =
                    offering.market() == Market.RESERVED ? request.placement().reservation() : "";
            capacity = named.isEmpty() ? reservations.unnamed(offering.market()) : reservations.byId(named);
        }
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
                turn.most(),
                image,
                catalogue.rootDevice(image),
                settings.diskGib(),
                settings.keyName(),
                request.userData(),
                tags.of(request),
                place,
                group.isEmpty() ? "" : groups.name(group),
                capacity,
                efa,
                catalogue.extras(offering.instanceType(), Instance.isAdministered(request.tags())));
    }

    private String image(LaunchRequest request, OfferingId offering) throws NotPossible {
        String image = catalogue.image(request.image(), offering.instanceType());
        if (image.isEmpty()) {
            String named = catalogue.named(request.image(), offering.instanceType());
            throw new NotPossible(
                    named.isEmpty()
                            ? "no image: give image in the site's options"
                            : "no image is " + named + " for type " + offering.instanceType());
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
                calls.add(call(request, Turn.of(offering, request.count()), token(request, "")));
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
    private LaunchAnswer inTurn(LaunchRequest request) {
        List<Turn> turns;
        try {
            turns = turns(request);
        } catch (SdkException failed) {
            return refused(AwsErrors.reason(failed), "before the launch: " + AwsErrors.describe(failed));
        }
        if (turns.isEmpty()) {
            return refused(
                    Reason.CAPACITY, "none of the reservations of site " + site.site() + " is active and of that type");
        }
        List<Instance> made = new ArrayList<>();
        List<LaunchAnswer.Part> parts = new ArrayList<>();
        LaunchOutcome last = new LaunchOutcome.Unknown("nothing was asked for");
        for (Turn turn : turns) {
            int missing = request.count() - made.size();
            Turn limited = new Turn(turn.offering(), turn.capacity(), Math.min(turn.most(), missing), turn.token());
            LaunchAnswer one = run(request, limited, token(request, turn.token()));
            made.addAll(one.instances());
            parts.add(new LaunchAnswer.Part(turn.offering(), one.outcome()));
            last = one.outcome();
            if (made.size() == request.count() || !another(last)) {
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
        return new LaunchAnswer(whole, made, request.alternatives().isEmpty() ? List.of() : parts);
    }

    /** Whether what is still missing may be had elsewhere. */
    private static boolean another(LaunchOutcome outcome) {
        return switch (outcome) {
            case LaunchOutcome.Launched all -> true;
            case LaunchOutcome.Partial some -> true;
            case LaunchOutcome.Refused(Reason why, String message) ->
                why == Reason.CAPACITY || why == Reason.QUOTA || why == Reason.INVALID;
            case LaunchOutcome.Unknown unknown -> false;
        };
    }

    static LaunchAnswer refused(Reason reason, String message) {
        return new LaunchAnswer(new LaunchOutcome.Refused(reason, message), List.of());
    }

    static LaunchAnswer unknown(String message) {
        return new LaunchAnswer(new LaunchOutcome.Unknown(message), List.of());
    }
}
