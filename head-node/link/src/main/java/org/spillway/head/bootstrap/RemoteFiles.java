package org.spillway.head.bootstrap;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.sshd.client.session.ClientSession;

/** Files that should lie in one folder of an instance, by path, and which of them have to be sent. */
final class RemoteFiles {
    private static final Pattern JAR = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+-]*\\.jar");
    private static final Pattern DIGEST_LINE = Pattern.compile("([0-9a-f]{64}) [ *]([A-Za-z0-9._+/-]+)");
    private static final int OWNER_ONLY = 0600;
    private static final int READABLE = 0644;
    private static final Duration REMOVE_LIMIT = Duration.ofSeconds(30);
    private static final Duration UPLOAD_LIMIT = Duration.ofMinutes(15);

    private final String folder;
    private final boolean readableJars;
    private final Map<String, Content> wanted = new TreeMap<>();
    /** Read once: what arrived is compared with what was there when it was decided to send it. */
    private final Map<String, String> digests = new HashMap<>();

    /**
     * @param folder below the login folder
     * @param readableJars whether all users may read jars; everything else is its owner's only
     */
    RemoteFiles(String folder, boolean readableJars) {
        this.folder = folder;
        this.readableJars = readableJars;
    }

    /** The bytes of one file. */
    private interface Content {
        InputStream open() throws IOException;

        long bytes() throws IOException;
    }

    private record Jar(Path file) implements Content {
        @Override
        public InputStream open() throws IOException {
            return Files.newInputStream(file);
        }

        @Override
        public long bytes() throws IOException {
            return Files.size(file);
        }
    }

    private record Text(String content) implements Content {
        @Override
        public InputStream open() {
            return new ByteArrayInputStream(content.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public long bytes() {
            return content.getBytes(StandardCharsets.UTF_8).length;
        }
    }

    /** All jars of a distribution, below {@code lib/}. @throws IOException if there are none */
    RemoteFiles jars(Path distribution) throws IOException {
        return jars(distribution, name -> true);
    }

    /** Jars of a distribution whose names are wanted. @throws IOException if there are none */
    RemoteFiles jars(Path distribution, Predicate<String> isWanted) throws IOException {
        int before = wanted.size();
        try (var jars = Files.newDirectoryStream(distribution, "*.jar")) {
            for (Path jar : jars) {
                String name = jar.getFileName().toString();
                if (JAR.matcher(name).matches() && isWanted.test(name)) {
                    wanted.put("lib/" + name, new Jar(jar));
                }
            }
        }
        if (wanted.size() == before) {
            throw new IOException("no jars in " + distribution);
        }
        return this;
    }

    RemoteFiles text(String path, String text) {
        wanted.put(path, new Text(text));
        return this;
    }

    /** Paths that differ from the instance's, given what the step {@code digests} printed there. */
    List<String> differing(String printed) throws IOException {
        Map<String, String> there = parse(printed);
        var differing = new ArrayList<String>();
        for (var file : wanted.entrySet()) {
            String digest = digests.get(file.getKey());
            if (digest == null) {
                digest = sha256(file.getValue());
                digests.put(file.getKey(), digest);
            }
            if (!digest.equals(there.get(file.getKey()))) {
                differing.add(file.getKey());
            }
        }
        return differing;
    }

    /** Files on the instance that would be on the class path and should not. */
    List<String> surplus(String printed) {
        return parse(printed).keySet().stream()
                .filter(path -> path.startsWith("lib/") && !wanted.containsKey(path))
                .toList();
    }

    /**
     * Writes each beside its place, as {@code PATH.new}, and removes the surplus. All of them in one stream: over a wide
     * link, and in a young JVM, three answers for each of a hundred files take longer than their bytes.
     */
    void upload(ClientSession session, List<String> paths, List<String> surplus) throws IOException {
        var shell = new RemoteShell(session);
        if (!surplus.isEmpty()) {
            String names = String.join("\n", surplus) + "\n";
            required(shell.run(in("while IFS= read -r file; do rm -f -- \"$file\"; done"), names, REMOVE_LIMIT));
        }
        required(shell.feed(in("umask 077; tar -xpf - --no-same-owner"), sink -> pack(paths, sink), UPLOAD_LIMIT));
    }

    private String in(String command) {
        return "mkdir -p " + folder + " && cd " + folder + " && { " + command + "; }";
    }

    private static void required(RemoteShell.Result result) throws IOException {
        if (!result.succeeded()) {
            String what = "the machine did not take the files: "
                    + result.errors().replaceAll("[^\\x20-\\x7e]", " ").strip();
            throw result.exit() == RemoteShell.NO_EXIT_CODE ? new IOException(what) : new StepFailed(what);
        }
    }

    /** A tar says the size of a file before its bytes: one that changes meanwhile breaks it off. */
    private void pack(List<String> paths, OutputStream sink) throws IOException {
        var tar = new TarArchiveOutputStream(sink, StandardCharsets.UTF_8.name());
        for (String path : paths) {
            Content content = wanted.get(path);
            if (content != null) {
                var entry = new TarArchiveEntry(path + ".new");
                entry.setSize(content.bytes());
                entry.setMode(readableJars && path.startsWith("lib/") ? READABLE : OWNER_ONLY);
                tar.putArchiveEntry(entry);
                try (InputStream in = content.open()) {
                    in.transferTo(tar);
                }
                tar.closeArchiveEntry();
            }
        }
        tar.finish();
    }

    /** Path to digest, of what {@code sha256sum} printed. */
    static Map<String, String> parse(String printed) {
        var there = new HashMap<String, String>();
        printed.lines().forEach(line -> {
            var match = DIGEST_LINE.matcher(line);
            if (match.matches()) {
                there.put(match.group(2), match.group(1));
            }
        });
        return there;
    }

    private static String sha256(Content content) throws IOException {
        try (var in = new DigestInputStream(content.open(), MessageDigest.getInstance("SHA-256"))) {
            in.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(in.getMessageDigest().digest());
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
