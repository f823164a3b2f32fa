package org.spillway.cloud.aws;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.services.ec2.model.DescribeImagesRequest;
import software.amazon.awssdk.services.ec2.model.Image;

/**
 * An image that is given as {@code newest:OWNER/NAME}: of all of that owner's with such a name (it may have {@code *} and
 * {@code ?}), of the machine's architecture and with its root on EBS, the one that was made last. The answer is kept for
 * an hour, so that launches of one hour are alike.
 */
final class AwsNewest {
    static final String PREFIX = "newest:";
    /** Owners as DescribeImages takes them; names as RegisterImage allows them, and wildcards. */
    static final String PATTERN =
            PREFIX + "([0-9]{12}|self|amazon|aws-marketplace)/[A-Za-z0-9()\\[\\] ./'@_*?-]{3,128}";

    private static final Duration KEPT = Duration.ofHours(1);
    private static final Duration NONE_KEPT = Duration.ofMinutes(1);
    private static final int PAGE = 500;
    private final AwsClients clients;
    private final InstantSource clock;
    private final Map<String, Found> found = new ConcurrentHashMap<>();

    private record Found(String id, Instant until) {}

    AwsNewest(AwsClients clients, InstantSource clock) {
        this.clients = clients;
        this.clock = clock;
    }

    static boolean is(String image) {
        return image.startsWith(PREFIX);
    }

    /** @return its id; empty if there is none */
    String id(String selector, String architecture) {
        String key = architecture + " " + selector;
        Found known = found.get(key);
        Instant now = clock.instant();
        if (known != null && known.until().isAfter(now)) {
            return known.id();
        }
        String id = look(selector, architecture).orElse("");
        found.put(key, new Found(id, now.plus(id.isEmpty() ? NONE_KEPT : KEPT)));
        return id;
    }

    private Optional<String> look(String selector, String architecture) {
        int slash = selector.indexOf('/');
        DescribeImagesRequest request = DescribeImagesRequest.builder()
                .owners(selector.substring(PREFIX.length(), slash))
                .filters(
                        AwsTags.filter("name", selector.substring(slash + 1)),
                        AwsTags.filter("architecture", architecture),
                        AwsTags.filter("root-device-type", "ebs"),
                        AwsTags.filter("state", "available"))
                .maxResults(PAGE)
                .build();
        List<Image> images = AwsPages.all(
                "DescribeImages",
                token -> clients.ec2()
                        .describeImages(request.toBuilder().nextToken(token).build()),
                answer -> answer.images(),
                answer -> answer.nextToken());
        return images.stream()
                .max(Comparator.comparing(AwsNewest::made).thenComparing(Image::imageId))
                .map(Image::imageId);
    }

    /** An image without a date that can be read is older than any other. */
    private static Instant made(Image image) {
        try {
            return Instant.parse(String.valueOf(image.creationDate()));
        } catch (DateTimeParseException unreadable) {
            return Instant.EPOCH;
        }
    }
}
