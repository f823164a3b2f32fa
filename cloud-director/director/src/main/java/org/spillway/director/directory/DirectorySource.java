package org.spillway.director.directory;

import java.util.Optional;

/** Where the head's directory gets its users and groups. */
public sealed interface DirectorySource extends AutoCloseable permits NssSource, FileSource, LdapSource, PagedSource {
    /** The trouble of one that has been started and has neither been read whole nor failed yet. */
    String UNREAD = "it has not answered whole yet";

    /** Begins to feed the store, and goes on until closed; returns without waiting for the first content. Once only. */
    void start(DirectoryStore store);

    /** Why the content may be out of date; empty when all is well. */
    String trouble();

    /** Whether it could not be read once since it was started: one that has not is awaited. */
    boolean hasFailed();

    /** Looks for a user whom a source that lists nobody does not show; returns when the store has what there is. */
    default void lookUp(DirectoryStore store, String login) {}

    /** Why the account of a login is there and may not work; empty for one that may, and for an unknown one. */
    default Optional<String> refusal(String login) {
        return Optional.empty();
    }

    @Override
    void close();
}
