package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.openstack.OpenStackSettings.Login;
import org.spillway.cloud.openstack.OpenStackSettings.Named;
import org.spillway.cloud.openstack.OpenStackSettings.Secret;

final class CloudsFileTest {
    /** As "Configuring OpenStack SDK Applications" shows it. */
    private static final String CLOUDS = """
            clouds:
              devstack:
                auth:
                  auth_url: https://keystone.example.org/identity
                  password: secretary
                  project_name: demo
                  user_domain_id: default
                  username: anna
                identity_api_version: '3'
                region_name: RegionTwo
                cacert: /etc/ssl/ours.pem
                interface: internal
            """;
    /** As Horizon and the command make it of an application credential. */
    private static final String CREDENTIAL = """
            clouds:
              openstack:
                auth:
                  auth_url: https://keystone.example.org/v3
                  application_credential_id: "21dced0fd20347869b93710d2b98aae0"
                  application_credential_secret: "hidden"
                region_name: "RegionOne"
                interface: "public"
                identity_api_version: 3
                auth_type: "v3applicationcredential"
            """;

    @TempDir
    private Path directory;

    private OpenStackSettings read(Map<String, String> options) {
        return OpenStackSettings.from(
                SiteSettings.of("c", "s", options, directory), List.of(directory.resolve("first"), directory));
    }

    private Path write(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private void refused(Map<String, String> options, String key, String... words) {
        assertThatThrownBy(() -> read(options)).isInstanceOfSatisfying(SiteSettings.Invalid.class, invalid -> {
            assertThat(invalid.key()).isEqualTo(key);
            assertThat(invalid.getMessage()).contains(words).doesNotContain("secretary", "hidden");
        });
    }

    @Test
    void allOfALoginIsRead() throws Exception {
        Path file = write("clouds.yaml", CLOUDS);
        OpenStackSettings settings = read(Map.of("cloud", "devstack"));
        assertThat(settings.endpoint()).isEqualTo("https://keystone.example.org/identity/v3");
        assertThat(settings.region()).isEqualTo("RegionTwo");
        assertThat(settings.facing()).isEqualTo("internal");
        assertThat(settings.caFile()).isEqualTo(Path.of("/etc/ssl/ours.pem"));
        Secret secret = new Secret(file, List.of("clouds", "devstack", "auth", "password"));
        assertThat(settings.login())
                .isEqualTo(new Login.Password(
                        new Named("name", "anna"),
                        new Named("id", "default"),
                        new Named("name", "demo"),
                        new Named("name", "Default"),
                        secret));
        assertThat(CloudsFile.value(secret.file(), secret.keys())).contains("secretary");
        assertThat(settings.toString()).doesNotContain("secretary");
    }

    @Test
    void anApplicationCredentialAndTheSitesOwnRegion() throws Exception {
        Path file = write("mine/ours.yaml", CREDENTIAL);
        OpenStackSettings settings =
                read(Map.of("cloud", "openstack", "cloudsFile", file.toString(), "region", "RegionNine"));
        assertThat(settings.region()).isEqualTo("RegionNine");
        assertThat(settings.login())
                .isEqualTo(new Login.ApplicationCredential(
                        "21dced0fd20347869b93710d2b98aae0",
                        new Secret(file, List.of("clouds", "openstack", "auth", "application_credential_secret"))));
    }

    @Test
    void theFirstFileWinsAndSecretsMayLieApart() throws Exception {
        write("clouds.yaml", CREDENTIAL);
        write("first/clouds.yaml", CLOUDS.replace("password: secretary", "project_id: p-7"));
        Path secure = write("secure.yaml", "clouds: {devstack: {auth: {password: secretary}}}");
        OpenStackSettings settings = read(Map.of("cloud", "devstack"));
        assertThat(settings.login()).isInstanceOfSatisfying(Login.Password.class, login -> {
            assertThat(login.secret().file()).isEqualTo(secure);
            assertThat(login.project()).isEqualTo(new Named("id", "p-7"));
        });
        refused(Map.of("cloud", "openstack"), "cloud", "no cloud 'openstack'", "devstack");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            region_name: RegionTwo  | verify: false            | certificates
            region_name: RegionTwo  | auth_type: v3oidcpassword | v3oidcpassword
            password: secretary     | unused: secretary        | auth.password
            username: anna          | unused: anna             | auth.username
            project_name: demo      | unused: demo             | auth.project_name
            auth_url: https         | unused: https            | auth.auth_url
            clouds:                 | cloud:                   | no cloud
            """)
    void whatCannotBeUsedIsSaid(String found, String instead, String word) throws Exception {
        write("clouds.yaml", CLOUDS.replace(found, instead));
        refused(Map.of("cloud", "devstack"), "cloud", word);
    }

    @Test
    void aLoginIsFromOnePlace() throws Exception {
        write("clouds.yaml", CLOUDS);
        for (String other : List.of("endpoint", "user", "passwordFile", "applicationCredentialId")) {
            Map<String, String> both = new HashMap<>(Map.of("cloud", "devstack"));
            both.put(other, "https://k");
            refused(both, other, "does not go with cloud");
        }
        refused(Map.of("cloudsFile", "clouds.yaml"), "cloudsFile", "goes with cloud");
        Files.delete(directory.resolve("clouds.yaml"));
        refused(Map.of("cloud", "devstack"), "cloud", "there is no clouds.yaml in", "cloudsFile");
        write("clouds.yaml", "clouds: {devstack: {auth: {password: secretary");
        refused(Map.of("cloud", "devstack"), "cloud", "is no YAML");
    }
}
