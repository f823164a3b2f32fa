package org.spillway.cloud.openstack;

import org.openstack4j.core.transport.HttpExecutorService;
import org.openstack4j.core.transport.HttpRequest;
import org.openstack4j.core.transport.HttpResponse;

/**
 * By this, OpenStack4j's services send over the driver's own {@link Wire}. Its own connectors (3.12) send a launch twice
 * after a broken connection or a 503, and what they throw does not say whether a request has left. Found by ServiceLoader.
 */
public final class Connector implements HttpExecutorService {
    /** The call that is under way in this thread: OpenStack4j hands the connector a request and nothing of its caller's. */
    static final ScopedValue<Exchange> UNDER_WAY = ScopedValue.newInstance();

    @Override
    public <R> HttpResponse execute(HttpRequest<R> request) {
        return UNDER_WAY.get().send(request);
    }

    @Override
    public String getExecutorDisplayName() {
        return "Spillway";
    }
}
