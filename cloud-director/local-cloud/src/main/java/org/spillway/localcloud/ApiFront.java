package org.spillway.localcloud;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Another provider's API in its own wire format. Found by {@link java.util.ServiceLoader}; made without arguments. */
public interface ApiFront {
    /** As in {@code --api}: ec2, arm, nova. */
    String api();

    /** Called once, before the first request. @param endpoint its own, such as {@code http://127.0.0.1:4566} */
    void open(CloudBehind cloud, String endpoint) throws IOException;

    /** For an API that is spoken over TLS only; its trust anchor lies in {@code stateFor(api())/ca.pem}. */
    default @Nullable SSLContext tls(CloudBehind cloud) throws IOException {
        return null;
    }

    /** The action of a request, by which {@link Fault.Kind#ANSWER} strikes; empty for one that it never strikes. */
    default String action(FrontRequest request) {
        return "";
    }

    /**
     * An answer of its provider's documents.
     *
     * @param fault with its form, and the seconds of the pause that it asks for
     * @param now by the cloud's clock
     * @throws IllegalArgumentException for a form that it does not know, with those that it does
     */
    default FrontReply published(FrontRequest request, Fault fault, Instant now) {
        throw new IllegalArgumentException("the API " + api() + " has no published answers here");
    }

    /** Kinds of {@code --broken}, each as it is typed; {@link Manner#ACTION} at the end of one that takes an action's name. */
    default Set<String> brokenKinds() {
        return Set.of();
    }

    /** Of its machines; empty where this front has none. */
    default Optional<InstanceMetadata> metadata() {
        return Optional.empty();
    }

    /** May be called from many threads at a time. What it throws is answered with 500. */
    FrontReply answer(FrontRequest request) throws IOException;
}
