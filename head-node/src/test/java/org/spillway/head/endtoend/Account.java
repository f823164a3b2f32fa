package org.spillway.head.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.localcloud.LocalCloudProcess;

/**
 * A provider's account on this machine, with one good site and three that cannot be used, each for a reason of its own.
 *
 * @param cloud behind it
 * @param sites what the configuration says of each, by the site's name: one of them is {@code good}
 * @param reasons a word that the doctor's finding on each of the others has
 * @param secrets that nobody may ever see again
 */
record Account(LocalCloudProcess cloud, Map<String, String> sites, Map<String, String> reasons, List<String> secrets)
        implements AutoCloseable {
    private static final String CLOUD = """
            types:
              - { name: small, cpus: 2, memoryGiB: 4, pricePerHour: 0.20, bootSeconds: 0.1 }
            """;

    /** Of the driver {@code local}. */
    static Account local(Path folder) throws Exception {
        LocalCloudProcess cloud = LocalCloudProcess.start(folder, CLOUD);
        String wrong = "recognisable-secret-of-a-site-7Qw8";
        secret(folder.resolve("wrong-token"), wrong);
        String good = "driver: local, options: { endpoint: '" + cloud.endpoint() + "', tokenFile: cloud/token,"
                + " consistencySeconds: 1 }";
        return new Account(
                cloud,
                Map.of(
                        "good", good + ", director: { type: small, idle: 10m }",
                        "wrongkey", good.replace("cloud/token", "wrong-token") + ", director: { type: small }",
                        "wrongtype", good + ", director: { type: smal }",
                        "nowhere", good.replace(cloud.endpoint(), "127.0.0.1:1") + ", director: { type: small }"),
                Map.of("wrongkey", "credentials", "wrongtype", "type smal", "nowhere", "endpoint"),
                List.of(wrong, Files.readString(cloud.state().resolve("token")).strip()));
    }

    static void secret(Path file, String text) throws IOException {
        Files.writeString(file, text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    /** The section {@code sites}. */
    String yaml() {
        StringBuilder yaml = new StringBuilder("sites:\n");
        sites.forEach((name, keys) -> yaml.append("  ")
                .append(name)
                .append(": { maxNodes: 2, ")
                .append(keys)
                .append(" }\n"));
        return yaml.toString();
    }

    /** As a head that was lost has left it: an instance that no journal knows. */
    void plantInstance(String cluster, String site) throws Exception {
        var answer = cloud.call(
                "POST",
                "/v1/launch",
                Map.of(
                        "token",
                        "planted-" + cluster + "-" + site,
                        "zone",
                        "a",
                        "type",
                        "small",
                        "market",
                        "ON_DEMAND",
                        "count",
                        1,
                        "image",
                        "",
                        "userData",
                        "",
                        "tags",
                        Map.of(
                                "spillway-cluster",
                                cluster,
                                "spillway-site",
                                site,
                                "spillway-intent",
                                "i4711",
                                "spillway-role",
                                "NODE")));
        if (answer.statusCode() != 200) {
            throw new IOException(answer.body());
        }
    }

    @Override
    public void close() throws Exception {
        cloud.close();
    }
}
