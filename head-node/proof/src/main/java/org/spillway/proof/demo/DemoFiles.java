package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The demo's folder: configuration, clouds, users, image, data, scripts, results, and all that processes leave.
 *
 * @param data where its user's data is
 */
record DemoFiles(Path folder, Path data) {
    static final String HOME = "home";
    static final List<String> SCRIPTS = List.of("hours.sh", "shapes.sh", "resample.sh", "merge.sh", "steps.sh");

    /** By it a folder is known as one that may be removed. */
    private static final String MARK = ".spillway-demo";

    private static final String PRIVATE = "rwx------";
    private static final String OPEN = PRIVATE.replace("------", "r-xr-x");
    private static final Duration SLURM = Duration.ofSeconds(40);
    private static final String PROGRAM = "rwxr-xr-x";

    /** Who the demo runs as, as /etc/passwd and /etc/group would say it. */
    record Account(String user, String group, int uid, int gid) {
        static Account ofOwner(Path file) throws IOException {
            Map<String, Object> owner = Files.readAttributes(file, "unix:uid,gid,owner,group");
            return new Account(
                    String.valueOf(owner.get("owner")),
                    String.valueOf(owner.get("group")),
                    (Integer) owner.getOrDefault("uid", -1),
                    (Integer) owner.getOrDefault("gid", -1));
        }
    }

