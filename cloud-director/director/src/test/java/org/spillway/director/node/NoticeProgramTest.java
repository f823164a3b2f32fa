package org.spillway.director.node;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Notices in the forms that providers publish, as the node's program reads them. */
final class NoticeProgramTest {
    private static final String ACTION = "/latest/meta-data/spot/instance-action";
    private static final String HINT = "/latest/meta-data/events/recommendations/rebalance";
    private static final String LIFE = "/latest/meta-data/instance-life-cycle";
    private static final String PRIORITY = "/metadata/instance/compute/priority?api-version=2021-02-01&format=text";
    private static final String EVENTS = "/metadata/scheduledevents?api-version=2020-07-01";
    private static final long WHEN = 1_505_722_920;

    @TempDir
    Path folder;

    private final Map<String, String> said = new LinkedHashMap<>();
    private boolean amazon = true;
    private HttpServer service;

    @BeforeEach
    void start() throws IOException {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", this::answer);
        service.start();
    }

    @AfterEach
    void stop() {
        service.stop(0);
    }

    /** IMDSv2: a token by PUT, and nothing without it; Azure: nothing without its header. */
    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        boolean token = path.equals("/latest/api/token");
        String text = said.get(path);
        int status = text == null ? 404 : 200;
        if (token) {
            boolean asked = exchange.getRequestMethod().equals("PUT")
                    && exchange.getRequestHeaders().containsKey("X-aws-ec2-metadata-token-ttl-seconds");
            status = amazon && asked ? 200 : 405;
            text = "a-token";
        } else if (path.startsWith("/latest/")
                && !"a-token".equals(exchange.getRequestHeaders().getFirst("X-aws-ec2-metadata-token"))) {
            status = 401;
        } else if (path.startsWith("/metadata/")
                && !"true".equals(exchange.getRequestHeaders().getFirst("Metadata"))) {
            status = 400;
        }
        byte[] body = status == 200 ? requireNonNull(text).getBytes(StandardCharsets.UTF_8) : new byte[0];
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** {@code WAY KIND UNTIL} after the first turn. */
    private String heard() throws Exception {
        Path node = Path.of(requireNonNull(NodeUserData.class.getResource("notice.sh"))
                        .toURI())
                .getParent();
        Process sh = new ProcessBuilder(
                        "sh",
                        "-c",
                        """
                        set -u
                        SPILLWAY_METADATA=$1 S=$2 DISK=$2 ID=node-7 WORK=$2 STOCK=yes
                        . "$3/base.sh"; . "$3/stock.sh"; . "$3/notice.sh"
                        say() { :; }
                        renew() { :; }
                        turns=0 noticed=
                        way=$(notice_way)
                        [ -z "$way" ] || listen
                        echo "$way $noticed"
                        cat "$S/notice" 2>/dev/null
                        true
                        """,
                        "sh",
                        "http://127.0.0.1:" + service.getAddress().getPort(),
                        folder.toString(),
                        node.toString())
                .redirectErrorStream(true)
                .start();
        String all = new String(sh.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(sh.waitFor()).as(all).isZero();
        return all.strip();
    }

    @Test
    void amazonSaysItByItsSecondVersion() throws Exception {
        said.put(LIFE, "spot");
        assertThat(heard()).isEqualTo("aws");
        said.put(HINT, "{\"noticeTime\":\"2017-09-18T08:22:00Z\"}");
        assertThat(heard()).isEqualTo("aws rebalance " + WHEN + "\n27:notice rebalance " + WHEN);
        said.put(ACTION, "{\"action\": \"terminate\", \"time\": \"2017-09-18T08:22:00Z\"}");
        assertThat(heard()).isEqualTo("aws reclaim " + WHEN + "\n25:notice reclaim " + WHEN);
    }

    @Test
    void azureSaysItByScheduledEvents() throws Exception {
        amazon = false;
        said.put(PRIORITY, "Spot");
        said.put(EVENTS, "{\"DocumentIncarnation\":1,\"Events\":[]}");
        assertThat(heard()).isEqualTo("azure");
        String form =
                "{\"DocumentIncarnation\": 2, \"Events\": [%s, {\"EventId\": \"C7061BAC\", \"EventStatus\": \"Scheduled\","
                        + " \"EventType\": \"%s\", \"ResourceType\": \"VirtualMachine\", \"Resources\": [\"%s\"],\n"
                        + " \"NotBefore\": \"Mon, 18 Sep 2017 08:22:00 GMT\", \"Description\": \"\", \"EventSource\": \"Platform\","
                        + " \"DurationInSeconds\": -1}]}";
        String reboot = "{\"EventType\": \"Reboot\", \"Resources\": [\"node-7\"], \"NotBefore\": \"\"}";
        said.put(EVENTS, form.formatted(reboot, "Preempt", "node-71"));
        assertThat(heard()).isEqualTo("azure");
        said.put(EVENTS, form.formatted(reboot, "Freeze", "node-7"));
        assertThat(heard()).isEqualTo("azure");
        said.put(EVENTS, form.formatted(reboot, "Preempt", "node-7"));
        assertThat(heard()).startsWith("azure reclaim " + WHEN);
    }

    @Test
    void othersAreNotAskedAgain() throws Exception {
        said.put(LIFE, "on-demand");
        said.put(ACTION, "{\"action\": \"terminate\", \"time\": \"2017-09-18T08:22:00Z\"}");
        assertThat(heard()).isEmpty();
        amazon = false;
        said.put(PRIORITY, "Regular");
        assertThat(heard()).isEmpty();
        said.clear();
        assertThat(heard()).isEmpty();
    }
}
