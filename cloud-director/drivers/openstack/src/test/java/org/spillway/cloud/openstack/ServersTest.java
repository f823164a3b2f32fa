package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.Instance;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;

final class ServersTest {
    private static final Servers SERVERS = new Servers("here", 22);

    private static JsonNode server(String fields) throws Exception {
        return new ObjectMapper()
                .readTree(("{'id': 'u-1', 'created': '2026-11-21T10:00:00Z', 'flavor': {'original_name': 'm1'},"
                                + fields + "}")
                        .replace('\'', '"'));
    }

    @ParameterizedTest
    @CsvSource({
        "BUILD,scheduling,PENDING",
        "ACTIVE,,RUNNING",
        "ACTIVE,powering-off,STOPPING",
        "ACTIVE,deleting,TERMINATING",
        "REBOOT,reboot_started,RUNNING",
        "SHUTOFF,,STOPPED",
        "SHUTOFF,powering-on,PENDING",
        "SHELVED_OFFLOADED,,STOPPED",
        "PAUSED,,STOPPED",
        "ERROR,,STOPPED",
        "ERROR,deleting,TERMINATING",
        "SOFT_DELETED,,TERMINATED",
        "DELETED,,TERMINATED",
        "VERIFY_RESIZE,,RUNNING",
        "UNKNOWN,,RUNNING"
    })
    void state(String status, String task, Instance.State state) throws Exception {
        String word = task == null ? "null" : "'" + task + "'";
        assertThat(Servers.state(server("'status': '" + status + "', 'OS-EXT-STS:task_state': " + word)))
                .isEqualTo(state);
    }

    @Test
    void anErrorIsAFailureOnlyOfWhatNeverRan() throws Exception {
        String fault = "'status': 'ERROR', 'fault': {'code': 500, 'message': 'No valid host was found. '}";
        assertThat(SERVERS.instance(server(fault)).failure())
                .isEqualTo(new LaunchOutcome.Refused(Reason.CAPACITY, "No valid host was found."));
        assertThat(SERVERS.instance(server(fault + ", 'OS-SRV-USG:launched_at': '2026-11-21T10:00:01'"))
                        .failure())
                .isNull();
        assertThat(SERVERS.instance(server("'status': 'ACTIVE'")).failure()).isNull();
    }

    @Test
    void aServerIsDecidedWhenItHasAHostOrNone() throws Exception {
        assertThat(Servers.isDecided(server("'status': 'BUILD', 'hostId': ''"))).isFalse();
        assertThat(Servers.isDecided(server("'status': 'BUILD', 'hostId': 'h'")))
                .isTrue();
        assertThat(Servers.isDecided(server("'status': 'ERROR', 'hostId': ''"))).isTrue();
    }

    @Test
    void aFloatingAddressGoesBeforeAFixedOneAndThatBeforeIpv6() throws Exception {
        String fixed = "{'addr': '10.0.0.5', 'version': 4, 'OS-EXT-IPS:type': 'fixed'}";
        String six = "{'addr': '2001:db8::5', 'version': 6, 'OS-EXT-IPS:type': 'fixed'}";
        String floating = "{'addr': '192.0.2.5', 'version': 4, 'OS-EXT-IPS:type': 'floating'}";
        assertThat(Servers.address(server("'addresses': {'n': [" + six + "," + fixed + "," + floating + "]}")))
                .isEqualTo("192.0.2.5");
        assertThat(Servers.address(server("'addresses': {'n': [" + six + "," + fixed + "]}")))
                .isEqualTo("10.0.0.5");
        assertThat(Servers.address(server("'addresses': {'n': [" + six + "]}"))).isEqualTo("2001:db8::5");
        assertThat(Servers.address(server("'addresses': {}"))).isEmpty();
    }

    @Test
    void theZoneIsTheOneThatWasAskedFor() throws Exception {
        Instance instance = SERVERS.instance(
                server("'status': 'ERROR', 'OS-EXT-AZ:availability_zone': '', 'metadata': {'spillway-zone': 'z'}"));
        assertThat(instance.offering().zone()).isEqualTo("z");
        assertThat(instance.launchedAt()).isEqualTo(Instant.parse("2026-11-21T10:00:00Z"));
    }

    @Test
    void whatIsNoServerIsRefused() {
        assertThatThrownBy(() -> SERVERS.instance(new ObjectMapper().readTree("{}")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
