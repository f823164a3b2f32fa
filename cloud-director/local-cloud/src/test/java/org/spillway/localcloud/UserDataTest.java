package org.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class UserDataTest {
    /** In the form in which the head sends it for a director. */
    private static final String DIRECTOR = """
            #cloud-config
            ssh_deletekeys: true
            ssh_keys:
              ecdsa_private: |
                -----BEGIN OPENSSH PRIVATE KEY-----
                abc
                -----END OPENSSH PRIVATE KEY-----
              ecdsa_public: ecdsa-sha2-nistp256 AAAA host
            ssh_authorized_keys:
              - ecdsa-sha2-nistp256 BBBB head
            users:
              - default
              - name: spillway
                gecos: Spillway director
                shell: /bin/sh
                lock_passwd: true
                sudo: 'ALL=(root) NOPASSWD: /usr/local/sbin/spillway-host-key ""'
                ssh_authorized_keys:
                  - ecdsa-sha2-nistp256 CCCC user
                uid: 900
            write_files:
              - path: /usr/local/sbin/spillway-host-key
                content: |
                  #!/bin/sh
            """;

    @Test
    void takesHostKeyAndTheKeysOfAllUsersAndNamesWhatItIgnores() {
        UserData data = UserData.parse(DIRECTOR);
        assertThat(data.hostKey())
                .isEqualTo("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n");
        assertThat(data.authorizedKeys())
                .containsExactly("ecdsa-sha2-nistp256 BBBB head", "ecdsa-sha2-nistp256 CCCC user");
        assertThat(data.script()).isEmpty();
        assertThat(data.remarks())
                .containsExactly(
                        "cloud-config: ssh_deletekeys: ignored",
                        "cloud-config: users: uid: ignored",
                        "cloud-config: write_files: ignored");
    }

    @Test
    void takesOneKeyWhereAListIsUsual() {
        assertThat(UserData.parse("#cloud-config\nusers:\n  - {name: x, ssh_authorized_keys: k}\n")
                        .authorizedKeys())
                .containsExactly("k");
        assertThat(UserData.parse("#cloud-config\nusers: nobody\nssh_authorized_keys:\n")
                        .authorizedKeys())
                .isEmpty();
    }

    @Test
    void scriptStaysAsItIs() {
        String script = "#!/usr/bin/env -S sh -e\necho 'two  words'\n";
        assertThat(UserData.parse(script).script()).isEqualTo(script);
    }

    @Test
    void runcmdQuotesArgumentListsAndLeavesLines() {
        assertThat(UserData.parse("#cloud-config\nruncmd:\n  - [echo, \"it's\"]\n  - echo $HOME\n")
                        .script())
                .isEqualTo("#!/bin/sh\n'echo' 'it'\\''s' \necho $HOME\n");
    }

    @Test
    void ignoresTheRestWithAWord() {
        for (String text : new String[] {"hello", "#cloud-config\n- a\n", "#cloud-config\na: [\n"}) {
            UserData data = UserData.parse(text);
            assertThat(data.script()).isEmpty();
            assertThat(data.remarks()).singleElement().asString().contains("ignored");
        }
        assertThat(UserData.parse("#cloud-config\nssh_keys: {dsa_private: x}\n").remarks())
                .containsExactly(
                        "cloud-config: ssh_keys: none of [ed25519_private, ecdsa_private, rsa_private], a key is made");
        assertThat(UserData.parse("#cloud-config\nssh_keys:\n  ecdsa_private: a: secret\n")
                        .remarks())
                .containsExactly("user data: not YAML in line 3, ignored");
        assertThat(UserData.parse(" \n").remarks()).isEmpty();
    }
}
