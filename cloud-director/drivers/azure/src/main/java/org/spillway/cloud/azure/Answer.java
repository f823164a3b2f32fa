package org.spillway.cloud.azure;

import java.util.Set;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/** How a call to the resource manager ended. */
sealed interface Answer<T> {
    /**
     * @param operation where to follow what was accepted; empty for what is done
     * @param pauseSeconds that the provider asks for before the first look; below 0 if it asks for none
     */
    record Done<T>(T body, int status, String operation, int pauseSeconds) implements Answer<T> {}

    /** The provider said that it did nothing. @param code its own; may be empty */
    record Refused<T>(int status, String code, Reason reason, String message) implements Answer<T> {
        /** Only what a resource manager says of a resource: any server says 404 to an address that it does not know. */
        boolean isGone() {
            return status == 404 && GONE.contains(code);
        }

        private static final Set<String> GONE =
                Set.of("ResourceNotFound", "NotFound", "ResourceGroupNotFound", "ParentResourceNotFound");
    }

    /** Nothing left this machine. */
    record Unsent<T>(Reason reason, String message) implements Answer<T> {}

    /** Sent, and then silence or noise. */
    record Unclear<T>(String message) implements Answer<T> {}

    /** The body. @throws CloudException for every other end */
    default T orThrow() throws CloudException {
        return switch (this) {
            case Done<T> done -> done.body();
            case Refused<T> no -> throw new CloudException(no.reason(), no.message());
            case Unsent<T> unsent -> throw new CloudException(unsent.reason(), unsent.message());
            case Unclear<T> unclear -> throw new CloudException(Reason.THROTTLED, unclear.message());
        };
    }

    /** The same end without a body. @throws IllegalStateException if it is one with */
    default <U> Answer<U> failed() {
        return switch (this) {
            case Done<T> done -> throw new IllegalStateException("not failed: " + done.status());
            case Refused<T> no -> new Refused<>(no.status(), no.code(), no.reason(), no.message());
            case Unsent<T> unsent -> new Unsent<>(unsent.reason(), unsent.message());
            case Unclear<T> unclear -> new Unclear<>(unclear.message());
        };
    }
}
