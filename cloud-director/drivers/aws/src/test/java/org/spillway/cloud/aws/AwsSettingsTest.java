package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.cloud.SiteSettings;

final class AwsSettingsTest {
    @TempDir
    private Path home;

    private AwsSettings settings(Map<String, String> options) {
        return AwsSettings.from(SiteSettings.of("cluster", "site", options, home));
    }

    private Path credentials(String mode) throws Exception {
        Path file = Files.writeString(home.resolve("keys"), "[default]\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    @Test
    void defaults() {
        AwsSettings made = settings(Map.of("region", "eu-central-1"));
        assertThat(made.endpoint()).isNull();
        assertThat(made.pricingEndpoint()).isNull();
        assertThat(made.credentialsFile()).isNull();
        assertThat(made.profile()).isEqualTo("default");
        assertThat(made.types()).contains("p5.*", "g6.*");
        assertThat(made.subnets()).isEmpty();
        assertThat(made.publicDirector()).isTrue();
        assertThat(made.vpcCidr()).isEqualTo("10.77.0.0/16");
        assertThat(made.sshPort()).isEqualTo(22);
        assertThat(made.diskGib()).isEqualTo(50);
        assertThat(made.timeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(made.consistencyWindow()).isEqualTo(Duration.ofSeconds(300));
    }

    @Test
    void everyOptionArrives() throws Exception {
        Map<String, String> options = new HashMap<>();
        options.put("region", "us-east-1");
        options.put("endpoint", "http://127.0.0.1:4566");
        options.put("pricingEndpoint", "https://prices.example");
        options.put("credentialsFile", credentials("rw-------").getFileName().toString());
        options.put("profile", "burst");
        options.put("image", "ami-0123456789abcdef0");
        options.put("imageArm64", "resolve:ssm:/some/arm64");
        options.put("rootDevice", "/dev/sda1");
        options.put("subnets", "a=subnet-01234567, b=subnet-89abcdef");
        options.put("directorSubnets", "a=subnet-00000000");
        options.put("directorAddress", "public");
        options.put("securityGroup", "sg-01234567");
        options.put("directorSecurityGroup", "sg-89abcdef");
        options.put("keyName", "ops key");
        options.put("publicKeyFile", "ops.pub");
        options.put("types", "p5.*,g6.xlarge");
        options.put("adminCidr", "198.51.100.7/32");
        options.put("vpcCidr", "10.9.0.0/16");
        options.put("sshPort", "2222");
        options.put("diskGiB", "200");
        options.put("timeoutSeconds", "7");
        options.put("consistencySeconds", "0");
        options.put("instanceProfile", "nodes");
        options.put("directorInstanceProfile", "arn:aws:iam::123456789012:instance-profile/site/director");
        options.put("tags", "team=hpc, cost-centre=42 a");
        options.put("diskType", "gp3");
        options.put("diskIops", "4000");
        options.put("diskThroughputMiB", "250");
        options.put("kmsKey", "alias/scratch");
        options.put("smt", "off");
        options.put("launchTemplate", "gold/a:7");
        assertThat(settings(options))
                .isEqualTo(new AwsSettings(
                        "us-east-1",
                        URI.create("http://127.0.0.1:4566"),
                        URI.create("https://prices.example"),
                        home.resolve("keys"),
                        "burst",
                        "ami-0123456789abcdef0",
                        "resolve:ssm:/some/arm64",
                        "/dev/sda1",
                        Map.of("a", "subnet-01234567", "b", "subnet-89abcdef"),
                        Map.of("a", "subnet-00000000"),
                        true,
                        "sg-01234567",
                        "sg-89abcdef",
                        "ops key",
                        home.resolve("ops.pub"),
                        List.of("p5.*", "g6.xlarge"),
                        "198.51.100.7/32",
                        "10.9.0.0/16",
                        2222,
                        200,
                        Duration.ofSeconds(7),
                        Duration.ZERO,
                        false,
                        new AwsMachine(
                                "nodes",
                                "arn:aws:iam::123456789012:instance-profile/site/director",
                                new AwsMachine.Disk("gp3", 4000, 250, "alias/scratch"),
                                false,
                                "gold/a:7")));
        assertThat(AwsTags.ofOwner(SiteSettings.of("cluster", "site", options, home)))
                .isEqualTo(Map.of("team", "hpc", "cost-centre", "42 a"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            colour=blue                       | colour          | "unknown; allowed for driver aws: adminCidr, consistencySeconds"
            timeoutSeconds=3                  | region          | "missing; expected a region such as us-east-1"
            region=US-East                    | region          | "found 'US-East'; allowed: a region such as us-east-1"
            region=r1 endpoint=http://10.1.2.3 | endpoint       | "found 'http://10.1.2.3'; allowed: https://HOST[:PORT], or http:// on 127.0.0.1 or localhost"
            region=r1 endpoint=nonsense       | endpoint        | "found 'nonsense'; allowed: https"
            region=r1 endpoint=https://u:secret@h | endpoint    | "found 'https://...@h'; allowed: https"
            region=r1 pricingEndpoint=ftp://h | pricingEndpoint | "found 'ftp://h'; allowed: https"
            region=r1 profile=p               | profile         | "goes with credentialsFile"
            region=r1 credentialsFile=missing | credentialsFile | "cannot be read; expected a file of mode 600 or 400"
            region=r1 image=debian            | image           | "found 'debian'; allowed: ami-..., resolve:ssm:/..."
            region=r1 subnets=a=subnet-01234567 | securityGroup | "missing; give both subnets and securityGroup"
            region=r1 securityGroup=sg-01234567 | subnets       | "missing; give both subnets and securityGroup"
            region=r1 securityGroup=group     | securityGroup   | "found 'group'; allowed: sg-..."
            region=r1 subnets=subnet-01234567 | subnets         | "found 'subnet-01234567'; allowed: ZONE=subnet-..., with commas between"
            region=r1 subnets=a=subnet-01234567,a=subnet-01234568 | subnets | "each zone once"
            region=r1 directorSubnets=a=subnet-01234567 | directorSubnets | "goes with subnets"
            region=r1 directorAddress=both    | directorAddress | "found 'both'; allowed: public, private"
            region=r1 publicKeyFile=k         | publicKeyFile   | "goes with keyName"
            region=r1 types=p5.*,,g6.*        | types           | "a list with one comma between two"
            region=r1 types=p5/*              | types           | "found 'p5/*'; allowed: patterns such as p5.*, with commas between"
            region=r1 adminCidr=1.2.3.4       | adminCidr       | "found '1.2.3.4'; allowed: an IPv4 block"
            region=r1 adminCidr=1.2.3.400/32  | adminCidr       | "allowed: an IPv4 block"
            region=r1 vpcCidr=10.0.0.0/8      | vpcCidr         | "found '10.0.0.0/8'; allowed: a /16 block"
            region=r1 sshPort=0               | sshPort         | "found '0'; allowed: a whole number, 1 to 65535"
            region=r1 diskGiB=1.5             | diskGiB         | "found '1.5'; allowed: a whole number, 1 to 16384"
            region=r1 timeoutSeconds=0        | timeoutSeconds  | "found '0'; allowed: a whole number, 1 to 3600"
            region=r1 consistencySeconds=-1   | consistencySeconds | "found '-1'; allowed: a whole number, 0 to 3600"
            region=r1 image=newest:debian/x   | image           | "allowed: ami-..., resolve:ssm:/..., newest:OWNER/NAME"
            region=r1 instanceProfile=a/b     | instanceProfile | "the name or the ARN of an instance profile"
            region=r1 tags=team               | tags            | "found 'team'; allowed: KEY=VALUE with commas between"
            region=r1 tags=a=1,A=2            | tags            | "each key once, whatever its case"
            region=r1 tags=aws:x=1            | tags            | "found 'aws:x=1'; allowed: KEY=VALUE"
            region=r1 tags=Spillway-site=x    | tags            | "found 'Spillway-site'; allowed: keys that begin neither with spillway nor with aws:"
            region=r1 diskType=st1            | diskType        | "found 'st1'; allowed: gp2, gp3, io1, io2"
            region=r1 diskType=io2            | diskIops        | "missing; a disk of type io2 is bought by its IOPS"
            region=r1 diskType=gp2 diskIops=3000 | diskIops     | "does not go with diskType gp2"
            region=r1 diskType=io1 diskIops=3000 diskThroughputMiB=200 | diskThroughputMiB | "goes with diskType gp3 only"
            region=r1 diskThroughputMiB=1     | diskThroughputMiB | "found '1'; allowed: a whole number, 125 to 2000"
            region=r1 kmsKey=mine             | kmsKey          | "the id, the ARN or the alias (alias/NAME) of a key of KMS"
            region=r1 s3Endpoint=yes          | s3Endpoint      | "found 'yes'; allowed: on, off"
            region=r1 s3Endpoint=on subnets=a=subnet-01234567 securityGroup=sg-01234567 | s3Endpoint | "is of the network that Spillway makes"
            region=r1 smt=no                  | smt             | "found 'no'; allowed: on, off"
            region=r1 launchTemplate=gold     | launchTemplate  | "found 'gold'; allowed: NAME:VERSION or lt-...:VERSION, the version a number"
            region=r1 launchTemplate=gold:$Latest | launchTemplate | "the version a number"
            """)
    void rejectsWithKeyAndWhatIsAllowed(String options, String key, String message) {
        Map<String, String> map = new HashMap<>();
        for (String option : options.split(" ", -1)) {
            map.put(option.substring(0, option.indexOf('=')), option.substring(option.indexOf('=') + 1));
        }
        assertThatThrownBy(() -> settings(map))
                .isInstanceOfSatisfying(
                        SiteSettings.Invalid.class,
                        invalid -> assertThat(invalid.key()).isEqualTo(key))
                .hasMessageContaining(message)
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rwx------"})
    void credentialsThatOthersMayReadAreRefused(String mode) throws Exception {
        credentials(mode);
        Map<String, String> options = Map.of("region", "r1", "credentialsFile", "keys");
        assertThatThrownBy(() -> settings(options))
                .isInstanceOf(SiteSettings.Invalid.class)
                .hasMessageContaining(mode)
                .hasMessageContaining("allowed: 600, 400");
        credentials("r--------");
        assertThat(settings(options).credentialsFile()).isEqualTo(home.resolve("keys"));
    }
}
