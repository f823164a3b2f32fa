package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.SiteSettings;

final class OpenStackSettingsTest {
    private static final Path STATE = Path.of("/state");
    private static final Map<String, String> LEAST =
            Map.of("endpoint", "https://keystone:5000", "user", "u", "project", "p", "passwordFile", "secret");

    private static OpenStackSettings read(Map<String, String> options) {
        return OpenStackSettings.from(SiteSettings.of("c", "s", options, STATE));
    }

    private static OpenStackSettings with(String key, String value) {
        Map<String, String> options = new HashMap<>(LEAST);
        options.put(key, value);
        return read(options);
    }

    private static OpenStackSettings.Named named(String name) {
        return new OpenStackSettings.Named("name", name);
    }

    private static OpenStackSettings.Secret secret(String file) {
        return new OpenStackSettings.Secret(Path.of(file), List.of());
    }

    private static void refused(Map<String, String> options, String key) {
        assertThatThrownBy(() -> read(options))
                .isInstanceOfSatisfying(
                        SiteSettings.Invalid.class,
                        invalid -> assertThat(invalid.key()).isEqualTo(key));
    }

    @Test
    void noPasswordCrossesANetworkInTheClear() {
        for (String url : List.of("http://keystone:5000/v3", "http://127.0.0.1.example.org/v3", "http://10.0.0.1/v3")) {
            Map<String, String> options = new HashMap<>(LEAST);
            options.put("endpoint", url);
            refused(options, "endpoint");
        }
    }

