package org.spillway.head.doctor;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Needs;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Site;

/** A driver's own checks of one site, which may take no longer than they are given. */
public final class SiteLook {
    private SiteLook() {}

    /** The findings; a driver that throws, or is not done in time, is a finding too. */
    public static List<Finding> at(Site site, Needs needs, Duration limit) throws InterruptedException {
        CompletableFuture<List<Finding>> answer = new CompletableFuture<>();
        Thread looking = Thread.ofVirtual().name("look").start(() -> {
            try {
                answer.complete(List.copyOf(site.diagnostics().check(needs)));
            } catch (RuntimeException | LinkageError fault) {
                answer.completeExceptionally(fault);
            }
        });
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            return List.of(new Finding(
                    "time",
                    Verdict.BROKEN,
                    "the provider's checks were not done within " + limit.toSeconds() + " s",
                    "see whether this machine reaches the provider's endpoint at all"));
        } catch (ExecutionException fault) {
            return List.of(new Finding(
                    "driver",
                    Verdict.BROKEN,
                    "its checks failed: " + fault.getCause(),
                    "this is a mistake in the driver: please report it"));
        } finally {
            looking.interrupt();
        }
    }
}
