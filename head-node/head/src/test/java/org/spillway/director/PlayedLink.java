package org.spillway.director;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.LogPart;
import org.spillway.head.link.RegionPieces;
import org.spillway.stage.transfer.Transfer;

/** A link to a test's director without the SSH around it, which can be cut. */
final class PlayedLink implements DirectorLink {
    private final TestSite site;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    PlayedLink(TestSite site) {
        this.site = site;
    }

    void cut() throws IOException {
        cut = true;
        for (Socket one : open) {
            one.close();
        }
    }

    void mend() {
        cut = false;
    }

    @Override
    public String forwardsWanted(DirectorTarget director) throws LinkDownException {
        try {
            var answer = site.send(site.headClient(), "POST", "/v1/forwards/wanted", new byte[0]);
            if (cut || answer.statusCode() != 200) {
                throw new LinkDownException("it is cut, or said " + answer.statusCode());
            }
            return new String(answer.body(), StandardCharsets.UTF_8);
        } catch (LinkDownException down) {
            throw down;
        } catch (Exception failed) {
            throw new LinkDownException("no answer", failed);
        }
    }

    @Override
    public Socket forward(DirectorTarget director, String node, String id) throws LinkDownException {
        try {
            Socket plain = site.connection();
            Socket made = site.headClient()
                    .sslContext()
                    .getSocketFactory()
                    .createSocket(plain, site.address, plain.getPort(), true);
            open.add(made);
            if (cut) {
                made.close();
            }
            made.getOutputStream()
                    .write(("POST /v1/forwards/" + node + "/" + id
                                    + " HTTP/1.1\r\nHost: d\r\nContent-Length: 1152921504606846976\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String head = head(made.getInputStream());
            if (!head.startsWith("HTTP/1.1 200")) {
                throw new IOException(head);
            }
            return made;
        } catch (IOException failed) {
            throw new LinkDownException("no line", failed);
        }
    }

    private static String head(InputStream in) throws IOException {
        var text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            int one = in.read();
            if (one < 0) {
                throw new IOException("it ended: " + text);
            }
            text.append((char) one);
        }
        return text.toString();
    }

    @Override
    public Report sync(DirectorTarget director, Directive directive) throws LinkDownException {
        throw new LinkDownException("not played");
    }

    @Override
    public Transfer staging(DirectorTarget director) throws LinkDownException {
        throw new LinkDownException("not played");
    }

    @Override
    public RegionPieces pieces(DirectorTarget director) throws LinkDownException {
        throw new LinkDownException("not played");
    }

    @Override
    public Optional<LogPart> log(
            DirectorTarget director, String job, int attempt, String name, String stream, long after) {
        return Optional.empty();
    }

    @Override
    public void forget(String name) {}
}