    @Test
    void defaultsAreThoseOfTheTable() {
        OpenStackSettings settings = read(LEAST);
        assertThat(settings.endpoint()).isEqualTo("https://keystone:5000/v3");
        assertThat(settings.login())
                .isEqualTo(new OpenStackSettings.Login.Password(
                        named("u"), named("Default"), named("p"), named("Default"), secret("/state/secret")));
        assertThat(settings.facing()).isEqualTo("public");
        assertThat(settings.region()).isEmpty();
        assertThat(settings.image()).isEmpty();
        assertThat(settings.network()).isEmpty();
        assertThat(settings.securityGroup()).isEmpty();
        assertThat(settings.keyName()).isEmpty();
        assertThat(settings.publicKeyFile()).isNull();
        assertThat(settings.caFile()).isNull();
        assertThat(settings.zones()).isEmpty();
        assertThat(settings.flavors()).isEmpty();
        assertThat(settings.aliases()).isEmpty();
        assertThat(settings.externalNetwork()).isEmpty();
        assertThat(settings.floatingNetwork()).isEmpty();
        assertThat(settings.subnetCidr()).isEqualTo("10.213.0.0/16");
        assertThat(settings.adminCidr()).isEmpty();
        assertThat(settings.diskGiB()).isZero();
        assertThat(settings.server())
                .isEqualTo(new ServerOptions(Optional.empty(), "", "", List.of(), Map.of(), Duration.ofSeconds(60)));
        assertThat(settings.sshPort()).isEqualTo(22);
        assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.consistencyWindow()).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.schedule()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.requests()).isEqualTo(OpenStackSettings.UNPUBLISHED);
    }

    @Test
    void eachIsRead() {
        assertThat(with("endpoint", "https://k/identity/v3/").endpoint()).isEqualTo("https://k/identity/v3");
        assertThat(with("endpoint", "http://127.0.0.7:5000").endpoint()).isEqualTo("http://127.0.0.7:5000/v3");
        assertThat(with("region", "R").region()).isEqualTo("R");
        assertThat(with("interface", "internal").facing()).isEqualTo("internal");
        assertThat(with("image", "i").image()).isEqualTo("i");
        assertThat(with("network", "n").network()).isEqualTo("n");
        assertThat(with("securityGroup", "g").securityGroup()).isEqualTo("g");
        assertThat(with("keyName", "k").keyName()).isEqualTo("k");
        assertThat(with("publicKeyFile", "/k.pub").publicKeyFile()).isEqualTo(Path.of("/k.pub"));
        assertThat(with("caFile", "ca.pem").caFile()).isEqualTo(Path.of("/state/ca.pem"));
        assertThat(with("zones", "a, b").zones()).containsExactlyInAnyOrder("a", "b");
        assertThat(with("flavors", "g1.*,m1.small").flavors()).containsExactly("g1.*", "m1.small");
        assertThat(with("externalNetwork", "e").externalNetwork()).isEqualTo("e");
        assertThat(with("floatingNetwork", "f").floatingNetwork()).isEqualTo("f");
        assertThat(with("subnetCidr", "10.0.0.0/24").subnetCidr()).isEqualTo("10.0.0.0/24");
        assertThat(with("adminCidr", "192.0.2.0/24").adminCidr()).isEqualTo("192.0.2.0/24");
        assertThat(with("diskGiB", "50").diskGiB()).isEqualTo(50);
        assertThat(with("sshPort", "2222").sshPort()).isEqualTo(2222);
        assertThat(with("timeoutSeconds", "7").timeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(with("consistencySeconds", "0").consistencyWindow()).isZero();
        assertThat(with("scheduleSeconds", "90").schedule()).isEqualTo(Duration.ofSeconds(90));
        assertThat(with("requestsPerSecond", "5").requests().reads()).isEqualTo(new RateLimits.Bucket(5, 5));
        assertThat(with("configDrive", "true").server().configDrive()).contains(true);
        assertThat(with("configDrive", "false").server().configDrive()).contains(false);
        assertThat(with("configDrive", "default").server().configDrive()).isEmpty();
        assertThat(with("vnicType", "direct").server().vnicType()).isEqualTo("direct");
        assertThat(with("vnicType", "direct").server().hasPorts()).isTrue();
        assertThat(with("moreNetworks", "a, b = macvtap").server().more())
                .containsExactly(new ServerOptions.Wish("a", ""), new ServerOptions.Wish("b", "macvtap"));
        assertThat(with("moreNetworks", "a").server().hasPorts()).isFalse();
        assertThat(with("removalSeconds", "900").server().removal()).isEqualTo(Duration.ofMinutes(15));
        assertThat(with("flavorGpus", "bm.hgx=8xH100:80, plain=-, v=2xl40s")
                        .server()
                        .gpus())
                .isEqualTo(Map.of(
                        "bm.hgx", new ServerOptions.Gpus(8, new OpenStackSettings.Device("h100", 80L << 30, "")),
                        "plain", new ServerOptions.Gpus(0, new OpenStackSettings.Device("", 0, "")),
                        "v", new ServerOptions.Gpus(2, new OpenStackSettings.Device("l40s", 0, ""))));
        Map<String, String> disk = new HashMap<>(LEAST);
        disk.putAll(Map.of("diskGiB", "50", "volumeType", "fast"));
        assertThat(read(disk).server().volumeType()).isEqualTo("fast");
        assertThat(with("gpuAliases", "h100=H100:80,ib=fabric:infiniband,qat=-,v=a10")
                        .aliases())
                .isEqualTo(Map.of(
                        "h100", new OpenStackSettings.Device("h100", 80L << 30, ""),
                        "ib", new OpenStackSettings.Device("", 0, "infiniband"),
                        "qat", new OpenStackSettings.Device("", 0, ""),
                        "v", new OpenStackSettings.Device("a10", 0, "")));
    }

    @ParameterizedTest
    @CsvSource({
        "endpoint,keystone:5000",
        "endpoint,https://u:p@keystone",
        "interface,outer",
        "adminCidr,everywhere",
        "subnetCidr,10.0.0.0",
        "diskGiB,0",
        "configDrive,perhaps",
        "volumeType,fast",
        "vnicType,indirect",
        "moreNetworks,fabric=",
        "moreNetworks,fabric=indirect",
        "flavorGpus,bm.hgx",
        "flavorGpus,bm.hgx=h100",
        "removalSeconds,0",
        "sshPort,70000",
        "timeoutSeconds,0",
        "consistencySeconds,-1",
        "scheduleSeconds,soon",
        "requestsPerSecond,0",
        "gpuAliases,h100",
        "gpuAliases,h100=h100:many",
        "password,geheim"
    })
    void eachIsRefusedByItsName(String key, String value) {
        Map<String, String> options = new HashMap<>(LEAST);
        options.put(key, value);
        refused(options, key);
    }

    @Test
    void whatIsMissingIsNamed() {
        for (String key : LEAST.keySet()) {
            Map<String, String> options = new HashMap<>(LEAST);
            options.remove(key);
            refused(options, key);
        }
    }

    @Test
    void anApplicationCredentialStandsAlone() {
        Map<String, String> options = new HashMap<>(Map.of(
                "endpoint", "https://k", "applicationCredentialId", "a", "applicationCredentialSecretFile", "f"));
        assertThat(read(options).login())
                .isEqualTo(new OpenStackSettings.Login.ApplicationCredential("a", secret("/state/f")));
        for (String other : List.of("user", "passwordFile", "project", "userDomain", "projectDomain")) {
            Map<String, String> both = new HashMap<>(options);
            both.put(other, "x");
            refused(both, other);
        }
        options.remove("applicationCredentialId");
        refused(options, "applicationCredentialId");
    }

    @Test
    void oneKeyIsEnough() {
        Map<String, String> options = new HashMap<>(LEAST);
        options.putAll(Map.of("keyName", "k", "publicKeyFile", "k.pub"));
        refused(options, "publicKeyFile");
    }
}
