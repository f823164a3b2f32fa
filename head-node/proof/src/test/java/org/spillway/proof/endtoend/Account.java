package org.spillway.proof.endtoend;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.cloud.Planted;
import org.spillway.cloud.aws.Planting;
import org.spillway.cloud.azure.ArmCloud;
import org.spillway.cloud.openstack.OpenStackCalls;
import org.spillway.localcloud.LocalCloudProcess;

/**
 * A provider's account on this machine, with one site that is good and others that cannot be used, each for a reason of
 * its own.
 *
 * @param cloud behind it
 * @param sites what the configuration says of each, by the site's name: one of them is {@code good}
 * @param reasons a word that the doctor's finding on each of the others has
 * @param secrets that nobody may ever see again
 * @param planter leaves one thing of each kind there, as a head that was lost would
 */
record Account(
        LocalCloudProcess cloud,
        Map<String, String> sites,
        Map<String, String> reasons,
        List<String> secrets,
        Planter planter)
        implements AutoCloseable {
    private static final String WRONG = "recognisable-secret-of-a-site-7Qw8-0123456789";
    private static final String NOWHERE = "127.0.0.1:1";
    private static final String PATIENCE = "sshPort: 2222, timeoutSeconds: 20, consistencySeconds: 1";

    /** Not by our drivers. */
    interface Planter {
        /** @return kind and id as the bill names them */
        List<Planted> oneOfEachKind(String cluster, String site) throws Exception;
    }

    /** Of the driver {@code local}, which sells instances and nothing else. */
    static Account local(Path folder) throws Exception {
        LocalCloudProcess cloud = LocalCloudProcess.start(folder, """
                types:
                  - { name: small, cpus: 2, memoryGiB: 4, pricePerHour: 0.20, bootSeconds: 0.1 }
                """);
        Path wrong = secret(folder.resolve("wrong"), WRONG);
        String site = "driver: local, director: { type: small, idle: 10m }, options: { endpoint: '" + cloud.endpoint()
                + "', tokenFile: '" + cloud.state().resolve("token") + "', consistencySeconds: 1 }";
        return new Account(
                cloud,
                sites(site, "type: small", cloud.state().resolve("token"), wrong, cloud.endpoint()),
                reasons("nosuch"),
                List.of(WRONG, Files.readString(cloud.state().resolve("token")).strip()),
                (cluster, name) -> planted(cloud, cluster, name));
    }

    /** Of the driver {@code aws}: the vendor's SDK against EC2's wire format. */
    static Account ec2(Path folder) throws Exception {
        LocalCloudProcess cloud =
                LocalCloudProcess.start(folder, catalogue("us-east-1a", "t3.small", "t3.nano"), "ec2");
        Path credentials = cloud.state().resolve("api/ec2/credentials");
        String key = value(credentials, "aws_access_key_id");
        Path wrong = secret(
                folder.resolve("wrong"),
                "[default]\naws_access_key_id = " + key + "\naws_secret_access_key = " + WRONG);
        String site = "driver: aws, director: { type: t3.small, idle: 10m }, options: { region: us-east-1, endpoint: '"
                + cloud.apiEndpoint() + "', pricingEndpoint: '" + cloud.apiEndpoint() + "', credentialsFile: '"
                + credentials + "', image: ami-00000000000000001, types: [t3.small],"
                + " subnets: { us-east-1a: subnet-00000000000000001 }, securityGroup: sg-00000000000000001, "
                + PATIENCE + " }";
        Map<String, String> sites = sites(site, "type: t3.small", credentials, wrong, authority(cloud));
        sites.put("wrongimage", site.replace("ami-00000000000000001", "ami-0000000000000dead"));
        Map<String, String> reasons = reasons("nosuch");
        reasons.put("wrongimage", "image");
        return new Account(
                cloud, sites, reasons, List.of(WRONG, value(credentials, "aws_secret_access_key")), (cluster, name) -> {
                    try (Planting person = new Planting(cloud)) {
                        return person.oneOfEachKind(cluster, name);
                    }
                });
    }

    /** Of the driver {@code azure}, over TLS. */
    static Account arm(Path folder) throws Exception {
        return arm(folder, armCloud(folder));
    }

    static ArmCloud armCloud(Path folder) throws Exception {
        return new ArmCloud(folder, catalogue("a", "small", "paper"));
    }

    static Account arm(Path folder, ArmCloud arm) throws Exception {
        Map<String, String> options = new TreeMap<>(arm.options());
        options.putAll(Map.of("subnet", arm.subnet(), "types", "small", "sshPort", "2222", "consistencySeconds", "1"));
        StringBuilder flat = new StringBuilder();
        options.forEach((name, value) -> flat.append(flat.isEmpty() ? "" : ", ")
                .append(name)
                .append(": '")
                .append(value)
                .append('\''));
        Path secret = Path.of(options.getOrDefault("clientSecretFile", ""));
        String site = "driver: azure, director: { type: small, idle: 10m }, options: { " + flat + " }";
        Path wrong = secret(folder.resolve("wrong"), WRONG);
        return new Account(
                arm.process(),
                sites(site, "type: small", secret, wrong, authority(arm.process())),
                reasons("nosuch"),
                List.of(WRONG, Files.readString(secret).strip()),
                arm::oneOfEachKind);
    }

    /** Of the driver {@code openstack}. */
    static Account nova(Path folder) throws Exception {
        LocalCloudProcess cloud = LocalCloudProcess.start(folder, catalogue("a", "small", "paper"), "nova");
        Path password = cloud.state().resolve("api/nova/password");
        String site = "driver: openstack, director: { type: small, idle: 10m }, prices: { small: 0.20 },"
                + " options: { endpoint: '" + cloud.apiEndpoint()
                + "/v3', user: spillway, project: demo, passwordFile: '"
                + password + "', image: stock, network: lan, " + PATIENCE + " }";
        Map<String, String> sites =
                sites(site, "type: small", password, secret(folder.resolve("wrong"), WRONG), authority(cloud));
        sites.put("wrongimage", site.replace("image: stock", "image: nosuch"));
        Map<String, String> reasons = reasons("nosuch");
        reasons.put("wrongimage", "image");
        return new Account(
                cloud,
                sites,
                reasons,
                List.of(WRONG, Files.readString(password).strip()),
                (cluster, name) -> OpenStackCalls.oneOfEachKind(cloud, cluster, name));
    }

    /** @param small boots and runs jobs */
    private static String catalogue(String zone, String small, String paper) {
        return """
                zones: [%s]
                types:
                  - { name: %s, cpus: 2, memoryGiB: 4, pricePerHour: 0.20, bootSeconds: 0.1 }
                  - { name: %s, cpus: 1, memoryGiB: 1, pricePerHour: 0.20, process: false, bootSeconds: 0 }
                """.formatted(zone, small, paper);
    }

    private static Map<String, String> sites(String good, String type, Path secret, Path wrong, String endpoint) {
        Map<String, String> sites = new LinkedHashMap<>();
        sites.put("good", good);
        sites.put("wrongkey", good.replace(secret.toString(), wrong.toString()));
        sites.put("wrongtype", good.replace(type, type.replace("small", "nosuch")));
        sites.put("nowhere", good.replace(endpoint, NOWHERE));
        return sites;
    }

    private static Map<String, String> reasons(String type) {
        return new LinkedHashMap<>(Map.of("wrongkey", "credentials", "wrongtype", type, "nowhere", "endpoint"));
    }

    /** Host and port. */
    private static String authority(LocalCloudProcess cloud) throws IOException {
        return cloud.apiEndpoint().replaceFirst("^https?://", "");
    }

    private static String value(Path credentials, String key) throws IOException {
        return Files.readAllLines(credentials).stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(line.indexOf('=') + 1).strip())
                .findFirst()
                .orElseThrow();
    }

    static Path secret(Path file, String text) throws IOException {
        Files.writeString(file, text + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
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

    private static List<Planted> planted(LocalCloudProcess cloud, String cluster, String site) throws Exception {
        Map<String, String> tags = Map.of(
                "spillway-cluster",
                cluster,
                "spillway-site",
                site,
                "spillway-intent",
                "i4711",
                "spillway-role",
                "NODE");
        var answer = cloud.call(
                "POST",
                "/v1/launch",
                Map.of(
                        "token", "planted-" + cluster + "-" + site,
                        "zone", "a",
                        "type", "small",
                        "market", "ON_DEMAND",
                        "count", 1,
                        "image", "",
                        "userData", "",
                        "tags", tags));
        if (answer.statusCode() != 200) {
            throw new IOException(answer.body());
        }
        return List.of(new Planted(
                "instance",
                new ObjectMapper().readTree(answer.body()).at("/instances/0/id").asText()));
    }

    @Override
    public void close() throws Exception {
        cloud.close();
    }
}
