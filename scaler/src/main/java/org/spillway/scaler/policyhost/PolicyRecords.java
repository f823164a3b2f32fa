package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Records that have to outlive the head: which policy was enabled, which are disabled, and the versions that there
 * were. A small file, replaced at once. Not for several threads.
 */
final class PolicyRecords {
    private static final int SCHEMA = 1;
    private static final int MOST_VERSIONS = 50;
    private static final int MOST_POLICIES = 200;

    private final Path file;
    private final TreeMap<String, List<PolicyVersion>> versions = new TreeMap<>();
    private final TreeSet<String> disabled = new TreeSet<>();
    private @Nullable Choice choice;
    private boolean changed;

    /** @param over what was configured when it was chosen: another configuration ends the choice */
    private record Choice(String policy, String over) {}

    private record Stored(
            int schema,
            @Nullable Choice choice,
            @Nullable Set<String> disabled,
            @Nullable Map<String, List<PolicyVersion>> versions) {}

    private PolicyRecords(Path file) {
        this.file = file;
    }

    /** @throws IOException if it is there and cannot be read; the message says what to do */
    static PolicyRecords open(Path file) throws IOException {
        PolicyRecords records = new PolicyRecords(file);
        if (Files.exists(file)) {
            try {
                records.take(PolicyJson.MAPPER.readValue(Files.readAllBytes(file), Stored.class));
            } catch (IOException unreadable) {
                throw new IOException(
                        file + " cannot be read: " + Plain.text(unreadable.getMessage())
                                + "; move it away to begin without a history of policies",
                        unreadable);
            }
        }
        return records;
    }

    private void take(Stored stored) throws IOException {
        if (stored.schema() != SCHEMA) {
            throw new IOException("it is of schema " + stored.schema() + ", this release knows " + SCHEMA);
        }
        choice = stored.choice();
        if (stored.disabled() != null) {
            disabled.addAll(stored.disabled());
        }
        if (stored.versions() != null) {
            stored.versions().forEach((name, list) -> versions.put(name, new ArrayList<>(list)));
        }
    }

    Optional<String> chosen(String configured) {
        Choice stored = choice;
        return stored == null || !stored.over().equals(configured) ? Optional.empty() : Optional.of(stored.policy());
    }

    void choose(String policy, String configured) {
        choice = policy.equals(configured) ? null : new Choice(policy, configured);
        changed = true;
    }

    boolean isDisabled(String policy) {
        return disabled.contains(policy);
    }

    void setDisabled(String policy, boolean is) {
        changed |= is ? disabled.add(policy) : disabled.remove(policy);
    }

    List<PolicyVersion> versions(String policy) {
        return List.copyOf(versions.getOrDefault(policy, List.of()));
    }

    /** The same version again, as after a restart, goes on; one that was refused and is refused again is one refusal. */
    void begin(String policy, PolicyVersion version) {
        List<PolicyVersion> list = versions.computeIfAbsent(policy, name -> new ArrayList<>());
        PolicyVersion last = list.isEmpty() ? null : list.getLast();
        boolean same = last != null
                && (last.until() == null || !last.taken())
                && last.digest().equals(version.digest())
                && last.taken() == version.taken();
        if (same) {
            return;
        }
        if (version.taken()) {
            end(policy, version.since(), "replaced by " + version.digest().substring(0, 12));
        }
        list.add(version);
        if (list.size() > MOST_VERSIONS) {
            list.removeFirst();
        }
        while (versions.size() > MOST_POLICIES) {
            versions.pollFirstEntry();
        }
        changed = true;
    }

    /** Ends what was the newest. */
    void end(String policy, Instant now, String why) {
        List<PolicyVersion> list = versions.getOrDefault(policy, List.of());
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i).until() == null && list.get(i).taken()) {
                list.set(i, list.get(i).ended(now, why));
                changed = true;
            }
        }
    }

    /** A version that passed and was not replaced, and the policy that it is of. */
    record Standing(String policy, PolicyVersion version) {}

    /** All that stand, by the policy's name. */
    List<Standing> standing() {
        List<Standing> all = new ArrayList<>();
        versions.forEach((policy, list) -> list.stream()
                .filter(version -> version.taken() && version.until() == null)
                .forEach(version -> all.add(new Standing(policy, version))));
        return all;
    }

    void strike(String policy) {
        List<PolicyVersion> list = versions.getOrDefault(policy, List.of());
        for (int i = list.size() - 1; i >= 0; i--) {
            if (list.get(i).taken()) {
                list.set(i, list.get(i).struck());
                changed = true;
                return;
            }
        }
    }

    /** When this digest was taken, if it still is the newest. */
    Optional<Instant> since(String policy, String digest) {
        return versions(policy).stream()
                .filter(one ->
                        one.taken() && one.until() == null && one.digest().equals(digest))
                .map(PolicyVersion::since)
                .findFirst();
    }

    /** Writes what changed, if anything did. */
    void save() throws IOException {
        if (!changed) {
            return;
        }
        byte[] text = PolicyJson.MAPPER
                .writerWithDefaultPrettyPrinter()
                .writeValueAsBytes(new Stored(SCHEMA, choice, disabled, versions));
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(next, text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        changed = false;
    }
}
