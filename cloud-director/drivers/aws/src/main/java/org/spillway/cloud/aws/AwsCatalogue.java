package org.spillway.cloud.aws;

import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.DescribeImagesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeInstanceTypesRequest;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.Image;
import software.amazon.awssdk.services.ec2.model.InstanceTypeInfo;

/** Types and images, remembered: neither changes under its name. */
final class AwsCatalogue {
    private static final int PAGE = 100;
    private final AwsClients clients;
    private final AwsSettings settings;
    private final AwsNewest newest;
    private final Map<String, AwsType> types = new ConcurrentHashMap<>();
    private final Map<String, String> rootDevices = new ConcurrentHashMap<>();
    private final AwsOwnTemplate ownTemplate;
    private final Map<String, String> architectures = new ConcurrentHashMap<>();

    AwsCatalogue(AwsClients clients, AwsSettings settings, InstantSource clock) {
        this.clients = clients;
        this.settings = settings;
        this.newest = new AwsNewest(clients, clock);
        this.ownTemplate = new AwsOwnTemplate(clients, settings.machine().template());
    }

    /** Types that match the patterns of the configuration, by name. */
    Map<String, AwsType> offered() {
        Map<String, AwsType> found = new LinkedHashMap<>();
        for (AwsType type : look(settings.types())) {
            found.put(type.name(), type);
        }
        return found;
    }

    /** Empty if the provider has no such type. */
    Optional<AwsType> type(String name) {
        AwsType known = types.get(name);
        return known != null
                ? Optional.of(known)
                : look(List.of(name)).stream()
                        .filter(type -> type.name().equals(name))
                        .findFirst();
    }

    private List<AwsType> look(Collection<String> patterns) {
        DescribeInstanceTypesRequest request = DescribeInstanceTypesRequest.builder()
                .filters(Filter.builder().name("instance-type").values(patterns).build())
                .maxResults(PAGE)
                .build();
        List<InstanceTypeInfo> infos = AwsPages.all(
                "DescribeInstanceTypes",
                token -> clients.ec2()
                        .describeInstanceTypes(
                                request.toBuilder().nextToken(token).build()),
                answer -> answer.instanceTypes(),
                answer -> answer.nextToken());
        List<AwsType> found = infos.stream().map(AwsType::of).toList();
        found.forEach(type -> types.put(type.name(), type));
        return found;
    }

    /** The image for a type: the request's, or the site's for its architecture; empty if there is none. */
    String image(String requested, String type) {
        String named = named(requested, type);
        return AwsNewest.is(named) ? newest.id(named, isArm(type) ? "arm64" : "x86_64") : named;
    }

    /** As it is given, which may be an {@link AwsNewest}. */
    String named(String requested, String type) {
        if (!requested.isEmpty()) {
            return requested;
        }
        return settings.imageArm64().isEmpty() || !isArm(type) ? settings.image() : settings.imageArm64();
    }

    private boolean isArm(String type) {
        return !type.isEmpty()
                && type(type)
                        .map(found -> found.features().contains("arch:arm64"))
                        .orElse(false);
    }

    /** Wishes of the site for machines of a type. */
    AwsLaunchCall.Extras extras(String type, boolean director) {
        AwsMachine machine = settings.machine();
        int cores = machine.smt() ? 0 : type(type).map(AwsType::cores).orElse(0);
        return new AwsLaunchCall.Extras(
                director ? machine.directorProfile() : machine.profile(), machine.disk(), cores, machine.template());
    }

    AwsOwnTemplate ownTemplate() {
        return ownTemplate;
    }

    /** Whether the site's image for a type is of its architecture; so is one that cannot be looked at. */
    boolean fits(AwsType type) {
        String named = named("", type.name());
        if (named.isEmpty() || named.startsWith("resolve:")) {
            return true;
        }
        String image = image("", type.name());
        if (AwsNewest.is(named)) {
            return !image.isEmpty();
        }
        String architecture = architectures.computeIfAbsent(image, this::architecture);
        return architecture.isEmpty() || type.features().contains("arch:" + architecture);
    }

    /** Empty for one that cannot be looked at. */
    private String architecture(String image) {
        try {
            return describe(image).map(Image::architectureAsString).orElse("");
        } catch (SdkException unseen) {
            return "";
        }
    }

    /** The name that an image gives its root disk. */
    String rootDevice(String image) {
        if (image.startsWith("resolve:")) {
            return settings.rootDevice();
        }
        String known = rootDevices.get(image);
        if (known == null) {
            known = describe(image).map(Image::rootDeviceName).orElse(settings.rootDevice());
            rootDevices.put(image, known);
        }
        return known;
    }

    Optional<Image> describe(String image) {
        return clients
                .ec2()
                .describeImages(DescribeImagesRequest.builder().imageIds(image).build())
                .images()
                .stream()
                .findFirst();
    }
}
