package org.spillway.head.bootstrap;

import com.fasterxml.jackson.databind.json.JsonMapper;
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
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.sftp.client.SftpClient;
import org.apache.sshd.sftp.client.SftpClientFactory;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.trust.SiteAuthority;

/** What a director needs on its instance: its jars, its configuration, its key and its certificates. */
final class DirectorFiles {
    static final String FOLDER = "spillway-director";

    private static final Pattern JAR = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+-]*\\.jar");
    private static final Pattern DIGEST_LINE = Pattern.compile("([0-9a-f]{64}) [ *]([A-Za-z0-9._+/-]+)");
    private static final int OWNER_ONLY = 0600;

    private final Map<String, Content> wanted;
    /** Read once: what arrived is compared with what was there when it was decided to send it. */
    private final Map<String, String> digests = new HashMap<>();

    private DirectorFiles(Map<String, Content> wanted) {
        this.wanted = wanted;
    }

    /** Opens the bytes of one file. */
    private interface Content {
        InputStream open() throws IOException;
    }

    /** @throws IOException if the distribution is not there */
    static DirectorFiles of(DirectorSettings settings, SiteAuthority authority, DirectorTarget director)
            throws IOException {
        var files = new TreeMap<String, Content>();
        try (var jars = Files.newDirectoryStream(settings.distribution(), "*.jar")) {
            for (Path jar : jars) {
                String name = jar.getFileName().toString();
                if (JAR.matcher(name).matches()) {
                    files.put("lib/" + name, () -> Files.newInputStream(jar));
                }
            }
        }
        if (files.isEmpty()) {
            throw new IOException("no jars of the director in " + settings.distribution());
        }
        var credential = authority.directorCertificate(director.node(), director.site(), director.inside());
        text(files, "tls/server.key", credential.keyPem());
        text(files, "tls/server.crt", credential.certificatePem());
        text(files, "tls/site.crt", authority.certificatePem());
        text(files, "director.json", configuration(settings, director));
        return new DirectorFiles(files);
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

    /** Writes each beside its place, as {@code PATH.new}, and removes the surplus. */
    void upload(ClientSession session, List<String> paths, List<String> surplus) throws IOException {
        try (SftpClient sftp = SftpClientFactory.instance().createSftpClient(session)) {
            for (String path : surplus) {
                sftp.remove(FOLDER + "/" + path);
            }
            for (String path : paths) {
                Content content = wanted.get(path);
                if (content != null) {
                    write(sftp, FOLDER + "/" + path + ".new", content);
                }
            }
        }
    }

    private static void write(SftpClient sftp, String path, Content content) throws IOException {
        var modes = EnumSet.of(SftpClient.OpenMode.Write, SftpClient.OpenMode.Create, SftpClient.OpenMode.Truncate);
        try (var handle = sftp.open(path, modes)) {
            // Before the first byte is in it.
            var attributes = new SftpClient.Attributes();
            attributes.setPermissions(OWNER_ONLY);
            sftp.setStat(handle, attributes);
        }
        try (var in = content.open();
                var out = sftp.write(path, EnumSet.of(SftpClient.OpenMode.Write))) {
            in.transferTo(out);
        }
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

    private static String configuration(DirectorSettings settings, DirectorTarget director) throws IOException {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("site", director.site());
        fields.put("listenAddress", director.inside());
        fields.put("httpsPort", settings.httpsPort());
        fields.put("ldapsPort", settings.ldapsPort());
        fields.put("baseDn", settings.baseDn());
        fields.put("stateDirectory", "state");
        fields.put("serverKey", "tls/server.key");
        fields.put("serverCertificate", "tls/server.crt");
        fields.put("siteCertificate", "tls/site.crt");
        fields.put("headSubject", SiteAuthority.HEAD_NAME);
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(fields) + "\n";
    }

    private static void text(Map<String, Content> files, String path, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        files.put(path, () -> new ByteArrayInputStream(bytes));
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