    /** @param wanted null for a new folder among the temporary ones; otherwise absent or empty */
    static DemoFiles create(@org.jspecify.annotations.Nullable Path wanted, WorkloadLog log, Regions regions)
            throws IOException {
        // Users of a Slurm pass through it.
        String rights = regions.haveHome() ? PRIVATE : OPEN;
        Path folder;
        if (wanted == null) {
            folder = temporary();
        } else {
            Files.createDirectories(wanted.toAbsolutePath());
            folder = wanted;
            try (var inside = Files.list(folder)) {
                if (inside.findAny().isPresent()) {
                    throw new IOException(folder + " is not empty: name an empty or a new folder");
                }
            }
        }
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(rights));
        // As /proc shows it.
        Path real = folder.toRealPath();
        var files = new DemoFiles(real, regions.haveHome() ? real : Path.of("/home", SlurmJobs.ANN));
        Files.createFile(files.folder.resolve(MARK));
        files.write(log, regions);
        return files;
    }

    /** A new folder, for nobody else. */
    static Path temporary() throws IOException {
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(PRIVATE));
        String temporary = System.getenv().getOrDefault("TMPDIR", "");
        return temporary.isEmpty()
                ? Files.createTempDirectory("spillway-demo", mode)
                : Files.createTempDirectory(Path.of(temporary).toAbsolutePath(), "spillway-demo", mode);
    }

    static boolean isOurs(Path folder) {
        return Files.isRegularFile(folder.resolve(MARK));
    }

    /** A folder that a demo made. */
    static DemoFiles existing(Path folder) throws IOException {
        if (!isOurs(folder)) {
            throw new IOException(folder + " is not the folder of a demo");
        }
        Path real = folder.toRealPath();
        return new DemoFiles(real, real);
    }

    private void write(WorkloadLog log, Regions regions) throws IOException {
        Files.createDirectories(folder.resolve("clouds"));
        if (regions.haveHome()) {
            Account own = Account.ofOwner(folder.resolve(MARK));
            Files.writeString(passwd(), passwdLine(own.user(), own.uid(), own.gid()));
            Files.writeString(group(), own.group() + ":x:" + own.gid() + ":\n");
            Files.writeString(catalogue(HOME), WorkloadLog.resource("home.yaml"));
        } else {
            writeUsers(Map.of(SlurmJobs.ANN, SlurmJobs.ANN_UID, SlurmJobs.BOB, SlurmJobs.BOB_UID));
        }
        if (regions.api().isPresent()) {
            for (String region : regions.names()) {
                Files.writeString(catalogue(region), regions.api().get().catalogue(region));
            }
        }
        for (String tool : List.of("gpu-hours", "gpu-shapes")) {
            Path file = Files.createDirectories(image().resolve("bin")).resolve(tool);
            Files.writeString(file, WorkloadLog.resource(tool + ".sh"));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(PROGRAM));
        }
        if (!regions.haveHome()) {
            return;
        }
        Path scripts = Files.createDirectories(folder.resolve("jobs"));
        for (String script : SCRIPTS) {
            Files.writeString(scripts.resolve(script), WorkloadLog.resource(script));
        }
        writeSlices(log);
        makeResults();
    }

    private void writeUsers(Map<String, Integer> users) throws IOException {
        StringBuilder passwd = new StringBuilder();
        StringBuilder group = new StringBuilder();
        users.forEach((user, uid) -> {
            passwd.append(user).append(":x:").append(uid).append(':').append(uid);
            passwd.append("::/home/").append(user).append(":/bin/sh\n");
            group.append(user).append(":x:").append(uid).append(":\n");
        });
        Files.writeString(passwd(), passwd);
        Files.writeString(group(), group);
    }

    private void writeSlices(WorkloadLog log) throws IOException {
        for (var slice : log.slices().entrySet()) {
            Path file = slices().resolve(slice.getKey());
            Files.createDirectories(file.getParent());
            Files.write(file, slice.getValue());
        }
    }

    private void makeResults() throws IOException {
        for (String kind : List.of("hours", "shapes", "resample", "log")) {
            Files.createDirectories(results().resolve(kind));
        }
    }

    /**
     * Writes the head's configuration.
     *
     * @param endpoints of the regions that wear an API
     * @param spot whether the regions' queues buy it, too
     */
    void configure(Regions regions, Map<String, String> endpoints, Patience patience, boolean spot) throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("@REGIONS@", String.join(", ", regions.names()));
        values.put("@EAST@", regions.east());
        values.put("@WEST@", regions.west());
        values.put("@BUDGET@", regions.budget());
        values.put("@CLUSTER@", regions.cluster());
        values.put("@MARKETS@", spot ? "on-demand, reserved, spot" : "on-demand, reserved");
        values.put("@TAKEN@", NoticeAct.sellsSpot(regions) ? "spot" : "on-demand, reserved");
        values.put("@WALLTIME@", patience.walltime().toMinutes() + "m");
        // With slurmctld and slurmds beside it a head that was killed takes longer to come back.
        Duration lease =
                regions.haveHome() ? patience.lease() : patience.lease().plus(SLURM);
        values.put("@LEASE@", lease.toSeconds() + "s");
        values.put("@DIRECTORY@", "{ source: file, passwd: ./passwd, group: ./group }");
        values.put("@SITES@", sections(regions, endpoints));
        values.put("@CONTROLLER@", SlurmWork.CONTROLLER);
        values.put("@DIR@", folder.toString().replace("'", "''"));
        String text = WorkloadLog.resource(regions.haveHome() ? "spillway.yaml" : "spillway-slurm.yaml");
        for (var value : values.entrySet()) {
            text = text.replace(value.getKey(), value.getValue());
        }
        Files.writeString(config(), text);
    }

    private String sections(Regions regions, Map<String, String> endpoints) throws IOException {
        StringBuilder sections = new StringBuilder();
        for (String region : regions.names()) {
            sections.append("  ").append(region).append(":\n");
            if (regions.api().isPresent()) {
                sections.append(
                        regions.api().get().section(region, Map.of("@ENDPOINT@", endpoints.getOrDefault(region, ""))));
            } else {
                sections.append(regions.sections().get(region));
            }
        }
        return sections.toString().stripTrailing();
    }

    static String passwdLine(String user, int uid, int gid) {
        return user + ":x:" + uid + ":" + gid + "::/nonexistent:/bin/sh\n";
    }

    /** As an administrator would: the file is replaced at once. */
    void addUser(String user, int uid) throws IOException {
        append(passwd(), passwdLine(user, uid, uid));
        append(group(), user + ":x:" + uid + ":\n");
    }

    private void append(Path file, String line) throws IOException {
        Path next = folder.resolve(file.getFileName() + ".new");
        Files.writeString(next, Files.readString(file) + line);
        Files.move(next, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    /** Something new in the image, so that it is another version from now on. */
    void changeImage(String text) throws IOException {
        Files.writeString(image().resolve("release"), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    Path config() {
        return folder.resolve("spillway.yaml");
    }

    Path state() {
        return folder.resolve("state");
    }

    Path socket() {
        return state().resolve("spillway.sock");
    }

    Path headLog() {
        return folder.resolve("head.log");
    }

    Path image() {
        return folder.resolve("image");
    }

    Path slices() {
        return data.resolve("slices");
    }

    Path results() {
        return data.resolve("results");
    }

    /** Of the Slurm that the demo makes. */
    Path slurmConf() {
        return folder.resolve("etc/slurm.conf");
    }

    Path merged() {
        return results().resolve("gpu-hours.csv");
    }

    String script(String name) throws IOException {
        return Files.readString(folder.resolve("jobs").resolve(name));
    }

    Path catalogue(String site) {
        return folder.resolve("clouds").resolve(site + ".yaml");
    }

    Path cloudLog(String site) {
        return folder.resolve("clouds").resolve(site + ".log");
    }

    /** The local clouds that the demo has made, at home and in regions. */
    List<LocalCloudAccess> clouds() throws IOException {
        try (var inside = Files.newDirectoryStream(folder.resolve("clouds"), "*.yaml")) {
            List<LocalCloudAccess> accesses = new ArrayList<>();
            for (Path catalogue : inside) {
                String site = catalogue.getFileName().toString().replaceFirst("\\.yaml$", "");
                accesses.add(new LocalCloudAccess(site, cloud(site)));
            }
            accesses.sort(Comparator.comparing(LocalCloudAccess::site));
            return accesses;
        }
    }

    Path cloud(String site) {
        return folder.resolve("clouds").resolve(site);
    }

    private Path passwd() {
        return folder.resolve("passwd");
    }

    private Path group() {
        return folder.resolve("group");
    }

    /** Removes all of it. */
    void delete() throws IOException {
        List<Path> paths;
        try (var all = Files.walk(folder)) {
            paths = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.deleteIfExists(path);
        }
    }
}
