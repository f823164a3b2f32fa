package org.spillway.cloud.azure;

import com.azure.core.util.Context;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.models.InstanceViewTypes;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * Machines by their names, one call each. Denied is 404 with {@code ResourceNotFound} alone, the resource manager's word
 * for a resource that is not in its group ("Resolve errors for resource not found"). A group or a subscription that is
 * not found says nothing of a machine, and neither does a right that was taken away.
 */
final class AzureLookup implements Lookup {
    private static final String DENIED = "ResourceNotFound";
    private final AzureParts parts;

    AzureLookup(AzureParts parts) {
        this.parts = parts;
    }

    @Override
    public Map<String, Look> look(Collection<String> instanceIds) throws CloudException {
        Map<String, Look> all = new LinkedHashMap<>();
        if (instanceIds.isEmpty()) {
            return all;
        }
        Map<String, Future<Look>> running = new LinkedHashMap<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(
                Math.min(Launches.AT_A_TIME, instanceIds.size()),
                Thread.ofVirtual().factory())) {
            for (String id : instanceIds) {
                running.computeIfAbsent(id, each -> pool.submit(() -> look(each)));
            }
            for (Map.Entry<String, Future<Look>> each : running.entrySet()) {
                all.put(each.getKey(), each.getValue().get());
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new CloudException(Reason.THROTTLED, "interrupted", stop);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof CloudException told) {
                throw told;
            }
            throw new CloudException(Reason.THROTTLED, "failed in between: " + Arm.firstLine(failed), failed);
        }
        return all;
    }

    private Look look(String id) throws CloudException {
        if (!id.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,79}")) {
            return new Look.Unsure("it is no machine's name");
        }
        Arm arm = parts.arm();
        Answer<VirtualMachineInner> answer = arm.call(() -> arm.compute()
                .getVirtualMachines()
                .getByResourceGroupWithResponse(
                        parts.settings().resourceGroup(), id, InstanceViewTypes.INSTANCE_VIEW, Context.NONE));
        return switch (answer) {
            case Answer.Done<VirtualMachineInner> done -> new Look.Found(instance(done.body()));
            case Answer.Refused<VirtualMachineInner> no
            when no.status() == 404 ->
                no.code().equals(DENIED) ? new Look.Denied(DENIED) : new Look.Unsure("answer " + no.message());
            case Answer.Refused<VirtualMachineInner> no -> throw new CloudException(no.reason(), no.message());
            case Answer.Unsent<VirtualMachineInner> unsent ->
                throw new CloudException(unsent.reason(), unsent.message());
            case Answer.Unclear<VirtualMachineInner> unclear ->
                throw new CloudException(Reason.THROTTLED, unclear.message());
        };
    }

    /** Without addresses, which are other resources: a listing tells them. */
    private Instance instance(VirtualMachineInner machine) {
        Machines.Status status =
                Machines.statuses(List.of(machine)).getOrDefault(Machines.key(machine.id()), Machines.Status.NONE);
        return Machines.instance(
                parts.site().site(), parts.settings(), machine, status, new Machines.Addresses("", ""));
    }
}
