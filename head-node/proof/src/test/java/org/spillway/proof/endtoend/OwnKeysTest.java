package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.cli.CliFailure;

/** Inputs that want a password of their user's own file, which nobody else gets to see. */
@Tag("processes")
@Timeout(600)
final class OwnKeysTest {
    private static final String PASSWORD = "correct-horse-battery";
    private static final String SENT =
            "Basic " + Base64.getEncoder().encodeToString(("me:" + PASSWORD).getBytes(StandardCharsets.UTF_8));

    @TempDir
    static Path folder;

    private static Path home;
    private static HeadFixture head;
    private static FileServer server;

    @BeforeAll
    static void start() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "a home of its own is mounted");
        server = new FileServer(Files.createDirectories(folder.resolve("server")));
        home = Files.createDirectories(folder.resolve("home"));
        head = new HeadFixture(Files.createDirectories(folder.resolve("head")));
        server.trustedBy(head);
        // Nobody's real home has to hold a test's password.
        String mount = "mount --bind '" + home + "' '" + System.getProperty("user.home") + "' && exec \"$@\"";
        head.under(List.of("unshare", "-m", "sh", "-c", mount, "sh"), Map.of()).start();
    }

    @AfterAll
    static void end() throws IOException {
        if (head != null) {
            head.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private static String submit(String url) {
        return FileServer.submit(
                head,
                "#!/bin/sh\nsha256sum <f.bin >out.txt\n",
                folder.resolve("out.txt"),
                new JobSubmission.Input(url, "f.bin"));
    }

    private static void netrc(String password, String mode) throws IOException {
        Path netrc = home.resolve(".netrc");
        Files.writeString(netrc, "machine 127.0.0.1 login me password " + password + "\n");
        Files.setPosixFilePermissions(netrc, PosixFilePermissions.fromString(mode));
    }

    private static String refusal(String url) {
        try {
            return submit(url);
        } catch (CliFailure refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    @Test
    void aPasswordIsSeenByItsServerAlone() throws IOException {
        byte[] file = "a file behind a password".repeat(1000).getBytes(StandardCharsets.UTF_8);
        server.files.put("/mine", file);
        server.authorizations.put("/mine", SENT);
        String open = server.url("/mine");
        String mine = open.replace("https://", "https://me@");
        netrc(PASSWORD, "rw-r--r--");
        assertThat(refusal(mine)).contains("chmod 600");
        netrc("wrong-password", "rw-------");
        assertThat(refusal(mine)).contains("the server refuses it (401)");
        assertThat(refusal(open)).contains("the server refuses it (401)");
        netrc(PASSWORD, "rw-------");
        String job = submit(mine);
        JobDetail end = head.awaitEnd(job);
        assertThat(end.job().state()).as(end + head.tail()).isEqualTo(JobState.DONE);
        assertThat(folder.resolve("out.txt")).hasContent(FileServer.sha256(file) + "  -\n");
        assertThat(end.transfers().getFirst().what()).contains("https://me@127.0.0.1:");
        assertThat(holding(PASSWORD)).isEmpty();
        assertThat(holding(SENT.substring(6))).isEmpty();
        assertThat(holding("me@127.0.0.1")).as("who looks finds").isNotEmpty();
        Redaction.check(head);
    }

    /** A password that is changed between submit and staging is a cause, not a job that waits for ever. */
    @Test
    void aPasswordThatIsNoLongerRightEndsTheJob() throws IOException {
        server.files.put("/changed", new byte[100]);
        netrc(PASSWORD, "rw-------");
        // Asked for its size it is still right.
        server.authorizations.put("HEAD /changed", SENT);
        server.authorizations.put("GET /changed", "another");
        String job = submit(server.url("/changed").replace("https://", "https://me@"));
        JobDetail end = head.await(job, view -> view.state().isTerminal());
        assertThat(end.job().state()).isEqualTo(JobState.FAILED);
        assertThat(end.job().cause().code()).isEqualTo("INPUTS_MISSING");
        assertThat(end.job().reason()).contains("401").doesNotContain(PASSWORD);
    }

    /** Files of head, cloud and region, and command lines, that hold a text. */
    private static List<String> holding(String text) throws IOException {
        List<String> found = new ArrayList<>();
        // Files come and go while they are looked through.
        Files.walkFileTree(head.folder(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) throws IOException {
                if (facts.isRegularFile()) {
                    try {
                        if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text)) {
                            found.add(file.toString());
                        }
                    } catch (NoSuchFileException gone) {
                        return FileVisitResult.CONTINUE;
                    }
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException gone) {
                return FileVisitResult.CONTINUE;
            }
        });
        for (long pid : Processes.ofRun(head.folder())) {
            if (Processes.commandLine(pid).contains(text)) {
                found.add("process " + pid);
            }
        }
        return found;
    }
}
