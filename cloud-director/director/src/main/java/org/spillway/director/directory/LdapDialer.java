package org.spillway.director.directory;

import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import com.unboundid.util.ssl.HostNameSSLSocketVerifier;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Opens bound connections to an {@link LdapEndpoint}. */
final class LdapDialer {
    static final Duration PATIENCE = Duration.ofSeconds(10);
    /** A busy server answers late, and is worth waiting for: what is known goes on meanwhile. */
    static final Duration ANSWER = Duration.ofSeconds(30);

    private static final int LARGEST_MESSAGE_BYTES = 16 << 20;

    private LdapDialer() {}

    static LDAPConnection dial(LdapEndpoint endpoint) throws LDAPException, IOException, GeneralSecurityException {
        String password = endpoint.bindDn().isEmpty() ? "" : endpoint.password().read();
        LDAPConnection connection = connect(endpoint);
        try {
            if (endpoint.security() == LdapEndpoint.Security.START_TLS) {
                ExtendedResult result =
                        connection.processExtendedOperation(new StartTLSExtendedRequest(trust(endpoint)));
                if (!result.getResultCode().equals(ResultCode.SUCCESS)) {
                    throw new LDAPException(result);
                }
            }
            if (!endpoint.bindDn().isEmpty()) {
                connection.bind(endpoint.bindDn(), password);
            }
            return connection;
        } catch (LDAPException | IOException | GeneralSecurityException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static LDAPConnection connect(LdapEndpoint endpoint)
            throws LDAPException, IOException, GeneralSecurityException {
        LDAPConnectionOptions options = new LDAPConnectionOptions();
        options.setConnectTimeoutMillis((int) PATIENCE.toMillis());
        options.setResponseTimeoutMillis(ANSWER.toMillis());
        options.setMaxMessageSize(LARGEST_MESSAGE_BYTES);
        options.setUseKeepAlive(true);
        options.setFollowReferrals(false);
        options.setSSLSocketVerifier(new HostNameSSLSocketVerifier(true));
        return endpoint.security() == LdapEndpoint.Security.LDAPS
                ? new LDAPConnection(trust(endpoint).getSocketFactory(), options, endpoint.host(), endpoint.port())
                : new LDAPConnection(options, endpoint.host(), endpoint.port());
    }

    private static SSLContext trust(LdapEndpoint endpoint) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(
                endpoint.caFile().isPresent() ? certificates(endpoint.caFile().get()) : null);
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static KeyStore certificates(Path caFile) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(caFile)) {
            int number = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca" + number++, certificate);
            }
        }
        if (store.size() == 0) {
            throw new IOException(caFile + " holds no certificate");
        }
        return store;
    }
}
