package org.spillway.stage.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NetworksTest {
    private static final List<String> ALL = List.of("0.0.0.0/0", "::/0");

    private static boolean permits(List<String> allowed, String address) throws UnknownHostException {
        return Networks.of(allowed).permit(InetAddress.getByName(address));
    }

    @ParameterizedTest
    @ValueSource(strings = {"8.8.8.8", "192.0.1.1", "172.32.0.1", "100.128.0.1", "2600::1", "2a00:1450::1"})
    void publicOnesArePermitted(String address) throws UnknownHostException {
        assertThat(permits(List.of(), address)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1", "127.0.0.1", "127.255.255.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1",
                "198.18.0.1", "240.0.0.1", "192.0.2.1", "::1", "fc00::1", "2001:db8::1", "2002:0a00:0001::1",
                "64:ff9b::a00:1", "::ffff:10.0.0.1", "2001::1"
            })
    void privateOnesAreWhenTheConfigurationSaysSo(String address) throws UnknownHostException {
        assertThat(permits(List.of(), address)).isFalse();
        assertThat(permits(ALL, address)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "169.254.169.254",
                "169.254.0.1",
                "fe80::1",
                "fd00:ec2::254",
                "100.100.100.200",
                "0.0.0.0",
                "224.0.0.1",
                "ff02::1",
                "::",
                "::ffff:169.254.169.254"
            })
    void someNeverAre(String address) throws UnknownHostException {
        assertThat(permits(ALL, address)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0", "localhost/8", "10.0.0.0/33", "10.0.0/8", "example.org/8", "::/129", "/8", ""})
    void otherTextsAreNone(String text) {
        assertThatThrownBy(() -> Networks.of(List.of(text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }
}
