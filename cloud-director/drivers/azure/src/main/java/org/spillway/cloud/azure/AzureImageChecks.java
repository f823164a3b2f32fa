package org.spillway.cloud.azure;

import static org.spillway.cloud.azure.AzureDiagnostics.broken;
import static org.spillway.cloud.azure.AzureDiagnostics.good;
import static org.spillway.cloud.azure.AzureDiagnostics.told;
import static org.spillway.cloud.azure.AzureDiagnostics.warning;

import com.azure.core.http.HttpMethod;
import com.azure.resourcemanager.compute.models.ImageReference;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.spillway.cloud.Diagnostics.Finding;

/** Whether the image is there, and whether the sizes that are offered boot it: generation, architecture, system, disk. */
final class AzureImageChecks {
    private static final String REPAIR = "correct image: publisher:offer:sku:version, or a resource id";
    private static final int MOST_NAMED = 5;
    private final AzureSettings settings;
    private final Arm arm;

    AzureImageChecks(AzureSettings settings, Arm arm) {
        this.settings = settings;
        this.arm = arm;
    }

    /** @param sizes that are to boot it */
    Finding say(String image, Collection<Size> sizes) {
        ImageReference reference = MachineBody.image(image);
        if (reference.publisher() != null) {
            return published(image, reference, sizes);
        }
        if (reference.id() == null) {
            return warning(
                    "image", image + " is in a shared gallery and is not looked at", "nothing, if machines start");
        }
        boolean gallery = image.contains("/galleries/");
        Answer<JsonNode> answer =
                arm.raw(HttpMethod.GET, image + "?api-version=" + (gallery ? "2024-03-03" : "2025-04-01"));
        if (!(answer instanceof Answer.Done<JsonNode> done)) {
            return broken("image", told(answer), REPAIR);
        }
        // A version of a gallery's image has neither: they stand with its definition.
        JsonNode properties = done.body().path("properties");
        return gallery && image.contains("/versions/")
                ? definition(image, sizes)
                : fits(image, properties.path("hyperVGeneration").asText(), properties, sizes);
    }

    private Finding definition(String image, Collection<Size> sizes) {
        String of = image.substring(0, image.indexOf("/versions/"));
        Answer<JsonNode> answer = arm.raw(HttpMethod.GET, of + "?api-version=2024-03-03");
        if (!(answer instanceof Answer.Done<JsonNode> done)) {
            return good("image", image);
        }
        JsonNode properties = done.body().path("properties");
        return fits(image, properties.path("hyperVGeneration").asText(), properties, sizes);
    }

    private Finding published(String image, ImageReference urn, Collection<Size> sizes) {
        String versions = "/subscriptions/" + settings.subscription() + "/providers/Microsoft.Compute/locations/"
                + settings.location() + "/publishers/" + urn.publisher() + "/artifacttypes/vmimage/offers/"
                + urn.offer()
                + "/skus/" + urn.sku() + "/versions";
        String version = urn.version();
        if ("latest".equals(version)) {
            Answer<JsonNode> listed =
                    arm.raw(HttpMethod.GET, versions + "?%24top=1&%24orderby=name%20desc&api-version=2024-07-01");
            if (!(listed instanceof Answer.Done<JsonNode> done)) {
                return broken("image", told(listed), REPAIR);
            }
            version = done.body().path(0).path("name").asText();
            if (version.isEmpty()) {
                return broken("image", image + " has no version in " + settings.location(), REPAIR);
            }
        }
        Answer<JsonNode> answer = arm.raw(HttpMethod.GET, versions + "/" + version + "?api-version=2024-07-01");
        if (!(answer instanceof Answer.Done<JsonNode> done)) {
            return broken("image", told(answer), REPAIR);
        }
        JsonNode properties = done.body().path("properties");
        return plan(image, properties.path("plan"))
                .orElseGet(() -> fits(image, properties.path("hyperVGeneration").asText(), properties, sizes));
    }

    /** An image that is sold wants its plan named, whose terms somebody has accepted; any other takes none. */
    private Optional<Finding> plan(String image, JsonNode sold) {
        AzureMachine.MarketPlan named = settings.machine().plan();
        if (sold.path("name").asText().isEmpty()) {
            return named == null
                    ? Optional.empty()
                    : Optional.of(broken("image", image + " is of no plan, and one is named", "leave out plan"));
        }
        AzureMachine.MarketPlan its = new AzureMachine.MarketPlan(
                sold.path("publisher").asText(),
                sold.path("product").asText(),
                sold.path("name").asText());
        String words = its.publisher() + "/" + its.product() + "/" + its.name();
        return its.equals(named)
                ? Optional.empty()
                : Optional.of(broken(
                        "image",
                        image + " is sold by plan " + words,
                        "set plan: " + words + ", after az vm image terms accept --urn " + image));
    }

    private Finding fits(String image, String generation, JsonNode properties, Collection<Size> sizes) {
        String system = properties
                .at("/osDiskImage/operatingSystem")
                .asText(properties.path("osType").asText());
        if (system.equalsIgnoreCase("Windows")) {
            return broken("image", image + " is of Windows", "choose an image of Linux");
        }
        int gib = properties.at("/osDiskImage/sizeInGb").asInt(0);
        if (settings.diskGib() > 0 && gib > settings.diskGib()) {
            return broken(
                    "image",
                    image + " has a system disk of " + gib + " GiB, and diskGiB is " + settings.diskGib(),
                    "set diskGiB: " + gib + " or more, or leave it out");
        }
        String architecture =
                "arch:" + (properties.path("architecture").asText().equalsIgnoreCase("Arm64") ? "arm64" : "x86_64");
        List<String> others = sizes.stream()
                .filter(size -> !size.features().contains(architecture))
                .map(Size::name)
                .sorted()
                .toList();
        boolean told = !properties.path("architecture").asText().isEmpty();
        if (told && !others.isEmpty() && (others.size() == sizes.size() || architecture.equals("arch:arm64"))) {
            return broken(
                    "image",
                    image + " is of " + architecture.substring(5) + ", and these are not: " + some(others),
                    "choose an image of their architecture, or other types");
        }
        List<String> stubborn = sizes.stream()
                .filter(size -> !generation.isEmpty() && !size.boots(generation))
                .map(Size::name)
                .sorted()
                .toList();
        return stubborn.isEmpty()
                ? good("image", image)
                : broken(
                        "image",
                        image + " is of generation " + generation + ", which these do not boot: " + some(stubborn),
                        "choose an image of " + (generation.equalsIgnoreCase("V1") ? "generation V2" : "generation V1")
                                + " (its sku often ends in -gen" + (generation.equalsIgnoreCase("V1") ? "2" : "1")
                                + "), or leave these sizes out of types");
    }

    private static String some(List<String> names) {
        return names.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))
                + (names.size() > MOST_NAMED ? " and " + (names.size() - MOST_NAMED) + " more" : "");
    }
}
