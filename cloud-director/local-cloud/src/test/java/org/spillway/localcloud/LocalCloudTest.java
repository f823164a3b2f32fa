package org.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.spillway.localcloud.LocalCloudProcess.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.util.net.SshdSocketAddress;
import org.apache.sshd.sftp.client.SftpClient;
import org.apache.sshd.sftp.client.SftpClientFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalCloudTest {
    private static final Duration WAIT = Duration.ofMinutes(2);

    @TempDir
    private static Path directory;

    private static LocalCloudProcess cloud;
    private static KeyPair userKey;
    private static KeyPair hostKey;
    private static SshClient client;
    private static final List<PublicKey> HOST_KEYS_SEEN = Collections.synchronizedList(new ArrayList<>());
    private static int tokens;

    @BeforeAll
    static void start() throws Exception {
        Path machine = Files.writeString(
                directory.resolve("machine"),
                "#!/bin/sh\necho \"$*\" >>\"$SPILLWAY_INSTANCE_DIR/said\"\nshift\nIN=machine exec \"$@\"\n");
        Files.setPosixFilePermissions(machine, PosixFilePermissions.fromString("rwx------"));
        cloud = LocalCloudProcess.start(
                directory,
                "types:\n  - {name: small, bootSeconds: 0}\n  - {name: paper, process: false}\n"
                        + "  - {name: walled, bootSeconds: 0, machine: '" + machine + "'}\n");
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        userKey = generator.generateKeyPair();
        hostKey = generator.generateKeyPair();
        client = SshClient.setUpDefaultClient();
        client.setServerKeyVerifier((session, address, key) -> HOST_KEYS_SEEN.add(key));
        client.setForwardingFilter(org.apache.sshd.server.forward.AcceptAllForwardingFilter.INSTANCE);
        client.start();
    }

    @AfterAll
    static void end() throws Exception {
        client.stop();
        cloud.close();
    }

    /** A running instance, as the state shows it. */
    private static JsonNode launch(String userData) throws Exception {
        JsonNode launched = launch(userData, "small");
        return await(
                () -> cloud.instance(id(launched)),
                each -> each.path("state").asText().equals("RUNNING"));
    }

    private static JsonNode launch(String userData, String type) throws Exception {
        Map<String, Object> body = LocalCloudProcess.launchBody("test-token-" + ++tokens, userData);
        body.put("type", type);
        JsonNode answer = cloud.json("POST", "/v1/launch", body);
        String id = answer.path("instances").path(0).path("id").asText();
        assertThat(id).as("%s", answer).isNotEmpty();
        return cloud.instance(id);
    }

    private static String id(JsonNode instance) {
        return instance.path("id").asText();
    }

    private static String cloudConfig() throws Exception {
        ByteArrayOutputStream pem = new ByteArrayOutputStream();
        OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(hostKey, "", null, pem);
        return "#cloud-config\nssh_keys:\n  ecdsa_private: |\n"
                + pem.toString(StandardCharsets.UTF_8).indent(4)
                + "users:\n  - default\n  - name: spillway\n    shell: /bin/sh\n    sudo: 'ALL=(root) NOPASSWD: ALL'\n"
                + "    ssh_authorized_keys:\n      - " + PublicKeyEntry.toString(userKey.getPublic())
                + "\nruncmd:\n  - [echo, \"two  words\"]\npackages: [vim]\n";
    }

    private static ClientSession connect(JsonNode instance, KeyPair key) throws Exception {
        ClientSession session = client.connect(
                        "spillway",
                        instance.path("address").asText(),
                        instance.path("sshPort").asInt())
                .verify(WAIT)
                .getSession();
        session.addPublicKeyIdentity(key);
        session.auth().verify(WAIT);
        return session;
    }

    private static boolean alive(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException gone) {
            return false;
        }
    }

    private static String console(JsonNode instance) throws Exception {
        return cloud.json("POST", "/v1/console", Map.of("id", id(instance)))
                .path("output")
                .asText();
    }

    @Test
    void answersNobodyWithoutTheToken() throws Exception {
        assertThat(cloud.call("GET", "/admin/state", Map.of(), "").statusCode()).isEqualTo(401);
        assertThat(cloud.call("POST", "/v1/launch", LocalCloudProcess.launchBody("no-token-here", ""), "wrong")
                        .statusCode())
                .isEqualTo(401);
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(cloud.state().resolve("token"))))
                .isEqualTo("rw-------");
        assertThat(Files.readString(cloud.state().resolve("requests.log")))
                .contains("401")
                .doesNotContain(Files.readString(cloud.state().resolve("token")));
    }

    @Test
    void sameTokenWithOtherParametersIsAMismatch() throws Exception {
        Map<String, Object> body = LocalCloudProcess.launchBody("token-of-a-mismatch", "");
        String id = cloud.json("POST", "/v1/launch", body)
                .path("instances")
                .path(0)
                .path("id")
                .asText();
        assertThat(cloud.json("POST", "/v1/launch", body)
                        .path("instances")
                        .path(0)
                        .path("id")
                        .asText())
                .isEqualTo(id);
        body.put("count", 2);
        JsonNode answer = cloud.json("POST", "/v1/launch", body);
        assertThat(answer.path("error").path("code").asText()).isEqualTo("IdempotentParameterMismatch");
    }

    @Test
    void secondOneOnTheSameStateIsRefused() throws Exception {
        Process second = LocalCloudProcess.launch(cloud.state(), null);
        String output = new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(second.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(2);
        assertThat(output).contains("another local-cloud runs on");
    }

    @Test
    void configMistakeNamesFileLineAndKey() throws Exception {
        Path bad = Files.writeString(directory.resolve("bad.yaml"), "zones: [a]\ntypes:\n  - {name: x, cpus: none}\n");
        assertThatThrownBy(() -> ConfigFile.load(bad))
                .hasMessage(bad + ":3: types.cpus: found 'none'; allowed: 1 to 65536");
        Files.writeString(bad, "zones: [a]\nzone: [b]\n");
        assertThatThrownBy(() -> ConfigFile.load(bad)).hasMessageStartingWith(bad + ":2: zone: unknown; allowed");
        assertThat(LocalCloudMain.run(
                        new String[] {"--state", directory.resolve("never").toString(), "--config", bad.toString()}))
                .isEqualTo(2);
        assertThat(directory.resolve("never")).doesNotExist();
    }

    @Test
    void sshHasTheInjectedHostKeyAndTakesOnlyTheGivenKey() throws Exception {
        JsonNode instance = launch(cloudConfig());
        try (ClientSession session = connect(instance, userKey)) {
            assertThat(HOST_KEYS_SEEN).anyMatch(key -> KeyUtils.compareKeys(key, hostKey.getPublic()));
            assertThat(session.executeRemoteCommand("echo $SPILLWAY_INSTANCE_ID $PWD")
                            .strip())
                    .startsWith(id(instance) + " ")
                    .endsWith(id(instance) + "/home");
            assertThatThrownBy(() -> session.executeRemoteCommand("exit 3")).hasMessageContaining("3");
        }
        KeyPair stranger = KeyPairGenerator.getInstance("EC").generateKeyPair();
        assertThatThrownBy(() -> connect(instance, stranger)).isInstanceOf(IOException.class);
        await(() -> console(instance), text -> text.contains("two  words"));
        assertThat(console(instance)).contains("packages: ignored");
    }

    @Test
    void sftpStaysOnTheInstancesDisk() throws Exception {
        JsonNode instance = launch(cloudConfig());
        Path disk = cloud.state().toRealPath().resolve("instances").resolve(id(instance));
        try (ClientSession session = connect(instance, userKey);
                SftpClient sftp = SftpClientFactory.instance().createSftpClient(session)) {
            sftp.put(new ByteArrayInputStream(new byte[] {1, 2, 3}), "three");
            assertThat(Files.readAllBytes(disk.resolve("home/three"))).containsExactly(1, 2, 3);
            assertThat(sftp.canonicalPath(".")).isEqualTo(disk.resolve("home").toString());
            assertThat(sftp.stat(disk.resolve("home/three").toString()).getSize())
                    .isEqualTo(3);
            Path outside = Files.writeString(directory.resolve("outside"), "x");
            Files.createSymbolicLink(disk.resolve("home/link"), outside);
            for (String path : List.of("link", "../../../token", "/etc/passwd", outside.toString())) {
                assertThatThrownBy(() -> sftp.read(path).readAllBytes())
                        .as(path)
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void forwardsBothWays() throws Exception {
        JsonNode instance = launch(cloudConfig());
        try (ClientSession session = connect(instance, userKey);
                ServerSocket mine = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            SshdSocketAddress there = session.startRemotePortForwarding(
                    new SshdSocketAddress("127.0.0.1", 0), new SshdSocketAddress("127.0.0.1", mine.getLocalPort()));
            assertThat(there.getPort()).isPositive();
            mine.setSoTimeout(10_000);
            try (Socket far = new Socket("127.0.0.1", there.getPort());
                    Socket near = mine.accept()) {
                far.getOutputStream().write(7);
                assertThat(near.getInputStream().read()).isEqualTo(7);
            }
            SshdSocketAddress local = session.startLocalPortForwarding(
                    new SshdSocketAddress("127.0.0.1", 0),
                    new SshdSocketAddress(instance.path("address").asText(), 2222));
            try (Socket through = new Socket("127.0.0.1", local.getPort())) {
                through.setSoTimeout(10_000);
                assertThat(new String(through.getInputStream().readNBytes(4), StandardCharsets.UTF_8))
                        .isEqualTo("SSH-");
            }
            assertThatThrownBy(() -> session.startRemotePortForwarding(
                            new SshdSocketAddress("0.0.0.0", 0), new SshdSocketAddress("127.0.0.1", 1)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void terminateKillsWhatHidesFromIt() throws Exception {
        JsonNode instance = launch(cloudConfig());
        List<Long> pids = new ArrayList<>();
        try (ClientSession session = connect(instance, userKey)) {
            for (String command : List.of(
                    "nohup sleep 1000 >/dev/null 2>&1 & echo $!",
                    "setsid sh -c 'sleep 1000; true' >/dev/null 2>&1 & echo $!",
                    "setsid sh -c 'env -i sleep 1001; true' >/dev/null 2>&1 & echo $!")) {
                pids.add(Long.parseLong(session.executeRemoteCommand(command).strip()));
            }
        }
        assertThat(pids).allMatch(LocalCloudTest::alive);
        assertThat(cloud.call("POST", "/v1/terminate", Map.of("ids", List.of(id(instance))))
                        .statusCode())
                .isEqualTo(200);
        await(() -> pids.stream().noneMatch(LocalCloudTest::alive), gone -> gone);
        await(
                () -> cloud.instance(id(instance)),
                each -> each.path("state").asText().equals("TERMINATED"));
        assertThat(cloud.state().resolve("instances").resolve(id(instance)).resolve("home"))
                .doesNotExist();
    }

    @Test
    void poweroffWorksFromInsideWithoutAnEnvironment() throws Exception {
        JsonNode instance = launch(
                "#!/bin/sh\ntrap '' TERM\necho started\nenv -i \"$SPILLWAY_INSTANCE_DIR/bin/poweroff\"\nsleep 1000\n");
        JsonNode ended = await(
                () -> cloud.instance(id(instance)),
                each -> each.path("state").asText().equals("TERMINATED"));
        assertThat(ended.path("reason").asText()).isEqualTo("powered itself off");
        assertThat(console(instance)).contains("started");
    }

    @Test
    void powerCutEndsTheInstance() throws Exception {
        JsonNode instance = launch("");
        cloud.call("POST", "/admin/power-cut", Map.of("id", id(instance)));
        assertThat(await(
                                () -> cloud.instance(id(instance)),
                                each -> each.path("state").asText().equals("TERMINATED"))
                        .path("reason")
                        .asText())
                .isEqualTo("lost its power");
    }

    @Test
    void linkCutEndsConnectionsAndTakesNoneUntilItIsMended() throws Exception {
        JsonNode instance = launch(cloudConfig());
        try (ClientSession session = connect(instance, userKey)) {
            cloud.call("POST", "/admin/link-cut", Map.of("id", id(instance), "seconds", 2));
            await(session::isClosed, closed -> closed);
        }
        assertThatThrownBy(() -> connect(instance, userKey)).isInstanceOf(IOException.class);
        assertThat(cloud.instance(id(instance)).path("state").asText()).isEqualTo("RUNNING");
        String said = await(
                () -> {
                    try (ClientSession session = connect(instance, userKey)) {
                        return session.executeRemoteCommand("echo mended").strip();
                    } catch (IOException stillCut) {
                        return "";
                    }
                },
                answer -> !answer.isEmpty());
        assertThat(said).isEqualTo("mended");
    }

    @Test
    void muteInstanceRunsWithoutItsUserDataAndADyingOneEnds() throws Exception {
        cloud.fault(Map.of("kind", "mute", "zone", "b"));
        cloud.fault(Map.of("kind", "die", "zone", "b", "seconds", 0.3));
        Map<String, Object> body = LocalCloudProcess.launchBody("token-of-a-mute", "#!/bin/sh\necho spoke\n");
        body.put("zone", "b");
        String id = cloud.json("POST", "/v1/launch", body)
                .path("instances")
                .path(0)
                .path("id")
                .asText();
        JsonNode ended = await(
                () -> cloud.instance(id), each -> each.path("state").asText().equals("TERMINATED"));
        assertThat(ended.path("reason").asText()).isEqualTo("died on request");
        assertThat(ended.path("userDataDone").asBoolean()).isTrue();
        assertThat(console(ended)).doesNotContain("spoke");
    }

    /** A real one makes namespaces; this one shows that nothing of the instance is started past it. */
    @Test
    void aMachineProgramIsPutBeforeEveryCommand() throws Exception {
        String id = id(launch(cloudConfig(), "walled"));
        JsonNode instance = await(
                () -> cloud.instance(id), each -> each.path("state").asText().equals("RUNNING"));
        try (ClientSession session = connect(instance, userKey)) {
            assertThat(session.executeRemoteCommand("echo $IN").strip()).isEqualTo("machine");
        }
        Path said = cloud.state().resolve("instances").resolve(id).resolve("said");
        assertThat(Files.readAllLines(said)).contains("boot sleep 2147483647", "run /bin/sh -c echo $IN");
        await(() -> console(instance), text -> text.contains("two  words"));
        assertThat(Files.readString(said)).contains("run /bin/sh " + said.resolveSibling("first-boot"));
        cloud.json("POST", "/v1/terminate", Map.of("ids", List.of(id)));
        await(() -> cloud.instance(id), each -> each.path("state").asText().equals("TERMINATED"));
    }

    @Test
    void takesANetworkThatLeadsHere(@TempDir Path other) throws Exception {
        Path config = other.resolve("config.yaml");
        Files.writeString(config, "network: '10.9.8'\nlisten: 127.0.0.3\n");
        LocalCloudConfig read = ConfigFile.load(config);
        assertThat(read.listen()).isEqualTo("127.0.0.3");
        try (Addresses addresses = Addresses.claim(read.network(), other)) {
            assertThat(addresses.next(java.util.Set.of())).isEqualTo("10.9.8.1");
            assertThat(addresses.next(java.util.Set.of("10.9.8.2"))).isEqualTo("10.9.8.3");
        }
        Files.writeString(config, "network: '10.9.800'\n");
        assertThatThrownBy(() -> ConfigFile.load(config))
                .hasMessageContaining(":1: network: found '10.9.800'; allowed");
        Files.writeString(config, "listen: anywhere\n");
        assertThatThrownBy(() -> ConfigFile.load(config)).hasMessageContaining(":1: listen: found 'anywhere'; allowed");
        Files.writeString(config, "types:\n  - {name: a, machine: unshare}\n");
        assertThatThrownBy(() -> ConfigFile.load(config))
                .hasMessageContaining(":2: types.machine: found 'unshare'; allowed: the absolute path");
    }

    @Test
    void instancesOutliveTheCloud() throws Exception {
        JsonNode instance = launch(cloudConfig());
        JsonNode paper = launch("", "paper");
        long pid;
        try (ClientSession session = connect(instance, userKey)) {
            pid = Long.parseLong(session.executeRemoteCommand("nohup sleep 1000 >/dev/null 2>&1 & echo $!")
                    .strip());
        }
        cloud.kill();
        assertThat(alive(pid)).isTrue();
        cloud.start();
        assertThat(cloud.instance(id(instance)).path("state").asText()).isEqualTo("RUNNING");
        assertThat(cloud.instance(id(paper))).isEqualTo(paper);
        try (ClientSession session = connect(instance, userKey)) {
            assertThat(session.executeRemoteCommand("kill -0 " + pid + " && echo lives")
                            .strip())
                    .isEqualTo("lives");
        }
        assertThat(cloud.stop()).isEqualTo(143);
        assertThat(alive(pid)).isTrue();
        cloud.start();
        cloud.call("POST", "/v1/terminate", Map.of("ids", List.of(id(instance))));
        await(() -> alive(pid), lives -> !lives);
    }
}
