package org.spillway.cloud;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.spillway.policy.Offering;

/** A provider's compute behind another, which overrides what it does otherwise. */
public abstract class ForwardingCompute implements Compute {
    private final Compute compute;

    protected ForwardingCompute(Compute compute) {
        this.compute = compute;
    }

    @Override
    public List<Offering> offerings() throws CloudException {
        return compute.offerings();
    }

    @Override
    public LaunchAnswer launch(LaunchRequest request) {
        return compute.launch(request);
    }

    @Override
    public void terminate(Collection<String> instanceIds) throws CloudException {
        compute.terminate(instanceIds);
    }

    @Override
    public List<Instance> list() throws CloudException {
        return compute.list();
    }

    @Override
    public Optional<Lookup> lookup() {
        return compute.lookup();
    }

    @Override
    public Duration consistencyWindow() {
        return compute.consistencyWindow();
    }
}
