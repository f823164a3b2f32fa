package org.spillway.head.doctor;

import java.util.List;
import java.util.Optional;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.NodeRecord;

/** Why the last directors of a site did not come up, as the journal tells it. Pure. */
final class DirectorLook {
    /** As many as a site has in a day of trouble. */
    static final int MOST = 100;

    private DirectorLook() {}

    /** @param directors of one site, the latest change first */
    static Optional<Finding> at(String site, List<NodeRecord> directors) {
        List<NodeRecord> failed = directors.stream()
                .takeWhile(director -> director.servedFrom() == null)
                .filter(DirectorLook::isFailed)
                .toList();
        if (failed.isEmpty()) {
            return Optional.empty();
        }
        NodeRecord last = failed.getFirst();
        return Optional.of(new Finding(
                "director",
                Verdict.WARNING,
                (failed.size() == 1 ? "" : failed.size() + " in a row did not come up, the last was ") + last.id()
                        + ": " + last.reason(),
                "mend what it says (image, security group, SSH, Java); it is tried again by itself, or at once after"
                        + " 'spillway breaker close director:" + site + "'"));
    }

    private static boolean isFailed(NodeRecord director) {
        return director.cause().all().anyMatch(NodeCause.DirectorFailed.class::isInstance)
                || director.cause()
                        .all()
                        .anyMatch(cause -> cause == NodeCause.NodeFact.NOT_UP_IN_TIME
                                || cause == NodeCause.NodeFact.NOT_READY_IN_TIME
                                || cause == NodeCause.NodeFact.STOPPED_WHILE_BOOTING
                                || cause == NodeCause.NodeFact.STOPPED_BEFORE_READY
                                || cause == NodeCause.NodeFact.INSTANCE_GONE);
    }
}
