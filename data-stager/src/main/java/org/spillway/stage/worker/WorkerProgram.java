package org.spillway.stage.worker;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How a worker process is started.
 *
 * @param classes jar or folder with this module's classes, readable by the users; nothing else is on its class path
 * @param java home of the Java that runs it, readable by the users
 */
record WorkerProgram(Path classes, Path java) {
    private static final List<Path> SETPRIV = List.of(Path.of("/usr/bin/setpriv"), Path.of("/bin/setpriv"));

    /** The program from where this very class was loaded, on this very Java. */
    static WorkerProgram own() throws IOException {
        var source = WorkerMain.class.getProtectionDomain().getCodeSource();
        if (source == null) {
            throw new IOException("this Java does not tell where Spillway's classes are");
        }
        try {
            return new WorkerProgram(
                    Path.of(source.getLocation().toURI()).toRealPath(), Path.of(System.getProperty("java.home")));
        } catch (URISyntaxException e) {
            throw new IOException("Spillway's classes are at no path: " + source.getLocation(), e);
        }
    }

    List<String> argv(Identity identity, boolean callerIsRoot) throws IOException {
        List<String> argv = new ArrayList<>();
        argv.add(setpriv());
        if (callerIsRoot) {
            argv.addAll(
                    List.of("--reuid", Integer.toString(identity.uid()), "--regid", Integer.toString(identity.gid())));
            if (identity.groups().isEmpty()) {
                argv.add("--clear-groups");
            } else {
                argv.add("--groups");
                argv.add(identity.groups().stream().map(String::valueOf).collect(Collectors.joining(",")));
            }
        }
        argv.add("--no-new-privs");
        if (callerIsRoot && identity.uid() != 0) { // root without capabilities could not read its own users' files
            argv.addAll(List.of("--inh-caps=-all", "--bounding-set=-all"));
        }
        argv.add("--");
        argv.add(java.resolve("bin/java").toString());
        argv.addAll(List.of(
                "-XX:+UseSerialGC", // both compilers: only the second one knows the processor's SHA-256, ten times as
                // fast
                "-Xshare:auto",
                "-XX:-UsePerfData", // no file of another user's in the temporary folder
                "-Xmx192m", // a list of the most files with the longest names: taken only when there is one
                "-Xss512k",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                classes.toString(),
                WorkerMain.class.getName()));
        return argv;
    }

    static Process start(List<String> argv) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(argv).directory(Path.of("/").toFile());
        Map<String, String> environment = builder.environment();
        environment.clear(); // secrets of the caller's environment are not the user's
        environment.put("LANG", "C.UTF-8"); // file names are UTF-8
        return builder.start();
    }

    private static String setpriv() throws IOException {
        return SETPRIV.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IOException("there is no /usr/bin/setpriv: install the package util-linux"))
                .toString();
    }

    /** An obstacle between a user and the program, with its repair; empty when nothing is found. */
    String obstacle(Identity identity) {
        String found = obstacle(identity, classes, "Spillway's classes");
        return found.isEmpty() ? obstacle(identity, java.resolve("bin/java"), "Java") : found;
    }

    private static String obstacle(Identity identity, Path file, String what) {
        try {
            Path real = file.toRealPath();
            for (Path folder = real.getParent(); folder != null; folder = folder.getParent()) {
                if (!may(identity, folder, 01)) {
                    return hindered(identity, folder, "enter the folder", what, real, "o+x");
                }
            }
            boolean isFolder = Files.isDirectory(real);
            if (!may(identity, real, isFolder ? 05 : 04)) {
                return hindered(identity, real, "read", what, real, isFolder ? "o+rx" : "o+r");
            }
            return "";
        } catch (IOException e) {
            return what + " cannot be looked at: " + e;
        }
    }

    private static String hindered(Identity identity, Path place, String deed, String what, Path real, String change)
            throws IOException {
        return "%s may not %s %s (mode %o), so that %s in %s cannot be read: install in a folder that everyone may enter, or run 'chmod %s %s'"
                .formatted(identity, deed, place, mode(place), what, real, change, place);
    }

    private static int mode(Path file) throws IOException {
        return (int) Files.getAttribute(file, "unix:mode") & 07777;
    }

    private static boolean may(Identity identity, Path file, int bits) throws IOException {
        int shift = 0;
        int group = (int) Files.getAttribute(file, "unix:gid");
        if ((int) Files.getAttribute(file, "unix:uid") == identity.uid()) {
            shift = 6;
        } else if (group == identity.gid() || identity.groups().contains(group)) {
            shift = 3;
        }
        return identity.uid() == 0 || ((mode(file) >> shift) & bits) == bits;
    }
}
