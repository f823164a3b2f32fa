package org.spillway.director;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/** A site CA and the head's image key, made with the openssl command. */
final class TestAuthority {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Path folder;

    TestAuthority(Path folder) throws IOException {
        this.folder = folder;
        newKey("ca");
        run("req", "-x509", "-key", "ca.key", "-subj", "/CN=site", "-days", "2", "-out", "ca.pem");
        newKey("image");
        run("pkey", "-in", "image.key", "-pubout", "-out", "image.pub");
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    String text(String name) throws IOException {
        return Files.readString(file(name));
    }

    /** Makes NAME.key and NAME.pem. */
    void issue(String name, String commonName, String address) throws IOException {
        newKey(name);
        run("req", "-new", "-key", name + ".key", "-subj", "/CN=x", "-out", name + ".csr");
        sign(name, commonName, "subjectAltName=IP:" + address);
    }

    /** The head's answer to a node's request: its own choice of name, whatever the request says. */
    String admit(String csr, String node) throws IOException {
        Files.writeString(file(node + ".csr"), csr);
        sign(node, "node:" + node, "extendedKeyUsage=clientAuth");
        return text(node + ".pem");
    }

    /** As {@link #admit}, for a certificate that began an hour ago and ends so soon. */
    String admitFor(Duration life, String csr, String node) throws IOException {
        Files.writeString(file(node + ".csr"), csr);
        Files.writeString(file("ext"), "extendedKeyUsage=clientAuth\n");
        Files.writeString(file("index.txt"), "");
        Files.writeString(
                file("ca.cnf"),
                "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial.txt\nnew_certs_dir=.\npolicy=p\ndefault_md=sha256\n"
                        + "[p]\ncommonName=optional\n");
        String[] ours = {"ca", "-batch", "-config", "ca.cnf", "-rand_serial", "-notext", "-cert", "ca.pem"};
        String[] its = {"-keyfile", "ca.key", "-in", node + ".csr", "-subj", "/CN=node:" + node, "-extfile", "ext"};
        String[] times = {
            "-startdate",
            TIME.format(Instant.now().minusSeconds(3600)),
            "-enddate",
            TIME.format(Instant.now().plus(life)),
            "-out",
            node + ".pem"
        };
        run(Stream.of(ours, its, times).flatMap(Arrays::stream).toArray(String[]::new));
        return text(node + ".pem");
    }

    String signImage(String name, String sha256, long bytes) throws IOException {
        return sign("spillway-image-1\n" + name + "\n" + sha256 + "\n" + bytes + "\n");
    }

    /** A signature by the head's key for images. */
    String sign(String text) throws IOException {
        Files.writeString(file("signed"), text);
        run("dgst", "-sha256", "-sign", "image.key", "-out", "signature", "signed");
        return Base64.getEncoder().encodeToString(Files.readAllBytes(file("signature")));
    }

    SSLContext tls(String name) throws IOException {
        return SiteTls.context(file(name + ".key"), file(name + ".pem"), file("ca.pem"));
    }

    private void newKey(String name) throws IOException {
        run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", name + ".key");
        Files.setPosixFilePermissions(file(name + ".key"), PosixFilePermissions.fromString("rw-------"));
    }

    private void sign(String name, String commonName, String extension) throws IOException {
        Files.writeString(file("ext"), extension + "\n");
        String[] request = {"x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key"};
        String[] certificate = {
            "-CAcreateserial", "-days", "2", "-subj", "/CN=" + commonName, "-extfile", "ext", "-out", name + ".pem"
        };
        run(Stream.of(request, certificate).flatMap(Arrays::stream).toArray(String[]::new));
    }

    private void run(String... arguments) throws IOException {
        var command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(command + ": " + output);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
