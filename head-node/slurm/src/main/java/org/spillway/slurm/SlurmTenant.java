package org.spillway.slurm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.spillway.head.config.WorkloadKind;
import org.spillway.head.config.WorkloadSettings;
import org.spillway.head.rest.RoutePart;
import org.spillway.head.tenant.ChildManager;
import org.spillway.head.tenant.Ground;
import org.spillway.head.tenant.HeadDesk;
import org.spillway.head.tenant.Tenancy;
import org.spillway.head.tenant.WorkloadTenant;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.settings.Section;
import org.spillway.slurm.child.SlurmChild;
import org.spillway.slurm.hooks.LoopHooks;
import org.spillway.slurm.hooks.SlurmCheck;
import org.spillway.slurm.hooks.SlurmDesk;
import org.spillway.slurm.hooks.SlurmRoutes;
import org.spillway.slurm.manager.Slots;
import org.spillway.slurm.manager.SlurmWorkload;
import org.spillway.slurm.settings.SlurmReader;
import org.spillway.slurm.settings.SlurmSettings;

/** Slurm, for {@code ServiceLoader}. */
public final class SlurmTenant implements WorkloadTenant, WorkloadKind {
    @Override
    public String name() {
        return SlurmSettings.NAME;
    }

    @Override
    public Optional<WorkloadKind> section() {
        return Optional.of(this);
    }

    @Override
    public WorkloadSettings read(Section section, Path base, Set<String> sites) {
        return SlurmReader.read(section, base, sites);
    }

    @Override
    public Tenancy open(Ground ground) throws IOException {
        refuseOtherThanUtf8(System.getProperty("sun.jnu.encoding", ""));
        var settings = ground.config().workload().of(SlurmSettings.class).orElseThrow();
        var manager = new SlurmWorkload(
                settings,
                ground.config().queues().values(),
                ground.logins(),
                ground.known(),
                ground.clock(),
                ground.changed());
        return new Opened(ground, settings, manager);
    }

    @Override
    public Optional<ChildManager> child() {
        return Optional.of(new SlurmChild());
    }

    @Override
    public String entering(String number) {
        return number.matches("\\d{1,10}(_\\d{1,9})?") ? "type: srun --jobid=" + number + " --overlap --pty bash" : "";
    }

    @Override
    public Optional<RoutePart> refusals() {
        return Optional.of(new SlurmRoutes(Optional::empty));
    }

    private record Opened(Ground ground, SlurmSettings settings, SlurmWorkload slurm) implements Tenancy {
        @Override
        public WorkloadManager manager() {
            return slurm;
        }

        @Override
        public Optional<RoutePart> routes(HeadDesk head) {
            var desk = new SlurmDesk(
                    settings.user(),
                    Slots.names(settings),
                    new LoopHooks(head, slurm::lines, slurm::nodeOf),
                    new SlurmCheck(ground.config(), head));
            return Optional.of(new SlurmRoutes(() -> Optional.of(desk)));
        }
    }

    /**
     * Slurm's users name their folders as they like, and a JVM cannot open what its locale has no letters for.
     *
     * @param encoding of names of files, as the JVM says it
     */
    static void refuseOtherThanUtf8(String encoding) throws IOException {
        if (!encoding.equalsIgnoreCase("UTF-8") && !encoding.equalsIgnoreCase("UTF8")) {
            throw new IOException("names of files are read as " + encoding + ", and users of Slurm may have folders"
                    + " with other letters: start the head with LC_ALL=C.UTF-8, or another UTF-8 locale of this"
                    + " machine (locale -a)");
        }
    }
}
