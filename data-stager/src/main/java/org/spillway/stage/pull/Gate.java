package org.spillway.stage.pull;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.function.Predicate;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** The way out to servers that nobody here runs. May be used by several threads. */
public final class Gate {
    private static final int REDIRECTS_MOST = 5;

    private final Networks networks;
    private final Predicate<InetSocketAddress> own;
    private final SSLSocketFactory tls;
    private final Names names;
    private final HttpLine.Patience patience;

    /** Looks up names. */
    interface Names {
        InetAddress[] of(String host) throws UnknownHostException;
    }

    /**
     * @param own whether an address is a port of the machine's own that nobody may reach by its hand
     * @param trust certificates in PEM that are trusted besides those that every Java trusts; empty for none
     * @throws IllegalArgumentException if they are none
     */
    public Gate(Networks networks, Predicate<InetSocketAddress> own, String trust) {
        this(networks, own, trust, InetAddress::getAllByName, HttpLine.Patience.OF_A_COPY);
    }

    Gate(Networks networks, Predicate<InetSocketAddress> own, String trust, Names names, HttpLine.Patience patience) {
        this.patience = patience;
        this.networks = networks;
        this.own = own;
        this.tls = Trust.context(trust).getSocketFactory();
        this.names = names;
    }

    /** The connection is to the very address that was judged. @throws PullRefused ADDRESS if none of the host's is permitted */
    HttpLine open(URI uri) throws IOException {
        InetAddress[] all = names.of(uri.getHost().replaceAll("[\\[\\]]", ""));
        IOException failure = null;
        InetAddress refused = null;
        for (InetAddress address : all) {
            if (!networks.permit(address) || own.test(new InetSocketAddress(address, HttpLine.port(uri)))) {
                refused = address;
                continue;
            }
            try {
                return HttpLine.open(uri, address, tls, patience);
            } catch (PullRefused e) {
                throw e;
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
        throw new PullRefused(PullFault.ADDRESS, refused == null ? "none" : String.valueOf(refused.getHostAddress()));
    }

    /** An answer whose body waits on its line. */
    record Asked(HttpLine line, HttpReply reply) {}

    /**
     * Asks, and goes where the server sends on to.
     *
     * @param used a connection that may be of use once more, and is closed when it is not; null for none
     * @param authorization sent to the first server only; empty for none
     * @param fields each with a line break at its end
     */
    Asked ask(String method, URI uri, String authorization, String fields, @Nullable HttpLine used) throws IOException {
        URI next = uri;
        HttpLine line = used;
        for (int hop = 0; hop <= REDIRECTS_MOST; hop++) {
            boolean first = HttpLine.authority(next).equals(HttpLine.authority(uri));
            String secret = first && !authorization.isEmpty() ? "Authorization: " + authorization + "\r\n" : "";
            Asked asked = ask(method, next, secret + fields, line);
            int status = asked.reply.status();
            String location = asked.reply.field("location");
            if (status < 301 || status > 308 || status == 304 || location.isEmpty()) {
                return asked;
            }
            asked.line.close();
            line = null;
            next = next(next, location);
        }
        throw new PullRefused(PullFault.REDIRECTS, "more than " + REDIRECTS_MOST);
    }

    private Asked ask(String method, URI uri, String fields, @Nullable HttpLine used) throws IOException {
        if (used != null && used.serves(uri)) {
            try {
                return new Asked(used, used.ask(method, uri, fields));
            } catch (PullRefused e) {
                throw e;
            } catch (IOException idle) {
                used.close(); // the server has closed it meanwhile
            }
        } else if (used != null) {
            used.close();
        }
        HttpLine line = open(uri);
        try {
            return new Asked(line, line.ask(method, uri, fields));
        } catch (IOException | RuntimeException e) {
            line.close();
            throw e;
        }
    }

    private static URI next(URI from, String location) throws PullRefused {
        try {
            URI to = from.resolve(location);
            boolean known = "https".equals(to.getScheme()) || "http".equals(to.getScheme());
            if (!known || to.getHost() == null || to.getRawUserInfo() != null) {
                throw new PullRefused(PullFault.DOWNGRADED, String.valueOf(to.getScheme()));
            }
            if (from.getScheme().equals("https") && !to.getScheme().equals("https")) {
                throw new PullRefused(PullFault.DOWNGRADED, to.getScheme());
            }
            return to;
        } catch (IllegalArgumentException malformed) {
            throw new PullRefused(PullFault.REDIRECTS, "to no URL");
        }
    }
}
