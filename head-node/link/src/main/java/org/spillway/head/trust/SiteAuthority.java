package org.spillway.head.trust;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLContext;
import javax.security.auth.x500.X500Principal;

/**
 * Makes and keeps every key of the cluster, in {@code STATE/secrets}. What is asked for twice is the same, also after
 * a restart. Used by several threads of one process; the journal's lock keeps a second head away.
 */
public final class SiteAuthority {
    /** Common name of the head's client certificate. */
    public static final String HEAD_NAME = "spillway-head";

    private static final Duration OWN_VALIDITY = Duration.ofDays(365);
    /** A certificate with less than this ahead of it is made again when it is next asked for. */
    private static final Duration RENEW_BEFORE = Duration.ofDays(90);

    private final Keyring keyring;
    private final InstantSource clock;
    private final HostKeys hostKeys;
    private final Credential authority;
    private final SecretKeySpec masterSecret;
    private final Keyring.SigningKeys imageSigning;
    private final KeyPair sshClient;

    private SiteAuthority(SecretFiles files, InstantSource clock) throws IOException {
        this.keyring = new Keyring(files);
        this.clock = clock;
        this.hostKeys = new HostKeys(files);
        this.authority = keyring.authority(clock.instant());
        this.masterSecret = new SecretKeySpec(keyring.masterSecret(), "HmacSHA256");
        this.imageSigning = keyring.imageSigning();
        this.sshClient = keyring.sshClient();
    }

    /**
     * Loads what is there and makes what is not.
     *
     * @throws IOException if {@code STATE/secrets} belongs to another user, cannot be written, or is damaged
     */
    public static SiteAuthority open(Path stateDirectory, InstantSource clock) throws IOException {
        SecretFiles files = SecretFiles.in(stateDirectory.resolve("secrets"));
        files.removeUnfinished();
        return new SiteAuthority(files, clock);
    }

    /** As {@link #open}, beside a head of that state which may be writing there now. */
    public static SiteAuthority beside(Path stateDirectory, InstantSource clock) throws IOException {
        return new SiteAuthority(SecretFiles.in(stateDirectory.resolve("secrets")), clock);
    }

    /** The authority's certificate, which everybody may know. */
    public String certificatePem() {
        return authority.certificatePem();
    }

    /**
     * Certifies a node's key as {@code CN=node:ID}, for TLS clients only. Whatever else the request asks for is ignored.
     *
     * @return the certificate with the authority's behind it
     * @throws CsrRefused if the request is unreadable, not signed by its own key, or its key is weak
     */
    public String signNode(String csrPem, String node, Duration validity) throws CsrRefused, IOException {
        PublicKey key = NodeRequest.key(csrPem);
        var subject = new DN(new RDN("CN", "node:" + Names.node(node)));
        return issue(key, subject, Certificates.Purpose.CLIENT, List.of(), validity);
    }

    /** The head's own key and certificate, {@code CN=spillway-head}, for TLS clients only. */
    public Credential headClient() throws IOException {
        var subject = new X500Principal("CN=" + HEAD_NAME);
        return ownCredential("head-client", subject, Certificates.Purpose.CLIENT, List.of());
    }

    /**
     * A director's key and certificate, for TLS servers only. The same until 90 days before its end, unless the
     * address has changed.
     *
     * @param address on which nodes reach it, an IP address
     */
    public Credential directorCertificate(String node, String site, String address) throws IOException {
        // Both are literals: no name is looked up.
        var addresses = new LinkedHashSet<InetAddress>();
        addresses.add(InetAddress.ofLiteral(address));
        addresses.add(InetAddress.ofLiteral("127.0.0.1"));
        return ownCredential(
                "director-" + Names.node(node),
                directorName(node, site),
                Certificates.Purpose.SERVER,
                List.copyOf(addresses));
    }

    /** TLS for the head, which trusts nobody but this director. */
    public SSLContext tlsTo(String node, String site) throws IOException {
        return DirectorTls.context(certificatePem(), headClient(), directorName(node, site));
    }

    /** TLS for the port at which children buy, {@code CN=spillway-broker}: who comes needs a certificate of ours. */
    public SSLContext brokerTls() throws IOException {
        Credential own = ownCredential(
                "broker",
                new X500Principal("CN=spillway-broker"),
                Certificates.Purpose.SERVER,
                List.of(InetAddress.ofLiteral("127.0.0.1")));
        return DirectorTls.forAnyOfOurs(certificatePem(), own);
    }

    /** The public half of the image signing key (PEM). */
    public String imagePublicKeyPem() {
        return imageSigning.publicPem();
    }

