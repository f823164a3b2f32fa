package org.spillway.localcloud.ec2;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.FrontRequest;
import org.spillway.localcloud.InstanceMetadata;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.policy.Market;

/**
 * IMDSv2, as "Use the Instance Metadata Service to access instance metadata", "Spot Instance interruption notices" and "EC2
 * instance rebalance recommendations" of the Amazon EC2 User Guide have it: a token by PUT, 401 without one, and 404 for a
 * notice as long as there is none.
 */
final class Ec2Metadata implements InstanceMetadata {
    private static final String TTL = "x-aws-ec2-metadata-token-ttl-seconds";
    private static final String ITEMS = "/latest/meta-data/";
    private static final int LONGEST_TTL = 21_600;
    /** This process's; a client asks again when its own is refused. */
    private final Set<String> tokens = ConcurrentHashMap.newKeySet();

    @Override
    public FrontReply answer(InstanceRecord instance, Optional<Notice> notice, FrontRequest request) {
        if (request.path().equals("/latest/api/token")) {
            return token(request);
        }
        if (!request.method().equals("GET")) {
            return none(405);
        }
        if (!tokens.contains(request.header("x-aws-ec2-metadata-token"))) {
            return none(401);
        }
        return item(instance, notice, request.path()).map(Ec2Metadata::text).orElseGet(() -> none(404));
    }

    private FrontReply token(FrontRequest request) {
        if (!request.method().equals("PUT")) {
            return none(405);
        }
        if (!request.header("x-forwarded-for").isEmpty()) {
            return none(403);
        }
        String seconds = request.header(TTL);
        if (!seconds.matches("[0-9]{1,5}")
                || Integer.parseInt(seconds) < 1
                || Integer.parseInt(seconds) > LONGEST_TTL) {
            return none(400);
        }
        String token = UUID.randomUUID().toString();
        tokens.add(token);
        return text(token);
    }

    private static Optional<String> item(InstanceRecord instance, Optional<Notice> notice, String path) {
        Optional<Instant> taken = notice.filter(Notice::certain).map(Notice::at);
        return switch (path.startsWith(ITEMS) ? path.substring(ITEMS.length()) : "") {
            case "instance-id" -> Optional.of(instance.id());
            case "instance-type" -> Optional.of(instance.type());
            case "local-ipv4" -> Optional.of(instance.address());
            case "instance-life-cycle" -> Optional.of(instance.market() == Market.SPOT ? "spot" : "on-demand");
            case "spot/instance-action" -> taken.map(at -> "{\"action\":\"terminate\",\"time\":\"" + at + "\"}");
            case "spot/termination-time" -> taken.map(Instant::toString);
            // "The rebalance recommendation signal can arrive along with the two-minute interruption notice."
            case "events/recommendations/rebalance" -> notice.map(said -> "{\"noticeTime\":\"" + said.at() + "\"}");
            default -> Optional.empty();
        };
    }

    private static FrontReply text(String text) {
        return FrontReply.of(200, "text/plain", text, "");
    }

    private static FrontReply none(int status) {
        return FrontReply.of(status, "text/html", "", "");
    }
}
