package org.spillway.stage.pull;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.function.Predicate;

/** Short questions to servers that nobody here runs, by somebody who does not wait long. */
public final class Inquiry {
    private final Gate gate;

    /** @param own as {@link Gate} has it @param trust certificates in PEM; empty for none */
    public Inquiry(Networks networks, Predicate<InetSocketAddress> own, String trust) {
        this.gate = new Gate(networks, own, trust, InetAddress::getAllByName, HttpLine.Patience.OF_A_QUESTION);
    }

    /**
     * The length of a file; -1 when the server does not say.
     *
     * @throws PullRefused if it would not be had
     * @throws IOException if nobody answers
     */
    public long bytes(URI uri, String authorization) throws IOException {
        Gate.Asked asked = gate.ask("HEAD", uri, authorization, "Connection: close\r\n", null);
        try (HttpLine line = asked.line()) {
            HttpReply reply = asked.reply();
            int status = reply.status();
            if (status == 401 || status == 403 || status == 404 || status == 410) {
                PullFault fault = status > 403 ? PullFault.ABSENT : PullFault.REFUSED;
                throw new PullRefused(fault, Integer.toString(status));
            }
            return status == 200
                            && !reply.isChunked()
                            && !reply.field("content-length").isEmpty()
                    ? Long.parseLong(reply.field("content-length"))
                    : -1;
        }
    }

    /** Makes something of a body. */
    public interface Reader<T> {
        T read(InputStream body) throws IOException;
    }

    /** @throws PullRefused unless the answer is a 200 */
    public <T> T get(URI uri, int mostBytes, Reader<T> reader) throws IOException {
        Gate.Asked asked = gate.ask("GET", uri, "", "Connection: close\r\n", null);
        try (HttpLine line = asked.line()) {
            int status = asked.reply().status();
            if (status != 200) {
                PullFault fault = status == 404
                        ? PullFault.ABSENT
                        : status == 401 || status == 403 ? PullFault.REFUSED : PullFault.STATUS;
                throw new PullRefused(fault, Integer.toString(status));
            }
            byte[] body = line.body(asked.reply()).readNBytes(mostBytes);
            return reader.read(new ByteArrayInputStream(body));
        }
    }
}
