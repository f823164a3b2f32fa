package org.spillway.stage.pull;

/**
 * A file to pull.
 *
 * @param url where it is; its query may be a secret
 * @param authorization of its server's first answer; empty for none
 * @param key a word for where it lies, the same for each try; says nothing of it
 * @param sha256 that it has to have, in lower-case hex; empty for any
 */
public record PullItem(String url, String authorization, String key, String sha256) {
    /** Without secrets: this text may reach a log. */
    @Override
    public String toString() {
        return "PullItem[" + key + "]";
    }
}
