package org.spillway.proof.simulate;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.spillway.cli.CliFailure;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.SettingTexts;
import org.spillway.policy.builtin.BuiltInPolicies;
import org.spillway.scaler.policyhost.ContainedPolicy;
import org.spillway.scaler.policyhost.PolicyTrial;
import org.spillway.scaler.simulate.PolicyChoice;

/**
 * Policies as they are written on a command line: {@code NAME}, {@code FILE}, or either with {@code :key=value,key=value};
 * {@code A+B} is a chain of built-in ones, {@code shipped} all of them. Those from files live in child processes until this is
 * closed.
 */
final class Policies implements AutoCloseable {
    /** Beside one's own policy, where no built-in one is named. */
    private static final List<String> BESIDE = List.of("queue-depth", "cost-first");

    private static final String SHIPPED = "shipped";

    private final Path folder;
    private final int memoryMib;
    private final Duration deadline;
    private final PrintWriter err;
    private final List<ContainedPolicy> contained = new ArrayList<>();

    /**
     * @param folder in which one's own policies lie, by name
     * @param deadline for one decision of theirs
     * @param err hears what they print, and what is wrong with them
     */
    Policies(Path folder, int memoryMib, Duration deadline, PrintWriter err) {
        this.folder = folder;
        this.memoryMib = memoryMib;
        this.deadline = deadline;
        this.err = err;
    }

    /** @param texts as written; none for the usual one */
    List<PolicyChoice<?>> parse(List<String> texts) {
        List<PolicyChoice<?>> choices = new ArrayList<>();
        for (String text : texts.isEmpty() ? BESIDE.subList(0, 1) : texts) {
            if (text.equals(SHIPPED)) {
                BuiltInPolicies.byName().keySet().stream()
                        .filter(name -> !name.equals("chain"))
                        .forEach(name -> choices.add(parse(name)));
            } else {
                choices.add(parse(text));
            }
        }
        if (!contained.isEmpty() && contained.size() == choices.size()) {
            BESIDE.forEach(name -> choices.add(parse(name)));
        }
        return choices;
    }

    private PolicyChoice<?> parse(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        Map<String, String> settings = settings(text, colon < 0 ? "" : text.substring(colon + 1));
        Optional<BuiltInPolicies.Entry> builtIn = BuiltInPolicies.find(name);
        return builtIn.isPresent()
                ? choice(text, builtIn.get().policy(), settings)
                : ofFile(file(name), colon < 0 ? "" : text.substring(colon), settings);
    }

    /** A path, or the name of a policy whose file lies in the folder. */
    private Path file(String name) {
        if (name.endsWith(".java") || name.endsWith(".jar") || name.contains("/")) {
            Path file = Path.of(name);
            if (!Files.isRegularFile(file)) {
                throw bad("there is no file " + file, "'spillway policy new NAME' writes one");
            }
            return file;
        }
        List<Path> found = candidates(name);
        if (found.isEmpty()) {
            throw bad(
                    "there is no policy '" + name + "', and no file of it in " + folder,
                    "allowed: " + String.join(", ", BuiltInPolicies.byName().keySet())
                            + ", a file such as NightShift.java, or a name with --policies FOLDER");
        }
        return found.getFirst();
    }

    private List<Path> candidates(String name) {
        try {
            String type = PolicyTrial.className(name);
            return Stream.of(type + ".java", name + ".jar", type + ".jar")
                    .map(folder::resolve)
                    .filter(Files::isRegularFile)
                    .toList();
        } catch (IllegalArgumentException noName) {
            return List.of();
        }
    }

    private PolicyChoice<?> ofFile(Path file, String label, Map<String, String> settings) {
        try {
            ContainedPolicy policy = ContainedPolicy.open(file, settings, memoryMib, deadline, this::say);
            contained.add(policy);
            return new PolicyChoice<>(policy.name() + label, policy, policy.defaults());
        } catch (ContainedPolicy.Refused refused) {
            refused.findings().forEach(finding -> say(finding.toString()));
            throw bad("the policy of " + file + " does not pass its check", "'spillway policy check " + file + "'");
        } catch (IOException unreadable) {
            throw bad(file + " cannot be read: " + unreadable.getMessage(), "");
        }
    }

    private void say(String line) {
        err.println(line);
        err.flush();
    }

    private static Map<String, String> settings(String label, String settings) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String one : settings.isEmpty() ? new String[0] : settings.split(",", -1)) {
            int equals = one.indexOf('=');
            if (equals < 1 || values.put(one.substring(0, equals), one.substring(equals + 1)) != null) {
                throw bad(
                        "'" + one + "' of --policy " + label + " is no setting",
                        "write NAME:key=value,key=value with each key once");
            }
        }
        return values;
    }

    private static <S extends Record> PolicyChoice<S> choice(
            String label, ScalingPolicy<S> policy, Map<String, String> settings) {
        try {
            return new PolicyChoice<>(label, policy, SettingTexts.with(policy.defaults(), settings));
        } catch (IllegalArgumentException refused) {
            throw bad("--policy " + label + ": " + refused.getMessage(), "");
        }
    }

    /** Says which policies from files gave no answer, with file and line, and whether there were any. */
    boolean troubles() {
        List<ContainedPolicy> failed =
                contained.stream().filter(one -> !one.troubles().isEmpty()).toList();
        failed.forEach(one -> say("policy " + one.name() + " " + one.troubles()
                + "; a head would have let a built-in one decide, so its figures say little"));
        return !failed.isEmpty();
    }

    @Override
    public void close() {
        for (ContainedPolicy one : contained) {
            try {
                one.close();
            } catch (IOException left) {
                say("what policy " + one.name() + " needed is left behind: " + left.getMessage());
            }
        }
    }

    private static CliFailure bad(String message, String hint) {
        return new CliFailure(CliFailure.BAD_INPUT, message, hint);
    }
}