    /** ECDSA P-256 with SHA-256 over the text in UTF-8; DER, base64. Another one at each call, all of them valid. */
    public String signImage(String text) throws IOException {
        try {
            var signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(Pem.privateKey(imageSigning.privatePem()));
            signature.update(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IOException("the image could not be signed");
        }
    }

    /** The token that an instance launched for this intent shows when it asks to join. Secret. */
    public String joinToken(String intent) {
        return derive("join:" + Names.intent(intent));
    }

    /** Hex SHA-256 of {@link #joinToken}'s text: a director checks tokens without being able to make any. */
    public String tokenSha256(String intent) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(joinToken(intent).getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** With which a site's director reads the head's directory. Secret. */
    public String directoryPassword(String site) {
        return derive("directory:" + Names.site(site));
    }

    /** With which a child cluster shows who it is to its parent's broker; derived, so always the same. Secret. */
    public String clusterToken(String cluster) {
        return derive("cluster:" + Names.node(cluster));
    }

    /** A child's key and certificate, {@code CN=cluster:ID}, for TLS clients only. */
    public Credential clusterCredential(String cluster) throws IOException {
        var subject = new X500Principal("CN=cluster:" + Names.node(cluster));
        return ownCredential("cluster-" + Names.node(cluster), subject, Certificates.Purpose.CLIENT, List.of());
    }

    /** Lets go of what was made for a child: it is no more. */
    public synchronized void forgetCluster(String cluster) throws IOException {
        keyring.forget("cluster-" + Names.node(cluster));
    }

    /** A new SSH key, which is kept nowhere here. */
    public static SshIdentity newSshIdentity(String comment) throws IOException {
        String key = SshKeys.newPrivateKey(comment);
        return new SshIdentity(key, SshKeys.publicLine(SshKeys.parse(key).getPublic()));
    }

    /** The key with which the head logs in. Secret. */
    public KeyPair sshClient() {
        return sshClient;
    }

    /** The head's public key, as one line of {@code authorized_keys}. */
    public String sshClientPublicLine() {
        return SshKeys.publicLine(sshClient.getPublic());
    }

    public HostKeys hostKeys() {
        return hostKeys;
    }

    /**
     * A template of a director's user data, with a placeholder for its one secret, the bootstrap host key. It makes a
     * user {@code spillway} who may log in with the head's key and, as root, do nothing but replace the host key.
     *
     * @param abandonedAfter after so long without a word from the head the machine powers off; whole seconds
     */
    public String directorUserData(String node, Duration abandonedAfter) throws IOException {
        return UserData.director(
                Names.node(node), hostKeys.bootstrapPublicLine(node), sshClientPublicLine(), abandonedAfter);
    }

    /**
     * Puts secrets in the places of {@code @@SPILLWAY:join:INTENT@@} and {@code @@SPILLWAY:hostkey:NODE@@}. The same
     * template gives the same text, always. The result is secret: it goes to the provider and nowhere else.
     */
    public String renderSecrets(String template) throws IOException {
        return UserData.render(template, (kind, name) -> switch (kind) {
            case "join" -> joinToken(name);
            case "hostkey" -> hostKeys.bootstrapKey(name);
            default -> throw new IllegalArgumentException("no such kind of secret in user data: " + kind);
        });
    }

    /** Without any key: this text may reach a log. */
    @Override
    public String toString() {
        return "SiteAuthority[keys withheld]";
    }

    private static X500Principal directorName(String node, String site) {
        return new X500Principal("CN=director:" + Names.node(node) + ",O=" + Names.site(site));
    }

    private String derive(String purpose) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(masterSecret);
            byte[] code = mac.doFinal(purpose.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(code);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("this Java has no HMAC-SHA256", impossible);
        }
    }

    private synchronized Credential ownCredential(
            String name, X500Principal subject, Certificates.Purpose purpose, List<InetAddress> addresses)
            throws IOException {
        Optional<Credential> there = keyring.credential(name);
        if (there.isPresent() && stillGood(Pem.certificate(there.get().certificatePem()), subject, addresses)) {
            return there.get();
        }
        KeyPair keys = Certificates.newKeys();
        DN dn;
        try {
            dn = new DN(subject.getName(X500Principal.RFC2253));
        } catch (LDAPException impossible) {
            throw new IllegalStateException(impossible);
        }
        String chain = issue(keys.getPublic(), dn, purpose, addresses, OWN_VALIDITY);
        return keyring.keep(name, keys, chain);
    }

    private boolean stillGood(X509Certificate certificate, X500Principal subject, List<InetAddress> addresses)
            throws IOException {
        if (!certificate.getSubjectX500Principal().equals(subject)
                || certificate
                        .getNotAfter()
                        .toInstant()
                        .isBefore(clock.instant().plus(RENEW_BEFORE))) {
            return false;
        }
        try {
            var names = certificate.getSubjectAlternativeNames();
            List<Object> found = names == null
                    ? List.of()
                    : names.stream().map(name -> (Object) name.get(1)).toList();
            return found.equals(
                    addresses.stream().map(InetAddress::getHostAddress).toList());
        } catch (GeneralSecurityException e) {
            throw new IOException("a certificate among the secrets is damaged", e);
        }
    }

    private String issue(
            PublicKey key, DN subject, Certificates.Purpose purpose, List<InetAddress> addresses, Duration validity)
            throws IOException {
        String certificate = Certificates.issue(
                certificatePem(),
                Pem.privateKey(authority.keyPem()),
                key,
                subject,
                purpose,
                addresses,
                clock.instant(),
                validity);
        return certificate.stripTrailing() + "\n" + certificatePem();
    }
}
