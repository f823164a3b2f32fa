package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.PolicyRecord;
import org.spillway.head.replay.Replay;
import org.spillway.policy.ScalingPolicy;
import org.spillway.scaler.Decider;
import org.spillway.scaler.policyhost.ArchivedPolicies;
import org.spillway.scaler.policyhost.Containment;
import org.spillway.scaler.policyhost.PluginSettings;

/** Policies for replay: those of the release, and from files the very versions that a head has kept. */
public final class ReplayPolicies implements Replay.Policies, AutoCloseable {
    private static final String KEPT = "policies";

    private final Replay.Policies builtIn;
    private final ArchivedPolicies kept;

    /**
     * @param place a state directory, or a journal's file beside which the folder {@code policies} may lie
     * @param said hears what policies print
     */
    public ReplayPolicies(
            Map<String, ScalingPolicy<?>> builtIn,
            Path place,
            Containment containment,
            int memoryMib,
            Consumer<String> said) {
        this.builtIn = Replay.Policies.builtIn(builtIn);
        Path folder = Files.isDirectory(place)
                ? place.resolve(KEPT)
                : place.toAbsolutePath().resolveSibling(KEPT);
        kept = new ArchivedPolicies(folder, containment, memoryMib, said);
    }

    @Override
    public Replay.Found find(DecisionEntry.Made made) {
        if (made.version().isEmpty()) {
            return builtIn.find(made);
        }
        return PolicyRecord.settings(made, PluginSettings.NONE)
                .<Replay.Found>map(settings -> new Replay.Again(ofFile(made, settings)))
                .orElseGet(() ->
                        new Replay.Missing("the settings of policy " + made.policy() + " cannot be read any more"));
    }

    private Decider ofFile(DecisionEntry.Made made, PluginSettings settings) {
        var source = new Decider.Source(made.policy(), made.version(), made.release(), settings);
        Decider decider = kept.decider(source, settings);
        return (now, planner) -> {
            try {
                return decider.decide(now, planner);
            } catch (ArchivedPolicies.Gone gone) {
                throw new Replay.NoAnswer(Replay.named(made) + " " + gone.getMessage());
            }
        };
    }

    @Override
    public void close() throws IOException {
        kept.close();
    }
}
