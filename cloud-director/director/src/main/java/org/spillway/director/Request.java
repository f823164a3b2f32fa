package org.spillway.director;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpsExchange;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;

/** A call, with the caller as TLS knows it. @param address that the connection came from */
record Request(HttpsExchange exchange, String method, String path, String address) {
    /** A body that is told to be longer takes no more memory than has come of it. */
    private static final int TOLD_BYTES = 1024 * 1024;

    static Request of(HttpsExchange exchange, String address) {
        return new Request(
                exchange, exchange.getRequestMethod(), exchange.getRequestURI().getRawPath(), address);
    }

    /** Common name of the client certificate, which the handshake has traced to the site CA; empty without one. */
    Optional<String> caller() {
        return certificate().flatMap(Request::commonName);
    }

    /** The certificate that the caller showed; empty without one. */
    Optional<X509Certificate> certificate() {
        try {
            var chain = exchange.getSSLSession().getPeerCertificates();
            return chain[0] instanceof X509Certificate leaf ? Optional.of(leaf) : Optional.empty();
        } catch (SSLPeerUnverifiedException none) {
            return Optional.empty();
        }
    }

    private static Optional<String> commonName(X509Certificate leaf) {
        try {
            return new LdapName(leaf.getSubjectX500Principal().getName())
                    .getRdns().stream()
                            .filter(rdn -> rdn.getType().equalsIgnoreCase("CN"))
                            .map(Rdn::getValue)
                            .map(Object::toString)
                            .findFirst();
        } catch (InvalidNameException noName) {
            return Optional.empty();
        }
    }

    Optional<String> header(String name) {
        Headers headers = exchange.getRequestHeaders();
        return Optional.ofNullable(headers.getFirst(name));
    }

    /** Value of the one field of the query, when it has this name; empty otherwise. */
    String query(String name) {
        String query = exchange.getRequestURI().getRawQuery();
        return query != null && query.startsWith(name + "=") ? query.substring(name.length() + 1) : "";
    }

    /** All fields of the query. */
    Map<String, String> queryFields() {
        String query = exchange.getRequestURI().getRawQuery();
        return query == null ? Map.of() : form(query.getBytes(StandardCharsets.UTF_8));
    }

    InputStream stream() {
        return exchange.getRequestBody();
    }

    /** @throws TooLarge if the body is longer; nothing of the rest is read */
    byte[] body(int maxBytes) throws IOException {
        int told = header("Content-Length").map(Request::number).orElse(Integer.MAX_VALUE);
        if (told > Math.min(maxBytes, TOLD_BYTES)) {
            byte[] body = stream().readNBytes(maxBytes + 1);
            if (body.length > maxBytes) {
                throw new TooLarge();
            }
            return body;
        }
        byte[] body = new byte[told];
        if (stream().readNBytes(body, 0, told) < told) {
            throw new EOFException("a body that ends in the middle");
        }
        return body;
    }

    private static int number(String digits) {
        try {
            return (int) Math.clamp(Long.parseLong(digits), 0, Integer.MAX_VALUE);
        } catch (NumberFormatException none) {
            return Integer.MAX_VALUE;
        }
    }

    /** Fields of a form; a repeated field keeps its last value. */
    static Map<String, String> form(byte[] body) {
        Map<String, String> fields = new HashMap<>();
        for (String pair : new String(body, StandardCharsets.UTF_8).split("&", 100)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                fields.put(
                        pair.substring(0, equals),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return fields;
    }

    /** A body over its limit. */
    static final class TooLarge extends IOException {
        private static final long serialVersionUID = 1;
    }
}
