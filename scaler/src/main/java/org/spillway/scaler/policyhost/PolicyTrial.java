package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** An author's tools before a head has the policy: an example to begin with, and the check that a head makes. */
public final class PolicyTrial {
    private static final int SEEDS = 500;

    private PolicyTrial() {}

    /**
     * @param name of the policy; empty when it did not pass
     * @param findings what is wrong; empty when it passed
     * @param containment how it was kept meanwhile
     */
    public record Result(
            String name, List<SettingDescription> settings, List<Finding> findings, String containment, int clusters) {
        public Result {
            settings = List.copyOf(settings);
            findings = List.copyOf(findings);
        }

        public boolean passed() {
            return findings.isEmpty();
        }
    }

    /**
     * Compiles and checks it in a child, as a head would.
     *
     * @param settings to try it with, by key; what is missing has its default
     * @param said hears what the policy prints
     * @throws IOException if the file cannot be read
     */
    public static Result check(
            Path file, Map<String, String> settings, int memoryMib, Duration deadline, Consumer<String> said)
            throws IOException {
        String fileName = String.valueOf(file.getFileName());
        Containment containment = Containment.probe();
        try (Nursery nursery = new Nursery(containment, memoryMib, deadline, said)) {
            PolicyFiles.requireName(file);
            byte[] content = PolicyFiles.content(file);
            Nursery.Grown grown = nursery.grow(fileName, content, Map.of("", settings), SEEDS, null);
            grown.child().close();
            return new Result(grown.name(), grown.settings(), List.of(), containment.description(), SEEDS);
        } catch (NotTaken refused) {
            return new Result("", List.of(), refused.findings(), containment.description(), SEEDS);
        }
    }

    /**
     * The name of the class, and so of the file, of a policy: {@code night-shift} is {@code NightShift}.
     *
     * @throws IllegalArgumentException if this is no name of a policy
     */
    public static String className(String policy) {
        if (!policy.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*") || policy.length() > 40) {
            throw new IllegalArgumentException("'" + policy
                    + "' is no name for a policy; allowed: lower-case letters, digits and dashes, at most 40");
        }
        return Arrays.stream(policy.split("-", -1))
                .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                .collect(Collectors.joining());
    }

    /** A policy to begin with: it compiles, passes, and does something useful. */
    public static String example(String policy) {
        try (InputStream in = PolicyTrial.class.getResourceAsStream("example.txt")) {
            if (in == null) {
                throw new IllegalStateException("example.txt is missing: this is not a complete build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("@CLASS@", className(policy))
                    .replace("@NAME@", policy);
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }
}
