package org.spillway.director.node;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.spillway.director.wire.Isolation;

/** First-boot data that makes a compute node of a stock Linux instance. */
public final class NodeUserData {
    /** The least that every provider takes. */
    public static final int MAX_BYTES = 16 * 1024;

    private static final List<String> PARTS =
            List.of("base.sh", "stock.sh", "join.sh", "gate.sh", "lease.sh", "job.sh", "main.sh");

    /** There is no room for it in user data, and few nodes need it. */
    private static final List<String> MANAGER_PARTS = List.of("manager.sh");

    /** How attempts are run: a node fetches it in its gate. */
    private static final List<String> ATTEMPT_PARTS = List.of(
            "attempt.sh",
            "input.sh",
            "kept.sh",
            "ahead.sh",
            "tree.sh",
            "over.sh",
            "reach.sh",
            "changes.sh",
            "cage.sh",
            "room.sh",
            "root.sh",
            "container.sh",
            "results.sh",
            "sync.sh",
            "renewal.sh",
            "account.sh",
            "notice.sh",
            "said.sh",
            "mounts.sh",
            "scratch.sh",
            "names.sh",
            "forward.sh",
            "health.sh",
            "drift.sh",
            "session.sh");

    private NodeUserData() {}

    /** Shell functions that a director hands to its nodes before they are ready. */
    public static String attemptProgram(Isolation isolation) {
        var program = new StringBuilder("ISOLATION=" + isolation.word() + "\n");
        assign(program, "reach_program", text(List.of("homeline.pl", "reach.pl")));
        assign(program, "forward_program", text(List.of("frames.pl", "forward.pl")));
        assign(program, "drift_program", text(List.of("drift.pl")));
        return program.append(text(ATTEMPT_PARTS)).toString();
    }

    /**
     * The addition of a node of a workload manager to its program: shell functions that the director hands out.
     *
     * @param own the manager's part
     */
    public static String managerProgram(String own) {
        return text(MANAGER_PARTS) + own;
    }

    /** The program of perl that carries a session of a job (ADR 68). */
    public static String sessionProgram() {
        return text(List.of("frames.pl", "session.pl"));
    }

    private static String text(List<String> parts) {
        return ShellText.of(NodeUserData.class, parts);
    }

    /**
     * Differences between launches.
     *
     * @param directorAddress numeric; named in the director's certificate
     * @param caPem the site CA, which the node trusts and nothing else
     * @param joinToken letters, digits, {@code -} and {@code _}: readable by whoever reads user data, it buys a
     *     certificate for this launch's instances only
     * @param imagePublicKeyPem the head's key for images, ECDSA P-256
     * @param leaseSeconds how long the node waits for its admission, at least 60 s; the length of its leases comes with
     *     each renewal
     */
    public record Settings(
            String directorAddress,
            int httpsPort,
            String caPem,
            String joinToken,
            String intent,
            String imagePublicKeyPem,
            int leaseSeconds) {
        public Settings {
            require(directorAddress.matches("[0-9a-fA-F.:]+"), "directorAddress must be numeric");
            require(httpsPort > 0 && httpsPort <= 65535, "httpsPort: 1 to 65535");
            require(joinToken.matches("[A-Za-z0-9_-]{16,200}"), "joinToken must have 16 to 200 plain characters");
            require(intent.matches("[A-Za-z0-9-]{1,40}"), "intent must be an intent id");
            require(leaseSeconds >= 1, "leaseSeconds must be 1 or more");
        }

        /** Without the token: this text may reach a log. */
        @Override
        public String toString() {
            return "Settings[directorAddress=" + directorAddress + ", intent=" + intent + "]";
        }
    }

    /** A shell script of less than {@link #MAX_BYTES}. The same settings give the same text, for client tokens. */
    public static String render(Settings settings) {
        StringBuilder text = new StringBuilder("#!/bin/sh\n");
        assignDirector(text, settings.directorAddress());
        assign(text, "HTTPS_PORT", Integer.toString(settings.httpsPort()));
        assign(text, "CA_PEM", settings.caPem().strip());
        assign(text, "JOIN_TOKEN", settings.joinToken());
        assign(text, "INTENT", settings.intent());
        assign(text, "IMAGE_KEY_PEM", settings.imagePublicKeyPem().strip());
        assign(text, "LEASE_SECONDS", Integer.toString(settings.leaseSeconds()));
        // The whole agent would not fit; the node writes it out once, behind the settings above.
        text.append("BODY=$(printf %s '").append(packed()).append("' | base64 -d | gzip -dc)\neval \"$BODY\"\n");
        String script = text.toString();
        require(script.getBytes(StandardCharsets.UTF_8).length < MAX_BYTES, "the certificates are too long");
        return script;
    }

    /** Whether a node with that first-boot data asks the director of that address, and no other. */
    public static boolean leadsTo(String userData, String directorAddress) {
        StringBuilder line = new StringBuilder("\n");
        assignDirector(line, directorAddress);
        return userData.contains(line);
    }

    private static void assignDirector(StringBuilder text, String host) {
        assign(text, "DIRECTOR", host.contains(":") ? "[" + host + "]" : host);
    }

    /** As one word of shell, whatever it holds. */
    private static void assign(StringBuilder text, String name, String value) {
        text.append(name).append("='").append(value.replace("'", "'\\''")).append("'\n");
    }

    private static String packed() {
        byte[] body = text(PARTS).getBytes(StandardCharsets.UTF_8);
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write(body);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Base64.getEncoder().encodeToString(packed.toByteArray());
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
