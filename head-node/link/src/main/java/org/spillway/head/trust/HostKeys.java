package org.spillway.head.trust;

import java.io.IOException;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.sshd.common.config.keys.KeyUtils;

/**
 * The SSH host keys that the head makes for its directors. A director's first key travels in user data, where others
 * may read it later, so it is replaced in the first session. A key is written down here before it is installed, so
 * that a head that is killed in between knows both.
 */
public final class HostKeys {
    private final SecretFiles files;

    HostKeys(SecretFiles files) {
        this.files = files;
    }

    /**
     * The host key of an instance that was not launched by this head, as an administrator has written it down: it is the
     * only one accepted, and is never replaced.
     *
     * @param publicLine as in {@code ssh_host_ecdsa_key.pub}
     * @throws IOException if it is no such line
     */
    public synchronized void given(String node, String publicLine) throws IOException {
        SshKeys.parsePublic(publicLine);
        files.write(givenName(node), publicLine.strip() + "\n");
    }

    /** Whether a key was ever made or written down for it. */
    public synchronized boolean isKnown(String node) throws IOException {
        return isRotated(node) || files.read(bootstrapName(node)).isPresent();
    }

    /** The key for the instance's first boot, in OpenSSH's text form; made when it is first asked for. Secret. */
    public synchronized String bootstrapKey(String node) throws IOException {
        return readOrMake(bootstrapName(node), node);
    }

    /** The public half of the key that the director has proven to hold, as one line. */
    public synchronized String presentPublicLine(String node) throws IOException {
        return SshKeys.publicLine(accepted(node).getFirst());
    }

    /** The public half of {@link #bootstrapKey}, as one line. */
    public synchronized String bootstrapPublicLine(String node) throws IOException {
        return SshKeys.publicLine(SshKeys.parse(bootstrapKey(node)).getPublic());
    }

    /** The key that replaces the present one, made when it is first asked for. Secret. */
    public synchronized String nextKey(String node) throws IOException {
        return readOrMake(nextName(node), node);
    }

    /** Keys that the director may present now: the present key and, while it is being replaced, the next one. */
    public synchronized List<PublicKey> accepted(String node) throws IOException {
        Optional<String> given = files.read(givenName(node));
        if (given.isPresent()) {
            return List.of(SshKeys.parsePublic(given.get()));
        }
        Optional<String> present = files.read(currentName(node));
        if (present.isEmpty()) {
            present = files.read(bootstrapName(node));
        }
        if (present.isEmpty()) {
            throw new IOException("the head never made a host key for " + node);
        }
        var keys = new ArrayList<PublicKey>();
        keys.add(SshKeys.parse(present.get()).getPublic());
        Optional<String> next = files.read(nextName(node));
        if (next.isPresent()) {
            keys.add(SshKeys.parse(next.get()).getPublic());
        }
        return keys;
    }

    /** The director has proven to hold this key. If it is the next one, it is from now on the only one. */
    public synchronized void seen(String node, PublicKey key) throws IOException {
        Optional<String> next = files.read(nextName(node));
        if (next.isPresent() && KeyUtils.compareKeys(SshKeys.parse(next.get()).getPublic(), key)) {
            files.rename(nextName(node), currentName(node));
        }
    }

    /** Whether no key that travelled in user data is accepted, or not any more. */
    public synchronized boolean isRotated(String node) throws IOException {
        return files.read(currentName(node)).isPresent()
                || files.read(givenName(node)).isPresent();
    }

    /** Removes all keys of a director that is no more; its user data cannot be rendered again. */
    public synchronized void forget(String node) throws IOException {
        files.remove(nextName(node));
        files.remove(currentName(node));
        files.remove(bootstrapName(node));
        files.remove(givenName(node));
    }

    private String readOrMake(String name, String node) throws IOException {
        Optional<String> there = files.read(name);
        if (there.isPresent()) {
            return there.get();
        }
        String made = SshKeys.newPrivateKey(node);
        files.write(name, made);
        return made;
    }

    private static String bootstrapName(String node) {
        return "hostkey-" + Names.node(node);
    }

    private static String givenName(String node) {
        return bootstrapName(node) + ".given";
    }

    private static String nextName(String node) {
        return bootstrapName(node) + ".next";
    }

    private static String currentName(String node) {
        return bootstrapName(node) + ".current";
    }
}
