package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;

/**
 * A policy from a file that has passed its check, in a child process as a head would have it, for who asks in its own time: a
 * simulation. A child that ends is started again; after so many failures in a row it is asked no more. One thread at a time.
 */
public final class ContainedPolicy implements ScalingPolicy<PluginSettings>, AutoCloseable {
    private static final int SEEDS = 200;
    private static final int SEEDS_AGAIN = 20;
    private static final int STRIKES = 3;

    private final String file;
    private final byte[] content;
    private final Map<String, String> texts;
    private final Duration deadline;
    private final Nursery nursery;
    private final String name;
    private @Nullable ChildProcess child;
    private int strikes;
    private long asked;
    private long failed;
    private String failure = "";

    private ContainedPolicy(
            String file,
            byte[] content,
            Map<String, String> texts,
            Duration deadline,
            Nursery nursery,
            Nursery.Grown grown) {
        this.file = file;
        this.content = content;
        this.texts = texts;
        this.deadline = deadline;
        this.nursery = nursery;
        name = grown.name();
        child = grown.child();
    }

    /** A file is not taken; the findings name file and line where they can. */
    public static final class Refused extends Exception {
        private static final long serialVersionUID = 1;
        private final transient List<Finding> findings;

        private Refused(NotTaken refused) {
            super(refused.getMessage());
            findings = refused.findings();
        }

        public List<Finding> findings() {
            return findings;
        }
    }

    /**
     * Compiles and checks it as a head does.
     *
     * @param texts settings by key; what is missing has its default
     * @param deadline for one decision, of the policy's own time
     * @param said hears what the policy prints
     * @throws IOException if the file cannot be read
     */
    public static ContainedPolicy open(
            Path file, Map<String, String> texts, int memoryMib, Duration deadline, Consumer<String> said)
            throws IOException, Refused {
        String fileName = String.valueOf(file.getFileName());
        Nursery nursery = new Nursery(Containment.probe(), memoryMib, deadline, said);
        boolean opened = false;
        try {
            PolicyFiles.requireName(file);
            byte[] content = PolicyFiles.content(file);
            Nursery.Grown grown = nursery.grow(fileName, content, Map.of("", texts), SEEDS, null);
            opened = true;
            return new ContainedPolicy(fileName, content, texts, deadline, nursery, grown);
        } catch (NotTaken refused) {
            throw new Refused(refused);
        } finally {
            if (!opened) {
                nursery.close();
            }
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public PluginSettings defaults() {
        return new PluginSettings(texts, PluginSettings.NONE.rules());
    }

    /** @throws IllegalStateException with what it did instead of answering, after its name */
    @Override
    public List<Wish> decide(ClusterSnapshot now, PluginSettings settings, Planner planner) {
        asked++;
        if (strikes >= STRIKES) {
            failed++;
            throw new IllegalStateException(failure);
        }
        try {
            List<Wish> wishes = Nursery.decide(running(), settings.rules(), now, deadline);
            strikes = 0;
            return wishes;
        } catch (ChildFailure struck) {
            throw failure(struck.sentence());
        } catch (NotTaken refused) {
            throw failure("did not start: " + refused.findings().getFirst());
        }
    }

    private IllegalStateException failure(String sentence) {
        strikes++;
        failed++;
        failure = sentence;
        return new IllegalStateException(sentence);
    }

    private ChildProcess running() throws NotTaken {
        ChildProcess there = child;
        if (there == null || !there.isAlive()) {
            if (there != null) {
                there.close();
            }
            there = nursery.grow(file, content, Map.of("", texts), SEEDS_AGAIN, null)
                    .child();
            child = there;
        }
        return there;
    }

    /** A sentence of what went wrong, after its name, with file and line where they are known; empty for nothing. */
    public String troubles() {
        return failed == 0
                ? ""
                : "gave no answer to " + failed + " of " + asked + " questions; the last time it " + failure
                        + (strikes >= STRIKES ? ", and was asked no more" : "");
    }

    @Override
    public void close() throws IOException {
        if (child != null) {
            child.close();
        }
        nursery.close();
    }
}
