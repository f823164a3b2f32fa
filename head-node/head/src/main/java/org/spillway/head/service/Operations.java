package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.OperationView;
import org.spillway.cloud.CloudException;
import org.spillway.head.audit.Owned;

/**
 * Tasks that take a provider's time, each on a thread of its own, one at a time for each site. Bounded in number and
 * time; what has ended is remembered for a while. In memory only: an operation that is cut off by a restart is begun anew.
 */
final class Operations implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Operations.class);
    static final Duration LONGEST = Duration.ofMinutes(30);
    private static final Duration KEPT = Duration.ofMinutes(15);
    private static final int MOST = 64;
    private static final int MOST_NOTES = 200;

    private final InstantSource clock;
    private final Map<String, Operation> operations = new LinkedHashMap<>();
    private long number;

    Operations(InstantSource clock) {
        this.clock = clock;
    }

    /** The work of such a task. */
    interface Work {
        /** @throws SiteDesk.Unable with a message for the administrator, as CloudException has */
        List<Owned> run(Operation operation) throws CloudException, SiteDesk.Unable, InterruptedException;
    }

    /** A task. Its own thread writes, any thread reads. */
    final class Operation {
        private final String id;
        private final String kind;
        private final String site;
        private final Instant begunAt = clock.instant();
        private final List<String> notes = new ArrayList<>();
        private String state = "RUNNING";
        private String message = "";
        private List<Owned> things = List.of();
        private @Nullable Thread thread;

        Operation(String id, String kind, String site) {
            this.id = id;
            this.kind = kind;
            this.site = site;
        }

        synchronized void progress(String text) {
            message = text;
        }

        synchronized void note(String text) {
            if (notes.size() < MOST_NOTES) {
                notes.add(text);
            }
        }

        /** Results after the end, such as an answer that a given-up task still gets, change nothing. */
        private synchronized void end(String how, String text, List<Owned> found) {
            if (state.equals("RUNNING")) {
                state = how;
                message = text;
                things = found;
            }
        }

        private synchronized boolean isRunning() {
            return state.equals("RUNNING");
        }

        private void giveUpIfLate(Instant now) {
            if (isRunning() && now.isAfter(begunAt.plus(LONGEST))) {
                end("FAILED", "not done within " + LONGEST.toMinutes() + " minutes; it may be begun again", List.of());
                Thread running = thread;
                if (running != null) {
                    running.interrupt();
                }
            }
        }

        synchronized OperationView view() {
            return new OperationView(
                    id,
                    kind,
                    site,
                    state,
                    message,
                    begunAt,
                    notes,
                    things.stream().map(AccountViews::thing).toList());
        }
    }

    /** @throws ApiException CONFLICT while another is under way for that site, TOO_MANY */
    synchronized OperationView begin(String kind, String site, Work work) {
        sweep();
        for (Operation other : operations.values()) {
            if (other.isRunning() && other.site.equals(site) && !(kind.equals("audit") && other.kind.equals("audit"))) {
                throw new ApiException(
                        Code.CONFLICT,
                        "an operation '" + other.kind + "' is under way for site " + site,
                        "wait for its end, then try again");
            }
        }
        if (operations.size() >= MOST) {
            throw new ApiException(
                    Code.TOO_MANY, MOST + " operations are remembered already", "try again in some minutes");
        }
        Operation operation = new Operation("o" + ++number, kind, site);
        operations.put(operation.id, operation);
        operation.thread = Thread.ofVirtual().name("operation " + operation.id).start(() -> run(operation, work));
        return operation.view();
    }

    private static void run(Operation operation, Work work) {
        try {
            operation.end("DONE", "", work.run(operation));
        } catch (CloudException | SiteDesk.Unable failure) {
            operation.end("FAILED", String.valueOf(failure.getMessage()), List.of());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            operation.end("FAILED", "interrupted; it may be begun again", List.of());
        } catch (RuntimeException fault) {
            LOG.error("operation {} for site {} failed", operation.kind, operation.site, fault);
            operation.end("FAILED", "the head failed to do it; its log says why", List.of());
        }
    }

    synchronized OperationView get(String id) {
        sweep();
        Operation operation = operations.get(id);
        if (operation == null) {
            throw new ApiException(
                    Code.NOT_FOUND, "there is no operation " + id, "it ended long ago, or before a restart");
        }
        return operation.view();
    }

    private void sweep() {
        Instant now = clock.instant();
        for (Iterator<Operation> all = operations.values().iterator(); all.hasNext(); ) {
            Operation operation = all.next();
            operation.giveUpIfLate(now);
            if (!operation.isRunning()
                    && now.isAfter(operation.begunAt.plus(LONGEST).plus(KEPT))) {
                all.remove();
            }
        }
        // The oldest of those that have ended make room.
        for (Iterator<Operation> all = operations.values().iterator(); all.hasNext() && operations.size() >= MOST; ) {
            if (!all.next().isRunning()) {
                all.remove();
            }
        }
    }

    @Override
    public synchronized void close() {
        for (Operation operation : operations.values()) {
            Thread running = operation.thread;
            if (running != null) {
                running.interrupt();
            }
        }
    }
}
