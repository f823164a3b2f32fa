package org.spillway.head.trust;

/**
 * An SSH key to log in with.
 *
 * @param privateKey in OpenSSH's text form; secret
 * @param publicLine as in {@code authorized_keys}
 */
public record SshIdentity(String privateKey, String publicLine) {
    /** Without the key: this text may reach a log. */
    @Override
    public String toString() {
        return "SshIdentity[key withheld]";
    }
}
