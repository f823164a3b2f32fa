package org.spillway.head.doctor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.spillway.api.NodeState;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalGlance;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.past.StateIdFile;
import org.spillway.policy.Money;

/** Checks that need no provider. Changes nothing. */
final class OwnChecks {
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    /** Four times what the journal reserves for ends. */
    private static final long LEAST_ROOM_BYTES = 64L << 20;

    private static final Set<String> PUBLIC = Set.of("caFile", "publicKeyFile", "PublicKeyFile");

    private OwnChecks() {}

    /** Of the head as a whole. */
    static List<Finding> head(HeadConfig config) {
        List<Finding> findings = new ArrayList<>();
        findings.add(writable("state directory", config.state()));
        Path secrets = config.state().resolve("secrets");
        if (Files.isDirectory(secrets)) {
            findings.add(closed("secrets", secrets, "chmod 700 " + secrets));
        }
        try {
            boolean any = JournalGlance.at(config.state()).isPresent();
            findings.add(good("journal", any ? "can be read" : "there is none yet"));
        } catch (JournalFailure unreadable) {
            findings.add(new Finding(
                    "journal",
                    Verdict.WARNING,
                    String.valueOf(unreadable.getMessage()),
                    "ask as root, or as the user that the head runs as"));
        }
        config.backup()
                .ifPresent(wanted -> findings.addAll(BackupLook.at(
                        wanted, config.timeZone(), InstantSource.system().instant())));
        past(config).ifPresent(findings::add);
        VersionsLook.here(config).ifPresent(findings::add);
        MarketLook.ofPolicy(config).ifPresent(findings::add);
        return findings;
    }

    /** Whether the journal knows all of its past; nothing where that cannot be read, which is said of the journal. */
    private static Optional<Finding> past(HeadConfig config) {
        try {
            return new StateIdFile(config.state())
                    .read()
                    .map(mark -> mark.quarantined()
                            ? new Finding(
                                    "past",
                                    Verdict.WARNING,
                                    "quarantine: the journal does not know all that may run; nothing unknown is ended",
                                    "'spillway recover' shows it, and adopts, keeps or ends it")
                            : good("past", "the journal knows it, in epoch " + mark.epoch()));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /** Of one site. */
    static List<Finding> site(HeadConfig config, HeadConfig.Site site) {
        List<Finding> findings = new ArrayList<>();
        findings.add(writable("site's state", site.settings().stateDirectory()));
        new TreeMap<>(site.settings().options()).forEach((key, value) -> {
            if (key.endsWith("File")) {
                findings.add(file(key, Path.of(value)));
            }
        });
        MarketLook.of(config, site).ifPresent(findings::add);
        if (!site.home()) {
            boolean paid = site.egressPerGigabyte().isMoreThan(Money.ZERO);
            findings.add(
                    good(
                            "results",
                            paid
                                    ? "count " + site.egressPerGigabyte() + " " + config.currency()
                                            + " per GB on their way home"
                                    : "cost nothing on their way home: where the provider takes money for that, set egressPerGB"));
        }
        try {
            JournalGlance.at(config.state())
                    .ifPresent(journal -> journal.nodes(site.name()).stream()
                            .filter(node -> node.isDirector() && !node.address().isEmpty())
                            .forEach(director -> findings.add(link(director))));
            DirectorLook.at(site.name(), JournalGlance.directors(config.state(), site.name(), DirectorLook.MOST))
                    .ifPresent(findings::add);
        } catch (JournalFailure unreadable) {
            // Said of the head already.
        }
        return findings;
    }

    private static Finding good(String check, String detail) {
        return new Finding(check, Verdict.GOOD, detail, "");
    }

    /** The folder, or the one in which it would be made. */
    private static Finding writable(String check, Path folder) {
        Path there = folder;
        while (there != null && !Files.exists(there)) {
            there = there.getParent();
        }
        if (there != null && Files.isDirectory(there) && Files.isWritable(there)) {
            return room(check, folder, there);
        }
        if (there != null && isReadOnly(there)) {
            return new Finding(
                    check,
                    Verdict.BROKEN,
                    folder + " lies on a disk that is mounted read-only",
                    "mount it to be written (mount -o remount,rw), and look at the kernel's log for why it is so");
        }
        return new Finding(
                check,
                Verdict.BROKEN,
                "this user can neither write nor make " + folder,
                "start it as the user that owns it, or correct 'state:' in the configuration");
    }

    private static boolean isReadOnly(Path there) {
        try {
            return Files.getFileStore(there).isReadOnly();
        } catch (IOException unsaid) {
            return false;
        }
    }

    private static Finding room(String check, Path folder, Path there) {
        String said = folder + (there.equals(folder) ? " can be written" : " can be made");
        try {
            long left = Files.getFileStore(there).getUsableSpace();
            if (left < LEAST_ROOM_BYTES) {
                return new Finding(
                        check,
                        Verdict.WARNING,
                        said + ", and its disk has " + (left >> 20) + " MiB left",
                        "make room there: a head on a full disk takes no jobs and buys nothing");
            }
        } catch (IOException unsaid) {
            return good(check, said);
        }
        return good(check, said);
    }

    /** Whatever is not known to be public is a secret. */
    private static Finding file(String key, Path file) {
        boolean isPublic = PUBLIC.stream().anyMatch(key::endsWith);
        String check = (isPublic ? "file " : "secret ") + key;
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            return new Finding(
                    check,
                    Verdict.BROKEN,
                    file + " is not a file that this user can read",
                    "put it there, owned by the user that the head runs as, with mode 600");
        }
        if (isPublic) {
            return good(check, file + " can be read");
        }
        return closed(check, file, "chmod 600 " + file);
    }

    /** Nobody but its owner may do anything with it. */
    private static Finding closed(String check, Path path, String repair) {
        try {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(path);
            boolean open = mode.stream()
                    .anyMatch(right -> !OWNER_ONLY.contains(right) && right != PosixFilePermission.OWNER_EXECUTE);
            String said = path + " has mode " + PosixFilePermissions.toString(mode);
            return open ? new Finding(check, Verdict.BROKEN, said + ": others reach it", repair) : good(check, said);
        } catch (IOException unreadable) {
            return new Finding(check, Verdict.WARNING, "its mode cannot be read: " + unreadable.getMessage(), repair);
        }
    }

    /** Whether what answers at its port speaks SSH; who it is, the head's own link verifies. */
    private static Finding link(NodeRecord director) {
        String place = director.address() + " port " + director.sshPort();
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(director.address(), director.sshPort()), (int) ANSWER.toMillis());
            socket.setSoTimeout((int) ANSWER.toMillis());
            String greeting = new String(socket.getInputStream().readNBytes(8), StandardCharsets.US_ASCII);
            if (greeting.equals("SSH-2.0-")) {
                return good("director's port", director.id() + " answers at " + place);
            }
            return away(director, place + " does not answer as SSH");
        } catch (IOException | IllegalArgumentException unreachable) {
            return away(director, place + " cannot be reached: " + unreachable.getMessage());
        }
    }

    private static Finding away(NodeRecord director, String what) {
        return new Finding(
                "director's port",
                director.nodeState() == NodeState.READY ? Verdict.BROKEN : Verdict.WARNING,
                director.id() + " (" + director.nodeState() + ") at " + what,
                "let TCP from this machine to that port pass: security group, network, firewall");
    }
}
