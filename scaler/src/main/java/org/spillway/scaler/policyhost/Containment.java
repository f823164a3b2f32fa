package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Walls that this machine lets us put around a child: found out by trying.
 *
 * @param prefix command before {@code java}, where {@link #FOLDER} is the folder of all children; empty for none
 * @param unprivileged whether the child runs as {@link #NOBODY}, and not as the head's user
 * @param mayRun whether plugins are run at all
 * @param description one sentence for administrators
 */
public record Containment(List<String> prefix, boolean unprivileged, boolean mayRun, String description) {
    /** The uid and gid of nobody on every Linux. */
    static final int NOBODY = 65_534;

    private static final String SEES =
            ", but SEES OTHER FILES AND SOCKETS: this kernel allows no root of its own (unshare --mount)";

    /** A machine that starts a hundred processes at once needs seconds for one. */
    private static final long TRYING_SECONDS = 60;

    private static final List<String> LIMITS = List.of("prlimit", "--nofile=256", "--core=0", "--fsize=67108864");
    /** Stands for the only folder, besides the system's programs, that is there. */
    static final String FOLDER = "@folder@";

    /**
     * The first process in the child's mount namespace: a root of programs, libraries, Java and {@code FOLDER}, with no
     * socket and nobody's files in it. It works as root, or as a user who is root in a namespace of its own.
     */
    private static final String WALLS = """
            set -e
            folder=$0 java=$1
            shift
            work=$(pwd -P)
            exec 8<"$folder" 9<"$java"
            mount -t tmpfs -o mode=755,size=1m,nosuid walls /tmp
            mkdir -p /tmp/usr /tmp/etc /tmp/proc /tmp/dev "/tmp$folder" "/tmp$java"
            mount -o bind,ro /usr /tmp/usr
            links=
            for each in /bin /sbin /lib /lib32 /lib64 /etc/java-*; do
              if [ -L "$each" ]; then
                links="$links $each"
              elif [ -d "$each" ]; then
                mkdir "/tmp$each"
                mount -o bind,ro "$each" "/tmp$each"
              fi
            done
            [ -z "$links" ] || cp -P $links /tmp/
            [ ! -r /etc/ld.so.cache ] || cp /etc/ld.so.cache /tmp/etc/
            case $java in /usr/*) ;; *) mount -c -o bind,ro /proc/self/fd/9 "/tmp$java" ;; esac
            case $folder in /usr*) ;; *) mount -c --bind /proc/self/fd/8 "/tmp$folder" ;; esac
            cp -dpR /dev/null /dev/random /dev/urandom /tmp/dev/ 2>/dev/null || for each in null random urandom; do
              : >"/tmp/dev/$each"
              mount --bind "/dev/$each" "/tmp/dev/$each"
            done
            mount -t proc -o nosuid,nodev,noexec proc /tmp/proc
            exec 8<&- 9<&-
            unset PWD
            exec unshare --root=/tmp --wd="$work" "$@"
            """;

    /** The child is the first process of its own pid namespace, so that with it ends whatever it started. */
    private static final List<String> OWN_PIDS = List.of("--pid", "--fork", "--kill-child=KILL");

    private static final List<String> NO_RIGHTS =
            List.of("setpriv", "--pdeathsig", "keep", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all");

    public Containment {
        prefix = List.copyOf(prefix);
    }

    /** A try that has not ended: neither yes nor no, so that no weaker walls follow from it. */
    static final class Unanswered extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Tries, the strictest first; takes some milliseconds, and at most a minute where a try does not end. */
    public static Containment probe() {
        return of(uid(), Containment::works);
    }

    /** @param works whether a command can be run behind such a prefix; throws {@link Unanswered} */
    static Containment of(int uid, Predicate<List<String>> works) {
        try {
            return uid == 0 ? ofRoot(works) : ofUser(works);
        } catch (Unanswered busy) {
            return new Containment(
                    List.of(),
                    false,
                    false,
                    "policies from files are NOT RUN: a try of their walls (unshare, setpriv) did not end within "
                            + TRYING_SECONDS + " s. Start the head again when this machine is less busy");
        }
    }

    private static Containment ofRoot(Predicate<List<String>> works) {
        List<String> nobody = join(
                NO_RIGHTS,
                List.of("--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"),
                LIMITS,
                List.of("--nproc=256"));
        List<String> walled = join(List.of("unshare", "--net", "--ipc", "--mount"), OWN_PIDS, walls(), nobody);
        if (works.test(walled)) {
            return new Containment(
                    walled,
                    true,
                    true,
                    "runs as nobody, without network, in a process namespace of its own, with no folder but its own");
        }
        List<String> own = join(List.of("unshare", "--net", "--ipc", "--mount-proc"), OWN_PIDS, nobody);
        if (works.test(own)) {
            return new Containment(
                    own, true, true, "runs as nobody, without network, in a process namespace of its own" + SEES);
        }
        List<String> net = join(List.of("unshare", "--net"), nobody);
        if (works.test(net)) {
            return new Containment(net, true, true, "runs as nobody, without network" + SEES);
        }
        if (works.test(nobody)) {
            return new Containment(
                    nobody,
                    true,
                    true,
                    "runs as nobody, but WITH NETWORK: this kernel allows no network namespace (unshare --net)");
        }
        return new Containment(
                List.of(),
                false,
                false,
                "policies from files are NOT RUN: the head runs as root, and setpriv (util-linux) cannot make them nobody");
    }

    private static Containment ofUser(Predicate<List<String>> works) {
        List<String> walled = join(
                List.of("unshare", "--map-root-user", "--net", "--ipc", "--mount"),
                OWN_PIDS,
                walls(),
                NO_RIGHTS,
                LIMITS);
        if (works.test(walled)) {
            return new Containment(
                    walled,
                    false,
                    true,
                    "runs as the head's user, without network, in a process namespace of its own, with no folder but"
                            + " its own");
        }
        List<String> own = join(
                List.of("unshare", "--map-root-user", "--net", "--ipc", "--mount-proc"), OWN_PIDS, NO_RIGHTS, LIMITS);
        if (works.test(own)) {
            return new Containment(
                    own,
                    false,
                    true,
                    "runs as the head's user, without network, in a process namespace of its own" + SEES);
        }
        List<String> net = join(List.of("unshare", "--map-root-user", "--net"), NO_RIGHTS, LIMITS);
        if (works.test(net)) {
            return new Containment(net, false, true, "runs as the head's user, without network" + SEES);
        }
        String cannot = "runs as the head's user and WITH NETWORK: this kernel allows users no network namespace"
                + " (unshare --map-root-user --net)";
        return works.test(LIMITS)
                ? new Containment(LIMITS, false, true, cannot)
                : new Containment(List.of(), false, true, cannot);
    }

    private static List<String> walls() {
        return List.of("sh", "-c", WALLS, FOLDER, System.getProperty("java.home"));
    }

    /** The prefix of a child that has that folder. */
    List<String> around(Path folder) {
        return prefix.stream()
                .map(word -> word.equals(FOLDER) ? folder.toString() : word)
                .toList();
    }

    @SafeVarargs
    private static List<String> join(List<String>... parts) {
        List<String> all = new ArrayList<>();
        for (List<String> part : parts) {
            all.addAll(part);
        }
        return all;
    }

    private static boolean works(List<String> prefix) {
        List<String> command = new ArrayList<>(prefix);
        command.replaceAll(word -> word.equals(FOLDER) ? "/usr" : word);
        command.add("true");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(Path.of("/").toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        cleanEnvironment(builder);
        try {
            Process process = builder.start();
            if (process.waitFor(TRYING_SECONDS, TimeUnit.SECONDS)) {
                return process.exitValue() == 0;
            }
            process.destroyForcibly();
            throw new Unanswered();
        } catch (IOException missing) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unanswered();
        }
    }

    static void cleanEnvironment(ProcessBuilder builder) {
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        builder.environment().put("LC_ALL", "C.UTF-8");
    }

    /** Of this process. */
    static int uid() {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException unknown) {
            // Taken for what has more to lose.
            return 0;
        }
    }
}
